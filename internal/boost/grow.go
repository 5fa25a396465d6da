package boost

import (
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// grow draws rows and columns and grows a tree on them. The segments are of
// rows that reach its leaves: all rows, unless some were trimmed.
func (e *Engine) grow(fixed []kernel.Pair) (*tree.Tree, []tree.Segment) {
	e.sampler.chooseRows()
	t, segments := e.grower.Grow(e.sampler.drawColumns(), fixed, e.sampler.draws)
	if e.sampler.sample == nil {
		return t, segments
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		n.Bin = e.train.Mapper.Features[n.Feature].Fine(n.Bin, sampleBins)
	}
	segments = e.order(t)
	e.values.Set(t.Leaves, segments)
	t.CountRows()
	return t, segments
}

// order orders all rows by their leaves in a tree.
func (e *Engine) order(t *tree.Tree) []tree.Segment {
	all := e.sampler.all()
	all.Fill(e.train.Rows())
	return all.Order(t, e.kernels, e.train.Matrix, e.team)
}

// moveAll moves every row by the steps of the trees, which are those of an
// iteration.
func (e *Engine) moveAll(trees []*tree.Tree, iteration int) {
	for _, t := range trees {
		e.state.move(t.Leaves, e.order(t))
		e.state.apply()
	}
	e.state.settle(iteration)
}

// keepScores has the state keep the scores of the model so far from now on.
func (e *Engine) keepScores() {
	first := 0
	var scores []float64
	if e.start != nil {
		first, scores = e.start.Forest.Trees(), e.start.Scores
	}
	e.state.keep(scores, 1) // no residuals are updated meanwhile
	trees := make([]*tree.Tree, 0, e.forest.Trees()-first)
	for t := first; t < e.forest.Trees(); t++ {
		trees = append(trees, tree.FromModel(e.forest.Tree(t), e.train.Mapper))
	}
	e.moveAll(trees, 0)
	e.state.period = e.params.safePeriod()
}
