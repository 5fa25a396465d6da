package loss

import "github.com/libaoso/aoso/kernel"

// TotalsJob sums up the class totals of rows, at most a block of them: first
// the gradients, then the Hessians, Stride lanes each.
func (r *Residuals) TotalsJob(rows []uint32, sums []int64) kernel.TotalsJob {
	return kernel.TotalsJob{
		Residuals: r.Data, Stride: r.Stride, Rows: rows, Weights: r.Weights,
		Unit: r.Units.Sums, Gradient: sums[:r.Stride], Hessian: sums[r.Stride : 2*r.Stride],
	}
}

// GradientsJob computes the gradients of rows, at most a block of them, along
// class pairs.
func (r *Residuals) GradientsJob(rows []uint32, pairs []kernel.Pair, gradients []float32) kernel.GradientsJob {
	return kernel.GradientsJob{
		Residuals: r.Data, Stride: r.Stride, Rows: rows, Weights: r.Weights,
		Pairs: pairs, Unit: r.Units.Sums, Gradients: gradients,
	}
}

// CrossJob sums up the products of the probabilities of rows, at most a block of them,
// with those of the classes first.
func (r *Residuals) CrossJob(rows []uint32, first []int32, sums []uint32) kernel.CrossJob {
	return kernel.CrossJob{
		Residuals: r.Data, Stride: r.Stride, Rows: rows, Weights: r.Weights,
		First: first, Unit: r.Units.Cross, Cross: sums,
	}
}
