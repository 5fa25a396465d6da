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
	columns   int // that the tree may be split on
	gradients gradients
	splitter  splitter
	first     []int32  // classes of the pairs being chosen
	totals    []int64  // class totals by block, then sums
	products  []uint32 // cross products by block
	sums      []int64  // of these
	jobs      []sumJob // by block
	room      loss.Room
	listed    [2]loss.Totals // of the children being evaluated
	drawn     [2]layout      // likewise, of columns of their own
	partition kernel.PartitionJob
}

// sumJob is room for a kernel's job, which on the stack would become garbage.
type sumJob struct {
	totals kernel.TotalsJob
	cross  kernel.CrossJob
}

func newEvaluator(k *kernel.Funcs, b Bins, r *loss.Residuals, p *Params, room *gradientRoom, team *par.Team) *evaluator {
	e := &evaluator{Params: p, kernels: k, residuals: r, team: team}
	e.listed[0].Listed, e.listed[1].Listed = true, true
	e.gradients = gradients{kernels: k, residuals: r, pairs: p.Pairs, room: room}
	e.splitter = splitter{
		Bins: b, kernels: k, gradients: &e.gradients,
		minSamples: p.MinSamples, minHessian: p.MinHessian, minGain: p.MinGain, l2: p.Newton.L2, subsets: p.Subsets, params: p,
		workers: make([]worker, team.Workers()),
	}
	return e
}

// work is a measure of what there is to do in a node.
func (e *evaluator) work(rows int) int { return rows * (e.columns + e.residuals.Width()) }

// leastShared is the least work that a team shares: to share less takes longer
// than it saves.
const leastShared = 1 << 14

var alone = new(par.Team)

// teamFor is the team for work on so many rows.
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
	e.gradients.use(n.start, n.end)
	if n.pairs == nil {
		e.choosePairs(n, team)
	}
	n.stats = e.gradients.compute(n.list, n.pairs, team)
	if n.layout == nil {
		return
	}
	e.gradients.quantize(n.list, e.gradients.newQuanta(&n.stats, e.Trim, e.weight(n)), team)
	e.splitter.use(n.layout)
	n.split = e.splitter.find(n, nil, team)
	n.quanta, n.sumG, n.sumH = e.gradients.quanta, e.gradients.sumG, e.gradients.sumH
}

// weight is that of a node's rows, which trimming asks for.
func (e *evaluator) weight(n *node) int64 {
	if e.Trim == 0 {
		return 0
	}
	return e.residuals.SumWeights(n.list)
}

// evaluateShare finds what the smaller child of n has of n's sums and
// histogram, in n's quanta, and, if it may be split, its best split.
func (e *evaluator) evaluateShare(n, share *node) {
	team := e.teamFor(share.rows())
	e.gradients.use(share.start, share.end)
	share.stats = e.gradients.compute(share.list, n.pairs, team)
	e.gradients.quantize(share.list, n.quanta, team)
	e.splitter.use(n.layout)
	if share.layout != nil {
		share.split = e.splitter.find(share, nil, team)
	} else {
		e.splitter.fillOnly(share.histogram, team)
	}
	share.quanta, share.sumG, share.sumH = n.quanta, e.gradients.sumG, e.gradients.sumH
}

// evaluateRest finds the best split of the larger child of n, which has n's
// pairs and histogram: its own is what the smaller child's share leaves of that.
func (e *evaluator) evaluateRest(n, large, share *node) {
	team := e.teamFor(large.rows())
	e.gradients.use(large.start, large.end)
	large.quanta = n.quanta
	if e.MinSamples > 1 || large.box != nil { // which count cuts out anew
		e.gradients.compute(large.list, large.pairs, team)
		e.gradients.quantize(large.list, large.quanta, team)
	}
	e.gradients.quanta, e.gradients.sumG, e.gradients.sumH = large.quanta, large.sumG, large.sumH
	e.splitter.use(n.layout)
	large.split = e.splitter.find(large, share.histogram, team)
}

// choosePairs chooses the class pairs of a node from its totals.
func (e *evaluator) choosePairs(n *node, team *par.Team) {
	if r := e.residuals; r.Sparse() {
		pairs, known := r.SparsePairs(n.totals, n.list, min(e.Pairs, r.Classes/2), e.Selection, &e.room, team)
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
		cross = e.cross(n.list, e.crossed(e.first), team)
		e.pairUp(n, e.first, e.productsOf(e.first, cross))
	}
	if e.Pairs == 1 {
		n.cross = slices.Clone(cross)
	}
	n.pairs = e.padded(n.pairs)
}

// padded is pairs and as many of the impossible class with itself, which add
// nothing, as a node lacks.
func (e *evaluator) padded(pairs []kernel.Pair) []kernel.Pair {
	for len(pairs) < e.Pairs {
		impossible := int32(e.residuals.Classes)
		pairs = append(pairs, kernel.Pair{R: impossible, S: impossible})
	}
	return pairs
}

// firstClasses is the first class of each pair of a node. Disjoint pairs need
// two classes each.
func (e *evaluator) firstClasses(dst []int32, n *node) []int32 {
	m := min(e.Pairs, e.residuals.Classes/2)
	return loss.FirstClasses(dst, n.totals.Gradient, e.residuals.Classes, m)
}

// pairUp makes a node's pairs of the first classes, by their cross products. Without
// them, it goes by the gradients alone.
func (e *evaluator) pairUp(n *node, first []int32, cross []int64) {
	r, by := e.residuals, e.Selection
	if cross == nil {
		by = loss.FirstOrder
	}
	n.pairs = loss.SecondClasses(make([]kernel.Pair, 0, e.Pairs), first, n.totals, cross, r.Units, r.Classes, r.Stride, by)
}

// crossed is the classes whose products are summed up to pair up the classes first. Of
// three classes, those of two are all that there are, so that children can always
// inherit them.
func (e *evaluator) crossed(first []int32) []int32 {
	if e.crossesAll() {
		return twoOfThree
	}
	return first
}

var twoOfThree = []int32{0, 1}

func (e *evaluator) crossesAll() bool { return e.Pairs == 1 && e.residuals.Classes == 3 }

// productsOf is the products of the classes first among those of the classes crossed.
func (e *evaluator) productsOf(first []int32, cross []int64) []int64 {
	stride := e.residuals.Stride
	switch {
	case !e.crossesAll():
		return cross
	case first[0] < 2:
		return cross[int(first[0])*stride:]
	}
	return []int64{cross[2], cross[stride+2], 0}
}

// inheritPairs chooses the pairs of both children of n where this takes a
// pass over the smaller one's rows only: where the larger child's first class
// is n's, its cross products are what the smaller child's leave of n's.
func (e *evaluator) inheritPairs(n, small, large *node) {
	if n.cross == nil || large.layout == nil {
		return
	}
	first, second := e.firstClasses(nil, large), e.firstClasses(nil, small)
	both := twoOfThree
	if !e.crossesAll() {
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
	e.pairUp(small, second, e.productsOf(second, small.cross))
	e.pairUp(large, first, e.productsOf(first, large.cross))
}

// count sums up the class totals of rows.
func (e *evaluator) count(t *loss.Totals, rows []uint32) {
	r := e.residuals
	if r.Sparse() {
		r.SparseTotals(t, rows, &e.room, e.teamFor(len(rows)))
		return
	}
	sums := sumBlocks(e, &e.totals, rows, 2*r.Stride, e.teamFor(len(rows)), func(job *sumJob, rows []uint32, sums []int64) {
		job.totals = r.TotalsJob(rows, sums)
		e.kernels.Totals(&job.totals)
	})
	copy(t.Gradient, sums[:r.Stride])
	copy(t.Hessian, sums[r.Stride:])
}

// cross sums up the probability products of rows with each of the classes
// first. The result is good until the next count or cross.
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
