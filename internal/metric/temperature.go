package metric

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/exact"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Scaling is a search for the factor of raw scores, rows × classes, that leaves
// the least log loss: the inverse of the temperature.
type Scaling struct {
	Scores    []float64
	Target    *data.Target
	Unknown   float64 // further rows of mean weight, whose scores are like those given and whose class may be any
	Start     float64 // a guess
	Precision float64 // relative

	Kernels *kernel.Funcs
	Team    *par.Team

	scratch []float64
}

// Factor finds the factor. The loss is convex in it: Newton's method finds it
// while the steps shorten fast, else halving the interval does.
func (s *Scaling) Factor() float64 {
	factor, low, high := s.Start, 1.0/model.MaxTemperature, 1.0/model.MinTemperature
	step := high
	for step > s.Precision*factor {
		slope, curvature := s.slope(factor)
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

// rowsTogether returns how many rows to work on at a time, so that their probabilities stay in the cache.
func rowsTogether(rows, classes int) int { return max(1, min(rows, 1024/classes)) }

// slope returns the derivatives of the log loss by a factor of all scores.
func (s *Scaling) slope(factor float64) (slope, curvature float64) {
	t := s.Target
	classes, rows := len(t.Classes), t.Rows()
	unknown := s.Unknown / float64(max(t.Ranks.Int(rows-t.Unknown), 1)) // for each row
	type sums struct{ slope, curvature exact.Sum }
	blocks := make([]sums, kernel.Blocks(rows))
	together := rowsTogether(rows, classes)
	s.scratch = slices.Grow(s.scratch[:0], s.Team.Workers()*together*classes)[:s.Team.Workers()*together*classes]
	s.Team.Do(len(blocks), func(worker, b int) {
		p := s.scratch[worker*together*classes:][:together*classes]
		sum := &blocks[b]
		first, end := kernel.Block(b, rows)
		for ; first < end; first += together {
			last := min(first+together, end)
			scores := s.Scores[first*classes : last*classes]
			for i, f := range scores {
				p[i] = f * factor
			}
			s.Kernels.Softmax(&kernel.SoftmaxJob{Scores: p[:len(scores)], Classes: classes})
			for i := first; i < last; i++ {
				if t.Labels[i] < 0 {
					continue
				}
				w, f := t.Weight(i), s.Scores[i*classes:][:classes]
				own := f[t.Labels[i]] - t.Soft.Gap(i, f, int(t.Labels[i])) // Σ q_k·f_k
				mean, square, even := 0.0, 0.0, 0.0
				for k, p := range p[(i-first)*classes:][:classes] { // against the row's own score, where p is about 1
					above := f[k] - own
					mean += float64(p * above)
					square += float64(float64(p*above) * above)
					even += above
				}
				variance := square - float64(mean*mean)
				even /= float64(classes)
				sum.slope.Add(w * (mean + float64(unknown*(mean-even))))
				sum.curvature.Add(w * (variance + float64(unknown*variance)))
			}
		}
	})
	var all sums
	for i := range blocks {
		all.slope.Merge(&blocks[i].slope)
		all.curvature.Merge(&blocks[i].curvature)
	}
	t.Ranks.Add(&all.slope, &all.curvature)
	return all.slope.Float64(), all.curvature.Float64()
}
