package boost

import (
	"errors"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Objective computes the gradient and the diagonal of the Hessian of a loss from the raw
// scores of the training rows. All are rows × classes.
type Objective func(scores, gradient, hessian []float64) error

// objective calls an Objective, with memory for its results.
type objective struct {
	compute           Objective
	gradient, hessian []float64
	memory            *mem.Block // of gradient and hessian
	err               error      // of the first call that failed; no other follows
}

func newObjective(compute Objective, values int) *objective {
	memory := mem.New(2 * 8 * values)
	both := mem.View[float64](memory)
	return &objective{compute: compute, gradient: both[:values:values], hessian: both[values:], memory: memory}
}

// free releases the memory.
func (o *objective) free() {
	if o != nil {
		o.gradient, o.hessian = nil, nil
		o.memory.Free()
	}
}

// newCustomState returns a state of scores with the residuals of an objective.
func newCustomState(o Objective, t *data.Target, scores []float64, padding bool, k *kernel.Funcs, team *par.Team) *state {
	rows, classes := t.Rows(), len(t.Classes)
	s := &state{
		residuals: loss.NewCustom(t.Labels, classes, kernel.Stride(classes, padding)),
		objective: newObjective(o, rows*classes),
		kernels:   k,
		team:      team,
		group:     t.Ranks,
	}
	s.mover = &denseMover{state: s}
	s.residuals.Share(t.Ranks)
	s.keepScores(scores, 1)
	return s
}

// renewCustom computes the residuals from the scores.
func (s *state) renewCustom() {
	o, rows := s.objective, len(s.residuals.Labels)
	if o.err != nil {
		return
	}
	o.err = o.compute(s.scores, o.gradient, o.hessian)
	most, failed := make([]float32, kernel.Blocks(rows)), make([]error, kernel.Blocks(rows))
	if o.err == nil {
		dense := s.residuals.Form.(*loss.Dense)
		s.team.Do(len(most), func(_, b int) {
			first, end := kernel.Block(b, rows)
			most[b], failed[b] = dense.SetCustom(o.gradient, o.hessian, first, end)
		})
		o.err = errors.Join(failed...)
	}
	if o.err != nil {
		s.group.Abort(o.err)
		return
	}
	all := float32(0)
	for _, m := range most {
		all = max(all, m)
	}
	s.setBound(0, all)
}

// Err returns the error of the objective that ended training, or nil.
func (e *Engine) Err() error {
	if e.state.objective == nil {
		return nil
	}
	return e.state.objective.err
}
