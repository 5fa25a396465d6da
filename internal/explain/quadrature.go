package explain

import "math"

// rule is the Gauss–Legendre quadrature with n points on [0, 1]: Σ w·f(t) is ∫f for every polynomial f of degree below 2n.
type rule struct{ points, weights []float64 }

func newRule(n int) *rule {
	r := &rule{make([]float64, n), make([]float64, n)}
	for i := range n {
		// Newton's method, from a guess that is closer to this root than to any other.
		x := math.Cos(math.Pi * (float64(i) + 0.75) / (float64(n) + 0.5))
		var slope float64
		for range 10 {
			var p float64
			p, slope = legendre(n, x)
			x -= p / slope
		}
		r.points[i] = (1 + x) / 2
		r.weights[i] = 1 / ((1 - x) * (1 + x) * slope * slope)
	}
	return r
}

// legendre returns the n-th Legendre polynomial and its derivative at x.
func legendre(n int, x float64) (p, slope float64) {
	p, before := 1.0, 0.0
	for k := range n {
		i := float64(k)
		p, before = ((2*i+1)*x*p-i*before)/(i+1), p
	}
	return p, float64(n) * (x*p - before) / (x*x - 1)
}
