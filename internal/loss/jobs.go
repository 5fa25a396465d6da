package loss

import "github.com/libaoso/aoso/kernel"

// TotalsJob sums up the class totals of rows, at most a block of them: first
// the gradients, then the Hessians, Stride lanes each.
func (r *Residuals) TotalsJob(rows []uint32, sums []float64) kernel.TotalsJob {
	return kernel.TotalsJob{
		Residuals: r.Data, Stride: r.Stride, Rows: rows, Weights: r.Weights,
		Gradient: sums[:r.Stride], Hessian: sums[r.Stride : 2*r.Stride],
	}
}

// GradientsJob computes the gradients of rows, at most a block of them, along
// class pairs.
func (r *Residuals) GradientsJob(rows []uint32, pairs []kernel.Pair, gradients []float32) kernel.GradientsJob {
	return kernel.GradientsJob{
		Residuals: r.Data, Stride: r.Stride, Rows: rows, Weights: r.Weights,
		Pairs: pairs, Gradients: gradients,
	}
}
