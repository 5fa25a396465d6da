package tree

import (
	"slices"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// evaluator finds the class pairs and the best split of one node at a time.
type evaluator struct {
	*Params
	kernels   *kernel.Funcs
	residuals *loss.Residuals
	team      *par.Team
	columns   int // columns that the tree may be split on
	gradients gradients
	splitter  splitter
	first     []int32  // first classes of the pairs being chosen
	totals    []int64  // class totals by block, then sums
	products  []uint32 // cross terms by block
	sums      []int64  // sums of products
	jobs      []sumJob // by block
	scratch   loss.Scratch
	sparse    [2]loss.Totals        // totals of the two children being evaluated
	drawn     [2 * mostAhead]layout // layouts of columns drawn for the children being evaluated
	families  []family
	partition kernel.PartitionJob
}

// sumJob keeps a kernel's job off the stack, from where it would escape to the heap at each
// call.
type sumJob struct {
	totals kernel.TotalsJob
	cross  kernel.CrossJob
}

func newEvaluator(k *kernel.Funcs, b Bins, r *loss.Residuals, p *Params, buffer *gradientBuffer, team *par.Team) *evaluator {
	e := &evaluator{Params: p, kernels: k, residuals: r, team: team}
	e.sparse[0].Sparse, e.sparse[1].Sparse = true, true
	e.gradients = gradients{kernels: k, residuals: r, pairs: p.Pairs, buffer: buffer}
	e.splitter = splitter{
		Bins: b, kernels: k, gradients: &e.gradients,
		minSamples: p.MinSamples, minHessian: p.MinHessian, minGain: p.MinGain, l2: p.Newton.L2, subsets: p.Subsets, params: p,
		workers: make([]worker, team.Workers()),
	}
	return e
}

// work estimates the work on a node: rows × (columns + residuals of a row).
func (e *evaluator) work(rows int) int { return rows * (e.columns + e.residuals.Width()) }

// leastShared is the least work for which starting a team pays.
const leastShared = 1 << 14

var alone = new(par.Team)

// teamFor returns the team for work on a number of rows: a team of one if there is little to do.
func (e *evaluator) teamFor(rows int) *par.Team {
	if e.work(rows) < leastShared {
		return alone
	}
	return e.team
}

// evaluate finds a node's pairs, if it has none yet, and, if it may be split,
// its best split.
func (e *evaluator) evaluate(n *node) {
	if n.layout == nil && e.FullLeaf {
		return
	}
	team := e.teamFor(n.rows())
	e.gradients.bind(n.start, n.end)
	if n.pairs == nil {
		e.choosePairs(n, team)
	}
	n.stats = e.gradients.compute(n.list, n.pairs, team)
	if n.layout == nil {
		return
	}
	e.gradients.quantize(n.list, e.gradients.newQuanta(&n.stats, e.Trim, e.weight(n)), team)
	e.splitter.useLayout(n.layout)
	n.split = e.splitter.findSplit(n, nil, team)
	n.quanta, n.sumG, n.sumH = e.gradients.quanta, e.gradients.sumG, e.gradients.sumH
}

// weight returns the weight of a node's rows, which only trimming needs.
func (e *evaluator) weight(n *node) int64 {
	if e.Trim == 0 {
		return 0
	}
	return e.residuals.SumWeights(n.list)
}

// evaluateShare computes the sums and the histogram of n's smaller child along n's pairs and in
// n's quanta, and, if the child may be split, its best split.
func (e *evaluator) evaluateShare(n, share *node) {
	team := e.teamFor(share.rows())
	e.gradients.bind(share.start, share.end)
	share.stats = e.gradients.compute(share.list, n.pairs, team)
	e.gradients.quantize(share.list, n.quanta, team)
	e.splitter.useLayout(n.layout)
	if share.layout != nil {
		share.split = e.splitter.findSplit(share, nil, team)
	} else {
		e.splitter.fillOnly(share.histogram, team)
	}
	share.quanta, share.sumG, share.sumH = n.quanta, e.gradients.sumG, e.gradients.sumH
}

// evaluateRest finds the best split of n's larger child, which has n's pairs and histogram: the
// smaller child's histogram is subtracted from it.
func (e *evaluator) evaluateRest(n, large, share *node) {
	team := e.teamFor(large.rows())
	e.gradients.bind(large.start, large.end)
	large.quanta = n.quanta
	if e.MinSamples > 1 || large.box != nil { // their cuts are counted row by row
		e.gradients.compute(large.list, large.pairs, team)
		e.gradients.quantize(large.list, large.quanta, team)
	}
	e.gradients.quanta, e.gradients.sumG, e.gradients.sumH = large.quanta, large.sumG, large.sumH
	e.splitter.useLayout(n.layout)
	large.split = e.splitter.findSplit(large, share.histogram, team)
}

// choosePairs chooses the class pairs of a node from its totals.
func (e *evaluator) choosePairs(n *node, team *par.Team) {
	if r := e.residuals; r.Sparse() {
		pairs, known := r.SparsePairs(n.totals, n.list, min(e.Pairs, r.Classes/2), e.Selection, &e.scratch, team)
		n.pairs, e.gradients.known = e.padded(pairs), known
		return
	}
	e.first = e.firstClasses(e.first, n)
	var cross []int64
	switch {
	case e.Selection == loss.FirstOrder:
		e.pairUp(n, e.first, nil)
	case e.residuals.Classes == 2:
		e.pairUp(n, e.first, nil)
		cross = []int64{}
	default:
		cross = e.cross(n.list, e.crossClasses(e.first), team)
		e.pairUp(n, e.first, e.crossTermsOf(e.first, cross))
	}
	if e.Pairs == 1 {
		n.cross = slices.Clone(cross)
	}
	n.pairs = e.padded(n.pairs)
}

// padded appends pairs of the padding class with itself, which add nothing, up to Pairs.
func (e *evaluator) padded(pairs []kernel.Pair) []kernel.Pair {
	for len(pairs) < e.Pairs {
		padding := int32(e.residuals.Classes)
		pairs = append(pairs, kernel.Pair{R: padding, S: padding})
	}
	return pairs
}

// firstClasses returns the first class of each pair of a node. Disjoint pairs need two classes
// each.
func (e *evaluator) firstClasses(dst []int32, n *node) []int32 {
	m := min(e.Pairs, e.residuals.Classes/2)
	return loss.FirstClasses(dst, n.totals.Gradient, e.residuals.Classes, m)
}

// pairUp sets a node's pairs: to each first class it finds the second by the cross terms, or, if
// cross is nil, by the gradients alone.
func (e *evaluator) pairUp(n *node, first []int32, cross []int64) {
	r, by := e.residuals, e.Selection
	if cross == nil {
		by = loss.FirstOrder
	}
	n.pairs = loss.SecondClasses(make([]kernel.Pair, 0, e.Pairs), first, n.totals, cross, r.Units, r.Classes, r.Stride, by)
}

// crossClasses returns the classes whose cross terms are summed in order to pair up the classes
// first. Of three classes, two determine all cross terms, so children can always inherit them.
func (e *evaluator) crossClasses(first []int32) []int32 {
	if e.crossesTwo() {
		return twoOfThree
	}
	return first
}

var twoOfThree = []int32{0, 1}

func (e *evaluator) crossesTwo() bool { return e.Pairs == 1 && e.residuals.Classes == 3 }

// crossTermsOf selects the cross terms of the classes first from those of crossClasses(first).
func (e *evaluator) crossTermsOf(first []int32, cross []int64) []int64 {
	stride := e.residuals.Stride
	switch {
	case !e.crossesTwo():
		return cross
	case first[0] < 2:
		return cross[int(first[0])*stride:]
	}
	return []int64{cross[2], cross[stride+2], 0}
}

// inheritPairs chooses the pairs of both children of n if this takes only a pass over the
// smaller one's rows: where the larger child's first class is n's, its cross terms are n's less
// the smaller child's.
func (e *evaluator) inheritPairs(n, small, large *node) {
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
	if len(n.cross) == 0 {
		small.cross, large.cross = n.cross, n.cross
		e.pairUp(small, second, nil)
		e.pairUp(large, first, nil)
		return
	}
	cross := slices.Clone(e.cross(small.list, both, e.teamFor(small.rows())))
	large.cross, small.cross = n.cross, cross[len(cross)-len(n.cross):]
	for k := range large.cross {
		large.cross[k] -= cross[k]
	}
	e.pairUp(small, second, e.crossTermsOf(second, small.cross))
	e.pairUp(large, first, e.crossTermsOf(first, large.cross))
}

// count sums up the class totals of rows.
func (e *evaluator) count(t *loss.Totals, rows []uint32) {
	r := e.residuals
	if r.Sparse() {
		r.SparseTotals(t, rows, &e.scratch, e.teamFor(len(rows)))
		return
	}
	sums := sumBlocks(e, &e.totals, rows, 2*r.Stride, e.teamFor(len(rows)), func(job *sumJob, rows []uint32, sums []int64) {
		job.totals = r.TotalsJob(rows, sums)
		e.kernels.Totals(&job.totals)
	})
	copy(t.Gradient, sums[:r.Stride])
	copy(t.Hessian, sums[r.Stride:])
}

// cross returns the cross terms: the sums over rows of the products of the probability of each
// class in first with all others. They are valid until the next call of count or cross.
func (e *evaluator) cross(rows []uint32, first []int32, team *par.Team) []int64 {
	r := e.residuals
	sums := sumBlocks(e, &e.products, rows, len(first)*r.Stride, team, func(job *sumJob, rows []uint32, sums []uint32) {
		job.cross = r.CrossJob(rows, first, sums)
		e.kernels.Cross(&job.cross)
	})
	return sums
}

// sumBlocks adds up a job's sums over the blocks of rows.
func sumBlocks[T int64 | uint32](e *evaluator, blocks *[]T, rows []uint32, width int, team *par.Team, sum func(job *sumJob, rows []uint32, sums []T)) []int64 {
	n := kernel.Blocks(len(rows))
	*blocks = slices.Grow((*blocks)[:0], n*width)[:n*width]
	e.jobs = slices.Grow(e.jobs[:0], n)[:n]
	team.Do(n, func(_, b int) {
		first, last := kernel.Block(b, len(rows))
		sum(&e.jobs[b], rows[first:last], (*blocks)[b*width:(b+1)*width])
	})
	e.sums = slices.Grow(e.sums[:0], width)[:width]
	clear(e.sums)
	for block := range slices.Chunk(*blocks, width) {
		for i, v := range block {
			e.sums[i] += int64(v)
		}
	}
	return e.sums
}
