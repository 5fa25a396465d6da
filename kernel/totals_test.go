package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestTotals(t *testing.T) {
	each(t, func(r *rand.Rand, x *rows, weights []float32) {
		const unit = 0x1p-40
		j := TotalsJob{
			Residuals: x.residuals, Stride: x.stride, Rows: x.list, Weights: weights,
			Unit: unit, Gradient: make([]int64, x.stride), Hessian: make([]int64, x.stride),
		}
		Totals(&j)
		for k := range x.stride {
			var gradient, hessian, scale float64
			for _, row := range x.list {
				if k >= len(x.p[row]) {
					continue
				}
				w, p, response := x.weight(weights, row), x.p[row][k], 0.0
				if k == x.y[row] {
					response = 1
				}
				gradient += w * (response - p)
				hessian += w * p * (1 - p)
				scale += w * math.Abs(response-p)
			}
			gotG, gotH := unit*float64(j.Gradient[k]), unit*float64(j.Hessian[k])
			if !near(gotG, gradient, scale+1e-4, 1e-7) || !near(gotH, hessian, scale+1e-4, 1e-7) {
				t.Errorf("class %d: totals %v, %v, want %v, %v", k, gotG, gotH, gradient, hessian)
			}
		}
	})
}

// TestTotalsTie checks that classes of equal counts tie exactly.
func TestTotalsTie(t *testing.T) {
	const classes, n = 7, 4096
	j := TotalsJob{Stride: 8, Unit: 0x1p-45, Gradient: make([]int64, 8), Hessian: make([]int64, 8)}
	for i := range n {
		row := make([]float32, 8)
		for k := range classes {
			row[k] = 1.0 / classes
		}
		row[[]int{0, 3, 3, 0}[i%4]] = -(classes - 1.0) / classes
		j.Residuals = append(j.Residuals, row...)
		j.Rows = append(j.Rows, uint32(i))
	}
	Totals(&j)
	if j.Gradient[0] != j.Gradient[3] || j.Hessian[0] != j.Hessian[3] {
		t.Errorf("gradients %v, %v, Hessians %v, %v", j.Gradient[0], j.Gradient[3], j.Hessian[0], j.Hessian[3])
	}
}

func TestCross(t *testing.T) {
	each(t, func(r *rand.Rand, x *rows, weights []float32) {
		const unit = 0x1p-19
		classes := len(x.p[0])
		first := []int32{int32(classes - 1), 0}
		j := CrossJob{
			Residuals: x.residuals, Stride: x.stride, Rows: x.list, Weights: weights,
			First: first, Unit: unit, Cross: make([]uint32, len(first)*x.stride),
		}
		Cross(&j)
		rounding := unit * float64(len(x.list)) / 2
		for i, r := range first {
			for k := range x.stride {
				got, want := unit*float64(j.Cross[i*x.stride+k]), 0.0
				for _, row := range x.list {
					if k < classes {
						want += x.weight(weights, row) * x.p[row][r] * x.p[row][k]
					}
				}
				// A p near one is 1 + R, and R is good to 2⁻²⁵.
				if int(r) != k && math.Abs(got-want) > rounding+1e-6*want+1e-7*float64(len(x.list)) {
					t.Errorf("classes %d, %d: %v, want %v", r, k, got, want)
				}
			}
		}
	})
}
