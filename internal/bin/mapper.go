// Package bin quantizes features: a Mapper holds each feature's bin edges and
// a Matrix the bin codes, a column of bytes a feature.
package bin

import (
	"math"
	"slices"
	"sort"
)

// MaxValueBins is the largest number of value bins of a feature. Code 0 is
// the missing bin, so values have codes 1 to 255.
const MaxValueBins = 255

// Feature is the quantization of one feature. Value bin b (from 1) holds
// x with Edges[b-2] ≤ x < Edges[b-1]; bin 0 is for missing values.
type Feature struct {
	Edges   []float64 // rising; one fewer than there are value bins
	Lower   []float64 // least fitted value of each value bin
	Upper   []float64 // greatest fitted value of each value bin
	Missing bool      // missing values were seen in fitting
}

// Mapper is the quantization of all features of a training set.
type Mapper struct{ Features []Feature }

// Codes is the number of bin codes in use, the missing bin included.
func (f *Feature) Codes() int { return len(f.Lower) + 1 }

// Constant tells that no split can be made of the feature.
func (f *Feature) Constant() bool {
	return len(f.Lower) == 0 || len(f.Lower) == 1 && !f.Missing
}

// Valid tells whether the bins can be those of a feature.
func (f *Feature) Valid() bool {
	n := len(f.Lower)
	if n > MaxValueBins || len(f.Upper) != n || len(f.Edges) != max(n-1, 0) {
		return false
	}
	least := -math.MaxFloat64
	for b := range n {
		if !(least <= f.Lower[b] && f.Lower[b] <= f.Upper[b] && f.Upper[b] <= math.MaxFloat64) {
			return false
		}
		if b < n-1 && !(f.Upper[b] < f.Edges[b] && f.Edges[b] <= math.MaxFloat64) {
			return false
		}
		if b < n-1 {
			least = f.Edges[b]
		}
	}
	return true
}

// Equal tells whether two mappers put all values into the same bins.
func (m *Mapper) Equal(other *Mapper) bool {
	return m == other || slices.EqualFunc(m.Features, other.Features, func(a, b Feature) bool {
		return a.Missing == b.Missing && slices.Equal(a.Edges, b.Edges) && slices.Equal(a.Lower, b.Lower) && slices.Equal(a.Upper, b.Upper)
	})
}

// Code is the bin of x.
func (f *Feature) Code(x float64) uint8 {
	if x != x || len(f.Lower) == 0 {
		return 0
	}
	return uint8(1 + sort.Search(len(f.Edges), func(i int) bool { return x < f.Edges[i] }))
}

// Threshold is the value below which x has a code of at most bin.
func (f *Feature) Threshold(bin int) float64 {
	if bin > len(f.Edges) {
		return math.Inf(1)
	}
	return f.Edges[bin-1]
}

// BinBelow is the way back from a threshold.
func (f *Feature) BinBelow(threshold float64) uint8 {
	return uint8(1 + sort.SearchFloat64s(f.Edges, threshold))
}

// CutBetween is the bin in [low, high) after which to cut when a node holds
// nothing between the value bins low and high: the cut nearest below the
// midpoint of their neighbouring values, as if the bins between were absent.
func (f *Feature) CutBetween(low, high int) int {
	if high > len(f.Lower) {
		return low
	}
	middle := midpoint(f.Upper[low-1], f.Lower[high-1])
	for high--; high > low && f.Edges[high-1] > middle; high-- {
	}
	return high
}

// FitFeature chooses the bins of one feature from its values (NaN is
// missing), which it reorders. At most maxBins distinct values have a
// bin each, cut at the midpoints of neighbours; more share bins of about
// equal numbers of rows.
func FitFeature(values []float64, maxBins int) (f Feature) {
	return fitFeature(values, make([]float64, len(values)), maxBins)
}

// fitFeature is FitFeature with room for as many values.
func fitFeature(values, room []float64, maxBins int) (f Feature) {
	present := slices.DeleteFunc(values, math.IsNaN)
	f.Missing = len(present) < len(values)
	sortNumbers(present, room)
	distinct := countDistinct(present)
	if len(distinct) <= maxBins {
		for _, d := range distinct {
			f.appendBin(d.value, d.value)
		}
		return f
	}
	left, bins := len(present), maxBins
	for i := 0; i < len(distinct); bins-- {
		first, count, target := i, distinct[i].count, float64(left)/float64(bins)
		for i++; i < len(distinct) && len(distinct)-i >= bins && bins > 1; i++ {
			with := float64(count + distinct[i].count)
			if with-target > target-float64(count) {
				break // nearer to the target without it
			}
			count += distinct[i].count
		}
		if bins == 1 {
			i = len(distinct)
		}
		f.appendBin(distinct[first].value, distinct[i-1].value)
		left -= count
	}
	return f
}

func (f *Feature) appendBin(lower, upper float64) {
	if n := len(f.Upper); n > 0 {
		f.Edges = append(f.Edges, midpoint(f.Upper[n-1], lower))
	}
	f.Lower = append(f.Lower, lower)
	f.Upper = append(f.Upper, upper)
}

type valueCount struct {
	value float64
	count int
}

// countDistinct counts the runs of sorted values.
func countDistinct(sorted []float64) []valueCount {
	n := 0
	for i, x := range sorted {
		if i == 0 || x != sorted[i-1] {
			n++
		}
	}
	distinct := make([]valueCount, 0, n)
	for i, x := range sorted {
		if i == 0 || x != sorted[i-1] {
			distinct = append(distinct, valueCount{value: x})
		}
		distinct[len(distinct)-1].count++
	}
	return distinct
}

// midpoint is a number above a and at most b, as near to their middle as
// float64 allows, without overflow.
func midpoint(a, b float64) float64 {
	m := a/2 + b/2
	if m <= a || m > b {
		return b
	}
	return m
}
