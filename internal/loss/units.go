package loss

import (
	"math"
	"math/bits"

	"github.com/libaoso/aoso/kernel"
)

// Units are what sums over rows count in. A sum of numbers that were rounded to
// whole units is an integer: it is exact, so the order of the rows does not matter,
// and neither does which rows are added up together. Units are powers of two, chosen
// for the residuals of all rows: small enough to keep as many bits as an int64 has
// room for.
type Units struct {
	Sums    float64 // of gradients and Hessians
	Cross   float32 // of products of probabilities
	Weights float64
}

// newUnits returns the units for this many rows of which the greatest 1 − p_y is most.
//
// No probability of a class other than the row's own exceeds 1 − p_y, so that bounds
// what is added up: the gradients and Hessians of a class, those of a pair, of which
// the Hessian is at most four times as great, and the product of two probabilities.
func newUnits(most, maxWeight float32, rows int) Units {
	const least = -90 // far below any loss that matters, and Cross stays a normal number
	_, exponent := math.Frexp(float64(maxWeight) * float64(most))
	exponent = max(exponent, least)
	sumBits := min(bits.Len64(kernel.MostUnits-1), 62-bits.Len(uint(rows)))
	crossBits := bits.Len(kernel.MostCrossUnits - 1)
	_, weightExponent := math.Frexp(float64(maxWeight))
	return Units{
		Sums:    math.Ldexp(1, exponent+3-sumBits),
		Cross:   float32(math.Ldexp(1, exponent+1-crossBits)),
		Weights: math.Ldexp(1, weightExponent-sumBits),
	}
}

// Count returns x in whole units. It must be less than kernel.MostUnits units away
// from zero.
func Count(x, unit float64) int64 {
	shift := kernel.Shift(unit)
	return kernel.Units(x+shift, shift)
}
