package aoso

import (
	"cmp"
	"math"

	"github.com/libaoso/aoso/internal/linear"
	"github.com/libaoso/aoso/spec"
)

// The presets.
const (
	PresetAuto  = "auto"  // parameters that suit the data
	PresetFast  = "fast"  // the same, sooner
	PresetPaper = "paper" // the same for all data
)

// setting is values for parameters that have none.
type setting struct {
	trees, leaves, minSamples                          int
	shrinkage, l2, maxStep, subsample, colsampleByNode float64
	start                                              string
}

// filled is the parameters with values for those that have none.
func (p Params) filled(s setting) Params {
	for _, v := range []struct {
		field *int
		value int
	}{{&p.Trees, s.trees}, {&p.Leaves, s.leaves}, {&p.MinSamples, s.minSamples}} {
		if *v.field == 0 {
			*v.field = v.value
		}
	}
	for _, v := range []struct {
		field *float64
		value float64
	}{{&p.Shrinkage, s.shrinkage}, {&p.MaxStep, s.maxStep}, {&p.Subsample, s.subsample}, {&p.ColsampleByNode, s.colsampleByNode}} {
		if *v.field == 0 {
			*v.field = v.value
		}
	}
	if p.L2 == -1 {
		p.L2 = s.l2
	}
	p.Start = cmp.Or(p.Start, s.start)
	return p
}

// paperParams is the parameters of preset paper.
func paperParams() Params {
	p := DefaultParams()
	p.Preset = PresetPaper
	return p.filled(p.preset(Shape{})[0])
}

// preset is the settings to try, the likeliest first. bench/README.md shows what
// they were chosen by.
func (p *Params) preset(s Shape) []setting {
	settings := p.fromZero(s)
	if !p.mayBeginLinear(s) {
		return settings
	}
	begun := settings[0]
	begun.start = "linear"
	return append([]setting{begun}, settings...)
}

// mostLinear is the most products that the linear scores of all rows may take by default,
// which is some minutes on one thread.
const mostLinear = 1 << 40

// mayBeginLinear tells whether rows held out are to say if training begins with linear
// scores.
func (p *Params) mayBeginLinear(s Shape) bool {
	products := float64(s.Rows) * float64(s.Classes) * float64(min(s.Features, linear.MostFeatures))
	return p.Start == "" && p.Method == AOSO && p.Preset != PresetPaper && p.MonotoneConstraints == "" &&
		s.Classes > wideClasses && s.Rows >= leastRows && products <= mostLinear && linear.Fits(s.Features, s.Classes)
}

// fromZero is the settings for training that begins with scores of zero.
func (p *Params) fromZero(s Shape) []setting {
	paper := setting{start: "zero", trees: 1000, leaves: 20, minSamples: 1, shrinkage: 0.1, maxStep: 5, subsample: 1, colsampleByNode: 1}
	switch {
	case p.Preset == PresetPaper || p.Method != AOSO || s.Rows < leastRows: // few rows tell nothing about a setting
		return []setting{paper}
	case s.Rows >= manyRows:
		return []setting{p.large(s)}
	}
	clean, noisy := paper, paper

	// Labels that the features explain: large trees learn fast.
	clean.trees, clean.shrinkage = 500, 0.2
	clean.leaves = leavesFor(s.Rows, 16, 2.5)
	clean.colsampleByNode = fewFeatures(s)

	// Labels that they do not: small trees learn slowly.
	noisy.trees, noisy.shrinkage = 500, 0.125
	noisy.leaves, noisy.l2 = leavesFor(s.Rows, 8, 12), 3
	noisy.colsampleByNode = 0.5

	// Few such labels: larger trees learn more slowly still, each from another sample
	// of the rows, and each leaf from many of them.
	few := noisy
	few.trees, few.shrinkage = 1000, 0.05
	few.leaves, few.subsample, few.minSamples = leavesFor(s.Rows, 16, 4), 0.6, 10

	if p.leafFor(s.Classes) == "sparse" {
		clean.leaves = leavesForClasses(clean.leaves, s)
	}

	if p.Preset == PresetFast {
		clean.trees, clean.shrinkage = 200, 0.4
		noisy.trees, noisy.shrinkage = 250, 0.25
		few.trees, few.shrinkage = 500, 0.1
	}
	settings := []setting{clean, noisy, few}
	if !s.small(fewRows) {
		return settings[:2]
	}
	return settings
}

// leavesFor grows with the square root of the rows.
func leavesFor(rows int, least, divisor float64) int {
	return int(math.Round(max(least, math.Sqrt(float64(rows))/divisor)))
}

// leavesForClasses is at least one leaf for each class, as long as a leaf has a hundred
// rows: a leaf that moves a few classes should have the rows of few.
func leavesForClasses(least int, s Shape) int {
	return max(least, min(s.Classes, s.Rows/100, spec.MaxLeaves))
}

// manyRows is the number of rows from which a sample tells where to split. Of more
// classes than wideClasses, a leaf that moves them all does right by a few: small trees
// learn slowly.
const manyRows, wideClasses = 100_000, 100

// large is the setting for many rows. The structure of its trees comes from a sample
// of the rows, and their leaf values from all of them.
func (p *Params) large(s Shape) setting {
	// A hundred rows a leaf tell where to split, however many rows there are.
	sample := math.Max(30_000, 300*float64(s.Classes))
	trees, leaves, shrinkage := 1000, 256, 0.3
	switch {
	case p.leafFor(s.Classes) == "sparse":
		leaves = leavesForClasses(leaves, s)
	case s.Classes > wideClasses:
		trees, leaves, shrinkage = 500, int(math.Round(2*math.Sqrt(float64(s.Classes)))), 0.1
	}
	if p.Preset == PresetFast {
		trees, shrinkage = 300, max(shrinkage, 0.2)
	}
	return setting{
		trees: trees, leaves: leaves, minSamples: 1, shrinkage: shrinkage, l2: 10, maxStep: 3,
		subsample:       max(spec.LeastSubsample, min(1, math.Round(1000*sample/float64(s.Rows))/1000)),
		colsampleByNode: 1,
		start:           "zero",
	}
}

// fewFeatures is the share of the features that a node looks at: all of up to 16,
// and no fewer than three in ten of many.
func fewFeatures(s Shape) float64 {
	const enough, least = 16, 0.3
	return max(least, min(1, math.Round(100*enough/float64(s.Features))/100))
}

// Of fewer rows than foldRows, each is held out in its turn; of fewer than
// leastRows, none is.
const foldRows, leastRows = 2000, 50

// Of fewer rows than thoroughRows, all settings are tried where labels are noisy:
// it takes little time, and few rows rarely show that a training overfits. There
// is one setting more for fewer rows than fewRows.
const thoroughRows, fewRows = 30_000, 10_000

// small tells whether there are fewer rows, and so few features that trying
// settings takes little time.
func (s *Shape) small(rows int) bool { return s.Rows < rows && s.Features <= 100 }

// plan is how a training finds what its parameters leave open.
type plan struct {
	folds    int  // 0: no rows are held out
	choose   bool // the number of trees
	temper   bool
	thorough bool
}

// plan plans a training on data of a shape.
func (p *Params) plan(s Shape, continued bool) plan {
	paper := p.Preset == PresetPaper
	plan := plan{
		choose:   p.Trees == 0 && !paper,
		temper:   p.Calibration != "none" && !(paper && p.Calibration == auto),
		thorough: s.small(thoroughRows),
	}
	switch {
	case !plan.temper && !plan.choose, p.EarlyStopping > 0, continued, s.Classes == 1, s.Rows < leastRows:
	case p.Calibration == "folds":
		plan.folds = 5
	case p.Calibration == "holdout":
		plan.folds = 1
	case s.ValidRows > 0:
	case s.Rows < foldRows:
		plan.folds = 5
	default:
		plan.folds = 1
	}
	return plan
}

// Suggest returns the parameters that preset auto tries first on data of a shape.
func Suggest(s Shape) Params {
	p := DefaultParams()
	return p.filled(p.preset(s)[0])
}
