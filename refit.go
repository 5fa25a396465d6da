package aoso

import (
	"fmt"
	"slices"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// RefitOptions say how to refit a model. The zero value is the default.
type RefitOptions struct {
	Weights []float64 // by row, as for a dataset; nil: all one
	Keep    float64   // share of its old values that a leaf keeps, 0 to 1
	Threads int       // 0: all cores that the process may use
}

// Refit returns a model of the same trees whose leaves have the values that
// other data give them. From scores of zero, one iteration after the other, a
// leaf takes the step that training would: a Newton step from the
// probabilities by the iterations before, as refitted, of the rows that reach
// it, for the leaf's class pairs or for all classes, with the model's
// shrinkage, MaxStep and L2. The new value is Keep of the old one and 1 − Keep
// of that step. Rows of weight zero count for nothing; a leaf that no row
// reaches stays as it is.
//
// Splits, class pairs and gains stay; the numbers of rows of nodes and leaves
// become those of the new data. The refitted model has no temperature. Refit
// on its own training data, a model trained without trimming and subsampling
// stays the same but for rounding.
func (m *Model) Refit(x Features, labels Labels, o RefitOptions) (*Model, error) {
	if err := m.checkFeatures(x); err != nil {
		return nil, err
	}
	if len(labels) != x.Rows() {
		return nil, badArgument("labels", len(labels), "%d, one for each row", x.Rows())
	}
	if !(o.Keep >= 0 && o.Keep <= 1) {
		return nil, badArgument("keep", o.Keep, "0 to 1")
	}
	if o.Threads < 0 {
		return nil, badArgument("threads", o.Threads, "at least 0")
	}
	weights, err := checkWeights(o.Weights, x.Rows())
	if err != nil {
		return nil, err
	}
	codes, unknown := codesOf(labels, m.classes)
	if unknown > 0 {
		return nil, badArgument("labels", fmt.Sprintf("%d rows of unknown classes", unknown), "the classes of the model: %s", listed(m.classes))
	}
	p, err := m.params.resolve(len(m.classes))
	if err != nil {
		return nil, err
	}
	k, err := kernels("")
	if err != nil {
		return nil, err
	}
	f := *m.forest
	f.Steps, f.LeafRows, f.NodeRows = slices.Clone(f.Steps), slices.Clone(f.LeafRows), slices.Clone(f.NodeRows)
	classes := len(m.classes)
	r := &refit{
		x:         x,
		keep:      o.Keep,
		newton:    loss.Newton{Shrinkage: p.Shrinkage, MaxStep: p.MaxStep, L2: p.L2},
		kernels:   k,
		team:      par.NewTeam(o.Threads),
		residuals: loss.NewResiduals(codes, weights, classes, loss.Stride(classes, true)),
		forest:    &f,
	}
	defer r.residuals.Free()
	defer r.team.Close()
	// The leaves that the rows reach are found for some iterations at once.
	const most = 32 // trees
	step := max(most/m.perRound, 1) * m.perRound
	for first := 0; first < f.Trees(); first += step {
		last := min(first+step, f.Trees())
		r.findLeaves(first, last)
		for t := first; t < last; t += m.perRound {
			r.iteration(t, min(t+m.perRound, last))
		}
	}
	return m.with(&f), nil
}

// refit is a refitting under way.
type refit struct {
	x         Features
	keep      float64
	newton    loss.Newton
	kernels   *kernel.Funcs
	team      *par.Team
	residuals *loss.Residuals
	forest    *tree.Forest // Steps, LeafRows and NodeRows are its own

	first  int      // tree of the first of leaves
	leaves []uint32 // trees × rows: the leaf that each row reaches

	rows  []uint32 // of weight above zero, ordered by their leaf in the tree at hand
	start []int    // by leaf, and one past the last: where its rows begin
}

// findLeaves finds the leaves of trees that the rows reach.
func (r *refit) findLeaves(first, last int) {
	n, cols := r.x.Rows(), r.x.Cols()
	r.first, r.leaves = first, slices.Grow(r.leaves[:0], (last-first)*n)[:(last-first)*n]
	r.team.Do(kernel.Blocks(n), func(_, b int) {
		begin, end := kernel.Block(b, n)
		block := make([]float64, (end-begin)*cols)
		readRows(r.x, begin, block)
		for t := first; t < last; t++ {
			for i := begin; i < end; i++ {
				r.leaves[(t-first)*n+i] = uint32(r.forest.Leaf(t, block[(i-begin)*cols:][:cols]))
			}
		}
	})
}

// iteration refits the trees of an iteration, all on the same residuals, and
// moves these.
func (r *refit) iteration(first, last int) {
	for t := first; t < last; t++ {
		r.order(t)
		r.team.Do(len(r.start)-1, func(_, leaf int) {
			if rows := r.rows[r.start[leaf]:r.start[leaf+1]]; len(rows) > 0 {
				r.refitLeaf(int(r.forest.FirstLeaf[t])+leaf, rows)
			}
		})
		r.count(t)
	}
	for t := first; t < last; t++ {
		r.order(t)
		r.team.Do(len(r.start)-1, func(_, leaf int) {
			r.move(int(r.forest.FirstLeaf[t])+leaf, r.rows[r.start[leaf]:r.start[leaf+1]])
		})
	}
}

// order orders the rows by their leaf in a tree, stably.
func (r *refit) order(t int) {
	n := r.x.Rows()
	leaves := r.leaves[(t-r.first)*n:][:n]
	r.start = make([]int, r.forest.FirstLeaf[t+1]-r.forest.FirstLeaf[t]+1)
	for i, leaf := range leaves {
		if r.residuals.Weight(i) > 0 {
			r.start[leaf+1]++
		}
	}
	for leaf, rows := range r.start[1:] {
		r.start[leaf+1] = r.start[leaf] + rows
	}
	r.rows = slices.Grow(r.rows[:0], n)[:r.start[len(r.start)-1]]
	next := slices.Clone(r.start)
	for i, leaf := range leaves {
		if r.residuals.Weight(i) > 0 {
			r.rows[next[leaf]] = uint32(i)
			next[leaf]++
		}
	}
}

// count sets the numbers of rows of a tree's leaves and nodes.
func (r *refit) count(t int) {
	f := r.forest
	for leaf, end := range r.start[1:] {
		f.LeafRows[int(f.FirstLeaf[t])+leaf] = uint32(end - r.start[leaf])
	}
	for i := int(f.FirstNode[t+1]) - 1; i >= int(f.FirstNode[t]); i-- { // children come after their parents
		f.NodeRows[i] = f.Rows(t, f.Left[i]) + f.Rows(t, f.Right[i])
	}
}

// refitLeaf finds a leaf's new steps, from rows.
func (r *refit) refitLeaf(leaf int, rows []uint32) {
	n := r.forest.StepsPerLeaf()
	fresh := make([]float32, n)
	if r.forest.Full {
		r.newton.Full(fresh, r.totals(rows))
	} else {
		r.pairSteps(fresh, r.pairs(leaf), rows)
	}
	for i, old := range r.forest.Steps[leaf*n:][:n] {
		r.forest.Steps[leaf*n+i] = float32(float64(r.keep*float64(old)) + float64((1-r.keep)*float64(fresh[i])))
	}
}

// totals is the class totals of rows.
func (r *refit) totals(rows []uint32) *loss.Totals {
	stride := r.residuals.Stride
	sums := make([]float64, 4*stride)
	t := &loss.Totals{Gradient: sums[:r.residuals.Classes], Hessian: sums[stride:][:r.residuals.Classes]}
	for block := range slices.Chunk(rows, kernel.RowBlock) {
		job := kernel.TotalsJob{
			Residuals: r.residuals.Data, Stride: stride, Rows: block, Weights: r.residuals.Weights,
			Gradient: sums[2*stride:][:stride], Hessian: sums[3*stride:],
		}
		r.kernels.Totals(&job)
		for i, v := range sums[2*stride:] {
			sums[i] += v
		}
	}
	return t
}

// pairs is the class pairs of a leaf.
func (r *refit) pairs(leaf int) []kernel.Pair {
	f := r.forest
	pairs := make([]kernel.Pair, f.Pairs)
	class := func(k uint16) int32 { return int32(min(int(k), f.Classes)) }
	for p := range pairs {
		ends := f.LeafPairs[2*(leaf*f.Pairs+p):]
		pairs[p] = kernel.Pair{R: class(ends[0]), S: class(ends[1])}
	}
	return pairs
}

// pairSteps finds the steps of class pairs, from rows.
func (r *refit) pairSteps(steps []float32, pairs []kernel.Pair, rows []uint32) {
	var sum [kernel.MaxPairs]kernel.PairStats
	for block := range slices.Chunk(rows, kernel.RowBlock) {
		job := kernel.GradientsJob{
			Residuals: r.residuals.Data, Stride: r.residuals.Stride, Rows: block, Weights: r.residuals.Weights,
			Pairs: pairs, Gradients: make([]float32, 2*len(pairs)*len(block)),
		}
		r.kernels.Gradients(&job)
		for p := range pairs {
			sum[p].SumG += job.Stats[p].SumG
			sum[p].SumH += job.Stats[p].SumH
		}
	}
	for p := range pairs {
		steps[p] = r.newton.PairStep(sum[p].SumG, sum[p].SumH, pairs[p], r.residuals.Classes)
	}
}

// move multiplies the odds of a leaf's rows by its steps.
func (r *refit) move(leaf int, rows []uint32) {
	f, n := r.forest, r.forest.StepsPerLeaf()
	l := &tree.Leaf{Steps: f.Steps[leaf*n:][:n]}
	if !f.Full {
		l.Pairs = r.pairs(leaf)
	}
	factors := make([]float32, r.residuals.Stride)
	leafFactors(factors, l)
	for block := range slices.Chunk(rows, kernel.RowBlock) {
		r.kernels.Update(&kernel.UpdateJob{Residuals: r.residuals.Data, Stride: r.residuals.Stride, Rows: block, Factors: factors})
	}
}
