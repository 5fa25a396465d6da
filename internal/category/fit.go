package category

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/libaoso/aoso/internal/bin"
)

// MaxCategories is the most categories that a feature can have.
const MaxCategories = 1 << 24

// A TooManyError is a column with more categories than a feature can have.
type TooManyError struct{ Column, Categories int }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("column %d has %d categories", e.Column, e.Categories)
}

// Options say how an encoder is fitted.
type Options struct {
	MaxBins     int    // of a feature
	Categorical []bool // by column: its numbers stand for categories; nil: none do
	Seed        uint64
}

// Fit fits an encoder to a table. The source has the encoded columns to train
// on: there, the rates of a row do not know the row's own class.
func Fit(x bin.Source, t *Target, o Options) (*Encoder, bin.Source, error) {
	e := &Encoder{Features: make([]Feature, x.Cols())}
	any := false
	for j := range e.Features {
		names := Categories(x, j)
		byNumber := names == nil && o.Categorical != nil && o.Categorical[j]
		if names == nil && !byNumber {
			continue
		}
		any = true
		f := &e.Features[j]
		f.Categories = findNames(x, j, names)
		if len(f.Categories) > MaxCategories {
			return nil, nil, &TooManyError{j, len(f.Categories)}
		}
		f.Rated = len(f.Categories) > min(o.MaxBins, mostCodes)
	}
	if !any {
		return nil, x, nil
	}
	plain, err := e.Encode(x)
	if err != nil {
		return nil, nil, err
	}
	return e, e.addRates(x, plain.(*encoded), t, o.Seed), nil
}

// findNames lists the categories of a column that occur, or, without names, its
// numbers as categories, each once and in order.
func findNames(x bin.Source, j int, names []string) (found []string) {
	const block = 4096
	values := make([]float64, block)
	numbers, occurs := map[float64]bool{}, make([]bool, len(names))
	for first := 0; first < x.Rows(); first += block {
		n := min(block, x.Rows()-first)
		x.Column(j, first, values[:n])
		for _, v := range values[:n] {
			switch {
			case v != v:
			case names == nil:
				numbers[v] = true
			case v >= 0 && v < float64(len(names)):
				occurs[int(v)] = true
			}
		}
	}
	for v := range numbers {
		found = append(found, Name(v))
	}
	for i, name := range names {
		if occurs[i] {
			found = append(found, name)
		}
	}
	sortNames(found)
	if found == nil {
		return []string{} // all are missing
	}
	return slices.Compact(found) // a list may have a name twice
}

// sortNames sorts categories by value if all are integers, else as strings, so
// that the order does not depend on the table.
func sortNames(names []string) {
	values := make(map[string]int64, len(names))
	for _, name := range names {
		v, err := strconv.ParseInt(name, 10, 64)
		if err != nil || strconv.FormatInt(v, 10) != name {
			slices.Sort(names)
			return
		}
		values[name] = v
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(values[a], values[b]) })
}
