package aoso

import (
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// replay takes rows through the trees of a model, iteration by iteration, as
// training took its rows.
type replay struct {
	x        Features
	forest   *model.Forest
	perRound int // trees of an iteration
	state    *state
	team     *par.Team

	first  int      // tree of the first of leaves
	leaves []uint32 // trees × rows: the leaf that each row reaches

	rows  []uint32 // of weight above zero, ordered by their leaf in the tree at hand
	start []int    // by leaf, and one past the last: where its rows begin
}

// run replays all trees. Before an iteration moves the rows, each of its trees
// is handed to look, with the rows ordered by its leaves. After an iteration
// that lost a row, lost is called with the number of trees so far.
func (r *replay) run(look func(tree int), lost func(trees int)) {
	const most = 32 // trees whose leaves are found at once
	step := max(most/r.perRound, 1) * r.perRound
	for first := 0; first < r.forest.Trees(); first += step {
		last := min(first+step, r.forest.Trees())
		r.findLeaves(first, last)
		for begin := first; begin < last; begin += r.perRound {
			end := min(begin+r.perRound, last)
			for t := begin; t < end && look != nil; t++ {
				r.order(t)
				look(t)
			}
			for t := begin; t < end; t++ {
				r.order(t)
				r.move(t)
			}
			r.state.settle(begin / r.perRound)
			if r.state.lost() {
				lost(end)
			}
		}
	}
}

// findLeaves finds the leaves of trees that the rows reach.
func (r *replay) findLeaves(first, last int) {
	n, cols := r.x.Rows(), r.x.Cols()
	r.first, r.leaves = first, slices.Grow(r.leaves[:0], (last-first)*n)[:(last-first)*n]
	r.team.Do(kernel.Blocks(n), func(_, b int) {
		begin, end := kernel.Block(b, n)
		block := make([]float64, (end-begin)*cols)
		bin.ReadRows(r.x, begin, block)
		for t := first; t < last; t++ {
			tree := r.forest.Tree(t)
			for i := begin; i < end; i++ {
				r.leaves[(t-first)*n+i] = uint32(tree.Find(block[(i-begin)*cols:][:cols]))
			}
		}
	})
}

// order orders the rows by their leaf in a tree, stably.
func (r *replay) order(t int) {
	n := r.x.Rows()
	leaves := r.leaves[(t-r.first)*n:][:n]
	r.start = make([]int, r.forest.Tree(t).NumLeaves()+1)
	for i, leaf := range leaves {
		if r.state.residuals.Weight(i) > 0 {
			r.start[leaf+1]++
		}
	}
	for leaf, rows := range r.start[1:] {
		r.start[leaf+1] = r.start[leaf] + rows
	}
	r.rows = slices.Grow(r.rows[:0], n)[:r.start[len(r.start)-1]]
	next := slices.Clone(r.start)
	for i, leaf := range leaves {
		if r.state.residuals.Weight(i) > 0 {
			r.rows[next[leaf]] = uint32(i)
			next[leaf]++
		}
	}
}

// rowsOf is the rows that reach a leaf of the tree that they are ordered by.
func (r *replay) rowsOf(leaf int) []uint32 { return r.rows[r.start[leaf]:r.start[leaf+1]] }

// move moves the rows by the steps of the tree that they are ordered by.
func (r *replay) move(t int) {
	leaves := tree.LeavesOf(r.forest.Tree(t))
	for i := range leaves {
		r.state.move(r.rowsOf(i), &leaves[i])
	}
	r.state.apply()
}

// start is where a training that continues a model begins on a dataset. A
// training that took the model's parameters all the way would stand there as
// well, to the bit.
type start struct {
	model     *Model
	scores    []float64       // rows × classes
	residuals *loss.Residuals // of a training set; nil: those of the scores
	period    int             // of the state that they are of
}

// newStart is the start for a validation set.
func newStart(m *Model, x Features, threads int) (*start, error) {
	scores, err := m.PredictRaw(x, PredictOptions{Threads: threads})
	return &start{model: m, scores: scores}, err
}

// replay makes the start one for a training set.
func (s *start) replay(x Features, labels []int32, team *par.Team) error {
	m := s.model
	p, err := m.params.resolve(len(m.classes))
	if err != nil || p.period() == 1 {
		return err
	}
	k, err := kernels("")
	if err != nil {
		return err
	}
	r := replay{
		x: x, forest: m.forest, perRound: m.perRound, team: team,
		state: newState(labels, nil, len(m.classes), true, k, team),
	}
	if period := p.period(); period > 0 {
		r.state.keep(nil, period)
	}
	r.run(nil, func(trees int) {
		scores, predictErr := m.PredictRaw(x, PredictOptions{Trees: trees, Threads: team.Workers()})
		if err = predictErr; err == nil {
			r.state.keep(scores, p.safePeriod())
		}
	})
	s.residuals, s.period = r.state.residuals, r.state.period
	r.state.memory.Free()
	return err
}

// begin takes a training to its start, nil: scores of zero. It returns
// Σ (1 − p_y).
func (s *start) begin(to *state, p *Params) (bound float64) {
	period := p.period()
	switch {
	case s == nil && period == 0:
	case s == nil:
		to.keep(nil, period)
	case s.residuals != nil && s.model.params.period() == period:
		if s.period > 0 {
			to.keep(s.scores, s.period)
		}
		to.residuals.Copy(s.residuals)
	case period > 0:
		to.keep(s.scores, period)
	default:
		to.renew(s.scores)
	}
	return to.residuals.Bound()
}

// bytes is the memory that the start has beside the model's.
func (s *start) bytes() int {
	if s == nil {
		return 0
	}
	n := 8 * len(s.scores)
	if s.residuals != nil {
		n += 4 * (len(s.residuals.Data) + len(s.residuals.Own))
	}
	return n
}
