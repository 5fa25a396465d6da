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

// negLogOwn is −log p of a row's own class, given q = 1 − p as well: of a
// number near one or zero only the other has digits left.
func negLogOwn(q, p float64) float64 {
	if q < 0.25 {
		return -logRatio(-q / (2 - q))
	}
	return -Log(p)
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

// NegLogSoftmax is −log p_y of scores. It has no bound: where y is hopeless, it
// is the distance from the greatest score.
func NegLogSoftmax(scores []float64, y int) float64 {
	top := math.Inf(-1) // of the others, above y's
	for k, f := range scores {
		if k != y {
			top = max(top, f-scores[y])
		}
	}
	base := max(top, 0) // so that no odds overflow
	others := 0.0       // Σ of the odds against y, times e^−base
	for k, f := range scores {
		if k != y {
			others += kernel.Exp(f - scores[y] - base)
		}
	}
	switch {
	case base > 0:
		return base + Log(others+kernel.Exp(-base))
	case others < 0.25:
		return logRatio(others / (2 + others))
	}
	return Log(1 + others)
}
