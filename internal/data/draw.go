package data

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// DrawRows draws n of so many rows, in order.
func DrawRows[T int | uint32](r *rand.Rand, rows, n int) []T {
	// Draw one by one whichever are fewer: the rows drawn or the others.
	words := make([]uint64, (rows+63)/64)
	rest := uint64(0)
	if n > rows-n {
		rest = math.MaxUint64
	}
	for left := min(n, rows-n); left > 0; {
		row := r.Uint64N(uint64(rows))
		if bit := uint64(1) << (row % 64); words[row/64]&bit == 0 {
			words[row/64] |= bit
			left--
		}
	}
	drawn := make([]T, 0, n)
	for i, word := range words {
		for word ^= rest; word != 0; word &= word - 1 {
			if row := 64*i + bits.TrailingZeros64(word); row < rows {
				drawn = append(drawn, T(row))
			}
		}
	}
	return drawn
}
