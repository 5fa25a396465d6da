package kerneltest

import "github.com/libaoso/aoso/kernel"

// matrix is residuals, a list of rows, and weights.
type matrix struct {
	classes, stride int
	rows            []uint32
	lead, total     int // rows before those with residuals, and the number of these
	residuals       []float32
	weights         []float32
}

func newMatrix(d dice, s shape) (x matrix) {
	x.classes, x.stride = s.classes, stride(s.classes, s.impossible)
	x.rows, x.total = d.rows(s.rows)
	x.lead = d.lead(x.total, 4*x.stride)
	shifted(x.rows, x.lead)
	x.residuals = d.residuals(x.total, x.classes, x.stride)
	if s.weighted {
		x.weights = d.weights(x.total)
	}
	return x
}

func totals(d dice, s shape) call {
	x := newMatrix(d, s)
	return func(f *kernel.Funcs, m *memory) {
		f.Totals(&kernel.TotalsJob{
			Residuals: inputAfter(m, "Residuals", x.lead*x.stride, x.residuals),
			Stride:    x.stride,
			Rows:      input(m, "Rows", x.rows),
			Weights:   inputAfter(m, "Weights", x.lead, x.weights),
			Gradient:  output[float64](m, "Gradient", x.stride),
			Hessian:   output[float64](m, "Hessian", x.stride),
		})
	}
}

func cross(d dice, s shape) call {
	x := newMatrix(d, s)
	first := make([]int32, 1+d.IntN(min(kernel.MaxPairs, s.classes)))
	for i, k := range d.Perm(s.classes)[:len(first)] {
		first[i] = int32(k)
	}
	return func(f *kernel.Funcs, m *memory) {
		f.Cross(&kernel.CrossJob{
			Residuals: inputAfter(m, "Residuals", x.lead*x.stride, x.residuals),
			Stride:    x.stride,
			Rows:      input(m, "Rows", x.rows),
			Weights:   inputAfter(m, "Weights", x.lead, x.weights),
			First:     input(m, "First", first),
			Cross:     output[float64](m, "Cross", len(first)*x.stride),
		})
	}
}
