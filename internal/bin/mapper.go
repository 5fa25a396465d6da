// Package bin quantizes features. A Mapper has the bins of each feature. A Matrix has the bin codes of the rows: one column of bytes for
// each feature.
package bin

import (
	"math"
	"slices"
	"sort"

	"github.com/libaoso/aoso/internal/mem"
)

// MaxValueBins is the largest number of value bins that a feature can have.
// Code 0 is the bin of missing values, so values have the codes 1 to 255.
const MaxValueBins = 255

// Feature is the quantization of one feature. Bin 0 holds missing values.
// Value bin b, counted from 1, holds every x with Edges[b-2] ≤ x < Edges[b-1].
type Feature struct {
	Edges   []float64 // increasing; one fewer than the value bins
	Lower   []float64 // smallest training value in each value bin
	Upper   []float64 // largest training value in each value bin
	Missing bool      // the training set has missing values

	// Categorical: the values are codes of categories, 1, 2, …, one in each bin, whose order has no meaning.
	Categorical bool
}

// Mapper is the quantization of all features of a training set.
type Mapper struct{ Features []Feature }

// Codes returns the number of bin codes in use, the missing bin included.
func (f *Feature) Codes() int { return len(f.Lower) + 1 }

// Constant reports whether the feature has only one bin and so cannot be
// split on.
func (f *Feature) Constant() bool {
	return len(f.Lower) == 0 || len(f.Lower) == 1 && !f.Missing
}

// CategoricalFeature returns a feature with this many categories.
func CategoricalFeature(categories int) Feature {
	f := Feature{Categorical: true}
	for number := range categories {
		f.appendBin(float64(number+1), float64(number+1))
	}
	return f.compact()
}

// compact returns a copy of the feature whose slices share one array without spare capacity. Upper is Lower if they are equal.
func (f *Feature) compact() Feature {
	n, c := len(f.Lower), *f
	if n == 0 {
		return Feature{Missing: f.Missing, Categorical: f.Categorical}
	}
	same := slices.Equal(f.Lower, f.Upper)
	size := 3*n - 1
	if same {
		size -= n
	}
	numbers := make([]float64, 0, size)
	part := func(values []float64) []float64 {
		first := len(numbers)
		numbers = append(numbers, values...)
		return numbers[first:len(numbers):len(numbers)]
	}
	c.Edges, c.Lower = part(f.Edges), part(f.Lower)
	if c.Upper = c.Lower; !same {
		c.Upper = part(f.Upper)
	}
	return c
}

// Valid reports whether f satisfies the invariants of a fitted feature.
func (f *Feature) Valid() bool {
	n := len(f.Lower)
	if n > MaxValueBins || len(f.Upper) != n || len(f.Edges) != max(n-1, 0) {
		return false
	}
	least := -math.MaxFloat64
	for b := range n {
		if f.Categorical && (f.Lower[b] != float64(b+1) || f.Upper[b] != f.Lower[b]) {
			return false
		}
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

// Equal reports whether two mappers have the same bins.
func (m *Mapper) Equal(other *Mapper) bool {
	return m == other || slices.EqualFunc(m.Features, other.Features, func(a, b Feature) bool {
		return a.Missing == b.Missing && a.Categorical == b.Categorical && slices.Equal(a.Edges, b.Edges) && slices.Equal(a.Lower, b.Lower) && slices.Equal(a.Upper, b.Upper)
	})
}

// Code returns the bin of x.
func (f *Feature) Code(x float64) uint8 {
	if x != x || len(f.Lower) == 0 {
		return 0
	}
	return uint8(1 + sort.Search(len(f.Edges), func(i int) bool { return x < f.Edges[i] }))
}

// Threshold returns the upper edge of a value bin: Code(x) ≤ bin exactly if
// x < Threshold(bin). It is +Inf for the last bin.
func (f *Feature) Threshold(bin int) float64 {
	if bin > len(f.Edges) {
		return math.Inf(1)
	}
	return f.Edges[bin-1]
}

// BinBelow returns the inverse of Threshold.
func (f *Feature) BinBelow(threshold float64) uint8 {
	return uint8(1 + sort.SearchFloat64s(f.Edges, threshold))
}

// CutBetween returns where to cut when a node has no values between the value
// bins low and high. The result is the last bin of the left side, from low up
// to high-1. Its edge is the largest that does not exceed the midpoint between
// the largest value of low and the smallest value of high. If every edge
// exceeds it, or high is beyond the last bin, the result is low.
func (f *Feature) CutBetween(low, high int) int {
	if high > len(f.Lower) {
		return low
	}
	middle := midpoint(f.Upper[low-1], f.Lower[high-1])
	for high--; high > low && f.Edges[high-1] > middle; high-- {
	}
	return high
}

// FitFeature chooses the bins of one feature from its values. NaN means
// missing. Up to maxBins distinct values get a bin each, with edges at the
// midpoints between neighbours. More distinct values share bins that hold
// about equal numbers of rows. FitFeature reorders values.
func FitFeature(values []float64, maxBins int) (f Feature) {
	return newFitter(len(values)).fit(values, maxBins)
}

// fitter chooses the bins of one feature after another, from the same number of values of each.
type fitter struct {
	values  []float64 // of columnGroup features
	scratch []float64
	counts  []uint32
	memory  *mem.Block // of values, scratch and counts
	tally   tally
	block   [rowBlock]float64 // values of one column from which the sample's rows are picked
	bins    Feature           // scratch buffer for the bins, before compact
}

func newFitter(size int) *fitter {
	f := &fitter{memory: mem.New(8*(columnGroup+1)*size + 4*size)}
	numbers := mem.View[float64](f.memory)
	f.values, f.scratch = numbers[:columnGroup*size], numbers[columnGroup*size:][:size]
	f.counts = mem.View[uint32](f.memory)[2*(columnGroup+1)*size:]
	return f
}

// fit is FitFeature with the fitter's buffers.
func (f *fitter) fit(values []float64, maxBins int) Feature {
	fitted, present := &f.bins, values
	*fitted = Feature{Edges: fitted.Edges[:0], Lower: fitted.Lower[:0], Upper: fitted.Upper[:0]}
	if fitted.Missing = hasMissing(values); fitted.Missing {
		present = slices.DeleteFunc(values, math.IsNaN)
	}
	normalize(present)
	d, few := f.tally.count(present, f.counts)
	if !few {
		sortNumbers(present, f.scratch)
		d = countSorted(present, f.counts)
	}
	if len(d.values) <= maxBins {
		for _, x := range d.values {
			fitted.appendBin(x, x)
		}
		return fitted.compact()
	}
	left, bins := len(present), maxBins
	for i := 0; i < len(d.values); bins-- {
		first, count, target := i, int(d.counts[i]), float64(left)/float64(bins)
		for i++; i < len(d.values) && len(d.values)-i >= bins && bins > 1; i++ {
			with := float64(count + int(d.counts[i]))
			if with-target > target-float64(count) {
				break // the bin is closer to its target size without this value
			}
			count += int(d.counts[i])
		}
		if bins == 1 {
			i = len(d.values)
		}
		fitted.appendBin(d.values[first], d.values[i-1])
		left -= count
	}
	return fitted.compact()
}

func (f *Feature) appendBin(lower, upper float64) {
	if n := len(f.Upper); n > 0 {
		f.Edges = append(f.Edges, midpoint(f.Upper[n-1], lower))
	}
	f.Lower = append(f.Lower, lower)
	f.Upper = append(f.Upper, upper)
}

// midpoint returns the number in (a, b] that is closest to the middle of a and
// b. It does not overflow.
func midpoint(a, b float64) float64 {
	m := a/2 + b/2
	if m <= a || m > b {
		return b
	}
	return m
}
