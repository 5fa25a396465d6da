package boost

import (
	"math"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/tree"
)

// Value bins that splits are looked for in: at first, before all those of the
// best feature, and on a sample, whose nodes have few rows.
const coarseBins, sampleBins = 32, 64

// searchBins is the most value bins in which splits are looked for first, which
// with several pairs saves most of the time for scanning.
func (p *Params) searchBins() int {
	switch {
	case p.Subsample < 1:
		return sampleBins
	case p.Pairs > 1 && p.PairSelection != "root":
		return coarseBins
	}
	return bin.MaxValueBins
}

// tree is what the parameters mean for a tree on so many columns.
func (p *Params) tree(columns, cacheBytes int) tree.Params {
	selection, _ := loss.ParseSelection(p.PairSelection)
	t := tree.Params{
		Leaves:     p.Leaves,
		MaxDepth:   p.MaxDepth,
		MinSamples: p.MinSamples,
		MinHessian: p.MinHessian,
		MinGain:    p.MinGain,
		Subsets:    tree.Subsets{Smoothing: p.CategorySmoothing, L2: p.CategoryL2, Limit: p.CategoryLimit},
		Newton:     p.newton(),
		Trim:       p.Trim,
		Pairs:      p.Pairs,
		Selection:  selection,
		FullLeaf:   p.fullLeaf(),
		CacheBytes: cacheBytes,
	}
	if p.ColsampleByNode < 1 {
		t.NodeColumns = share(p.ColsampleByNode, share(p.ColsampleByTree, columns))
	}
	return t
}

func (p *Params) newton() loss.Newton {
	return loss.Newton{Shrinkage: p.Shrinkage, MaxStep: p.MaxStep, L2: p.L2, Named: p.named()}
}

// fullLeaf tells whether leaf values come from the totals of all classes.
func (p *Params) fullLeaf() bool { return p.Leaf != "pair" }

// named is how many classes a leaf moves by steps of their own; 0: all, or its pairs.
func (p *Params) named() int {
	if p.Leaf == "sparse" {
		return p.LeafClasses
	}
	return 0
}

// likely is how many likely classes of a row trees see in the form for many classes: all,
// where a leaf moves all. More take longer and do not help.
func (p *Params) likely(classes int) int {
	const likely = 16
	if p.named() >= classes {
		return classes
	}
	return min(likely, classes)
}

// fixedPairs tells whether all nodes of a tree split on pairs chosen before.
func (p *Params) fixedPairs() bool { return p.Method != model.AOSO }

// valued tells whether all leaves of a tree have values for the same classes.
func (p *Params) valued(classes int) bool {
	return p.fullLeaf() || p.fixedPairs() || classes == 2 || p.PairSelection == "root"
}

// draws tells whether trees differ by what is drawn for them.
func (p *Params) draws() bool {
	return p.Subsample < 1 || p.ColsampleByTree < 1 || p.ColsampleByNode < 1
}

// impossible tells whether the residuals need a lane past the last class.
func (p *Params) impossible(classes int) bool {
	return p.Method == model.LogitBoost || p.Pairs > classes/2
}

// TreesPerIteration is the number of trees that an iteration adds.
func (p *Params) TreesPerIteration(classes int) int {
	return model.TreesPerIteration(p.Method, classes)
}

// smallStep bounds the steps of an iteration that needs no scores. Random
// trainings to convergence never showed a loss other than the model's with
// steps of up to 1; with 1.5, some on contradictory data did.
const smallStep = 1

// stateParams is the parameters that a state for replays is made by: it has room for the
// impossible class wherever it is dense.
func (p *Params) stateParams() *Params {
	if p.named() > 0 {
		return p
	}
	return nil
}

// newForest is a forest without trees.
func (p *Params) newForest(classes int) *model.Forest {
	if n := p.named(); n > 0 {
		return model.NewSparseForest(classes, p.Pairs, n)
	}
	return model.NewForest(classes, p.Pairs, p.fullLeaf())
}

// period is the number of iterations after which training renews the residuals
// from scores; 0: it keeps none. In abc and logitboost the steps of many trees
// add up.
func (p *Params) period() int {
	if p.named() > 0 {
		return 0
	}
	if !p.fixedPairs() && p.Shrinkage*p.MaxStep <= smallStep {
		return 0
	}
	return p.safePeriod()
}

// safePeriod is a number of iterations in which no class comes back from odds
// of e⁻⁶⁹ to e⁻²³: an iteration moves two classes apart by two steps at most.
func (p *Params) safePeriod() int {
	const apart, most = 69 - 23, 1000
	if p.fixedPairs() {
		return 1
	}
	return max(1, int(min(apart/(2*p.Shrinkage*p.MaxStep), most)))
}

// share is a share of n, at least one if n is.
func share(of float64, n int) int {
	return min(n, max(1, int(math.Round(of*float64(n)))))
}
