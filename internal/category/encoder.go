// Package category turns the columns of a table, of which some are categorical,
// into columns of numbers, which bins and trees are made of. An Encoder
// remembers how, so that a model treats other tables in the same way.
package category

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/libaoso/aoso/internal/bin"
)

// Table is a table with categorical columns.
type Table interface {
	bin.Source
	// Categories lists the categories of column j; nil: it is a column of numbers. A
	// value of a categorical column is a position in the list, or NaN if it is
	// missing.
	Categories(j int) []string
}

// Categories lists the categories of a column of a source; nil: it has numbers.
func Categories(x bin.Source, j int) []string {
	if t, ok := x.(Table); ok {
		return t.Categories(j)
	}
	return nil
}

// Feature is how one column becomes numbers. Numbers stay what they are. A
// category becomes a code, which only says which categories are the same: 1 for
// the first, and so on. Categories that training has not seen count as missing.
// Where there are too many categories for codes, all have code 1, those not seen
// too, and rates tell them apart.
type Feature struct {
	Categories []string // in order, each once; nil: numbers
	Rated      bool
	Rates      [][]float32 // by class of the encoder, a further column: the rate of each category, and last that of categories not seen
}

// Codes returns the number of codes of a categorical feature.
func (f *Feature) Codes() int {
	if f.Rated {
		return 1
	}
	return len(f.Categories)
}

// code returns the number that a category becomes; past the last: one not seen.
func (f *Feature) code(category int) float64 {
	switch {
	case f.Rated:
		return 1
	case category < len(f.Categories):
		return float64(category + 1)
	}
	return math.NaN()
}

// Encoder is how the columns of a table become columns of numbers: one for each,
// in order, then the rates of the first feature that has some, and so on. Nil
// leaves all columns as they are.
type Encoder struct {
	Features []Feature
	Classes  []int32 // whose rates there are, in the order of the columns
}

// Owners lists the features that the columns after encoding come from; nil: those
// that they are.
func (e *Encoder) Owners() []int {
	if e == nil {
		return nil
	}
	var owners []int
	for j := range e.Features {
		owners = append(owners, j)
	}
	for j := range e.Features {
		for range e.Features[j].Rates {
			owners = append(owners, j)
		}
	}
	return owners
}

// Owner returns the feature that a column after encoding comes from, and which of its
// rates it is; −1: none.
func (e *Encoder) Owner(column int) (feature, rate int) {
	if column < len(e.Features) {
		return column, -1
	}
	return e.Owners()[column], (column - len(e.Features)) % len(e.Classes)
}

// Values gives the number that each category of a feature becomes in a column
// after encoding, and last that of categories not seen. NaN: it counts as missing.
func (e *Encoder) Values(column int) []float64 {
	feature, rate := e.Owner(column)
	f := &e.Features[feature]
	values := make([]float64, len(f.Categories)+1)
	for category := range values {
		if rate < 0 {
			values[category] = f.code(category)
		} else {
			values[category] = float64(f.Rates[rate][category])
		}
	}
	return values
}

// Columns returns the number of columns that this many features become.
func (e *Encoder) Columns(features int) int {
	if e == nil {
		return features
	}
	return len(e.Owners())
}

// Codes lists the number of codes of each column that this many features become; 0:
// it has numbers.
func (e *Encoder) Codes(features int) []int {
	codes := make([]int, e.Columns(features))
	if e != nil {
		for j := range e.Features {
			codes[j] = e.Features[j].Codes()
		}
	}
	return codes
}

// Equal reports whether two encoders do the same.
func (e *Encoder) Equal(o *Encoder) bool {
	if e == nil || o == nil {
		return e == o
	}
	return slices.Equal(e.Classes, o.Classes) && slices.EqualFunc(e.Features, o.Features, func(a, b Feature) bool {
		return slices.Equal(a.Categories, b.Categories) && a.Rated == b.Rated && slices.EqualFunc(a.Rates, b.Rates, slices.Equal[[]float32])
	})
}

// A MismatchError is a column that does not fit a feature.
type MismatchError struct {
	Column int
	Value  string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("column %d has the category %q, and the feature is numeric", e.Column, e.Value)
}

// Encode returns the columns of numbers of a table. Categories are found by
// their names. A number stands for the category whose name is that number, and
// the other way round.
func (e *Encoder) Encode(x bin.Source) (bin.Source, error) {
	if e == nil {
		e = &Encoder{}
		for j := range x.Cols() {
			if Categories(x, j) != nil {
				e.Features = make([]Feature, x.Cols())
				break
			}
		}
		if e.Features == nil {
			return x, nil
		}
	}
	x = e.coded(x)
	s := &encoded{Source: x, columns: make([]column, 0, len(e.Features))}
	var rates []column
	for j := range e.Features {
		f := &e.Features[j]
		places, err := f.places(x, j)
		if err != nil {
			return nil, err
		}
		c := column{from: j, table: places.numbers}
		if f.Categories != nil {
			c.table = places.take(f.code)
		}
		s.columns = append(s.columns, c)
		for _, rate := range f.Rates {
			rates = append(rates, column{from: j, table: places.take(func(category int) float64 {
				return float64(rate[category])
			})})
		}
	}
	s.columns = append(s.columns, rates...)
	return s, nil
}

// coded is x with all digits of integers that stand for categories.
func (e *Encoder) coded(x bin.Source) bin.Source {
	return Coded(x, func(j int) bool { return j < len(e.Features) && e.Features[j].Categories != nil }, false)
}

// EncodeRow writes the columns of numbers of a row, whose categories are positions
// among those of the encoder. Other positions are categories that it does not list.
func (e *Encoder) EncodeRow(row, columns []float64) {
	rates := columns[len(e.Features):]
	for j, x := range row {
		f := &e.Features[j]
		columns[j] = x
		if f.Categories == nil {
			continue
		}
		category := len(f.Categories) // others
		if x >= 0 && x < float64(category) {
			category = int(x)
		}
		for i, rate := range f.Rates {
			if rates[i] = x; x == x {
				rates[i] = float64(rate[category])
			}
		}
		rates = rates[len(f.Rates):]
		if x == x {
			columns[j] = f.code(category)
		}
	}
}

// lookup replaces the values of a column by other numbers.
type lookup interface{ apply(values []float64) }

// byPosition is a lookup for a categorical column.
type byPosition []float64

func (t byPosition) apply(values []float64) {
	for i, v := range values {
		if v >= 0 && v < float64(len(t)) {
			values[i] = t[int(v)]
		} else {
			values[i] = math.NaN()
		}
	}
}

// byNumber is a lookup for a column of numbers that stand for categories.
type byNumber struct {
	known map[float64]float64
	other float64
}

func (t byNumber) apply(values []float64) {
	for i, v := range values {
		if number, ok := t.known[v]; ok {
			values[i] = number
		} else if v == v {
			values[i] = t.other
		}
	}
}

// places is which of a feature's categories the values of a column are.
type places struct {
	numbers  lookup          // of a numeric feature; nil: the values themselves
	unlisted int             // stands for categories that the feature does not list
	position []int           // by category of a categorical column
	number   map[float64]int // by value of a column of numbers
}

// take returns a lookup of what of says of categories.
func (p *places) take(of func(category int) float64) lookup {
	if p.number != nil {
		t := byNumber{map[float64]float64{}, of(p.unlisted)}
		for v, category := range p.number {
			t.known[v] = of(category)
		}
		return t
	}
	t := make(byPosition, len(p.position))
	for i, category := range p.position {
		t[i] = of(category)
	}
	return t
}

// places finds the categories of a column of a source among those of the feature.
func (f *Feature) places(x bin.Source, j int) (p places, err error) {
	names := Categories(x, j)
	p.unlisted = len(f.Categories)
	switch {
	case f.Categories == nil && names == nil:
		return p, nil
	case f.Categories == nil: // names must be numbers
		numbers := make(byPosition, len(names))
		for i, name := range names {
			if numbers[i], err = strconv.ParseFloat(name, 64); err != nil {
				return p, &MismatchError{j, name}
			}
		}
		p.numbers = numbers
		return p, nil
	case names == nil:
		p.number = f.numbers()
		return p, nil
	}
	known := make(map[string]int, len(f.Categories))
	for i, name := range f.Categories {
		known[name] = i
	}
	var byValue map[float64]int // for names such as 01
	if isNumber(x, j) {
		byValue = f.numbers()
	}
	p.position = make([]int, len(names))
	for i, name := range names {
		category, ok := known[name]
		if v, err := strconv.ParseFloat(name, 64); !ok && byValue != nil && err == nil && math.Abs(v) < exactIntegers {
			category, ok = byValue[v]
		}
		if !ok {
			category = p.unlisted
		}
		p.position[i] = category
	}
	return p, nil
}

// exactIntegers is the integer up to which float64 holds all integers.
const exactIntegers = 1 << 53

// numbers returns the categories that are numbers, by value. Where several have a value,
// that counts which has the name of the number.
func (f *Feature) numbers() map[float64]int {
	numbers := map[float64]int{}
	for i, name := range f.Categories {
		v, err := strconv.ParseFloat(name, 64)
		if _, known := numbers[v]; err == nil && (!known || Name(v) == name) {
			numbers[v] = i
		}
	}
	return numbers
}

// Name returns the category that a number stands for: an integer with all its digits.
func Name(x float64) string {
	if math.Abs(x) < 1e21 && x == math.Trunc(x) {
		return strconv.FormatFloat(x+0, 'f', 0, 64)
	}
	format := byte('f')
	if size := math.Abs(x); size < 1e-4 || size >= 1e21 {
		format = 'g'
	}
	return strconv.FormatFloat(x+0, format, -1, 64)
}

// encoded is a source of encoded columns.
type encoded struct {
	bin.Source
	columns []column
}

// column is how a column of numbers comes from one of the source.
type column struct {
	from  int
	table lookup // nil: as it is
}

func (s *encoded) Cols() int { return len(s.columns) }

func (s *encoded) Column(j, first int, dst []float64) {
	c := &s.columns[j]
	s.Source.Column(c.from, first, dst)
	if c.table != nil {
		c.table.apply(dst)
	}
}
