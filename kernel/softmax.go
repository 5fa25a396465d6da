package kernel

import "math"

// The natural logarithm of 2 in two parts.
const (
	Ln2Hi = 6.93147180369123816490e-01 // 21 trailing zero bits: k·Ln2Hi is exact
	Ln2Lo = 1.90821492927058770002e-10

	Log2E = 1.44269504088896338700
)

// SoftmaxLeast is how far below the greatest score the others count: divided by
// any number of classes, e to it is not subnormal.
const SoftmaxLeast = -690

// InverseFactorials is 1/n! for n from 2 to 13.
var InverseFactorials = [...]float64{
	1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
	1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800,
}

// Exp returns eˣ, in place of package math's, whose last bits differ between CPUs.
// The error is below 2⁻⁵⁰ of the result; below −708 that is zero, so that nothing
// depends on subnormals.
func Exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 709.7:
		return math.Inf(1)
	case x < -708:
		return 0
	}
	k := math.RoundToEven(x * Log2E)
	r := x - float64(k*Ln2Hi)
	r -= float64(k * Ln2Lo)
	// Taylor's series, even and odd terms apart so that they overlap;
	// |r| ≤ ln2/2, so the first term left out, r¹⁴/14!, is below 2⁻⁵⁶.
	r2 := float64(r * r)
	c := &InverseFactorials
	even, odd := c[10], c[11]
	even, odd = float64(even*r2)+c[8], float64(odd*r2)+c[9]
	even, odd = float64(even*r2)+c[6], float64(odd*r2)+c[7]
	even, odd = float64(even*r2)+c[4], float64(odd*r2)+c[5]
	even, odd = float64(even*r2)+c[2], float64(odd*r2)+c[3]
	even, odd = float64(even*r2)+c[0], float64(odd*r2)+c[1]
	sum := 1 + (r + float64(r2*(even+float64(odd*r))))
	// In two halves: 2ᵏ itself may overflow where the result does not.
	half := int(k) / 2
	return sum * pow2(half) * pow2(int(k)-half)
}

func pow2(k int) float64 { return math.Float64frombits(uint64(1023+k) << 52) }

// Softmax implements [Funcs.Softmax] in plain Go.
func Softmax(j *SoftmaxJob) {
	for scores := j.Scores; len(scores) > 0; scores = scores[j.Classes:] {
		p := scores[:j.Classes]
		top := math.Inf(-1)
		for k := range p {
			if j.Temperature != 0 {
				p[k] /= j.Temperature
			}
			top = max(top, p[k])
		}
		var sums [Lanes]float64
		for k, f := range p {
			p[k] = 0
			if x := f - top; !(x < SoftmaxLeast) {
				p[k] = Exp(x)
			}
			sums[k%Lanes] += p[k]
		}
		sum := sumLanes(&sums)
		inverse := 1 / sum
		for k := range p {
			p[k] *= inverse
			if sum != sum {
				p[k] = math.NaN()
			}
		}
	}
}
