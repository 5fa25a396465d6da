package tree

import (
	"slices"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// denseForm works with residuals of all classes.
type denseForm struct {
	*evaluator
	dense *loss.Dense

	free     []*loss.Totals // totals to use again
	first    []int32        // first classes of the pairs being chosen
	totals   []int64        // class totals by block, then sums
	products []uint32       // cross terms by block
	sums     []int64        // sums of products
	jobs     []sumJob       // by block
}

// sumJob keeps the jobs of kernels off the stack, from where they would escape to the heap at each
// call.
type sumJob struct {
	totals kernel.TotalsJob
	cross  kernel.CrossJob
}

func (e *denseForm) newTotals() *loss.Totals {
	if t := take(&e.free); t != nil {
		return t
	}
	stride := e.residuals.Stride
	memory := make([]int64, 2*stride)
	return &loss.Totals{Gradient: memory[:stride], Hessian: memory[stride:]}
}

func (e *denseForm) recycle(t *loss.Totals) { e.free = append(e.free, t) }

func (e *denseForm) lend(*node, int) {}

// keepsPairs is false in first order: one machine then chooses pairs too late to inherit a histogram, as several would.
func (e *denseForm) keepsPairs() bool { return e.Selection != loss.FirstOrder }

func (e *denseForm) compute(g *gradients, job *kernel.GradientsJob, rows []uint32, pairs []kernel.Pair, first, last int) {
	*job = e.dense.GradientsJob(rows, pairs, g.floats(first, last))
	e.dense.Gradients(e.kernels, job)
}

func (e *denseForm) choosePairs(n *node, team *par.Team) {
	e.first = e.firstClasses(e.first, n)
	if e.Selection == loss.FirstOrder {
		e.pairUp(n, e.first, nil)
	} else {
		cross := e.cross(n.list, e.crossClasses(e.first), team)
		e.pairUp(n, e.first, e.crossTermsOf(e.first, cross))
		if e.Pairs == 1 {
			n.cross = slices.Clone(cross)
		}
	}
	n.pairs = e.padded(n.pairs)
}

// firstClasses returns the first class of each pair of a node. Disjoint pairs need two classes
// each.
func (e *denseForm) firstClasses(dst []int32, n *node) []int32 {
	m := min(e.Pairs, e.residuals.Classes/2)
	return loss.FirstClasses(dst, n.totals.Gradient, e.residuals.Classes, m)
}

// pairUp sets a node's pairs: to each first class it finds the second by the cross terms, or, if
// cross is nil, by the gradients alone.
func (e *denseForm) pairUp(n *node, first []int32, cross []int64) {
	r, by := e.residuals, e.Selection
	if cross == nil {
		by = loss.FirstOrder
	}
	n.pairs = loss.SecondClasses(make([]kernel.Pair, 0, e.Pairs), first, n.totals, cross, r.Units, r.Classes, r.Stride, by)
}

// crossClasses returns the classes whose cross terms are summed in order to pair up the classes
// first. Of three classes, two determine all cross terms, so children can always inherit them.
func (e *denseForm) crossClasses(first []int32) []int32 {
	if e.crossesTwo() {
		return twoOfThree
	}
	return first
}

var twoOfThree = []int32{0, 1}

func (e *denseForm) crossesTwo() bool { return e.Pairs == 1 && e.residuals.Classes == 3 }

// crossTermsOf selects the cross terms of the classes first from those of crossClasses(first).
func (e *denseForm) crossTermsOf(first []int32, cross []int64) []int64 {
	stride := e.residuals.Stride
	switch {
	case !e.crossesTwo():
		return cross
	case first[0] < 2:
		return cross[int(first[0])*stride:]
	}
	return []int64{cross[2], cross[stride+2], 0}
}

// inheritPairs does so where the larger child's first class is n's: its cross terms are n's less
// the smaller child's.
func (e *denseForm) inheritPairs(n, small, large *node) {
	if n.cross == nil || large.layout == nil {
		return
	}
	first, second := e.firstClasses(nil, large), e.firstClasses(nil, small)
	both := twoOfThree
	if !e.crossesTwo() {
		if len(first) == 0 || first[0] != n.pairs[0].R {
			return
		}
		both = append(slices.Clone(first), second...)
	}
	cross := slices.Clone(e.cross(small.list, both, e.teamFor(small.rows())))
	large.cross, small.cross = n.cross, cross[len(cross)-len(n.cross):]
	for k := range large.cross {
		large.cross[k] -= cross[k]
	}
	e.pairUp(small, second, e.crossTermsOf(second, small.cross))
	e.pairUp(large, first, e.crossTermsOf(first, large.cross))
}

func (e *denseForm) count(t *loss.Totals, rows []uint32) {
	stride := e.residuals.Stride
	e.totals = forBlocks(e, e.totals, rows, 2*stride)
	par.Run(e.teamFor(len(rows)), len(e.jobs), totalsBlock{e, rows})
	sums := addBlocks(e, e.totals, 2*stride)
	copy(t.Gradient, sums[:stride])
	copy(t.Hessian, sums[stride:])
}

// totalsBlock sums up the class totals of a block of rows.
type totalsBlock struct {
	*denseForm
	rows []uint32
}

func (t totalsBlock) Do(_, b int) {
	first, last := kernel.Block(b, len(t.rows))
	job := &t.jobs[b].totals
	*job = t.dense.TotalsJob(t.rows[first:last], t.denseForm.totals[b*2*t.residuals.Stride:])
	t.dense.Totals(t.kernels, job)
}

// cross returns the cross terms: the sums over rows of the products of the probability of each
// class in first with all others. They are valid until the next call of count or cross.
func (e *denseForm) cross(rows []uint32, first []int32, team *par.Team) []int64 {
	width := len(first) * e.residuals.Stride
	e.products = forBlocks(e, e.products, rows, width)
	par.Run(team, len(e.jobs), crossBlock{e, rows, first})
	return addBlocks(e, e.products, width)
}

// crossBlock sums up the cross terms of a block of rows.
type crossBlock struct {
	*denseForm
	rows  []uint32
	first []int32
}

func (c crossBlock) Do(_, b int) {
	first, last := kernel.Block(b, len(c.rows))
	job, width := &c.jobs[b].cross, len(c.first)*c.residuals.Stride
	*job = c.dense.CrossJob(c.rows[first:last], c.first, c.products[b*width:][:width])
	c.kernels.Cross(job)
}

// forBlocks returns memory for a number of sums for each block of rows, and makes room for its jobs.
func forBlocks[T int64 | uint32](e *denseForm, memory []T, rows []uint32, sums int) []T {
	n := kernel.Blocks(len(rows))
	e.jobs = slices.Grow(e.jobs[:0], n)[:n]
	return slices.Grow(memory[:0], n*sums)[:n*sums]
}

// addBlocks adds up the sums of blocks.
func addBlocks[T int64 | uint32](e *denseForm, blocks []T, sums int) []int64 {
	e.sums = slices.Grow(e.sums[:0], sums)[:sums]
	clear(e.sums)
	for ; len(blocks) > 0; blocks = blocks[sums:] {
		for i, v := range blocks[:sums] {
			e.sums[i] += int64(v)
		}
	}
	return e.sums
}
