package settings

import (
	"cmp"
	"math"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/linear"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/spec"
)

// The presets.
const (
	presetAuto  = "auto"
	presetFast  = "fast"
	presetBest  = "best"
	presetPaper = "paper"
)

// setting holds values for parameters that are unset.
type setting struct {
	nEstimators, maxLeaves, minSamplesLeaf                            int
	learningRate, regLambda, maxDeltaStep, subsample, colsampleByNode float64
	start, growPolicy                                                 string
}

// filled returns the parameters with the values of s for those that are unset.
func (p Params) filled(s setting) Params {
	asked := p
	for _, v := range []struct {
		field *int
		value int
	}{{&p.NEstimators, s.nEstimators}, {&p.MaxLeaves, s.maxLeaves}, {&p.MinSamplesLeaf, s.minSamplesLeaf}} {
		if *v.field == 0 {
			*v.field = v.value
		}
	}
	for _, v := range []struct {
		field *float64
		value float64
	}{{&p.LearningRate, s.learningRate}, {&p.MaxDeltaStep, s.maxDeltaStep}, {&p.Subsample, s.subsample}, {&p.ColsampleByNode, s.colsampleByNode}} {
		if *v.field == 0 {
			*v.field = v.value
		}
	}
	if p.RegLambda == -1 {
		p.RegLambda = s.regLambda
	}
	p.Start, p.GrowPolicy = cmp.Or(p.Start, s.start), cmp.Or(p.GrowPolicy, s.growPolicy)
	if p.GrowPolicy == "symmetric" {
		return asked.Symmetric(p)
	}
	return p
}

// paperParams returns the parameters of preset paper.
func paperParams() Params {
	p := Default()
	p.Preset = presetPaper
	return p.filled(p.preset(data.Shape{})[0])
}

// preset returns the candidate settings, the most likely first. bench/README.md has the
// measurements behind them.
func (p *Params) preset(s data.Shape) []setting {
	ensemble := p.Plan(s, false).Members() > 1
	settings := p.fromZero(s, ensemble)
	if ensemble && p.mayGrowSymmetric(s) {
		for i := range settings {
			settings[i].growPolicy = "mixed"
		}
	}
	switch mixed := p.mayBeginLinear(s); {
	case ensemble && mixed:
		for i := range settings {
			settings[i].start = "mixed"
		}
	case !ensemble && s.Classes > wideClasses:
		linear := settings[0]
		if p.mayBegin(s, "prior") && (p.leafFor(s.Classes) == "sparse" || float64(s.Rows)*float64(s.Classes) <= mostPrior) {
			for i := range settings {
				settings[i].start = "prior"
			}
			if full := p.leafFor(s.Classes) == "full"; full || s.Rows >= manyRows {
				large := p.large(s)
				large.start = "prior"
				linear = p.eager(large, s)
				settings = []setting{linear, large}
				if full {
					settings[1] = careful(linear)
				}
			}
		}
		if mixed {
			linear.start = "linear"
			settings = append([]setting{linear}, settings...)
		}
	}
	return settings
}

// Symmetric returns the settings of symmetric trees in place of trees with the settings of. Values that p has stay.
func (p *Params) Symmetric(of Params) Params {
	of.GrowPolicy = "symmetric"
	if p.MaxLeaves == 0 {
		of.MaxLeaves = boost.SymmetricLeaves
	}
	if p.LearningRate == 0 {
		of.LearningRate *= boost.SymmetricRate
	}
	return of
}

// mayGrowSymmetric reports whether an ensemble may have symmetric members by default. With many features they take long and were never
// better.
func (p *Params) mayGrowSymmetric(s data.Shape) bool {
	asked := *p
	asked.GrowPolicy, asked.Leaf = "mixed", "full" // as in every ensemble
	return asked.excludeSymmetric() == nil && isSmall(s, math.MaxInt)
}

// mayBegin reports whether training may choose the initial scores of a value of start.
func (p *Params) mayBegin(s data.Shape, start string) bool {
	return (p.Start == "" || p.Start == start) && p.Method == model.AOSO && p.Preset != presetPaper && p.MonotoneConstraints == "" &&
		s.Rows >= leastRows
}

// mostPrior bounds the scores of all rows that training starts from by default: more take minutes.
const mostPrior = 1 << 32

// mostLinear bounds the multiplications for the linear scores of all rows by default: some
// minutes on one thread.
const mostLinear = 1 << 40

// mayBeginLinear reports whether training may choose linear scores as initial scores.
func (p *Params) mayBeginLinear(s data.Shape) bool {
	products := float64(s.Rows) * float64(s.Classes) * float64(min(s.Features, linear.MostFeatures))
	return p.mayBegin(s, "") && products <= mostLinear && linear.Fits(s.Features, s.Classes)
}

// fromZero returns the candidate settings, of an ensemble or a single model, with zero as initial scores.
func (p *Params) fromZero(s data.Shape, ensemble bool) []setting {
	paper := setting{start: "zero", nEstimators: 1000, maxLeaves: 20, minSamplesLeaf: 1, learningRate: 0.1, maxDeltaStep: 5, subsample: 1, colsampleByNode: 1}
	switch {
	case p.Preset == presetPaper || p.Method != model.AOSO || s.Rows < leastRows: // too few rows to compare settings
		return []setting{paper}
	case s.Rows >= manyRows:
		return []setting{p.large(s)}
	}
	clean, noisy := paper, paper

	// Labels that the features explain: large trees learn fast.
	clean.nEstimators, clean.learningRate = 500, 0.2
	clean.maxLeaves = leavesFor(s.Rows, 16, 2.5)
	clean.colsampleByNode = notMany(s, fewFeatures(s, 16))

	// Labels that they do not explain: small trees learn slowly.
	noisy.nEstimators, noisy.learningRate = 500, 0.125
	noisy.maxLeaves, noisy.regLambda = leavesFor(s.Rows, 8, 12), 3
	noisy.colsampleByNode = notMany(s, 0.5)

	// Few rows with such labels: larger trees learn more slowly still, each from a new
	// sample of the rows and with many rows per leaf.
	few := noisy
	few.nEstimators, few.learningRate = 1000, 0.05
	few.maxLeaves, few.subsample, few.minSamplesLeaf = leavesFor(s.Rows, 16, 4), 0.6, 10

	if ensemble { // an average of several models may learn faster
		clean.nEstimators = 400
		few.nEstimators, few.learningRate = 580, 0.085
	}

	if p.leafFor(s.Classes) == "sparse" {
		clean.maxLeaves = leavesForClasses(clean.maxLeaves, s)
	}

	if p.Preset == presetFast {
		clean.nEstimators, clean.learningRate = 200, 0.4
		noisy.nEstimators, noisy.learningRate = 250, 0.25
		few.nEstimators, few.learningRate = 500, 0.1
	}
	settings := []setting{clean, noisy, few}
	if !isSmall(s, fewRows) {
		settings = settings[:2]
	}
	if ensemble { // averaging does what the middle one is for
		settings = append(settings[:1], settings[len(settings)-1])
	}
	return settings
}

// leavesFor returns a number of leaves that grows with the square root of the rows.
func leavesFor(rows int, least, divisor float64) int {
	return int(math.Round(max(least, math.Sqrt(float64(rows))/divisor)))
}

// leavesForClasses returns at least one leaf per class, as long as that leaves a hundred
// rows per leaf: a leaf with values for few classes should have rows of few classes.
func leavesForClasses(least int, s data.Shape) int {
	return max(least, min(s.Classes, s.Rows/100, spec.MaxLeaves))
}

// From manyRows rows, a sample suffices to choose splits. With more than wideClasses
// classes, a leaf that changes the scores of all fits only a few, so small trees learn
// slowly.
const manyRows, wideClasses = 100_000, 100

// large returns the setting for many rows. Its trees choose splits on a sample of the
// rows, and compute leaf values from all rows.
func (p *Params) large(s data.Shape) setting {
	// About a hundred rows per leaf suffice to choose splits, however many rows there are, and three hundred per class.
	sample := math.Max(30_000, 300*float64(s.Classes))
	trees, leaves, rate := 1000, 256, 0.3
	switch {
	case p.leafFor(s.Classes) == "sparse":
		leaves = leavesForClasses(leaves, s)
	case s.Classes > wideClasses:
		trees, leaves, rate = 500, int(math.Round(2*math.Sqrt(float64(s.Classes)))), 0.1
		sample = max(sample, manyRows)
	}
	if p.Preset == presetFast {
		trees, rate = 300, max(rate, 0.2)
	}
	return setting{
		nEstimators: trees, maxLeaves: leaves, minSamplesLeaf: 1, learningRate: rate, regLambda: 10, maxDeltaStep: 3,
		subsample:       max(spec.LeastSubsample, min(1, math.Round(1000*sample/float64(s.Rows))/1000)),
		colsampleByNode: 1,
		start:           "zero",
	}
}

// eager changes a setting to trees of large steps, hardly regularized: a class of few rows needs a large step where these rows
// are. The more classes there are, the longer a tree takes, and the fewer there are. With a larger learningRate × maxDeltaStep,
// training would keep scores as well, which takes twice the memory.
func (p *Params) eager(of setting, s data.Shape) setting {
	const work, fewest, most = 155_000, 40, 420 // trees × classes; trees
	root := math.Sqrt(float64(s.Classes))
	if p.leafFor(s.Classes) == "sparse" { // the time of a tree hardly depends on the classes
		of.nEstimators, of.regLambda, of.maxLeaves = 80, 0.1, int(math.Round(4.5*root))
	} else {
		of.nEstimators, of.regLambda, of.maxLeaves = max(fewest, min(work/s.Classes, most)), leastLambda(s.Rows), int(math.Round(3*root))
		of.colsampleByNode = notMany(s, fewFeatures(s, 64))
	}
	of.learningRate = 0.33
	if p.Preset == presetFast {
		of.nEstimators /= 2
	}
	return of
}

// leastLambda returns the least regLambda of many classes. Without any, the probabilities of classes that a leaf has no rows of would fall
// with every tree. With many rows, more is better.
func leastLambda(rows int) float64 {
	const least, most = 3e-5, 0.01
	growth := max(1, float64(rows)/manyRows)
	return min(least*growth*growth*growth, most)
}

// careful changes a setting of large, hardly regularized steps for noisy labels, and for classes of few rows each, such as many of the same size: a
// row or two of a class in a leaf say little.
func careful(of setting) setting {
	of.nEstimators = 6 * of.nEstimators / 5
	of.learningRate, of.regLambda = 0.25, 2
	return of
}

// fewFeatures returns the fraction of the features drawn for each node: all of up to that many, and at least 0.3 of more.
func fewFeatures(s data.Shape, enough int) float64 {
	const least = 0.3
	return max(least, min(1, math.Round(100*float64(enough)/float64(s.Features))/100))
}

// notMany limits the features drawn for each node where there are few rows: to four for each row, or to 256 if that is more.
func notMany(s data.Shape, share float64) float64 {
	most := max(256, 4*float64(s.Rows))
	return max(spec.LeastColsample, min(share, math.Round(1000*most/float64(s.Features))/1000))
}

// Suggest returns the parameters that preset auto tries first on data of a shape.
func Suggest(s data.Shape) Params {
	p := Default()
	return p.filled(p.preset(s)[0])
}
