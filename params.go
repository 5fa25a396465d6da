package aoso

import (
	"math"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/spec"
)

// The boosting methods.
const (
	AOSO       = "aoso"       // one tree an iteration, each node with its own class pairs
	ABC        = "abc"        // K−1 trees an iteration, tree k on the pair (k, base class)
	LogitBoost = "logitboost" // K trees an iteration, tree k on class k alone
)

// Check tells what is wrong with the parameters, if anything. [Train] does so
// as well; Check needs no data.
func (p Params) Check() error {
	if _, err := p.resolve(1); err != nil { // data of one class may need fewest trees
		return err
	}
	_, err := kernels(p.Level)
	return err
}

// resolve checks the parameters and fills in what depends on the method and
// the number of classes.
func (p Params) resolve(classes int) (Params, error) {
	for i, field := range p.fields() {
		known := &spec.Parameters[i]
		if v := value(field); !known.Allows(v) {
			return p, badArgument(known.Name, v, "%s", known.Allowed())
		}
	}
	if n := p.treesPerRound(classes); p.Trees < n {
		return p, badArgument("trees", p.Trees, "at least %d, one iteration of %s", n, p.Method)
	}
	if p.Method != AOSO {
		if p.Leaf != "" && p.Leaf != "pair" {
			return p, badArgument("leaf", p.Leaf, "pair, for method %s", p.Method)
		}
		if p.Pairs > 1 {
			return p, badArgument("pairs", p.Pairs, "1, for method %s", p.Method)
		}
		p.Leaf, p.Pairs = "pair", 1
		return p, nil
	}
	if p.Leaf == "" {
		p.Leaf = "full"
	}
	if p.Pairs == 0 {
		p.Pairs = 4
	}
	for p.Pairs > 1 && p.Pairs/2 >= classes/2 {
		p.Pairs /= 2
	}
	return p, nil
}

// MaxThreads is the greatest number of threads that may be asked for.
const MaxThreads = spec.MaxThreads

func checkThreads(n int) error {
	if known, _, _ := spec.Find("threads"); !known.Allows(n) {
		return badArgument("threads", n, "%s", known.Allowed())
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

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

// growth is what the parameters mean for a tree on so many columns.
func (p *Params) growth(columns int) tree.Params {
	selection, _ := loss.ParseSelection(p.PairSelection)
	g := tree.Params{
		Leaves:     p.Leaves,
		MaxDepth:   p.MaxDepth,
		MinSamples: p.MinSamples,
		MinHessian: p.MinHessian,
		MinGain:    p.MinGain,
		Newton:     loss.Newton{Shrinkage: p.Shrinkage, MaxStep: p.MaxStep, L2: p.L2},
		Trim:       p.Trim,
		Pairs:      p.Pairs,
		Selection:  selection,
		FullLeaf:   p.Leaf == "full",
		CacheBytes: cacheBytes(),
	}
	if p.ColsampleByNode < 1 {
		g.NodeColumns = sampleSize(p.ColsampleByNode, sampleSize(p.ColsampleByTree, columns))
	}
	return g
}

// sampleSize is a share of n, at least one if n is.
func sampleSize(share float64, n int) int {
	return min(n, max(1, int(math.Round(share*float64(n)))))
}

// needsImpossible tells whether the residuals need a lane past the last class.
func (p *Params) needsImpossible(classes int) bool {
	return p.Method == LogitBoost || p.Pairs > classes/2
}

// treesPerRound is the number of trees that an iteration adds.
func (p *Params) treesPerRound(classes int) int {
	switch p.Method {
	case ABC:
		return max(classes-1, 1)
	case LogitBoost:
		return classes
	}
	return 1
}
