package boost

import (
	"math"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// BestFactor is the factor of raw scores, rows × classes, between low and high,
// that leaves the least log loss. The loss is convex in it: Newton's method
// finds it while the steps shorten fast, else halving the interval does.
func BestFactor(scores []float64, t *data.Target, low, high float64, k *kernel.Funcs, team *par.Team) float64 {
	factor, step := 1.0, high
	for step > 1e-12*factor {
		slope, curvature := lossSlope(scores, factor, t, k, team)
		if slope > 0 {
			high = factor
		} else {
			low = factor
		}
		next := factor - slope/curvature
		if !(next >= low && next <= high && math.Abs(next-factor) <= step/2) {
			next = math.Sqrt(low * high)
		}
		factor, step = next, math.Abs(next-factor)
	}
	return factor
}

// lossSlope is the derivatives of the log loss by a factor of all scores.
func lossSlope(scores []float64, factor float64, t *data.Target, k *kernel.Funcs, team *par.Team) (slope, curvature float64) {
	classes, rows := len(t.Classes), t.Rows()
	type sums struct{ slope, curvature float64 }
	blocks := make([]sums, kernel.Blocks(rows))
	team.Do(len(blocks), func(_, b int) {
		p := make([]float64, classes)
		job := kernel.SoftmaxJob{Scores: p, Classes: classes}
		first, end := kernel.Block(b, rows)
		for i := first; i < end; i++ {
			if t.Labels[i] < 0 {
				continue
			}
			w, f := t.Weight(i), scores[i*classes:][:classes]
			for k := range p {
				p[k] = f[k] * factor
			}
			k.Softmax(&job)
			mean, square := 0.0, 0.0
			for k, p := range p { // against the row's own score, where p is about 1
				above := f[k] - f[t.Labels[i]]
				mean += float64(p * above)
				square += float64(float64(p*above) * above)
			}
			blocks[b].slope += float64(w * mean)
			blocks[b].curvature += float64(w * (square - float64(mean*mean)))
		}
	})
	for _, b := range blocks {
		slope += b.slope
		curvature += b.curvature
	}
	return slope, curvature
}
