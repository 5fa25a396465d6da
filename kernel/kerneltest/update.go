package kerneltest

import (
	"math"

	"github.com/libaoso/aoso/kernel"
)

func update(d dice, s shape) call {
	x := newMatrix(d, s)
	own := d.own(&x)
	factors := d.factors(s.classes, x.stride)
	return func(f *kernel.Funcs, m *memory) {
		job := kernel.UpdateJob{
			Residuals: inoutAfter(m, "Residuals", x.lead*x.stride, x.residuals),
			Own:       inoutAfter(m, "Own", x.lead, own),
			Stride:    x.stride,
			Rows:      input(m, "Rows", x.rows),
			Factors:   input(m, "Factors", factors),
		}
		f.Update(&job)
		result(m, "SumResidual", job.SumResidual)
		result(m, "MaxResidual", job.MaxResidual)
	}
}

// own returns the probabilities of the rows' own classes: what the residuals leave
// of one, or anything. It is not too small where the others are next to nothing,
// for a row must have some odds.
func (d dice) own(x *matrix) []float32 {
	own, freely := make([]float32, x.total), d.IntN(3) > 0
	for i := range own {
		rest := float32(1)
		for _, r := range x.residuals[i*x.stride:][:x.stride] {
			if r < 0 {
				rest += r
			}
		}
		own[i] = max(rest, kernel.OwnFloor)
		if freely && d.yes() {
			halvings := 100
			if rest > 0.5 {
				halvings = 20
			}
			own[i] = float32(math.Ldexp(1, -d.IntN(halvings+1)))
			if own[i] < 1 && d.IntN(4) > 0 {
				own[i] *= 1 + d.Float32()
			}
		}
	}
	return own
}

// factors returns e^step of some classes, and anything in the padding.
func (d dice) factors(classes, stride int) []float32 {
	factors := make([]float32, stride)
	most := pick(d, 0, 0.1, 1, 5, 40)
	for k := range factors {
		step := most * (2*d.Float64() - 1)
		if d.IntN(8) == 0 {
			step = math.Copysign(most, step)
		}
		factors[k] = float32(math.Exp(step))
	}
	if d.yes() {
		for k := classes; k < stride; k++ {
			factors[k] = 1
		}
	}
	return factors
}
