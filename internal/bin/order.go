package bin

import (
	"math"
	"math/bits"
	"slices"
)

// Key maps numbers to integers of the same order, both zeros to one: integers
// are compared and sorted in less time. NaN has none.
func Key(x float64) uint64 {
	b := math.Float64bits(x + 0)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// leastRadix is the number of values from which a radix sort is faster.
const leastRadix = 1 << 11

// sortNumbers sorts numbers, none of them NaN, with room for as many.
func sortNumbers(values, room []float64) {
	if len(values) < leastRadix {
		slices.Sort(values)
		return
	}
	const digit = 11 // bits; six of them are a key
	var counts [6][1 << digit]uint32
	for _, x := range values {
		k := Key(x)
		for d := range counts {
			counts[d][k>>(digit*d)%(1<<digit)]++
		}
	}
	from, to := values, room[:len(values)]
	for d := range counts {
		c, shift := &counts[d], digit*d
		if int(c[Key(from[0])>>shift%(1<<digit)]) == len(values) {
			continue // all have the same digit
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

// coder finds the bins of many values: by a binary search without branches,
// which would be mispredicted half the time.
type coder struct {
	edges [MaxValueBins + 1]uint64
	half  uint64 // of the first step
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

// code writes the bins of values, as Feature.Code has them.
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
