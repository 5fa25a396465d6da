package loss

import (
	"slices"

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
	even      float64    // what each class gets
	classes   int
	others    []float32 // 1 − q_y of each row; nil: the same for all, most
	most      float32   // the greatest 1 − q_y
}

// Soften makes the labels those of a target, smoothed.
func (r *Rows) Soften(of *data.Soft, smoothing float64) {
	if of == nil && smoothing == 0 {
		return
	}
	even := smoothing / float64(r.Classes)
	least := float64(float64(r.Classes-1) * even)
	r.soft = &soft{labels: r.Labels, of: of, smoothing: smoothing, even: even, classes: r.Classes, most: float32(least)}
	if of != nil {
		r.soft.others = make([]float32, len(r.Labels))
		for row := range r.Labels {
			r.soft.others[row] = float32(float64((1-smoothing)*of.Others(row)) + least)
			r.soft.most = max(r.soft.most, r.soft.others[row])
		}
	}
	r.SetUnits(r.mostAtStart())
}

// other returns 1 − q_y.
func (s *soft) other(row int) float32 {
	if s.others == nil {
		return s.most
	}
	return s.others[row]
}

// AtLeast returns the greatest that a gradient of a row can be, given 1 − p_y.
func (r *Rows) AtLeast(row int, other float32) float32 {
	if r.soft == nil {
		return other
	}
	return max(other, r.soft.other(row))
}

// Soft reports whether rows belong to several classes.
func (r *Rows) Soft() bool { return r.soft != nil && r.soft.of != nil }

// LeastOwn returns a lower bound of q_y.
func (r *Rows) LeastOwn() float64 {
	if !r.Soft() {
		return 1
	}
	return max(0, 1-float64(r.soft.most))
}

// Softens reports whether labels are soft or smoothed.
func (r *Rows) Softens() bool { return r.soft != nil }

// MoreTotals are what a row adds to the negative gradients of classes, in units, beside what its label does.
type MoreTotals struct {
	Classes []int32
	Units   []int64 // of each
	Label   int32
	Own     int64 // of the label
	All     int64 // of every class, in addition
}

// Of sets the totals to those of a row of the given weight.
func (t *MoreTotals) Of(r *Rows, row int, weight float64) {
	s, shift := r.soft, kernel.Shift(r.Units.Sums)
	t.Label, t.Own, t.All = s.labels[row], 0, 0
	if s.smoothing > 0 {
		t.All = kernel.Units(float64(weight*s.even)+shift, shift)
		t.Own = -int64(s.classes) * t.All
	}
	weight *= 1 - s.smoothing
	classes, shares := s.of.Row(row)
	t.Classes, t.Units = classes, slices.Grow(t.Units[:0], len(shares))[:len(shares)]
	for i, share := range shares {
		t.Units[i] = kernel.Units(float64(weight*float64(share))+shift, shift)
		t.Own -= t.Units[i]
	}
}

// AddGradients adds to the gradients of a job that is done, and to their sums. original returns the row of the training
// set that a row of the job is.
func (r *Rows) AddGradients(j *kernel.GradientsJob, original func(row uint32) int) {
	s, m, shift := r.soft, len(j.Pairs), kernel.Shift(j.Unit)
	even, kept := float32(s.even), float32(1-s.smoothing)
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
		classes, shares := s.of.Row(of)
		for i, k := range classes {
			more[k] = even + float32(kept*shares[i])
		}
		y := s.labels[of]
		more[y] = -s.other(of)
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

// shared reports whether a row belongs to several classes.
func (r *Rows) shared(row int) bool {
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
