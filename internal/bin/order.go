package bin

import (
	"math"
	"math/bits"
	"slices"
)

// Key maps a number to an integer so that integers compare as the numbers do.
// Both zeros have the same key; NaN has no meaningful one. Integers are faster
// to compare and to sort.
func Key(x float64) uint64 {
	b := math.Float64bits(x + 0)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// radixSortMin is the number of values from which a radix sort is faster than
// slices.Sort.
const radixSortMin = 1 << 11

// sortNumbers sorts values, which must not contain NaN. scratch is at least as
// long as values.
func sortNumbers(values, scratch []float64) {
	if len(values) < radixSortMin {
		slices.Sort(values)
		return
	}
	const digit = 11 // bits in a digit; a key has six digits
	var counts [6][1 << digit]uint32
	for _, x := range values {
		k := Key(x)
		for d := range counts {
			counts[d][k>>(digit*d)%(1<<digit)]++
		}
	}
	from, to := values, scratch[:len(values)]
	for d := range counts {
		c, shift := &counts[d], digit*d
		if int(c[Key(from[0])>>shift%(1<<digit)]) == len(values) {
			continue // all keys have the same digit here
		}
		at := uint32(0)
		for i, n := range c {
			c[i] = at
			at += n
		}
		for _, x := range from {
			place := &c[Key(x)>>shift%(1<<digit)]
			to[*place] = x
			*place++
		}
		from, to = to, from
	}
	if &from[0] != &values[0] {
		copy(values, from)
	}
}

// coder finds the bins of many values. Its binary search has no branches,
// because half of them would be mispredicted.
type coder struct {
	edges [MaxValueBins + 1]uint64
	half  uint64 // length of the first search step
}

func (f *Feature) coder() (c coder) {
	for i := range c.edges {
		c.edges[i] = math.MaxUint64
	}
	for i, edge := range f.Edges {
		c.edges[i] = Key(edge)
	}
	c.half = 1 << bits.Len(uint(len(f.Edges))) >> 1
	return c
}

// code writes the bins of values to dst. They are those of Feature.Code.
func (c *coder) code(dst []uint8, values []float64) {
	for i, x := range values {
		k, n := Key(x), uint64(0)
		for step := c.half; step > 0; step >>= 1 {
			_, below := bits.Sub64(k, c.edges[(n+step-1)%uint64(len(c.edges))], 0)
			n += step & (below - 1)
		}
		code := uint8(n + 1)
		if x != x {
			code = 0
		}
		dst[i] = code
	}
}
