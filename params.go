package aoso

import (
	"math"
	"slices"
	"strings"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/tree"
)

// The boosting methods.
const (
	AOSO       = "aoso"       // one tree an iteration, each node with its own class pairs
	ABC        = "abc"        // K−1 trees an iteration, tree k on the pair (k, base class)
	LogitBoost = "logitboost" // K trees an iteration, tree k on class k alone
)

// Params are the parameters of training. Start from [DefaultParams] or
// [ParseParams]; [Params.Set] sets one by name.
type Params struct {
	Method string // "aoso", "abc" or "logitboost"

	// Of method aoso.
	Leaf          string // "full": a leaf moves every class; "pair": its class pairs only, as in the paper. "": full for aoso
	Pairs         int    // class pairs a node splits on: 1 (the paper), 2, 4 or 8; at most K/2 are used. 0: 4 for aoso
	PairSelection string // "second_order" (Algorithm 1), "first_order", or "root": one choice a tree

	// Of method abc.
	BaseClass string // "worst": the class of greatest loss; "exhaustive": all are tried, the best is kept
	BaseGap   int    // iterations between two choices of the base class, at least 1

	Trees      int     // most trees of the model; an iteration of abc and logitboost adds several
	Leaves     int     // J, most leaves of a tree, at least 2
	Shrinkage  float64 // v, above 0 and at most 1
	MaxDepth   int     // most splits above a leaf; 0: no bound
	MinSamples int     // least rows in a leaf, at least 1
	MinHessian float64 // least sum of Hessians in a leaf, over the node's pairs
	MinGain    float64 // a split must gain more than this
	L2         float64 // added to the Hessian of gains and leaf values
	MaxStep    float64 // bound of a leaf value before shrinkage

	Subsample       float64 // share of the rows drawn for each tree, above 0 and at most 1: they choose its splits, in at most 64 bins a feature; the leaf values are of all rows
	ColsampleByTree float64 // share of the features drawn for each tree
	ColsampleByNode float64 // share of those drawn for each node
	Trim            float64 // ε: rows with a residual below ε of the mean have no say in a tree, those with |g| and h below ε of a node's mean none in its splits; 0: none, as in the paper

	StopLoss      float64 // training stops when Σ −log p_y over the rows is not above this
	EarlyStopping int     // iterations without a better Metric on the validation set; 0: off
	Metric        string  // "logloss" or "error"

	Threads int    // 0: all cores that the process may use
	Seed    uint64 // of all random draws
	Level   string // instruction-set level of the kernels, one of [Levels]; "": AOSO_LEVEL, or the fastest
}

// DefaultParams returns the defaults.
func DefaultParams() Params {
	return Params{
		Method:          AOSO,
		PairSelection:   "second_order",
		BaseClass:       "worst",
		BaseGap:         1,
		Trees:           1000,
		Leaves:          20,
		Shrinkage:       0.1,
		MinSamples:      1,
		MaxStep:         5,
		Subsample:       1,
		ColsampleByTree: 1,
		ColsampleByNode: 1,
		Trim:            0.1,
		StopLoss:        1e-16,
		Metric:          "logloss",
	}
}

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
	oneOf := func(name, value string, allowed ...string) error {
		if slices.Contains(allowed, value) {
			return nil
		}
		last := len(allowed) - 1
		return badArgument(name, value, "%s or %s", strings.Join(allowed[:last], ", "), allowed[last])
	}
	atLeast := func(name string, value, least int) error {
		if value < least {
			return badArgument(name, value, "at least %d", least)
		}
		return nil
	}
	share := func(name string, value float64) error {
		if !(value > 0 && value <= 1) {
			return badArgument(name, value, "above 0, at most 1")
		}
		return nil
	}
	notNegative := func(name string, value float64) error {
		if !(value >= 0 && value <= math.MaxFloat32) {
			return badArgument(name, value, "a finite number, at least 0")
		}
		return nil
	}
	if err := firstError(
		oneOf("method", p.Method, AOSO, ABC, LogitBoost),
		oneOf("pair_selection", p.PairSelection, "second_order", "first_order", "root"),
		oneOf("base_class", p.BaseClass, "worst", "exhaustive"),
		oneOf("metric", p.Metric, "logloss", "error"),
		atLeast("base_gap", p.BaseGap, 1),
		atLeast("trees", p.Trees, 1),
		atLeast("leaves", p.Leaves, 2),
		atLeast("max_depth", p.MaxDepth, 0),
		atLeast("min_samples", p.MinSamples, 1),
		atLeast("early_stopping", p.EarlyStopping, 0),
		checkThreads(p.Threads),
		share("shrinkage", p.Shrinkage),
		share("subsample", p.Subsample),
		share("colsample_bytree", p.ColsampleByTree),
		share("colsample_bynode", p.ColsampleByNode),
		notNegative("min_hessian", p.MinHessian),
		notNegative("min_gain", p.MinGain),
		notNegative("l2", p.L2),
		notNegative("stop_loss", p.StopLoss),
	); err != nil {
		return p, err
	}
	if !(p.Trim >= 0 && p.Trim < 1) {
		return p, badArgument("trim", p.Trim, "at least 0, below 1")
	}
	if !(p.MaxStep > 0 && p.MaxStep <= 20) {
		return p, badArgument("max_step", p.MaxStep, "above 0, at most 20")
	}
	if n := p.treesPerRound(classes); p.Trees < n {
		return p, badArgument("trees", p.Trees, "at least %d, one iteration of %s", n, p.Method)
	}
	if p.Leaves > 1<<16 {
		return p, badArgument("leaves", p.Leaves, "at most %d", 1<<16)
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
	if err := oneOf("leaf", p.Leaf, "pair", "full"); err != nil {
		return p, err
	}
	if p.Pairs == 0 {
		p.Pairs = 4
	}
	if !slices.Contains([]int{1, 2, 4, 8}, p.Pairs) {
		return p, badArgument("pairs", p.Pairs, "1, 2, 4 or 8")
	}
	for p.Pairs > 1 && p.Pairs/2 >= classes/2 {
		p.Pairs /= 2
	}
	return p, nil
}

// MaxThreads is the greatest number of threads that may be asked for.
const MaxThreads = 4096

func checkThreads(n int) error {
	if n < 0 || n > MaxThreads {
		return badArgument("threads", n, "0 to %d; 0: all cores", MaxThreads)
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
