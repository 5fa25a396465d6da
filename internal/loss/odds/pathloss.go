package odds

import (
	"github.com/libaoso/aoso/internal/loss"
)

// largeStep is what odds are multiplied by at most, or divided by, where the odds of rows stay
// precise. It is somewhat above e⁴: a step relative to that of all other classes is at most twice
// shrinkage × max_step. After larger ones, what is left of the odds of many classes may be but
// rounding, or odds may have been clipped.
const largeStep = 55

// noteSteps notes whether there is a large step among those of a tree.
func (e *entries) noteSteps(steps []Step) {
	for i := range steps {
		for _, by := range steps[i].By {
			e.large = e.large || !(by <= largeStep && by >= 1.0/largeStep)
		}
	}
}

// paths finds the raw scores of rows from their leaf paths.
type paths struct {
	*leafPath[float32]
	steps [][]float64 // by tree: what its changes add to raw scores
}

func (e *entries) newPaths() *paths {
	p := &paths{leafPath: &e.leafPath}
	for i := range e.trees {
		steps := make([]float64, len(e.trees[i].changes))
		for j, c := range e.trees[i].changes {
			steps[j] = loss.Log(float64(c.by))
		}
		p.steps = append(p.steps, steps)
	}
	return p
}

// pathWalker has the raw scores of a row.
type pathWalker struct {
	scores  []float64 // by class, and of the class that does not exist
	changed []bool    // by class: it is not 0
	classes []uint32  // that have changed
	few     []float64 // scores: of the row's own class, those that changed, and all others as one
}

// loss is −log p_y of a row.
func (p *paths) loss(w *pathWalker, row, y int) float64 {
	if w.scores == nil {
		w.scores, w.changed = make([]float64, p.classes+8), make([]bool, p.classes+1)
	}
	if p.base != nil {
		p.base.Scores(row, row+1, w.scores[:p.base.Stride()])
		w.scores[p.classes] = 0
	}
	for s := range p.spans {
		trees := p.spanTrees(s)
		for i, leaf := range p.spans[s].leaves[row*SpanTrees:][:len(trees)] {
			changes := trees[i].of(leaf)
			steps := p.steps[s*SpanTrees+i][int(leaf)*len(changes):]
			for j, c := range changes {
				w.scores[c.class] += steps[j]
				if p.base == nil && !w.changed[c.class] {
					w.changed[c.class], w.classes = true, append(w.classes, c.class)
				}
			}
		}
	}
	if p.base != nil {
		return loss.NegLogSoftmax(w.scores[:p.classes], y)
	}
	return w.loss(p.classes, y)
}

// loss returns the loss of a row most of whose scores are 0. It clears the others.
func (w *pathWalker) loss(classes, y int) float64 {
	w.few = append(w.few[:0], w.scores[y])
	same := classes - 1 // classes whose score is 0
	for _, k := range w.classes {
		if int(k) < classes && int(k) != y {
			w.few = append(w.few, w.scores[k])
			same--
		}
		w.scores[k], w.changed[k] = 0, false
	}
	if w.classes = w.classes[:0]; same > 0 {
		w.few = append(w.few, loss.Log(float64(same)))
	}
	return loss.NegLogSoftmax(w.few, 0)
}
