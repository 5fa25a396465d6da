package loss

import (
	"fmt"
	"math"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/kernel"
)

// NewCustom returns residuals for a loss of the caller's: a row has the gradients of the
// classes and, in its second half, their Hessians. [CustomKernels] reads them. They have no
// weights: those are the caller's business.
func NewCustom(labels []int32, classes, stride int) *Residuals {
	memory := mem.New(4 * len(labels) * 2 * stride)
	d := &Dense{Rows: NewRows(labels, nil, classes, 2*stride), Data: mem.View[float32](memory), memory: memory}
	return &Residuals{d.Rows, d}
}

// SetCustom sets the rows first to end-1 from gradients and Hessians, rows × Classes. It
// returns the greatest of either.
func (d *Dense) SetCustom(gradient, hessian []float64, first, end int) (most float32, err error) {
	for i := first; i < end; i++ {
		row := d.Row(i)
		for k := range d.Classes {
			at := i*d.Classes + k
			g, h := float32(gradient[at]), float32(hessian[at])
			if !(abs(g) <= math.MaxFloat32) {
				return 0, fmt.Errorf("the objective has returned the gradient %v of row %d and class %d; allowed: -3.4e+38 to 3.4e+38", gradient[at], i, k)
			}
			if !(h >= 0 && h <= math.MaxFloat32) {
				return 0, fmt.Errorf("the objective has returned the Hessian %v of row %d and class %d; allowed: 0 to 3.4e+38", hessian[at], i, k)
			}
			row[k], row[d.Stride/2+k] = g, h
			most = max(most, abs(g), h)
		}
	}
	return most, nil
}

// CustomKernels is kernels for residuals of [NewCustom].
func CustomKernels(k *kernel.Funcs) *kernel.Funcs {
	custom := *k
	custom.Totals, custom.Cross, custom.Gradients = customTotals, customCross, customGradients
	return &custom
}

func customTotals(j *kernel.TotalsJob) {
	clear(j.Gradient)
	clear(j.Hessian)
	half, shift := j.Stride/2, kernel.Shift(j.Unit)
	for _, row := range j.Rows {
		values := j.Residuals[int(row)*j.Stride:][:j.Stride]
		for k := range half {
			j.Gradient[k] += kernel.Units(shift-float64(values[k]), shift)
			j.Hessian[k] += kernel.Units(float64(values[half+k])+shift, shift)
		}
	}
}

// customCross leaves zeros: the Hessian has a diagonal only.
func customCross(j *kernel.CrossJob) { clear(j.Cross[:len(j.First)*j.Stride]) }

func customGradients(j *kernel.GradientsJob) {
	m, half, shift := len(j.Pairs), j.Stride/2, kernel.Shift(j.Unit)
	for p, pair := range j.Pairs {
		s := &j.Stats[p]
		*s = kernel.PairStats{}
		for i, row := range j.Rows {
			values := j.Residuals[int(row)*j.Stride:][:j.Stride]
			g := values[pair.S] - values[pair.R]
			h := values[half+int(pair.R)] + values[half+int(pair.S)]
			j.Gradients[(i*m+p)*2], j.Gradients[(i*m+p)*2+1] = h, g
			s.SumG += kernel.Units(float64(g)+shift, shift)
			s.SumH += kernel.Units(float64(h)+shift, shift)
			s.SumAbsG += kernel.Units(float64(abs(g))+shift, shift)
			s.MaxAbsG, s.MaxH = max(s.MaxAbsG, abs(g)), max(s.MaxH, h)
		}
	}
}

func abs(x float32) float32 { return float32(math.Abs(float64(x))) }
