package boost

import (
	"math"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/tree"
)

// Most value bins in which splits are searched first, on all rows and on a sample (whose nodes
// have few rows), before all bins of the best feature.
const coarseBins, sampleBins = 32, 64

// SearchBins returns the most value bins in which splits are searched first, which with several
// pairs saves most of the time for scanning.
func (p *Params) SearchBins() int {
	switch {
	case p.Subsample < 1:
		return sampleBins
	case p.Pairs > 1 && p.PairSelection != "root":
		return coarseBins
	}
	return bin.MaxValueBins
}

// quickPairs is the number of classes from which pairs of second order, after linear scores, would take half of the time, and improve
// little.
const quickPairs = 500

// tree returns the parameters of growing a tree on a number of columns.
func (p *Params) tree(columns, classes, cacheBytes int) tree.Params {
	selection, _ := loss.ParseSelection(p.PairSelection)
	// After class frequencies, the largest gains would be of pairs with a rare class, whose Hessians are tiny.
	if selection == loss.SecondOrder && (p.Start == "prior" || p.Start == "linear" && classes >= quickPairs) {
		selection = loss.FirstOrder
	}
	t := tree.Params{
		Leaves:     p.MaxLeaves,
		MaxDepth:   p.MaxDepth,
		MinSamples: p.MinSamplesLeaf,
		MinHessian: p.MinChildWeight,
		MinGain:    p.Gamma,
		Subsets:    tree.Subsets{Smoothing: p.CategorySmoothing, L2: p.CategoryL2, Limit: p.CategoryLimit},
		Newton:     p.newton(),
		Trim:       p.Trim,
		Pairs:      p.Pairs,
		Selection:  selection,
		FullLeaf:   p.FullLeaf(),
		Symmetric:  p.GrowPolicy == "symmetric",
		CacheBytes: cacheBytes,
	}
	if p.ColsampleByNode < 1 {
		t.NodeColumns = Share(p.ColsampleByNode, Share(p.ColsampleByTree, columns))
	}
	return t
}

// Symmetric trees have up to SymmetricLeaves leaves by default, and SymmetricRate times the learning rate of other trees: many of their splits
// are by a test that is better for other nodes, so they fit a sample of the rows less closely.
const SymmetricLeaves, SymmetricRate = 128, 2

// Unmix replaces values for members of several kinds by those of one kind.
func (p *Params) Unmix() {
	if p.Start == "mixed" {
		p.Start = "zero"
	}
	if p.GrowPolicy == "mixed" {
		p.GrowPolicy = "lossguide"
	}
}

// GrowsSymmetric reports whether some trees may be symmetric.
func (p *Params) GrowsSymmetric() bool { return p.GrowPolicy == "symmetric" || p.GrowPolicy == "mixed" }

func (p *Params) newton() loss.Newton {
	return loss.Newton{Shrinkage: p.LearningRate, MaxStep: p.MaxDeltaStep, L2: p.RegLambda, Named: p.NamedClasses()}
}

// FullLeaf reports whether leaf values come from the totals of all classes.
func (p *Params) FullLeaf() bool { return p.Leaf != "pair" }

// NamedClasses returns how many classes a sparse leaf has values for; 0: leaves are not sparse.
func (p *Params) NamedClasses() int {
	if p.Leaf == "sparse" {
		return p.LeafClasses
	}
	return 0
}

// ActiveClasses returns how many likely classes of a row have a score of their own, with sparse
// class scores: all, where a leaf has values for all. More take longer and do not help.
func (p *Params) ActiveClasses(classes int) int {
	const likely = 16
	if p.NamedClasses() >= classes {
		return classes
	}
	return min(likely, classes)
}

// FixedPairs reports whether all nodes of a tree split on pairs chosen before.
func (p *Params) FixedPairs() bool { return p.Method != model.AOSO }

// sameClasses reports whether all leaves of a tree have values for the same classes.
func (p *Params) sameClasses(classes int) bool {
	return p.FullLeaf() || p.FixedPairs() || classes == 2 || p.PairSelection == "root"
}

// draws reports whether trees differ by their random draws.
func (p *Params) draws() bool {
	return p.Subsample < 1 || p.ColsampleByTree < 1 || p.ColsampleByNode < 1
}

// Padding reports whether the residuals need a lane for the padding class.
func (p *Params) Padding(classes int) bool {
	return p.Method == model.LogitBoost || p.Pairs > classes/2
}

// TreesPerIteration returns the number of trees that an iteration adds.
func (p *Params) TreesPerIteration(classes int) int {
	return model.TreesPerIteration(p.Method, classes)
}

// smallStep bounds the steps of an iteration that needs no scores. Random runs to convergence
// never showed a loss other than the model's with steps of up to 1; with 1.5, some on
// contradictory data did.
const smallStep = 1

// stateParams returns the parameters of a state for replays: it has a lane for the padding class
// wherever it is dense.
func (p *Params) stateParams() *Params {
	if p.NamedClasses() > 0 {
		return p
	}
	return nil
}

// newForest returns a forest without trees.
func (p *Params) newForest(classes int) *model.Forest {
	if n := p.NamedClasses(); n > 0 {
		return model.NewSparseForest(classes, p.Pairs, n)
	}
	return model.NewForest(classes, p.Pairs, p.FullLeaf())
}

// Period returns the number of iterations after which training recomputes the residuals from
// scores; 0: it keeps no scores. In abc and logitboost the steps of many trees add up.
func (p *Params) Period() int {
	if p.NamedClasses() > 0 {
		return 0
	}
	if !p.FixedPairs() && p.LearningRate*p.MaxDeltaStep <= smallStep {
		return 0
	}
	return p.safePeriod()
}

// safePeriod returns a number of iterations in which no class can rise from odds of e⁻⁶⁹ to
// e⁻²³: an iteration moves two classes apart by two steps at most.
func (p *Params) safePeriod() int {
	const apart, most = 69 - 23, 1000
	if p.FixedPairs() {
		return 1
	}
	return max(1, int(min(apart/(2*p.LearningRate*p.MaxDeltaStep), most)))
}

// Share returns a share of n, at least one if n is.
func Share(of float64, n int) int {
	return min(n, max(1, int(math.Round(of*float64(n)))))
}
