package boost

import (
	"context"

	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// iterate adds the trees of one iteration. It returns false if ctx was cancelled
// meanwhile.
func (e *Engine) iterate(ctx context.Context) bool {
	iteration := e.forest.Trees() / e.perIteration
	first, repeated := e.forest.Trees(), e.job.Repeated
	trees, done := e.repeat(iteration), true
	if trees == nil {
		repeated = nil
	}
	switch {
	case repeated != nil:
	case e.job.Refit != nil:
		trees = []*tree.Tree{e.refit(iteration)}
	default:
		e.trees.sampler.startIteration(iteration)
		trees, done = e.method.iterate(ctx, e, iteration)
	}
	if !done || e.job.Train.Ranks.Err() != nil || e.Err() != nil {
		return false
	}
	e.idle = !e.job.Params.draws()
	for i, t := range trees {
		e.idle = e.idle && t.Idle()
		switch {
		case repeated != nil:
			e.forest.AddTree(repeated.Tree(first + i))
		case e.job.Refit != nil:
			e.forest = e.refits.Truncated(first + i + 1)
			t.SetLeaves(e.forest.Tree(first + i))
		default:
			t.AppendTo(e.forest)
		}
		for _, v := range e.validations() {
			v.add(t, e.job.Kernels, e.job.Team)
		}
	}
	if e.trees.grower != nil && repeated == nil {
		e.trees.grower.Reuse(trees)
	}
	e.grown += len(trees)
	if e.state.lost() {
		e.keepScores()
	}
	return true
}

// repeat moves all rows by the trees of an iteration that Repeated has; nil: it has none.
func (e *Engine) repeat(iteration int) (trees []*tree.Tree) {
	first, repeated := e.forest.Trees(), e.job.Repeated
	if repeated == nil || first+e.perIteration > repeated.Trees() {
		return nil
	}
	for t := range e.perIteration {
		trees = append(trees, tree.FromModel(repeated.Tree(first+t), e.job.Train.Mapper))
	}
	e.moveAll(trees, iteration)
	return trees
}

// refit returns a tree of Refit with leaf values from the rows of this training, and moves all rows by it.
func (e *Engine) refit(number int) *tree.Tree {
	t := &e.refitted
	t.Load(e.job.Refit.Tree(number), e.job.Train.Mapper)
	t.NewSteps(len(t.Leaves[0].Steps))
	segments := e.trees.order(t)
	e.trees.values.Set(t.Leaves, segments)
	e.state.mover.queue(t.Leaves, segments)
	e.state.apply()
	e.state.endIteration(number)
	return t
}

// growPairs grows a tree for each pair, all on the same residuals, and moves all rows by them.
// If ctx is cancelled meanwhile, it changes nothing and returns false.
func (e *Engine) growPairs(ctx context.Context, pairs []kernel.Pair, iteration int) (trees []*tree.Tree, done bool) {
	for i := range pairs {
		if e.cancelled(ctx) {
			return nil, false
		}
		t, _ := e.trees.grow(pairs[i : i+1 : i+1])
		trees = append(trees, t)
	}
	e.moveAll(trees, iteration)
	return trees, true
}

// moveAll moves every row by the leaf values of the trees of an iteration.
func (e *Engine) moveAll(trees []*tree.Tree, iteration int) {
	for _, t := range trees {
		e.state.mover.queue(t.Leaves, e.trees.order(t))
		e.state.apply()
	}
	e.state.endIteration(iteration)
}

// keepScores makes the state keep the scores of the model from now on.
func (e *Engine) keepScores() {
	first := 0
	var scores []float64
	if start := e.job.Start; start != nil {
		first, scores = start.Forest.Trees(), start.Scores
	}
	e.state.keepScores(scores, 1) // no residuals are updated meanwhile
	trees := make([]*tree.Tree, 0, e.forest.Trees()-first)
	for t := first; t < e.forest.Trees(); t++ {
		trees = append(trees, tree.FromModel(e.forest.Tree(t), e.job.Train.Mapper))
	}
	e.moveAll(trees, 0)
	e.state.period = e.job.Params.safePeriod()
}
