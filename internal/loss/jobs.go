package loss

import "github.com/libaoso/aoso/kernel"

// TotalsJob sums up the class totals of rows, at most a block of them: first
// the gradients, then the Hessians, Stride lanes each.
func (d *Dense) TotalsJob(rows []uint32, sums []int64) kernel.TotalsJob {
	return kernel.TotalsJob{
		Residuals: d.Data, Stride: d.Stride, Rows: rows, Weights: d.Weights,
		Unit: d.Units.Sums, Gradient: sums[:d.Stride], Hessian: sums[d.Stride : 2*d.Stride],
	}
}

// GradientsJob computes the gradients of rows, at most a block of them, along
// class pairs.
func (d *Dense) GradientsJob(rows []uint32, pairs []kernel.Pair, gradients []float32) kernel.GradientsJob {
	return kernel.GradientsJob{
		Residuals: d.Data, Stride: d.Stride, Rows: rows, Weights: d.Weights,
		Pairs: pairs, Unit: d.Units.Sums, Gradients: gradients,
	}
}

// CrossJob sums up the products of the probabilities of rows, at most a block of them,
// with those of the classes first.
func (d *Dense) CrossJob(rows []uint32, first []int32, sums []uint32) kernel.CrossJob {
	return kernel.CrossJob{
		Residuals: d.Data, Stride: d.Stride, Rows: rows, Weights: d.Weights,
		First: first, Unit: d.Units.Cross, Cross: sums,
	}
}

// Totals does a TotalsJob.
func (d *Dense) Totals(k *kernel.Funcs, j *kernel.TotalsJob) {
	k.Totals(j)
	if d.soft == nil {
		return
	}
	var more MoreTotals
	all := int64(0)
	for _, row := range j.Rows {
		w := 1.0
		if j.Weights != nil {
			w = float64(j.Weights[row])
		}
		more.Of(d.Rows, d.original(row), w)
		for i, k := range more.Classes {
			j.Gradient[k] += more.Units[i]
		}
		j.Gradient[more.Label] += more.Own
		all += more.All
	}
	for k := range d.Classes {
		j.Gradient[k] += all
	}
}

// Gradients does a GradientsJob.
func (d *Dense) Gradients(k *kernel.Funcs, j *kernel.GradientsJob) {
	k.Gradients(j)
	if d.soft != nil {
		d.AddGradients(j, d.original)
	}
}

// original returns the row of the training set that a row is.
func (d *Dense) original(row uint32) int {
	if d.from != nil {
		return int(d.from[row])
	}
	return int(row)
}
