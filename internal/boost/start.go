package boost

import (
	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Start is the state with which a training continues a model. It equals the
// state, bit for bit, that a single training of all the trees would have there.
type Start struct {
	Params Params // of the model
	Forest *model.Forest
	Scores []float64 // rows × classes

	residuals *loss.Residuals // nil: those of the scores
	period    int             // of the state that they are of
}

// Replay computes the residuals that training left on the rows. It asks for the
// raw scores by the model's first trees where training began to keep them.
func (s *Start) Replay(x bin.Source, t *data.Target, k *kernel.Funcs, team *par.Team, scores func(trees int) ([]float64, error)) (err error) {
	period, classes := s.Params.period(), len(t.Classes)
	if period == 1 {
		return nil
	}
	unweighted := *t
	unweighted.Weights = nil
	r := replay{
		x: x, forest: s.Forest, perIteration: s.Params.TreesPerIteration(classes), team: team,
		state: newState(&unweighted, s.Params.stateParams(), beginRaw(s.Forest.Linear(), x, k, team), k, team),
	}
	if r.state.reset(); period > 0 {
		r.state.keep(nil, period)
	} else if r.state.lost() {
		r.state.keep(nil, s.Params.safePeriod())
	}
	r.run(nil, func(trees int) {
		kept, predictErr := scores(trees)
		if err = predictErr; err == nil {
			r.state.keep(kept, s.Params.safePeriod())
		}
	})
	s.residuals, s.period = r.state.residuals, r.state.period
	r.state.memory.Free()
	return err
}

// first is the raw scores that a training begins with; nil: zeros.
func (s *Start) first() []float64 {
	if s == nil {
		return nil
	}
	return s.Scores
}

// begin sets the state of a training to its start; nil: scores of zero.
func (s *Start) begin(to *state, p *Params) {
	period := p.period()
	switch {
	case s == nil && period == 0:
		to.reset()
	case s == nil:
		to.keep(nil, period)
	case s.residuals != nil && s.Params.period() == period:
		if s.period > 0 {
			to.keep(s.Scores, s.period)
		}
		to.residuals.Copy(s.residuals)
	case period > 0:
		to.keep(s.Scores, period)
	default:
		to.renew(s.Scores)
	}
	to.setBound(to.residuals.Bound())
	if to.lost() { // before the first iteration
		to.keep(s.first(), p.safePeriod())
	}
}

// Bytes is the memory that the start takes in addition to the model.
func (s *Start) Bytes() int {
	n := 8 * len(s.Scores)
	if s.residuals != nil {
		n += 4 * (len(s.residuals.Data) + len(s.residuals.Own))
	}
	return n
}
