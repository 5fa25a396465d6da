package tree

import (
	"iter"
	"math"
	"slices"

	"github.com/libaoso/aoso/kernel"
)

// The rows of a leaf lie far apart. So leaf after leaf, a pass over the residuals of all rows would read
// each line of memory several times. Residuals of few classes are worked on in ranges of rows instead, all
// leaves of a range together, while it stays in the second-level cache.
const (
	rangeRows  = 1 << 16
	fewClasses = 16
)

func rangeOf(row uint32, stride int) int {
	if stride > fewClasses {
		return 0
	}
	return int(row) / rangeRows
}

// Pieces cuts the rows of a leaf, which increase, into pieces for one kernel call each.
func Pieces(rows []uint32, stride int) iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		for len(rows) > 0 {
			n := min(len(rows), kernel.RowBlock)
			if r := rangeOf(rows[0], stride); rangeOf(rows[n-1], stride) > r {
				n, _ = slices.BinarySearch(rows[:n], uint32(min((r+1)*rangeRows, math.MaxUint32)))
			}
			if !yield(rows[:n]) {
				return
			}
			rows = rows[n:]
		}
	}
}

// RangeOrder returns the numbers of n pieces, range after range, in the memory of order.
func RangeOrder(order []int, n, stride int, piece func(i int) []uint32) []int {
	order = slices.Grow(order[:0], n)[:n]
	var next []int // by range: where its next piece goes
	for i := range n {
		r := rangeOf(piece(i)[0], stride)
		for len(next) < r+2 {
			next = append(next, 0)
		}
		next[r+1]++
	}
	for r := 1; r < len(next); r++ {
		next[r] += next[r-1]
	}
	for i := range n {
		r := rangeOf(piece(i)[0], stride)
		order[next[r]] = i
		next[r]++
	}
	return order
}
