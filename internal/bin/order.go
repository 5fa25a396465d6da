package bin

import (
	"math"
	"math/bits"
	"slices"
)

// Key maps a number to an integer so that integers compare as the numbers do, but faster. Both zeros have the same key; the key of NaN has
// no meaning.
func Key(x float64) uint64 {
	b := math.Float64bits(x + 0)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// radixSortMin is the number of values from which a radix sort is faster than
// slices.Sort.
const radixSortMin = 1 << 11

// rank maps a number to an integer as Key does. Unlike a key, a rank ends in as many zero bits as the significand, also if the number is
// negative, so that float32 numbers need fewer digits in a radix sort.
func rank(x float64) uint64 {
	b := math.Float64bits(x + 0)
	sign := uint64(int64(b) >> 63)
	return ((b &^ (1 << 63)) ^ sign) - sign + 1<<63
}

// sortNumbers sorts values, which must not contain NaN. scratch is at least as
// long as values.
func sortNumbers(values, scratch []float64) {
	if len(values) < radixSortMin {
		slices.Sort(values)
		return
	}
	const digit = 11 // bits in a digit; a rank has at most six digits
	least, greatest, all := uint64(math.MaxUint64), uint64(0), uint64(0)
	for _, x := range values {
		k := rank(x)
		least, greatest, all = min(least, k), max(greatest, k), all|k
	}
	shift := bits.TrailingZeros64(all)
	var counts [6][1 << digit]uint32
	digits := (bits.Len64((greatest-least)>>shift) + digit - 1) / digit
	for _, x := range values {
		k := (rank(x) - least) >> shift
		for d := range digits {
			counts[d][k%(1<<digit)]++
			k >>= digit
		}
	}
	from, to := values, scratch[:len(values)]
	for d := range digits {
		c := &counts[d]
		at := uint32(0)
		for i, n := range c {
			c[i] = at
			at += n
		}
		for _, x := range from {
			next := &c[(rank(x)-least)>>shift%(1<<digit)]
			to[*next] = x
			*next++
		}
		from, to = to, from
		shift += digit
	}
	if &from[0] != &values[0] {
		copy(values, from)
	}
}

// distinct holds the distinct values of a feature, in order, and how often each occurs.
type distinct struct {
	values []float64
	counts []uint32
}

// countSorted finds the distinct values of a sorted slice. It writes them to the beginning of values, and their counts to counts, which is
// at least as long.
func countSorted(values []float64, counts []uint32) distinct {
	n := 0
	for i, first := 0, 0; i < len(values); i++ {
		if i+1 == len(values) || values[i+1] != values[i] {
			values[n], counts[n] = values[i], uint32(i+1-first)
			n, first = n+1, i+1
		}
	}
	return distinct{values[:n], counts[:n]}
}

// tally is a hash table that counts how often each number occurs. If there are few different numbers, this is faster than sorting.
type tally struct {
	numbers [2 * maxTally]float64
	counts  [2 * maxTally]uint32 // 0: the slot is empty
}

// maxTally is the largest number of different numbers in a tally.
const maxTally = 1 << 10

// slot returns the slot of a number, or the empty slot to put it in.
func (t *tally) slot(x float64) int {
	const golden = 0x9E3779B97F4A7C15 // spreads the numbers over the slots
	at := math.Float64bits(x) * golden >> (64 - 11)
	for t.counts[at] != 0 && t.numbers[at] != x {
		at = (at + 1) % uint64(len(t.counts))
	}
	return int(at)
}

// count counts values, which must not contain NaN or negative zero. It writes the distinct values to the beginning of values and their
// counts to counts, as countSorted does. It returns false, and leaves values as they are, if there are more than maxTally.
func (t *tally) count(values []float64, counts []uint32) (distinct, bool) {
	*t = tally{}
	n := 0
	for _, x := range values {
		at := t.slot(x)
		if t.counts[at] == 0 {
			if n++; n > maxTally {
				return distinct{}, false
			}
			t.numbers[at] = x
		}
		t.counts[at]++
	}
	d := distinct{values[:0], counts[:n]}
	for at, n := range t.counts {
		if n > 0 {
			d.values = append(d.values, t.numbers[at])
		}
	}
	slices.Sort(d.values)
	for i, x := range d.values {
		counts[i] = t.counts[t.slot(x)]
	}
	return d, true
}
