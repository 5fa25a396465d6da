package aoso

import (
	"context"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// round adds the trees of one iteration; false if ctx was cancelled in it,
// which then left no trace.
func (b *Booster) round(ctx context.Context) bool {
	iteration := b.forest.Trees() / b.perRound
	b.sampler.begin(iteration)
	switch b.params.Method {
	case ABC:
		return b.roundABC(ctx, iteration)
	case LogitBoost:
		pairs := make([]kernel.Pair, len(b.train.classes))
		for k := range pairs {
			pairs[k] = kernel.Pair{R: int32(k), S: int32(len(pairs))}
		}
		trees, done := b.growAll(ctx, pairs)
		if done {
			b.take(trees, iteration)
			b.add(trees)
		}
		return done
	}
	t, p, segments := b.grow(nil)
	b.move(t, p, segments)
	if rest := b.sampler.rest; rest != nil {
		b.move(t, rest, t.Order(b.kernels, b.train.matrix, rest, b.team))
	}
	b.state.apply()
	b.bound = b.state.settle(iteration)
	b.add([]*tree.Tree{t})
	if b.state.lost() {
		b.keepScores()
	}
	return true
}

// keepScores has the state keep the scores of the model so far from now on.
func (b *Booster) keepScores() {
	first := 0
	var scores []float64
	if start := b.train.start; start != nil {
		first, scores = start.model.Trees(), start.scores
	}
	b.state.keep(scores, 1)
	trees := make([]*tree.Tree, 0, b.forest.Trees()-first)
	for t := first; t < b.forest.Trees(); t++ {
		trees = append(trees, tree.FromModel(b.forest.Tree(t), b.train.mapper))
	}
	b.take(trees, 0)
	b.state.period = b.params.safePeriod()
}

// grow draws rows and columns and grows a tree on them. The segments, of the
// list returned, are of rows that reach its leaves: all rows, unless some were
// trimmed.
func (b *Booster) grow(fixed []kernel.Pair) (*tree.Tree, *tree.Partition, []tree.Segment) {
	b.sampler.chooseRows()
	t, segments := b.grower.Grow(b.sampler.drawColumns(), fixed, b.sampler.draws)
	sample := b.sampler.sample
	if sample == nil {
		return t, b.sampler.chosen, segments
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		n.Bin = b.train.mapper.Features[n.Feature].Fine(n.Bin, sampleBins)
	}
	segments = b.order(t, sample.all)
	values := make([][]uint32, len(t.Leaves))
	for _, s := range segments {
		values[s.Leaf] = sample.all.Rows[s.Start:s.End]
	}
	b.values.Set(t.Leaves, func(leaf int) []uint32 { return values[leaf] })
	t.CountRows()
	return t, sample.all, segments
}

// order orders all rows by their leaves in a tree.
func (b *Booster) order(t *tree.Tree, p *tree.Partition) []tree.Segment {
	p.Fill(b.train.Rows())
	return t.Order(b.kernels, b.train.matrix, p, b.team)
}

// growAll grows a tree for each pair, all on the same residuals.
func (b *Booster) growAll(ctx context.Context, pairs []kernel.Pair) (trees []*tree.Tree, done bool) {
	for i := range pairs {
		if ctx.Err() != nil {
			return nil, false
		}
		t, _, _ := b.grow(pairs[i : i+1 : i+1])
		trees = append(trees, t)
	}
	return trees, true
}

// take has every row take the steps of the trees that it reaches.
func (b *Booster) take(trees []*tree.Tree, iteration int) {
	all := b.sampler.all()
	for _, t := range trees {
		b.move(t, all, b.order(t, all))
		b.state.apply()
	}
	b.bound = b.state.settle(iteration)
}

// move has the rows of a partition take the steps of their leaves.
func (b *Booster) move(t *tree.Tree, p *tree.Partition, segments []tree.Segment) {
	for _, s := range segments {
		b.state.move(p.Rows[s.Start:s.End], &t.Leaves[s.Leaf])
	}
}

// roundABC is an iteration of ABC-LogitBoost: a tree for each class but the
// base class, on the pair of the two (paper, section 3.1).
func (b *Booster) roundABC(ctx context.Context, iteration int) bool {
	if b.base < 0 && iteration > 0 {
		b.base = b.lastBase()
	}
	base := b.base
	if iteration%b.params.BaseGap == 0 {
		if b.params.BaseClass == "exhaustive" {
			return b.searchBase(ctx, iteration)
		}
		base = b.worstClass()
	}
	trees, done := b.growAll(ctx, basePairs(len(b.train.classes), base))
	if done {
		b.base = base
		b.take(trees, iteration)
		b.add(trees)
	}
	return done
}

// basePairs is (k, base) for every other class k.
func basePairs(classes, base int) (pairs []kernel.Pair) {
	for k := range classes {
		if k != base {
			pairs = append(pairs, kernel.Pair{R: int32(k), S: int32(base)})
		}
	}
	return pairs
}

// lastBase is the base class of the last tree of a model that is continued.
func (b *Booster) lastBase() int {
	last := b.forest.Tree(b.forest.Trees() - 1)
	pairs := last.Leaf(last.NumLeaves() - 1).Pairs()
	return min(int(pairs[len(pairs)-1].S), len(b.train.classes)-1)
}

// worstClass is the class whose rows have the greatest loss.
func (b *Booster) worstClass() int {
	if b.classLoss == nil {
		b.classLoss = make([]float64, len(b.train.classes))
	}
	b.state.logLoss(b.classLoss)
	worst := 0
	for k, l := range b.classLoss {
		if l > b.classLoss[worst] {
			worst = k
		}
	}
	return worst
}

// searchBase tries every class as the base class and keeps the trees that
// leave the least loss.
func (b *Booster) searchBase(ctx context.Context, iteration int) bool {
	before := slices.Clone(b.state.scores)
	base, least := 0, math.Inf(1)
	var best []*tree.Tree
	for class := range b.train.classes {
		trees, done := b.growAll(ctx, basePairs(len(b.train.classes), class))
		if !done {
			return false
		}
		b.take(trees, iteration)
		if l := b.state.logLoss(nil); l < least {
			base, least, best = class, l, trees
		}
		b.bound = b.state.setScores(before)
	}
	b.base = base
	b.take(best, iteration)
	b.add(best)
	return true
}

// add makes trees part of the model and of the validation scores.
func (b *Booster) add(trees []*tree.Tree) {
	p := &b.params
	b.stuck = p.Subsample == 1 && p.ColsampleByTree == 1 && p.ColsampleByNode == 1
	for _, t := range trees {
		b.stuck = b.stuck && t.Idle()
		t.AppendTo(b.forest)
		b.grown++
		if b.valid != nil {
			b.valid.add(b, t)
		}
	}
}

// loss is Σ −log p_y over the training rows, weighted.
func (b *Booster) loss() float64 { return b.state.logLoss(nil) }

// lossAtMost tells whether the loss has come down to a bound. Most times
// Σ (1 − p_y), which is less than the loss, settles it.
func (b *Booster) lossAtMost(most float64) bool {
	if b.train.weights == nil && b.bound > most {
		return false
	}
	return b.loss() <= most
}
