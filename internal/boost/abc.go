package boost

import (
	"context"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// abc is ABC-LogitBoost: a tree for each class but the base class, on the pair of the two
// (paper, section 3.1).
type abc struct {
	gap        int  // iterations between two choices of the base class
	exhaustive bool // try every class as the base class; else use the worst
	base       int  // noBase: not chosen yet
	classLoss  []float64
}

const noBase = -1

func (a *abc) iterate(ctx context.Context, e *Engine, iteration int) ([]*tree.Tree, bool) {
	if a.base == noBase && iteration > 0 {
		a.base = lastBase(e.forest)
	}
	base := a.base
	if iteration%a.gap == 0 {
		if a.exhaustive {
			return a.search(ctx, e, iteration)
		}
		base = a.worst(e)
	}
	trees, done := e.growPairs(ctx, basePairs(e.classes(), base), iteration)
	if done {
		a.base = base
	}
	return trees, done
}

// basePairs returns the pair (k, base) for every other class k.
func basePairs(classes, base int) (pairs []kernel.Pair) {
	for k := range classes {
		if k != base {
			pairs = append(pairs, kernel.Pair{R: int32(k), S: int32(base)})
		}
	}
	return pairs
}

// lastBase returns the base class of the last tree of a continued model.
func lastBase(f *model.Forest) int {
	last := f.Tree(f.Trees() - 1)
	pairs := last.Leaf(last.NumLeaves() - 1).Pairs()
	return min(int(pairs[len(pairs)-1].S), f.Classes()-1)
}

// worst returns the class whose rows have the greatest loss.
func (a *abc) worst(e *Engine) int {
	if a.classLoss == nil {
		a.classLoss = make([]float64, e.classes())
	}
	e.state.logLoss(a.classLoss)
	worst := 0
	for k, l := range a.classLoss {
		if l > a.classLoss[worst] {
			worst = k
		}
	}
	return worst
}

// search tries every class as the base class and keeps the trees that leave the least loss.
func (a *abc) search(ctx context.Context, e *Engine, iteration int) ([]*tree.Tree, bool) {
	before := slices.Clone(e.state.scores)
	base, least := 0, math.Inf(1)
	var best []*tree.Tree
	for class := range e.classes() {
		trees, done := e.growPairs(ctx, basePairs(e.classes(), class), iteration)
		if !done {
			return nil, false
		}
		if l := e.state.logLoss(nil); l < least {
			base, least, best = class, l, trees
		}
		e.state.setScores(before)
	}
	a.base = base
	e.moveAll(best, iteration)
	return best, true
}
