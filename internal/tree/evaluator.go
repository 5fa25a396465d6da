package tree

import (
	"slices"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// evaluator finds the pairs and the best split of one node at a time.
type evaluator struct {
	*Grower
	team      *par.Team
	gradients gradients
	splitter  splitter
	first     []int32   // classes of the pairs being chosen
	partials  []float64 // sums by block
	jobs      []sumJob  // by block
	job       kernel.PartitionJob
}

// sumJob is room for a kernel's job, which on the stack would become garbage.
type sumJob struct {
	totals kernel.TotalsJob
	cross  kernel.CrossJob
}

func newEvaluator(g *Grower, team *par.Team) *evaluator {
	e := &evaluator{
		Grower: g, team: team,
		gradients: gradients{kernels: g.kernels, residuals: g.residuals, pairs: g.Pairs},
	}
	e.splitter = splitter{
		Bins: g.Bins, kernels: g.kernels, gradients: &e.gradients,
		minSamples: g.MinSamples, minHessian: g.MinHessian, minGain: g.MinGain, l2: g.Newton.L2,
		workers: make([]worker, team.Workers()),
	}
	return e
}

// work is a measure of what there is to do in a node.
func (e *evaluator) work(rows int) int { return rows * (len(e.columns) + e.residuals.Stride) }

// teamFor is the team for work on so many rows: to share a little takes longer
// than it saves.
func (e *evaluator) teamFor(rows int) *par.Team {
	if e.work(rows) < 1<<14 {
		return alone
	}
	return e.team
}

// expand evaluates the children of a node; the first left of its rows go left.
// The last children of a tree stay leaves.
func (e *evaluator) expand(n *node, rows []uint32, left int, last bool) {
	e.placeMissing(n, rows, left)
	n.left.start, n.left.end, n.left.list = n.start, n.start+left, rows[:left]
	n.right.start, n.right.end, n.right.list = n.start+left, n.end, rows[left:]
	e.admit(n.left, last)
	e.admit(n.right, last)
	small, large := n.left, n.right
	if small.rows() > large.rows() {
		small, large = large, small
	}
	if n.totals != nil {
		// Not in the partition pass: that would read the residuals of all rows,
		// not of the smaller child's only, for what takes 3 to 7 % of the time.
		e.count(small.totals, small.list)
		large.totals.Sub(n.totals, small.totals)
	}
	e.inheritPairs(n, small, large)
	if n.histogram == nil || large.layout == nil || !slices.Equal(large.pairs, n.pairs) {
		e.evaluateBoth(small, large)
	} else {
		e.inherit(n, small, large)
	}
}

// evaluateBoth evaluates the children of a node: two small ones side by side,
// one after the other where each can occupy the whole team.
func (e *evaluator) evaluateBoth(small, large *node) {
	e.keepHistogram(large)
	e.keepHistogram(small)
	if e.teamFor(large.rows()) == alone && e.teamFor(8*small.rows()) != alone {
		e.team.Do(2, func(worker, i int) { e.aside[worker].evaluate([]*node{large, small}[i]) })
		return
	}
	e.evaluate(large)
	e.evaluate(small)
}

// evaluate finds a node's pairs, if it has none yet, and, if it may be split,
// its best split.
func (e *evaluator) evaluate(n *node) {
	if n.layout == nil && e.FullLeaf {
		return
	}
	team := e.teamFor(n.rows())
	rows := e.take(n)
	if n.pairs == nil {
		e.choosePairs(n, rows, team)
	}
	n.stats = e.gradients.compute(rows, n.pairs, team)
	if n.layout == nil {
		return
	}
	e.gradients.quantize(rows, newQuanta(&n.stats, e.Pairs, e.gradients.weight, e.Trim), team)
	n.quanta, n.sumG, n.sumH = e.gradients.quanta, e.gradients.sumG, e.gradients.sumH
	e.splitter.use(n.layout)
	n.split = e.splitter.find(rows, n.histogram, nil, team)
}

// inherit evaluates both children of n, of which the larger has n's pairs:
// its sums are what the smaller child leaves of n's, so that next to nothing
// is done for its rows.
func (e *evaluator) inherit(n, small, large *node) {
	share := e.share(n, small)
	for p := range n.pairs {
		large.sumG[p], large.sumH[p] = n.sumG[p]-share.sumG[p], n.sumH[p]-share.sumH[p]
		large.stats[p].SumG = n.stats[p].SumG - share.stats[p].SumG
		large.stats[p].SumH = n.stats[p].SumH - share.stats[p].SumH
	}
	if !large.precise(n) {
		e.release(share)
		e.evaluateBoth(small, large)
		return
	}
	rows := e.take(large)
	team := e.teamFor(len(rows))
	large.quanta = n.quanta
	large.histogram, n.histogram = n.histogram, nil
	if e.MinSamples > 1 { // which counts cuts out anew
		e.gradients.compute(rows, large.pairs, team)
		e.gradients.quantize(rows, large.quanta, team)
	}
	e.gradients.quanta, e.gradients.sumG, e.gradients.sumH = large.quanta, large.sumG, large.sumH
	e.splitter.use(e.layout)
	large.split = e.splitter.find(rows, large.histogram, share.histogram, team)
	if share != small {
		e.release(share)
		e.keepHistogram(small)
		e.evaluate(small)
	}
}

// share is what the smaller child of n has of n's sums and histogram: the
// child itself, evaluated, if it is on n's pairs.
func (e *evaluator) share(n, small *node) *node {
	share := small
	if !slices.Equal(small.pairs, n.pairs) {
		share = &node{start: small.start, end: small.end, list: small.list, pairs: n.pairs, layout: e.layout}
	}
	rows := e.take(small)
	team := e.teamFor(len(rows))
	share.stats = e.gradients.compute(rows, n.pairs, team)
	e.gradients.quantize(rows, n.quanta, team)
	share.quanta, share.sumG, share.sumH = n.quanta, e.gradients.sumG, e.gradients.sumH
	e.splitter.use(e.layout)
	share.histogram = e.pool.Take(len(rows))
	if share == small && small.layout != nil {
		small.split = e.splitter.find(rows, small.histogram, nil, team)
	} else {
		e.splitter.fillOnly(share.histogram, team)
	}
	return share
}

// precise tells whether what is left of parent's sums for n is not too coarse
// in parent's quanta: on average a row's Hessian has some bits, and ΣH has
// not been cancelled down to rounding noise.
func (n *node) precise(parent *node) bool {
	const leastQuanta = 16
	for p := range n.pairs {
		if parent.stats[p].SumH > 0 && (n.sumH[p] < leastQuanta*int64(n.rows()) ||
			n.stats[p].SumH < parent.stats[p].SumH*(1.0/(1<<30))) {
			return false
		}
	}
	return true
}

// take makes a node the evaluator's and returns its rows.
func (e *evaluator) take(n *node) []uint32 {
	e.gradients.cells = e.cells[n.start*e.Pairs : n.end*e.Pairs]
	e.gradients.rows = e.kept[n.start:n.end]
	return n.list
}

// choosePairs chooses the class pairs of a node from its totals.
func (e *evaluator) choosePairs(n *node, rows []uint32, team *par.Team) {
	if e.fixed == nil {
		e.first = e.firstClasses(e.first, n)
		var cross []float64
		if e.Selection != loss.FirstOrder {
			cross = e.cross(rows, e.first, team)
		}
		e.pairUp(n, e.first, cross)
		if e.Pairs == 1 {
			n.cross = slices.Clone(cross)
		}
	} else {
		n.pairs = e.fixed
	}
	for len(n.pairs) < e.Pairs {
		impossible := int32(e.residuals.Classes)
		n.pairs = append(n.pairs, kernel.Pair{R: impossible, S: impossible})
	}
	if e.Selection == loss.Root && e.fixed == nil {
		e.fixed = n.pairs
	}
}

// firstClasses is the first class of each pair of a node. Disjoint pairs need
// two classes each; the rest will be of the impossible class with itself,
// which adds nothing.
func (e *evaluator) firstClasses(dst []int32, n *node) []int32 {
	m := min(e.Pairs, e.residuals.Classes/2)
	return loss.FirstClasses(dst, n.totals.Gradient, e.residuals.Classes, m)
}

// pairUp makes a node's pairs of the first classes, by their cross products.
func (e *evaluator) pairUp(n *node, first []int32, cross []float64) {
	r := e.residuals
	n.pairs = loss.SecondClasses(make([]kernel.Pair, 0, e.Pairs), first, n.totals, cross, r.Classes, r.Stride, e.Selection)
}

// inheritPairs chooses the pairs of both children of n where this takes a
// pass over the smaller one's rows only: where the larger child's first class
// is n's, its cross products are what the smaller child's leave of n's.
func (e *evaluator) inheritPairs(n, small, large *node) {
	if e.fixed != nil {
		small.pairs, large.pairs = e.fixed, e.fixed
		return
	}
	if n.cross == nil || large.layout == nil {
		return
	}
	first, second := e.firstClasses(nil, large), e.firstClasses(nil, small)
	if len(first) == 0 || first[0] != n.pairs[0].R {
		return
	}
	stride := e.residuals.Stride
	both := append(slices.Clone(first), second...)
	cross := slices.Clone(e.cross(small.list, both, e.teamFor(small.rows())))
	large.cross, small.cross = n.cross, cross[stride:]
	for k, c := range cross[:stride] {
		large.cross[k] = max(large.cross[k]-c, 0)
	}
	e.pairUp(small, second, small.cross)
	e.pairUp(large, first, large.cross)
}

// count sums up the class totals of rows.
func (e *evaluator) count(t *loss.Totals, rows []uint32) {
	r := e.residuals
	e.sumBlocks(rows, 2*r.Stride, e.teamFor(len(rows)), func(job *sumJob, rows []uint32, sums []float64) {
		job.totals = kernel.TotalsJob{
			Residuals: r.Data, Stride: r.Stride, Rows: rows, Weights: r.Weights,
			Gradient: sums[:r.Stride], Hessian: sums[r.Stride:],
		}
		e.kernels.Totals(&job.totals)
	})
	copy(t.Gradient, e.partials[:r.Stride])
	copy(t.Hessian, e.partials[r.Stride:])
}

// cross sums up the probability products of rows with each of the classes
// first. The result is good until the next count or cross.
func (e *evaluator) cross(rows []uint32, first []int32, team *par.Team) []float64 {
	r := e.residuals
	e.sumBlocks(rows, len(first)*r.Stride, team, func(job *sumJob, rows []uint32, sums []float64) {
		job.cross = kernel.CrossJob{
			Residuals: r.Data, Stride: r.Stride, Rows: rows, Weights: r.Weights,
			First: first, Cross: sums,
		}
		e.kernels.Cross(&job.cross)
	})
	return e.partials[:len(first)*r.Stride]
}

// sumBlocks adds up a job's sums over the blocks of rows, in their order,
// into the first partial sums.
func (e *evaluator) sumBlocks(rows []uint32, width int, team *par.Team, sum func(job *sumJob, rows []uint32, sums []float64)) {
	n := kernel.Blocks(len(rows))
	e.partials = slices.Grow(e.partials[:0], n*width)[:n*width]
	e.jobs = slices.Grow(e.jobs[:0], n)[:n]
	team.Do(n, func(_, b int) {
		first, last := kernel.Block(b, len(rows))
		sum(&e.jobs[b], rows[first:last], e.partials[b*width:(b+1)*width])
	})
	for b := 1; b < n; b++ {
		for i, v := range e.partials[b*width : (b+1)*width] {
			e.partials[i] += v
		}
	}
}
