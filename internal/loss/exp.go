package loss

import "math"

// The functions below stand in for package math, whose exp and log differ in
// the last bit between CPUs. Every product is rounded before it is added, so
// that no compiler fuses the two. Their error is below 2⁻⁵⁰ of the result.

const (
	log2e = 1.44269504088896338700
	ln2Hi = 6.93147180369123816490e-01 // 21 trailing zero bits: k·ln2Hi is exact
	ln2Lo = 1.90821492927058770002e-10
)

// Exp is eˣ; below −708 it is zero, so that nothing depends on subnormals.
func Exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 709.7:
		return math.Inf(1)
	case x < -708:
		return 0
	}
	k := math.RoundToEven(x * log2e)
	r := x - float64(k*ln2Hi)
	r -= float64(k * ln2Lo)
	// Taylor's series, even and odd terms apart so that they overlap;
	// |r| ≤ ln2/2, so the first term left out, r¹⁴/14!, is below 2⁻⁵⁶.
	r2 := float64(r * r)
	even, odd := 0.0, 0.0
	for i := len(inverseFactorials) - 2; i >= 0; i -= 2 {
		even = float64(even*r2) + inverseFactorials[i]
		odd = float64(odd*r2) + inverseFactorials[i+1]
	}
	sum := 1 + (r + float64(r2*(even+float64(odd*r))))
	// In two halves: 2ᵏ itself may overflow where the result does not.
	half := int(k) / 2
	return sum * pow2(half) * pow2(int(k)-half)
}

// inverseFactorials is 1/n! for n from 2 to 13.
var inverseFactorials = [...]float64{
	1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
	1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800,
}

func pow2(k int) float64 { return math.Float64frombits(uint64(1023+k) << 52) }

// Log is the natural logarithm of a positive, normal x.
func Log(x float64) float64 {
	bits := math.Float64bits(x)
	k := int(bits>>52) - 1023
	m := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	if m > math.Sqrt2 {
		m /= 2
		k++
	}
	return float64(float64(k)*ln2Hi) + (float64(float64(k)*ln2Lo) + logRatio((m-1)/(m+1)))
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

// Softmax writes the probabilities of scores to p, which may be the scores.
func Softmax(p, scores []float64) {
	top := math.Inf(-1)
	for _, f := range scores {
		top = max(top, f)
	}
	sum := 0.0
	for k, f := range scores {
		p[k] = Exp(f - top)
		sum += p[k]
	}
	for k := range p[:len(scores)] {
		p[k] /= sum
	}
}

// NegLogSoftmax is −log p_y of scores, at most −log(1e-15).
func NegLogSoftmax(scores []float64, y int) float64 {
	others := 0.0 // Σ of the odds against y
	for k, f := range scores {
		if k != y {
			others += Exp(f - scores[y])
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
