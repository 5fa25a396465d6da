package tree

import (
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// evaluator finds the class pairs and the best split of one node at a time.
type evaluator struct {
	*Params
	kernels   *kernel.Funcs
	residuals *loss.Residuals
	form      form
	team      *par.Team
	columns   int // columns that the tree may be split on
	gradients gradients
	splitter  splitter
	drawn     [2 * mostAhead]layout // layouts of columns drawn for the children being evaluated
	families  []family
	partition kernel.PartitionJob
}

func newEvaluator(k *kernel.Funcs, b Bins, r *loss.Residuals, p *Params, buffer *gradientBuffer, team *par.Team) *evaluator {
	e := &evaluator{Params: p, kernels: k, residuals: r, team: team}
	e.form = newForm(e)
	e.gradients = gradients{kernels: k, residuals: r, form: e.form, pairs: p.Pairs, buffer: buffer}
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
		e.form.choosePairs(n, team)
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

// weight returns the weight of a node's rows on this machine, which only trimming needs.
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

// padded appends pairs of the padding class with itself, which add nothing, up to Pairs.
func (e *evaluator) padded(pairs []kernel.Pair) []kernel.Pair {
	for len(pairs) < e.Pairs {
		padding := int32(e.residuals.Classes)
		pairs = append(pairs, kernel.Pair{R: padding, S: padding})
	}
	return pairs
}
