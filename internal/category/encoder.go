// Package category encodes the columns of a table, some of them categorical, as columns of numbers, from which bins are made. A model
// stores the Encoder, so that it encodes other tables in the same way.
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
	// Categories lists the categories of column j; nil if the column is numeric. The values of a categorical column are positions in
	// the list, and NaN where they are missing.
	Categories(j int) []string
}

// Categories lists the categories of column j of a source; nil if the column is numeric.
func Categories(x bin.Source, j int) []string {
	if t, ok := x.(Table); ok {
		return t.Categories(j)
	}
	return nil
}

// Feature says how one column is encoded. The values of a numeric feature stay as they are. The categories of a categorical feature
// become codes 1, 2, …, whose order has no meaning; categories that training has not seen count as missing. A feature with too many
// categories for that is rated: it is target encoded. All its categories, also unseen ones, get code 1, and the rates in further
// columns distinguish them. The last of these columns has the places of the categories. Other features with many categories have it, too.
type Feature struct {
	Categories []string // in order, each once; nil: the feature is numeric
	Rated      bool
	Weights    [][]float32 // by column of rates but the last: the weight of each class
	Rates      [][]float32 // by further column: the number of each category, and last that of unseen ones
}

// places returns the column of places: numbers from 0 to 1, in the order of the categories. That of unseen ones is in the middle.
func (f *Feature) places() (places []float32) {
	n := float32(len(f.Categories))
	for category := range f.Categories {
		places = append(places, (float32(category)+0.5)/n)
	}
	return append(places, 0.5)
}

// Codes returns the number of codes of the feature; 0 if it is numeric.
func (f *Feature) Codes() int {
	if f.Rated {
		return 1
	}
	return len(f.Categories)
}

// code returns the code of a category. A position past the last category stands for an unseen one.
func (f *Feature) code(category int) float64 {
	switch {
	case f.Rated:
		return 1
	case category < len(f.Categories):
		return float64(category + 1)
	}
	return math.NaN()
}

// Rate returns the number of a category in a column of rates. Unseen categories of a feature that is not rated are missing.
func (f *Feature) Rate(column, category int) float64 {
	if !f.Rated && category == len(f.Categories) {
		return math.NaN()
	}
	return float64(f.Rates[column][category])
}

// Encoder says how the columns of a table are encoded as columns of numbers: one column for each feature, in order, then the further columns
// of the first feature, of the second, and so on, and last the crosses. A nil Encoder leaves all columns as they are.
type Encoder struct {
	Features []Feature
	Crosses  []Cross
}

// Owners are the features that an encoded column is computed from: two of a cross, otherwise twice the same.
type Owners [2]int32

// Owners lists the owners of each encoded column. A nil Encoder returns nil: column j encodes feature j.
func (e *Encoder) Owners() []Owners {
	if e == nil {
		return nil
	}
	var owners []Owners
	for j := range e.Features {
		owners = append(owners, Owners{int32(j), int32(j)})
	}
	for j := range e.Features {
		for range e.Features[j].Rates {
			owners = append(owners, Owners{int32(j), int32(j)})
		}
	}
	for _, c := range e.Crosses {
		owners = append(owners, Owners{int32(c.First), int32(c.Second)})
	}
	return owners
}

// Owner returns the feature that an encoded column encodes, and which of the feature's columns of rates it is; −1 if it has codes or
// numbers. The column is not a cross.
func (e *Encoder) Owner(column int) (feature, rate int) {
	if column < len(e.Features) {
		return column, -1
	}
	rate = column - len(e.Features)
	for rate >= len(e.Features[feature].Rates) {
		rate -= len(e.Features[feature].Rates)
		feature++
	}
	return feature, rate
}

// Values returns the numbers that encode a feature's categories in an encoded column, and last the number of unseen categories. NaN
// counts as missing.
func (e *Encoder) Values(column int) []float64 {
	feature, rate := e.Owner(column)
	f := &e.Features[feature]
	values := make([]float64, len(f.Categories)+1)
	for category := range values {
		if rate < 0 {
			values[category] = f.code(category)
		} else {
			values[category] = f.Rate(rate, category)
		}
	}
	return values
}

// Columns returns the number of encoded columns of this many features.
func (e *Encoder) Columns(features int) int {
	if e == nil {
		return features
	}
	return len(e.Owners())
}

// Codes lists the number of codes of each encoded column of this many features; 0 if the column has numbers.
func (e *Encoder) Codes(features int) []int {
	codes := make([]int, e.Columns(features))
	if e != nil {
		for j := range e.Features {
			codes[j] = e.Features[j].Codes()
		}
		for i, c := range e.Crosses {
			codes[e.uncrossed()+i] = e.codes(c)
		}
	}
	return codes
}

// Equal reports whether two encoders encode alike.
func (e *Encoder) Equal(o *Encoder) bool {
	if e == nil || o == nil {
		return e == o
	}
	return slices.Equal(e.Crosses, o.Crosses) && slices.EqualFunc(e.Features, o.Features, func(a, b Feature) bool {
		return slices.Equal(a.Categories, b.Categories) && a.Rated == b.Rated &&
			slices.EqualFunc(a.Weights, b.Weights, slices.Equal[[]float32]) && slices.EqualFunc(a.Rates, b.Rates, slices.Equal[[]float32])
	})
}

// A MismatchError says that a column has a category which is not a number, though the feature is numeric.
type MismatchError struct {
	Column int
	Value  string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("column %d has the category %q, and the feature is numeric", e.Column, e.Value)
}

// Encode returns the encoded columns of a table. It finds categories by name. A number in the table stands for the category whose name
// is that number, and a category whose name is a number stands for that number.
func (e *Encoder) Encode(x bin.Source) (bin.Source, error) {
	columns, err := e.encodeFeatures(x)
	if err != nil {
		return nil, err
	}
	return e.cross(columns), nil
}

// encodeFeatures is Encode without crosses.
func (e *Encoder) encodeFeatures(x bin.Source) (bin.Source, error) {
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
	x = e.withCategories(x)
	s := &encoded{Source: x, columns: make([]column, 0, len(e.Features))}
	var rates []column
	for j := range e.Features {
		f := &e.Features[j]
		values, err := f.match(x, j)
		if err != nil {
			return nil, err
		}
		c := column{from: j, lookup: values.numbers}
		if f.Categories != nil {
			c.lookup = values.lookup(f.code)
		}
		s.columns = append(s.columns, c)
		for i := range f.Rates {
			rates = append(rates, column{from: j, lookup: values.lookup(func(category int) float64 { return f.Rate(i, category) })})
		}
	}
	s.columns = append(s.columns, rates...)
	return s, nil
}

// withCategories returns x with the integers of categorical features as categories, so that no digit of them is lost.
func (e *Encoder) withCategories(x bin.Source) bin.Source {
	return Coded(x, func(j int) bool { return j < len(e.Features) && e.Features[j].Categories != nil }, false)
}

// EncodeRow encodes a row. Categories are positions among the encoder's; any other position stands for an unseen category.
func (e *Encoder) EncodeRow(row, columns []float64) {
	rates := columns[len(e.Features):]
	for j, x := range row {
		f := &e.Features[j]
		columns[j] = x
		if f.Categories == nil {
			continue
		}
		category := len(f.Categories) // unseen
		if x >= 0 && x < float64(category) {
			category = int(x)
		}
		for i := range f.Rates {
			if rates[i] = x; x == x {
				rates[i] = f.Rate(i, category)
			}
		}
		rates = rates[len(f.Rates):]
		if x == x {
			columns[j] = f.code(category)
		}
	}
	for i, c := range e.Crosses {
		rates[i] = c.value(columns[c.First], columns[c.Second], e.Features[c.Second].Codes())
	}
}

// lookup replaces values of a column by the numbers that encode them.
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
	small []float64 // by integers from 0: what known says, or other
	known map[float64]float64
	other float64
}

// mostSmall bounds the integers that a table finds faster than a map.
const mostSmall = 1 << 10

func newByNumber(known map[float64]float64, other float64) byNumber {
	t := byNumber{known: known, other: other}
	for v := range known {
		if 0 <= v && v < mostSmall {
			for len(t.small) <= int(v) {
				t.small = append(t.small, other)
			}
		}
	}
	for i := range t.small {
		if number, ok := known[float64(i)]; ok {
			t.small[i] = number
		}
	}
	return t
}

func (t byNumber) apply(values []float64) {
	for i, v := range values {
		if 0 <= v && v < float64(len(t.small)) && v == float64(int(v)) {
			values[i] = t.small[int(v)]
		} else if number, ok := t.known[v]; ok {
			values[i] = number
		} else if v == v {
			values[i] = t.other
		}
	}
}

// matched says which category of a feature each value of a column is.
type matched struct {
	numbers    lookup          // for a numeric feature; nil: the values are the numbers
	unseen     int             // the position of unseen categories, after the last category
	byPosition []int           // by category of a categorical column
	byNumber   map[float64]int // by value of a column of numbers
}

// lookup returns the lookup that encodes each category as encode says.
func (m *matched) lookup(encode func(category int) float64) lookup {
	if m.byNumber != nil {
		known := map[float64]float64{}
		for v, category := range m.byNumber {
			known[v] = encode(category)
		}
		return newByNumber(known, encode(m.unseen))
	}
	t := make(byPosition, len(m.byPosition))
	for i, category := range m.byPosition {
		t[i] = encode(category)
	}
	return t
}

// match finds the categories of column j of a source among the feature's.
func (f *Feature) match(x bin.Source, j int) (m matched, err error) {
	names := Categories(x, j)
	m.unseen = len(f.Categories)
	switch {
	case f.Categories == nil && names == nil:
		return m, nil
	case f.Categories == nil: // names must be numbers
		numbers := make(byPosition, len(names))
		for i, name := range names {
			if numbers[i], err = strconv.ParseFloat(name, 64); err != nil {
				return m, &MismatchError{j, name}
			}
		}
		m.numbers = numbers
		return m, nil
	case names == nil:
		m.byNumber = f.numbers()
		return m, nil
	}
	known := make(map[string]int, len(f.Categories))
	for i, name := range f.Categories {
		known[name] = i
	}
	var byValue map[float64]int // for names such as 01
	if isNumber(x, j) {
		byValue = f.numbers()
	}
	m.byPosition = make([]int, len(names))
	for i, name := range names {
		category, ok := known[name]
		if v, err := strconv.ParseFloat(name, 64); !ok && byValue != nil && err == nil && math.Abs(v) < exactIntegers {
			category, ok = byValue[v]
		}
		if !ok {
			category = m.unseen
		}
		m.byPosition[i] = category
	}
	return m, nil
}

// exactIntegers bounds the integers that float64 holds exactly.
const exactIntegers = 1 << 53

// numbers returns the categories whose names are numbers, by value. If several names have one value, such as 1 and 01, the name that
// [Name] gives the number wins.
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

// Name returns the name of the category that a number stands for. Integers below 10²¹ are written with all their digits.
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

// column is an encoded column.
type column struct {
	from   int    // the column of the source
	lookup lookup // nil: the values stay as they are
}

func (s *encoded) Cols() int { return len(s.columns) }

func (s *encoded) Column(j, first int, dst []float64) {
	c := &s.columns[j]
	s.Source.Column(c.from, first, dst)
	if c.lookup != nil {
		c.lookup.apply(dst)
	}
}
