package kerneltest

import (
	"math"

	"github.com/libaoso/aoso/kernel"
)

// matrix is residuals, a list of rows, and weights.
type matrix struct {
	classes, stride int
	rows            []uint32
	lead, total     int // rows before those with residuals, and the number of these
	residuals       []float32
	weights         []float32
}

func newMatrix(d dice, s shape) (x matrix) {
	x.classes, x.stride = s.classes, kernel.Stride(s.classes, s.padding)
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
	x, unit := newMatrix(d, s), d.unit(50)
	return func(f *kernel.Funcs, m *memory) {
		f.Totals(&kernel.TotalsJob{
			Residuals: inputAfter(m, "Residuals", x.lead*x.stride, x.residuals),
			Stride:    x.stride,
			Rows:      input(m, "Rows", x.rows),
			Weights:   inputAfter(m, "Weights", x.lead, x.weights),
			Unit:      unit,
			Gradient:  output[int64](m, "Gradient", x.stride),
			Hessian:   output[int64](m, "Hessian", x.stride),
		})
	}
}

func cross(d dice, s shape) call {
	x := newMatrix(d, s)
	first := make([]int32, 1+d.IntN(min(kernel.MaxPairs, s.classes)))
	for i, k := range d.Perm(s.classes)[:len(first)] {
		first[i] = int32(k)
	}
	unit := d.crossUnit(&x, first)
	return func(f *kernel.Funcs, m *memory) {
		job := kernel.CrossJob{
			Residuals: inputAfter(m, "Residuals", x.lead*x.stride, x.residuals),
			Stride:    x.stride,
			Rows:      input(m, "Rows", x.rows),
			Weights:   inputAfter(m, "Weights", x.lead, x.weights),
			First:     input(m, "First", first),
			Unit:      unit,
			Cross:     output[uint32](m, "Cross", len(first)*x.stride),
		}
		f.Cross(&job)
		for i, r := range first {
			job.Cross[i*x.stride+int(r)] = 0 // which may be anything
		}
	}
}

// crossUnit returns a unit of which no product of the probabilities of two classes has
// too many; now and then as small as can be.
func (d dice) crossUnit(x *matrix, first []int32) float32 {
	most := 0x1p-80
	for _, row := range x.rows {
		row := int(row) - x.lead
		residuals, w := x.residuals[row*x.stride:][:x.stride], float32(1)
		if x.weights != nil {
			w = x.weights[row]
		}
		for _, r := range first {
			for k := range residuals {
				if k != int(r) {
					most = max(most, float64(w*probability(residuals[r]))*float64(probability(residuals[k])))
				}
			}
		}
	}
	_, exponent := math.Frexp(most)
	return float32(math.Ldexp(1, exponent-pick(d, 22, 22, 22, 10, 1)))
}

func probability(residual float32) float32 {
	if math.Signbit(float64(residual)) {
		return 1 + residual
	}
	return residual
}

// unit returns a unit that mostly makes numbers below one less than 2^bits units.
func (d dice) unit(bits int) float64 {
	return math.Ldexp(1, d.IntN(2*bits)-bits-pick(d, 0, 0, 0, bits/2))
}
