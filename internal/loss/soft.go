package loss

import (
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/kernel"
)

// soft is what soft labels and label smoothing add to gradients. A row of the class y with the label distribution q has
// the gradients p_k − q_k, which are those of its class plus 1[k = y] − q_k. The latter depend on no score, and Hessians
// and cross terms do not depend on q. So residuals and kernels are those of hard labels, and soft adds the differences to
// what they sum up. The difference of class y is less the sum of the others, so nothing cancels where q_y is about 1.
type soft struct {
	labels    []int32
	of        *data.Soft // nil: labels are hard
	smoothing float64    // what is taken from the label distribution and dealt out evenly to all classes
	classes   int
	most      float32 // the greatest 1 − q_y
}

// Soften makes the labels those of a target, smoothed.
func (r *Rows) Soften(of *data.Soft, smoothing float64) {
	if of == nil && smoothing == 0 {
		return
	}
	r.soft = &soft{labels: r.Labels, of: of, smoothing: smoothing, classes: r.Classes}
	for row := range r.Labels {
		r.soft.most = max(r.soft.most, r.soft.others(row))
	}
	r.SetUnits(r.mostAtStart())
}

// even returns what smoothing gives each class.
func (s *soft) even() float64 { return s.smoothing / float64(s.classes) }

// others returns 1 − q_y.
func (s *soft) others(row int) float32 {
	return float32(float64((1-s.smoothing)*s.of.Others(row)) + float64(float64(s.classes-1)*s.even()))
}

// AtLeast returns the greatest that a gradient of a row can be, given 1 − p_y.
func (r *Rows) AtLeast(row int, other float32) float32 {
	if r.soft == nil {
		return other
	}
	return max(other, r.soft.others(row))
}

// AddTotals adds to the negative gradients of classes, in units, for a row of the given weight. It adds nothing of what
// is the same for all classes, and returns that.
func (r *Rows) AddTotals(row int, weight float64, add func(class int32, units int64)) (all int64) {
	s, shift := r.soft, kernel.Shift(r.Units.Sums)
	y, own := s.labels[row], int64(0)
	if s.smoothing > 0 {
		all = kernel.Units(float64(weight*s.even())+shift, shift)
		own = int64(s.classes) * all
	}
	weight *= 1 - s.smoothing
	classes, shares := s.of.Row(row)
	for i, k := range classes {
		units := kernel.Units(float64(weight*float64(shares[i]))+shift, shift)
		add(k, units)
		own += units
	}
	add(y, -own)
	return all
}

// Soft reports whether rows belong to several classes.
func (r *Rows) Soft() bool { return r.soft != nil && r.soft.of != nil }

// shared reports whether a row belongs to several classes.
func (r *Rows) shared(row int) bool {
	if !r.Soft() {
		return false
	}
	classes, _ := r.soft.of.Row(row)
	return len(classes) > 0
}

// Gap returns Σ q_k·log(p_y/p_k) of a row: by how much its log loss exceeds −log p_y. of returns −log p of a class.
func (r *Rows) Gap(row int, own float64, of func(class int32) float64) (gap float64) {
	if r.Soft() {
		classes, shares := r.soft.of.Row(row)
		for i, k := range classes {
			gap += float64(float64(shares[i]) * (of(k) - own))
		}
	}
	return gap
}

// Softens reports whether labels are soft or smoothed.
func (r *Rows) Softens() bool { return r.soft != nil }

// AddGradients adds to the gradients of a job that is done, and to their sums. original returns the row of the training
// set that a row of the job is.
func (r *Rows) AddGradients(j *kernel.GradientsJob, original func(row uint32) int) {
	s, m, shift := r.soft, len(j.Pairs), kernel.Shift(j.Unit)
	even := float32(s.even())
	more := make([]float32, s.classes+1) // q_k − 1[k = y] of a row; the last is of the padding class
	for k := range s.classes {
		more[k] = even
	}
	for p := range j.Pairs {
		stats := &j.Stats[p]
		stats.SumG, stats.SumAbsG, stats.MaxAbsG = 0, 0, 0
	}
	for i, row := range j.Rows {
		of, w := original(row), float32(1)
		if j.Weights != nil {
			w = j.Weights[row]
		}
		y := s.labels[of]
		classes, shares := s.of.Row(of)
		for i, k := range classes {
			more[k] += float32((1 - s.smoothing) * float64(shares[i]))
		}
		more[y] = -s.others(of)
		for p, pair := range j.Pairs {
			g := &j.Gradients[(i*m+p)*2+1]
			*g += float32(w * (more[min(int(pair.R), s.classes)] - more[min(int(pair.S), s.classes)]))
			stats, a := &j.Stats[p], abs(*g)
			stats.SumG += kernel.Units(float64(*g)+shift, shift)
			stats.SumAbsG += kernel.Units(float64(a)+shift, shift)
			stats.MaxAbsG = max(stats.MaxAbsG, a)
		}
		for _, k := range classes {
			more[k] = even
		}
		more[y] = even
	}
}

// lost reports whether a class that a row belongs to in part has the probability zero.
func (s *soft) lost(d *Dense) bool {
	if s == nil || s.of == nil {
		return false
	}
	for row := range s.labels {
		residuals := d.Row(row)
		classes, _ := s.of.Row(row)
		for _, k := range classes {
			if residuals[k] == 0 {
				return true
			}
		}
	}
	return false
}
