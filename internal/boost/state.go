package boost

import (
	"cmp"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/loss"
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

	moves   []move
	moved   float64 // Σ (1 − p_y) over the rows last moved
	most    float32 // the greatest 1 − p_y among them
	updates []kernel.UpdateJob
	factors []float32           // moves × Stride: factors of the odds
	jobs    []kernel.SoftmaxJob // by worker

	// With sparse class scores, in place of moves: the leaves of a tree and their rows.
	leaves  []tree.Leaf
	reached []loss.LeafRows
}

// move is rows that take the step of a leaf.
type move struct {
	rows []uint32
	leaf *tree.Leaf
	at   int // index of its factors
}

// newState returns a state, to be reset, with the initial scores begin (nil: zeros, with a lane
// for the padding class).
func newState(t *data.Target, p *Params, initial *initialScores, k *kernel.Funcs, team *par.Team) *state {
	classes := len(t.Classes)
	s := &state{initial: initial, kernels: k, team: team, group: t.Ranks}
	stride := loss.Stride(classes, p == nil || p.padding(classes))
	if p != nil && p.leafClasses() > 0 {
		s.residuals = loss.NewSparse(t.Labels, t.Weights, classes, stride, p.activeClasses(classes))
	} else {
		s.residuals = loss.NewResiduals(t.Labels, t.Weights, classes, stride)
	}
	s.residuals.Share(t.Ranks)
	return s
}

// reset sets the residuals of a state without scores to the initial ones.
func (s *state) reset() {
	switch {
	case s.initial == nil: // they are
	case s.residuals.Sparse():
		s.setBound(s.residuals.SetInitial(s.initial, s.team))
	default:
		s.renewFrom(func(first, end int, scratch []float64) []float64 {
			scratch = slices.Grow(scratch[:0], (end-first)*s.residuals.Classes)[:(end-first)*s.residuals.Classes]
			s.initial.write(first, end, scratch)
			return scratch
		})
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
	return s.scores == nil && s.residuals.HasClipped()
}

// free releases the memory.
func (s *state) free() {
	s.residuals.Free()
	s.scores = nil
	s.memory.Free()
	s.objective.free()
}

// queueMoves prepares moving the rows of segments by the values of their leaves, with the next apply.
func (s *state) queueMoves(leaves []tree.Leaf, segments []tree.Segment) {
	if s.residuals.Sparse() {
		s.leaves, s.reached = leaves, reached(s.reached, segments)
		return
	}
	stride := s.residuals.Stride
	for _, segment := range segments {
		leaf, at := &leaves[segment.Leaf], len(s.factors)
		if s.period != 1 {
			s.factors = slices.Grow(s.factors, stride)[:at+stride]
			leafFactors(s.factors[at:], leaf)
		}
		for rows := range slices.Chunk(segment.Rows, kernel.RowBlock) {
			s.moves = append(s.moves, move{rows, leaf, at})
		}
	}
}

// apply makes the moves, no two of which may be of the same row.
func (s *state) apply() {
	if s.residuals.Sparse() {
		s.applySparse()
		return
	}
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
		s.moved, s.most = 0, 0
		for i := range s.updates {
			s.moved += s.updates[i].SumResidual
			s.most = max(s.most, s.updates[i].MaxResidual)
		}
	}
	s.moves, s.factors = s.moves[:0], s.factors[:0]
}

// applySparse is apply with sparse class scores.
func (s *state) applySparse() {
	steps := sparseSteps(s.leaves, s.residuals.Classes, s.team)
	s.moved, s.most = s.residuals.Apply(steps, s.reached, s.team)
	s.reached = s.reached[:0]
}

// reached appends the rows of segments.
func reached(to []loss.LeafRows, segments []tree.Segment) []loss.LeafRows {
	for _, s := range segments {
		to = append(to, loss.LeafRows(s))
	}
	return to
}

// sparseSteps returns the factors of the odds of leaves.
func sparseSteps(leaves []tree.Leaf, classes int, team *par.Team) []loss.Step {
	steps := make([]loss.Step, len(leaves))
	team.Do(len(steps), func(_, i int) { steps[i] = sparseStep(&leaves[i], classes) })
	return steps
}

// sparseStep returns the factors by which a leaf multiplies the odds of its classes.
func sparseStep(l *tree.Leaf, classes int) (s loss.Step) {
	order := make([]int, 0, len(l.Pairs))
	for i, pair := range l.Pairs {
		if int(pair.R) < classes {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(l.Pairs[a].R, l.Pairs[b].R) })
	for _, i := range order {
		s.Classes, s.By = append(s.Classes, uint32(l.Pairs[i].R)), append(s.By, kernel.Exp(float64(l.Steps[i])))
	}
	return s
}

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
		if s.scores == nil && s.residuals.HasClipped() {
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
	s.renewFrom(func(first, end int, _ []float64) []float64 {
		return scores[first*s.residuals.Classes : end*s.residuals.Classes]
	})
}

// renewFrom is renew with scores that it requests by ranges of rows, passing a scratch buffer.
func (s *state) renewFrom(scores func(first, end int, scratch []float64) []float64) {
	rows := len(s.residuals.Labels)
	type bound struct {
		sum  float64
		most float32
	}
	bounds := make([]bound, kernel.Blocks(rows))
	if s.jobs == nil {
		s.jobs = make([]kernel.SoftmaxJob, s.team.Workers())
	}
	rooms := make([][]float64, s.team.Workers())
	s.team.Do(len(bounds), func(worker, b int) {
		first, end := kernel.Block(b, rows)
		rooms[worker] = scores(first, end, rooms[worker])
		bounds[b].sum, bounds[b].most = s.residuals.SetScores(rooms[worker], first, end, s.kernels, &s.jobs[worker])
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
	if s.residuals.LargeSteps() {
		return s.residuals.PathLogLoss(math.Inf(1), s.team, s.group)
	}
	return s.residuals.LogLoss(s.scores, byClass, s.group)
}

// lossAtMost reports whether the loss is at most the given one. The lower bound usually decides
// that without a pass over the rows, but for a margin: unlike the loss, its rounding depends on
// the order.
func (s *state) lossAtMost(most float64) bool {
	const margin = 1 - 1e-9
	if s.residuals.LargeSteps() { // the bound is not one
		return s.residuals.PathLogLoss(most, s.team, s.group) <= most
	}
	if s.residuals.Weights == nil && s.bound*margin > most {
		return false
	}
	return s.logLoss(nil) <= most
}

// leafFactors computes the factors by which a leaf multiplies the odds of each class.
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
		if r := int(l.Pairs[i].R); r < len(factors) { // else it is the impossible class, without a lane
			factors[r] = up
		}
		if s := int(l.Pairs[i].S); s < len(factors) {
			factors[s] = float32(kernel.Exp(-float64(step)))
		}
	}
}
