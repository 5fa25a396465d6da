package kernel

import "math"

// Totals implements [Funcs.Totals] in plain Go.
func Totals(j *TotalsJob) {
	gradient, hessian := j.Gradient[:j.Stride], j.Hessian[:j.Stride]
	clear(gradient)
	clear(hessian)
	shift := Shift(j.Unit)
	for _, row := range j.Rows {
		residuals := j.Residuals[int(row)*j.Stride:][:len(gradient)]
		if j.Weights == nil {
			for k, r := range residuals {
				d := float64(r)
				a := math.Abs(d)
				gradient[k] += Units(shift-d, shift)
				hessian[k] += Units(math.FMA(a, 1-a, shift), shift)
			}
			continue
		}
		w := float64(j.Weights[row])
		for k, r := range residuals {
			d := float64(r)
			a := math.Abs(d)
			gradient[k] += Units(shift-float64(w*d), shift) // the product is exact
			hessian[k] += Units(math.FMA(w, float64(a*(1-a)), shift), shift)
		}
	}
}

// Cross implements [Funcs.Cross] in plain Go.
func Cross(j *CrossJob) {
	clear(j.Cross[:len(j.First)*j.Stride])
	shift := Shift(float64(j.Unit))
	for _, row := range j.Rows {
		residuals := j.Residuals[int(row)*j.Stride:][:j.Stride]
		for i, r := range j.First {
			first := probability(residuals[r])
			if j.Weights != nil {
				first *= j.Weights[row]
			}
			cross := j.Cross[i*j.Stride:][:len(residuals)]
			for k, r := range residuals {
				product := float64(first) * float64(probability(r)) // exact
				cross[k] += uint32(Units(product+shift, shift))
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
