package boost

import (
	"math"

	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/loss/odds"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// state holds the residuals of the model so far on a set of rows.
//
// A leaf multiplies the odds of its rows, which takes one exponential for each leaf and class.
// This loses a class whose probability falls below kernel.FlushBelow, although large steps can
// bring it back. So unless steps are small, the state keeps the raw scores as well, and
// recomputes the residuals from them before a lost class could matter. With small steps it
// starts to do so as soon as a row's own class is lost.
type state struct {
	residuals *loss.Residuals
	scores    []float64      // rows × Classes; nil: not kept
	memory    *mem.Block     // of the scores
	objective *objective     // computes the residuals from the scores; nil: the softmax does
	initial   *initialScores // the scores before any tree; nil: zeros
	period    int            // iterations after which the residuals are recomputed; 0: scores are not kept
	bound     float64        // Σ (1 − p_y), without weights: a lower bound of the loss
	kernels   *kernel.Funcs
	team      *par.Team
	group     *collective.Group

	anyLost bool // on several machines: setBound found a row somewhere whose own class is lost

	mover mover
	moved float64             // Σ (1 − p_y) over the rows last moved
	most  float32             // the greatest 1 − p_y among them; 1 until it is known
	jobs  []kernel.SoftmaxJob // by worker
}

// mover moves the residuals of rows by leaves: denseMover or oddsMover.
type mover interface {
	// begin sets the residuals to those of the initial scores.
	begin(initial *initialScores)
	// queue prepares moving the rows of segments by the values of their leaves, with the next
	// apply. No row may be queued twice.
	queue(leaves []tree.Leaf, segments []tree.Segment)
	// apply makes the moves. It returns Σ (1 − p_y) over the rows and the greatest of these; of
	// no interest if the residuals are recomputed from scores in each iteration.
	apply() (sum float64, most float32)
}

// newState returns a state, to be reset, with the initial scores begin (nil: zeros, with a lane
// for the padding class).
func newState(t *data.Target, p *Params, initial *initialScores, k *kernel.Funcs, team *par.Team) *state {
	classes := len(t.Classes)
	s := &state{initial: initial, kernels: k, team: team, group: t.Ranks, most: 1}
	stride := kernel.Stride(classes, p == nil || p.Padding(classes))
	if p != nil && p.NamedClasses() > 0 {
		s.residuals = odds.New(t.Labels, t.Weights, classes, stride, p.ActiveClasses(classes))
		s.mover = &oddsMover{state: s}
	} else {
		s.residuals = loss.NewDense(t.Labels, t.Weights, classes, stride)
		s.mover = &denseMover{state: s}
	}
	smoothing := 0.0
	if p != nil {
		smoothing = p.LabelSmoothing
	}
	s.residuals.Soften(t.Soft, smoothing)
	s.residuals.Share(t.Ranks)
	return s
}

// reset sets the residuals of a state without scores to the initial ones.
func (s *state) reset() {
	if s.initial != nil {
		s.mover.begin(s.initial)
	}
}

// keepScores makes the state keep scores (nil: the initial ones) and recomputes the residuals.
func (s *state) keepScores(scores []float64, period int) {
	rows := len(s.residuals.Labels)
	s.memory = mem.New(8 * rows * s.residuals.Classes)
	s.scores, s.period = mem.View[float64](s.memory), period
	if scores == nil && s.initial != nil {
		s.team.Do(kernel.Blocks(rows), func(_, b int) {
			first, end := kernel.Block(b, rows)
			s.initial.write(first, end, s.scores[first*s.residuals.Classes:])
		})
	}
	s.setScores(scores)
}

// lost reports whether a state without scores has lost a row's own class.
func (s *state) lost() bool {
	if s.group != nil {
		return s.scores == nil && s.anyLost
	}
	return s.scores == nil && s.residuals.HasClipped(s.most)
}

// free releases the memory.
func (s *state) free() {
	s.residuals.Free()
	s.scores = nil
	s.memory.Free()
	s.objective.free()
}

// apply makes the moves that were queued.
func (s *state) apply() { s.moved, s.most = s.mover.apply() }

// endIteration ends an iteration, numbered from zero, in which every row was moved.
func (s *state) endIteration(iteration int) {
	if s.period > 0 && (iteration+1)%s.period == 0 {
		s.renew(s.scores)
		return
	}
	s.setBound(s.moved, s.most)
}

// setBound records the sum of 1 − p_y over all rows and the greatest.
func (s *state) setBound(sum float64, most float32) {
	if s.group != nil {
		lost := uint64(0)
		if s.scores == nil && s.residuals.HasClipped(most) {
			lost = 1
		}
		mine := collective.Pack([]uint64{math.Float64bits(sum), uint64(math.Float32bits(most)), lost})
		sum, most, s.anyLost = 0, 0, false
		for _, b := range s.group.GatherSame(mine) {
			theirs := collective.Unpack(b)
			sum += math.Float64frombits(theirs[0])
			most = max(most, math.Float32frombits(uint32(theirs[1])))
			s.anyLost = s.anyLost || theirs[2] > 0
		}
	}
	s.bound = sum
	s.residuals.SetUnits(most)
}

// setScores replaces the scores of a state that keeps them.
func (s *state) setScores(scores []float64) {
	copy(s.scores, scores)
	s.renew(s.scores)
}

// renew computes the residuals from raw scores, rows × Classes.
func (s *state) renew(scores []float64) {
	if s.objective != nil {
		s.renewCustom()
		return
	}
	classes, dense := s.residuals.Classes, s.residuals.Form.(*loss.Dense)
	s.renewRows(func(worker, first, end int) (sum float64, most float32) {
		return dense.SetScores(scores[first*classes:end*classes], first, end, s.kernels, &s.jobs[worker])
	})
}

// renewRows computes the residuals of ranges of rows with set, which returns the sum of 1 − p_y over a range, and the greatest.
func (s *state) renewRows(set func(worker, first, end int) (sum float64, most float32)) {
	rows := len(s.residuals.Labels)
	type bound struct {
		sum  float64
		most float32
	}
	bounds := make([]bound, kernel.Blocks(rows))
	if s.jobs == nil {
		s.jobs = make([]kernel.SoftmaxJob, s.team.Workers())
	}
	s.team.Do(len(bounds), func(worker, b int) {
		first, end := kernel.Block(b, rows)
		bounds[b].sum, bounds[b].most = set(worker, first, end)
	})
	var all bound
	for _, b := range bounds {
		all.sum += b.sum
		all.most = max(all.most, b.most)
	}
	s.setBound(all.sum, all.most)
}

// logLoss returns Σ −w·log(p_y) over all rows and, if byClass is not nil, adds it up by class.
func (s *state) logLoss(byClass []float64) float64 {
	return s.residuals.LogLoss(s.scores, byClass, math.Inf(1), s.team, s.group)
}

// lossAtMost reports whether the loss is at most the given one. The lower bound usually decides
// that without a pass over the rows, but for a margin: unlike the loss, its rounding depends on
// the order.
func (s *state) lossAtMost(most float64) bool {
	const margin = 1 - 1e-9
	if s.residuals.BoundsLoss() && s.residuals.Weights == nil && s.bound*s.residuals.LeastOwn()*margin > most {
		return false
	}
	return s.residuals.LogLoss(s.scores, nil, most, s.team, s.group) <= most
}
