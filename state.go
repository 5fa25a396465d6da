package aoso

import (
	"slices"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// state is where boosting stands on a set of rows: the residuals that the
// model so far leaves there.
//
// A leaf multiplies the odds of its rows: one exponential a leaf and class. That
// loses a class whose probability falls below kernel.FlushBelow, and steps that
// go far enough bring it back. So where steps are not small the raw scores are
// kept as well, and the residuals renewed from them before a lost class could
// matter. With small steps that is done as soon as a row's own class is lost.
type state struct {
	residuals *loss.Residuals
	scores    []float64  // rows × Classes; nil: not kept
	memory    *mem.Block // of the scores
	period    int        // iterations from one renewal to the next; 0: scores are not kept
	kernels   *kernel.Funcs
	team      *par.Team

	moves   []move
	updates []kernel.UpdateJob
	factors []float32           // moves × Stride: what they multiply the odds by
	jobs    []kernel.SoftmaxJob // by worker
	bound   float64             // Σ (1 − p_y) over the rows moved, without weights
}

// move is rows that are to take the step of a leaf.
type move struct {
	rows []uint32
	leaf *tree.Leaf
	at   int // of its factors
}

// smallStep bounds the steps of an iteration that needs no scores. Random
// trainings to convergence never showed a loss other than the model's with
// steps of up to 1; with 1.5, some on contradictory data did.
const smallStep = 1

// period is the number of iterations after which training renews the residuals
// from scores; 0: it keeps none. In abc and logitboost the steps of many trees
// add up.
func (p *Params) period() int {
	if p.Method == AOSO && p.Shrinkage*p.MaxStep <= smallStep {
		return 0
	}
	return p.safePeriod()
}

// safePeriod is a number of iterations in which no class comes back from odds
// of e⁻⁶⁹ to e⁻²³: an iteration moves two classes apart by two steps at most.
func (p *Params) safePeriod() int {
	if p.Method != AOSO {
		return 1
	}
	return max(1, int(min(46/(2*p.Shrinkage*p.MaxStep), 1000)))
}

// newState is the state at scores of zero, with room for the impossible class
// if asked.
func newState(labels []int32, weights []float32, classes int, impossible bool, k *kernel.Funcs, team *par.Team) *state {
	return &state{
		residuals: loss.NewResiduals(labels, weights, classes, loss.Stride(classes, impossible)),
		kernels:   k,
		team:      team,
	}
}

// keep has the state keep scores, from these on (nil: zero), and renews the
// residuals.
func (s *state) keep(scores []float64, period int) {
	s.memory = mem.New(8 * len(s.residuals.Labels) * s.residuals.Classes)
	s.scores, s.period = mem.View[float64](s.memory), period
	copy(s.scores, scores)
	s.renew(s.scores)
}

// lost tells whether a state without scores has lost a row.
func (s *state) lost() bool { return s.scores == nil && s.residuals.Lost() }

// free gives the memory back; nothing may use it any more.
func (s *state) free() {
	s.residuals.Free()
	s.scores = nil
	s.memory.Free()
}

// move has rows take the step of a leaf with the next apply.
func (s *state) move(rows []uint32, l *tree.Leaf) {
	stride, at := s.residuals.Stride, len(s.factors)
	if s.period != 1 {
		s.factors = slices.Grow(s.factors, stride)[:at+stride]
		leafFactors(s.factors[at:], l)
	}
	for len(rows) > 0 {
		n := min(len(rows), kernel.RowBlock)
		s.moves = append(s.moves, move{rows[:n], l, at})
		rows = rows[n:]
	}
}

// apply makes the moves, no two of which may be of the same row.
func (s *state) apply() {
	if s.scores != nil {
		s.team.Do(len(s.moves), func(_, i int) {
			for _, row := range s.moves[i].rows {
				s.moves[i].leaf.AddTo(s.scores[int(row)*s.residuals.Classes:][:s.residuals.Classes])
			}
		})
	}
	if s.period != 1 {
		s.updates = slices.Grow(s.updates[:0], len(s.moves))[:len(s.moves)]
		s.team.Do(len(s.moves), func(_, i int) {
			m, r := &s.moves[i], s.residuals
			s.updates[i] = kernel.UpdateJob{Residuals: r.Data, Own: r.Own, Stride: r.Stride, Rows: m.rows, Factors: s.factors[m.at:]}
			s.kernels.Update(&s.updates[i])
		})
		for i := range s.updates {
			s.bound += s.updates[i].SumResidual
		}
	}
	s.moves, s.factors = s.moves[:0], s.factors[:0]
}

// settle ends an iteration, numbered from zero, in which every row was moved.
// It returns Σ (1 − p_y).
func (s *state) settle(iteration int) (bound float64) {
	bound, s.bound = s.bound, 0
	if s.period > 0 && (iteration+1)%s.period == 0 {
		bound = s.renew(s.scores)
	}
	return bound
}

// setScores makes the state, one with scores, that of other scores.
func (s *state) setScores(scores []float64) (bound float64) {
	copy(s.scores, scores)
	return s.renew(s.scores)
}

// renew makes the residuals those of raw scores, rows × Classes, and returns
// Σ (1 − p_y).
func (s *state) renew(scores []float64) (bound float64) {
	rows := len(s.residuals.Labels)
	bounds := make([]float64, kernel.Blocks(rows))
	if s.jobs == nil {
		s.jobs = make([]kernel.SoftmaxJob, s.team.Workers())
	}
	s.team.Do(len(bounds), func(worker, b int) {
		first, end := kernel.Block(b, rows)
		bounds[b] = s.residuals.SetScores(scores, first, end, s.kernels, &s.jobs[worker])
	})
	for _, b := range bounds {
		bound += b
	}
	return bound
}

// logLoss is Σ −w·log(p_y) over all rows and, if byClass is given, over the
// rows of each class.
func (s *state) logLoss(byClass []float64) float64 { return s.residuals.LogLoss(s.scores, byClass) }

// leafFactors is what a leaf multiplies the odds of each class by.
func leafFactors(factors []float32, l *tree.Leaf) {
	for k := range factors {
		factors[k] = 1
	}
	for i, step := range l.Steps {
		up := float32(kernel.Exp(float64(step)))
		if l.Pairs == nil {
			factors[i] = up
			continue
		}
		factors[l.Pairs[i].R] = up
		factors[l.Pairs[i].S] = float32(kernel.Exp(-float64(step)))
	}
}
