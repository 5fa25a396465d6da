package boost

import (
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// replay moves rows by the trees of a model, iteration by iteration, as training
// did.
type replay struct {
	x            bin.Source
	forest       *model.Forest
	perIteration int // trees
	state        *state
	team         *par.Team

	first  int      // tree of the first of leaves
	leaves []uint32 // trees × rows: the leaf that each row reaches
	rows   []uint32 // of weight above zero, ordered by their leaf in the current tree
}

// treesAtOnce is the number of trees whose leaves are found in one pass over the
// rows.
const treesAtOnce = 32

// run replays all trees. Before an iteration moves the rows, look is called with each of its
// trees and the rows by its leaves. After an iteration that lost a row, lost is called with the
// number of trees so far.
func (r *replay) run(look func(tree int, segments []tree.Segment), lost func(trees int)) {
	step := max(treesAtOnce/r.perIteration, 1) * r.perIteration
	for first := 0; first < r.forest.Trees(); first += step {
		last := min(first+step, r.forest.Trees())
		r.findLeaves(first, last)
		for begin := first; begin < last; begin += r.perIteration {
			end := min(begin+r.perIteration, last)
			for t := begin; t < end && look != nil; t++ {
				look(t, r.order(t))
			}
			for t := begin; t < end; t++ {
				r.state.mover.queue(tree.LeavesOf(r.forest.Tree(t)), r.order(t))
				r.state.apply()
			}
			r.state.endIteration(begin / r.perIteration)
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

// order sorts the rows by their leaf in a tree, stably.
func (r *replay) order(t int) (segments []tree.Segment) {
	n := r.x.Rows()
	leaves := r.leaves[(t-r.first)*n:][:n]
	next := make([]int, r.forest.Tree(t).NumLeaves()) // by leaf: where its next row goes
	for i, leaf := range leaves {
		if r.state.residuals.Weight(i) > 0 {
			next[leaf]++
		}
	}
	r.rows = slices.Grow(r.rows[:0], n)[:n]
	end := 0
	for leaf, rows := range next {
		if rows > 0 {
			segments = append(segments, tree.Segment{Leaf: leaf, Rows: r.rows[end : end+rows]})
		}
		next[leaf], end = end, end+rows
	}
	for i, leaf := range leaves {
		if r.state.residuals.Weight(i) > 0 {
			r.rows[next[leaf]] = uint32(i)
			next[leaf]++
		}
	}
	return segments
}
