package loss

import (
	"math"

	"github.com/libaoso/aoso/kernel"
)

// The functions below stand in for package math, whose log differs in the last
// bit between CPUs. Every product is rounded before it is added, so that no
// compiler fuses the two. Their error is below 2⁻⁵⁰ of the result.

// Log is the natural logarithm of a positive, normal x.
func Log(x float64) float64 {
	bits := math.Float64bits(x)
	k := int(bits>>52) - 1023
	m := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	if m > math.Sqrt2 {
		m /= 2
		k++
	}
	return float64(float64(k)*kernel.Ln2Hi) + (float64(float64(k)*kernel.Ln2Lo) + logRatio((m-1)/(m+1)))
}

// NegLog1m is −log(1−q) for 0 ≤ q ≤ 1, the loss of a row whose own class has
// probability 1−q. It keeps its digits for small q, and is at most
// −log(2⁻²⁴): nearer to one, float32 does not know q.
func NegLog1m(q float64) float64 {
	if q < 0.25 {
		return -logRatio(-q / (2 - q))
	}
	return -Log(max(1-q, 1.0/(1<<24)))
}

// logRatio is log((1+s)/(1−s)) for |s| < 0.172: twice the series of atanh.
func logRatio(s float64) float64 {
	s2 := float64(s * s)
	sum := 0.0
	for i := len(inverseOdds) - 1; i >= 0; i-- {
		sum = float64((sum + inverseOdds[i]) * s2)
	}
	return 2 * (s + float64(s*sum))
}

// inverseOdds is 1/n for the odd n from 3 to 21.
var inverseOdds = [...]float64{
	1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21,
}

// NegLogSoftmax is −log p_y of scores, at most −log(1e-15).
func NegLogSoftmax(scores []float64, y int) float64 {
	others := 0.0 // Σ of the odds against y
	for k, f := range scores {
		if k != y {
			others += kernel.Exp(f - scores[y])
		}
	}
	const most = 34.538776394910684
	if others > 1e15 {
		return most
	}
	if others < 0.25 {
		return logRatio(others / (2 + others))
	}
	return min(Log(1+others), most)
}
