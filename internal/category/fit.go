package category

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/libaoso/aoso/internal/bin"
)

// MaxCategories is the largest number of categories of a feature.
const MaxCategories = 1 << 24

// A TooManyError says that a column has more than [MaxCategories] categories.
type TooManyError struct{ Column, Categories int }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("column %d has %d categories", e.Column, e.Categories)
}

// Options say how an encoder is fitted.
type Options struct {
	MaxBins     int    // bins of a feature
	Categorical []bool // by column: its numbers stand for categories; nil: no column's do
	Seed        uint64
}

// Fit fits an encoder to a table, and returns it with the encoded columns to train on, in which the rates of a row do not depend on the
// row's own class. If no feature is categorical, it returns a nil encoder and x.
func Fit(x bin.Source, t *Target, o Options) (*Encoder, bin.Source, error) {
	x = Coded(x, func(j int) bool { return o.Categorical != nil && o.Categorical[j] }, false)
	e := &Encoder{Features: make([]Feature, x.Cols())}
	found, any := make([][]string, len(e.Features)), false
	for j := range found {
		names := Categories(x, j)
		if names != nil || o.Categorical != nil && o.Categorical[j] {
			found[j], any = findNames(x, j, names), true
		}
	}
	if !any {
		return nil, x, nil
	}
	found, err := t.unite(found)
	if err != nil {
		return nil, nil, err
	}
	for j, names := range found {
		if names == nil {
			continue
		}
		f := &e.Features[j]
		f.Categories = names
		if len(f.Categories) > MaxCategories {
			return nil, nil, &TooManyError{j, len(f.Categories)}
		}
		f.Rated = len(f.Categories) > min(o.MaxBins, MostCodes)
	}
	columns, err := e.Train(x, t, o.Seed)
	return e, columns, err
}

// findNames lists the categories that occur in a column, each once and in order. If names is nil, they are the names of its numbers.
func findNames(x bin.Source, j int, names []string) (found []string) {
	numbers, occurs := map[float64]bool{}, make([]bool, len(names))
	for _, values := range blocks(x, j) {
		for _, v := range values {
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
	SortNames(found)
	if found == nil {
		return []string{} // all are missing
	}
	return slices.Compact(found) // a list may have a name twice
}

// blocks yields the values of column j block by block, each with its first row.
func blocks(x bin.Source, j int) iter.Seq2[int, []float64] {
	return func(yield func(int, []float64) bool) {
		values := make([]float64, 4096)
		for first := 0; first < x.Rows(); first += len(values) {
			values = values[:min(len(values), x.Rows()-first)]
			x.Column(j, first, values)
			if !yield(first, values) {
				return
			}
		}
	}
}

// SortNames sorts the names of categories or classes by value if all are integers, otherwise as strings.
func SortNames(names []string) {
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
