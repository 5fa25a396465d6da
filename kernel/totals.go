package kernel

import "math"

// Totals is the reference of [Funcs.Totals]. In float64 the products of
// float32 numbers are exact and so, while exponents are alike, are the sums:
// classes of equal counts tie exactly, and the totals of one child can be
// taken from its parent's.
func Totals(j *TotalsJob) {
	gradient, hessian := j.Gradient[:j.Stride], j.Hessian[:j.Stride]
	clear(gradient)
	clear(hessian)
	for _, row := range j.Rows {
		residuals := j.Residuals[int(row)*j.Stride:][:len(gradient)]
		if j.Weights == nil {
			for k, r := range residuals {
				d := float64(r)
				a := math.Abs(d)
				gradient[k] -= d
				hessian[k] += float64(a * (1 - a))
			}
			continue
		}
		w := float64(j.Weights[row])
		for k, r := range residuals {
			d := float64(r)
			a := math.Abs(d)
			gradient[k] -= float64(w * d)
			hessian[k] += float64(w * float64(a*(1-a)))
		}
	}
}

// Cross is the reference of [Funcs.Cross]. Float32 will do: no term is
// negative, and the sums only choose pairs.
func Cross(j *CrossJob) {
	clear(j.Cross[:len(j.First)*j.Stride])
	for _, row := range j.Rows {
		residuals := j.Residuals[int(row)*j.Stride:][:j.Stride]
		for i, r := range j.First {
			p := probability(residuals[r])
			if j.Weights != nil {
				p = float32(j.Weights[row] * p)
			}
			cross := j.Cross[i*j.Stride:][:len(residuals)]
			for k, r := range residuals {
				cross[k] = float64(float32(cross[k]) + float32(p*probability(r)))
			}
		}
	}
}

// probability undoes the residual's form: 1 + R for the row's own class,
// which the sign bit marks even where R is zero.
func probability(r float32) float32 {
	if math.Float32bits(r)>>31 != 0 {
		return 1 + r
	}
	return r
}
