package loss

import (
	"math"

	"github.com/libaoso/aoso/kernel"
)

// The functions below replace math.Log, whose last bit differs between CPUs.
// They round every product before adding it, so that no compiler fuses the two
// operations. Their relative error is below 2⁻⁵⁰.

// Log returns the natural logarithm of x, which must be positive and not
// subnormal.
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

// NegLogOwn returns −log p for the probability p of a row's own class. It also
// takes q = 1 − p, because each of the two is imprecise where the other is
// small.
func NegLogOwn(q, p float64) float64 {
	if q < 0.25 {
		return -logRatio(-q / (2 - q))
	}
	return -Log(p)
}

// logRatio returns log((1+s)/(1−s)) = 2·atanh(s) for |s| < 0.172, by the power
// series of atanh.
func logRatio(s float64) float64 {
	s2 := float64(s * s)
	sum := 0.0
	for i := len(oddReciprocals) - 1; i >= 0; i-- {
		sum = float64((sum + oddReciprocals[i]) * s2)
	}
	return 2 * (s + float64(s*sum))
}

// oddReciprocals is 1/n for odd n from 3 to 21.
var oddReciprocals = [...]float64{
	1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21,
}

// NegLogSoftmax returns −log p_y, where p is the softmax of the raw scores. The
// result is not clipped: if p_y underflows, the result is the largest score
// minus the score of y.
func NegLogSoftmax(scores []float64, y int) float64 {
	top := math.Inf(-1) // largest score of another class, minus the score of y
	for k, f := range scores {
		if k != y {
			top = max(top, f-scores[y])
		}
	}
	base := max(top, 0) // keeps exp from overflowing
	others := 0.0       // Σ p_k/p_y over the other classes, times e^−base
	for k, f := range scores {
		if k != y {
			others += kernel.Exp(f - scores[y] - base)
		}
	}
	if base > 0 {
		return base + Log(others+kernel.Exp(-base))
	}
	return log1p(others)
}

// NegLog is NegLogSoftmax of scores whose softmax p is known.
func NegLog(p, scores []float64, y int) float64 {
	const least = 1e-280 // below, p_y is inexact, or zero
	if !(p[y] >= least) {
		return NegLogSoftmax(scores, y)
	}
	others := 0.0
	for k, p := range p {
		if k != y {
			others += p
		}
	}
	return log1p(others / p[y])
}

// log1p returns log(1+x) for x ≥ 0, precise where x is small.
func log1p(x float64) float64 {
	if x < 0.25 {
		return logRatio(x / (2 + x))
	}
	return Log(1 + x)
}
