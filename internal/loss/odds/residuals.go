// Package odds is the form of residuals for many classes: the odds of the likely classes of each
// row. See entries.
package odds

import (
	"math"
	"sync/atomic"

	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/exact"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Residuals are the residuals of the likely classes of rows, as odds.
type Residuals struct {
	*loss.Rows
	entries *entries
	sampled []uint32   // of a sample: which rows it has; nil: all
	memory  *mem.Block // of a sample: its weights; else nil
}

// New returns the residuals of raw scores of zero. Trees see this many likely classes of a row,
// beside its own.
func New(labels []int32, weights []float32, classes, stride, likely int) *loss.Residuals {
	likely = min(likely, classes-1)
	e := &entries{leafPath: newLeafPath[float32](len(labels), classes), likely: likely, rows: make([]rowSums, len(labels))}
	e.allocate()
	k := float64(classes)
	for i, y := range labels {
		e.rows[i] = rowSums{rest: 1 / k, other: (k - 1) / k, light: k - 1, scale: 1 / k, label: uint32(y), own: 1}
	}
	r := &Residuals{Rows: loss.NewRows(labels, weights, classes, stride), entries: e}
	return &loss.Residuals{Rows: r.Rows, Form: r}
}

// Apply multiplies the odds of rows by the steps of the leaves of a tree. It returns
// Σ (1 − p_y) over all rows and the greatest of these.
func (r *Residuals) Apply(steps []Step, reached []LeafRows, team *par.Team) (sum float64, most float32) {
	e := r.entries
	for len(e.caches) < team.Workers() {
		e.caches = append(e.caches, leafCache{})
	}
	tasks := together(reached)
	team.Do(len(tasks), func(worker, i int) { e.apply(&steps[tasks[i].Leaf], tasks[i].Rows, &e.caches[worker]) })
	e.add(steps, reached, team)
	e.noteSteps(steps)
	e.indexSpan()
	n := 0
	for i := range e.rows {
		s := &e.rows[i]
		sum += s.other
		most = max(most, float32(s.other))
		n += int(s.entries)
	}
	e.mean = n / max(len(e.rows), 1)
	return sum, most
}

// original returns the row of the entries that a row is.
func (r *Residuals) original(row uint32) int {
	if r.sampled != nil {
		return int(r.sampled[row])
	}
	return int(row)
}

func (r *Residuals) Width() int { return r.entries.mean + 1 }

func (r *Residuals) MaxWidth() int { return r.entries.likely + 1 }

func (r *Residuals) Bytes() int { return 0 }

func (r *Residuals) Free() {
	if r.Labels != nil { // a sample owns no entries
		r.entries.free()
	}
	r.memory.Free()
}

func (r *Residuals) Copy(o *loss.Residuals) {
	r.entries.free()
	r.entries, r.Units = o.Form.(*Residuals).entries.copy(), o.Units
}

func (r *Residuals) NewSample(rows int) *loss.Residuals {
	s := &Residuals{Rows: r.Sample(nil), entries: r.entries}
	if r.Weights != nil {
		s.memory = mem.New(4 * rows)
		s.Weights = mem.View[float32](s.memory)
	}
	return &loss.Residuals{Rows: s.Rows, Form: s}
}

func (r *Residuals) CopyRows(o *loss.Residuals, rows []uint32, _ *par.Team) {
	r.Units, r.sampled = o.Units, rows
	if o.Weights != nil {
		for i, row := range rows {
			r.Weights[i] = o.Weights[row]
		}
	}
}

func (r *Residuals) Bound() (sum float64, most float32) {
	for i := range r.entries.rows {
		q := r.entries.rows[i].other
		sum += q
		most = max(most, float32(q))
	}
	return sum, most
}

// BoundsLoss is false after a leaf has moved a class so far that only the leaf paths of rows
// tell their loss.
func (r *Residuals) BoundsLoss() bool { return !r.entries.large }

func (r *Residuals) HasClipped(float32) bool { return false }

func (r *Residuals) LogLoss(_, _ []float64, most float64, team *par.Team, group *collective.Group) float64 {
	if !r.BoundsLoss() {
		return r.pathLogLoss(most, team, group)
	}
	var sum exact.Sum
	for i := range r.Labels {
		s := &r.entries.rows[i]
		l := loss.NegLogOwn(s.other, s.p())
		l += r.Gap(i, l, func(k int32) float64 { return -loss.Log(max(r.entries.probability(i, uint32(k)), kernel.FlushBelow)) })
		sum.Add(l * r.Weight(i))
	}
	group.Add(&sum)
	return sum.Float64()
}

// pathLogLoss is LogLoss from the leaf paths of rows. If it is more than most, it returns some
// number above most.
func (r *Residuals) pathLogLoss(most float64, team *par.Team, group *collective.Group) float64 {
	p := r.entries.newPaths()
	walkers := make([]pathWalker, team.Workers())
	sums := make([]exact.Sum, (len(r.Labels)+rowsTogether-1)/rowsTogether)
	var over atomic.Bool
	team.Do(len(sums), func(worker, i int) {
		w := &walkers[worker]
		for row := i * rowsTogether; row < min((i+1)*rowsTogether, len(r.Labels)) && !over.Load(); row++ {
			l := p.loss(w, row, int(r.Labels[row]))
			l += r.Gap(row, l, func(k int32) float64 { return p.loss(w, row, int(k)) })
			sums[i].Add(l * r.Weight(row))
			if most < math.MaxFloat64 && sums[i].Float64() > most {
				over.Store(true)
			}
		}
	})
	var sum exact.Sum
	for i := range sums {
		sum.Merge(&sums[i])
	}
	group.Add(&sum)
	return sum.Float64()
}

func (r *Residuals) Influence(i int) float32 {
	if r.Weights != nil && r.Weights[i] == 0 {
		return 0
	}
	return r.Rows.AtLeast(i, float32(r.entries.rows[i].other))
}

func (r *Residuals) Influences(bits []uint32, first int) (sum int64) {
	for i := range bits {
		influence := r.Influence(first + i)
		bits[i] = math.Float32bits(influence)
		sum += loss.Count(float64(influence), r.Units.Sums)
	}
	return sum
}
