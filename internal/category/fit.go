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

// Target is the classes of the rows, from which rates are taken.
type Target struct {
	Classes int
	Labels  []int32   // by row; −1: unknown
	Weights []float32 // by row; nil: all one
}

// Options say how an encoder is fitted.
type Options struct {
	MaxBins     int    // codes of a feature
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
		found := countNames(x, j, names)
		if len(found) > MaxCategories {
			return nil, nil, fmt.Errorf("column %d has %d categories", j, len(found))
		}
		e.Features[j] = newFeature(found, o.MaxBins)
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

type nameCount struct {
	name  string
	count int
}

// countNames counts the categories of a column that occur, or, without names,
// its numbers as categories. They come in order.
func countNames(x bin.Source, j int, names []string) (found []nameCount) {
	const block = 4096
	values := make([]float64, block)
	numbers, counts := map[float64]int{}, make([]int, len(names))
	for first := 0; first < x.Rows(); first += block {
		n := min(block, x.Rows()-first)
		x.Column(j, first, values[:n])
		for _, v := range values[:n] {
			switch {
			case v != v:
			case names == nil:
				numbers[v]++
			case v >= 0 && v < float64(len(names)):
				counts[int(v)]++
			}
		}
	}
	for v, n := range numbers {
		found = append(found, nameCount{Name(v), n})
	}
	for i, n := range counts {
		if n > 0 {
			found = append(found, nameCount{names[i], n})
		}
	}
	sortNames(found)
	// A list may have a name twice.
	merged := found[:0]
	for _, f := range found {
		if last := len(merged) - 1; last >= 0 && merged[last].name == f.name {
			merged[last].count += f.count
		} else {
			merged = append(merged, f)
		}
	}
	return merged
}

// sortNames sorts categories by value if all are integers, else as strings, so
// that the order does not depend on the table.
func sortNames(found []nameCount) {
	values := make(map[string]int64, len(found))
	for _, f := range found {
		v, err := strconv.ParseInt(f.name, 10, 64)
		if err != nil || strconv.FormatInt(v, 10) != f.name {
			values = nil
			break
		}
		values[f.name] = v
	}
	slices.SortFunc(found, func(a, b nameCount) int {
		if values != nil {
			return cmp.Compare(values[a.name], values[b.name])
		}
		return cmp.Compare(a.name, b.name)
	})
}

// newFeature gives each category a code. Where there are more categories than
// codes, the rare ones share the last.
func newFeature(found []nameCount, maxBins int) (f Feature) {
	f.Categories, f.Codes = make([]string, len(found)), make([]uint8, len(found))
	for i, c := range found {
		f.Categories[i] = c.name
	}
	if len(found) <= maxBins {
		for i := range f.Codes {
			f.Codes[i] = uint8(i + 1)
		}
		return f
	}
	f.Other = uint8(maxBins)
	for i := range f.Codes {
		f.Codes[i] = f.Other
	}
	often := make([]int, len(found))
	for i := range often {
		often[i] = i
	}
	slices.SortStableFunc(often, func(a, b int) int { return cmp.Compare(found[b].count, found[a].count) })
	often = often[:maxBins-1]
	slices.Sort(often)
	for code, i := range often {
		f.Codes[i] = uint8(code + 1)
	}
	return f
}
