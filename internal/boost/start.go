package boost

import (
	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Start is the state from which a run continues a model. It equals, bit for bit, the state that
// a single run of all the trees would have there.
type Start struct {
	Params Params // of the model
	Forest *model.Forest
	Scores []float64 // rows × classes

	residuals *loss.Residuals // nil: compute them from the scores
	period    int             // of the state that the residuals are from
}

// Replay computes the residuals that training left on the rows. It calls scores for the raw
// scores of the model's first trees at the point where training started to keep them.
func (s *Start) Replay(x bin.Source, t *data.Target, k *kernel.Funcs, team *par.Team, scores func(trees int) ([]float64, error)) (err error) {
	period, classes := s.Params.Period(), len(t.Classes)
	if period == 1 {
		return nil
	}
	unweighted := *t
	unweighted.Weights = nil
	r := replay{
		x: x, forest: s.Forest, perIteration: s.Params.TreesPerIteration(classes), team: team,
		state: newState(&unweighted, s.Params.stateParams(), rawScores(s.Forest.Linear(), x, k, team), k, team),
	}
	if r.state.reset(); period > 0 {
		r.state.keepScores(nil, period)
	} else if r.state.lost() {
		r.state.keepScores(nil, s.Params.safePeriod())
	}
	r.run(nil, func(trees int) {
		kept, predictErr := scores(trees)
		if err = predictErr; err == nil {
			r.state.keepScores(kept, s.Params.safePeriod())
		}
	})
	s.residuals, s.period = r.state.residuals, r.state.period
	r.state.memory.Free()
	return err
}

// first returns the raw scores that training starts from; nil: zeros.
func (s *Start) first() []float64 {
	if s == nil {
		return nil
	}
	return s.Scores
}

// initState sets the state of a run to its start; nil: scores of zero.
func (s *Start) initState(to *state, p *Params) {
	period := p.Period()
	switch {
	case s == nil && period == 0:
		to.reset()
	case s == nil:
		to.keepScores(nil, period)
	case s.residuals != nil && s.Params.Period() == period:
		if s.period > 0 {
			to.keepScores(s.Scores, s.period)
		}
		to.residuals.Copy(s.residuals)
	case period > 0:
		to.keepScores(s.Scores, period)
	default:
		to.renew(s.Scores)
	}
	to.setBound(to.residuals.Bound())
	if to.lost() { // before the first iteration
		to.keepScores(s.first(), p.safePeriod())
	}
}

// Bytes returns the memory of the start in addition to the model.
func (s *Start) Bytes() int {
	n := 8 * len(s.Scores)
	if s.residuals != nil {
		n += s.residuals.Bytes()
	}
	return n
}
