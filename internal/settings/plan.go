package settings

import (
	"cmp"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/argument"
	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/tune"
)

// Below foldRows rows, five folds hold out every row once. Below leastRows, no rows are
// held out.
const foldRows, leastRows = 2000, 10

// Below thoroughRows rows, all settings are tried if labels are noisy: it takes little
// time, and few rows rarely show that a run overfits. Below fewRows, there is one more
// setting.
const thoroughRows, fewRows = 30_000, 10_000

// isSmall reports whether there are fewer rows than this, and few enough features that
// trying settings takes little time.
func isSmall(s data.Shape, rows int) bool { return s.Rows < rows && s.Features <= 100 }

// Plan describes how a training run chooses the parameters that are unset.
type Plan struct {
	Folds    int  // 0: no rows are held out; 1: a fifth; 5: every row once
	Choose   bool // choose the number of trees
	Temper   bool // fit a temperature
	Thorough bool // try all settings if labels are noisy
	Scouts   int  // above 0: the model is an ensemble of as many members as folds, and this many of them judge settings
}

// Members returns the number of members of the ensemble; 1: the model is a single one.
func (p Plan) Members() int {
	if p.Scouts > 0 {
		return p.Folds
	}
	return 1
}

// Below ensembleRows rows and up to wideClasses classes, the model is an ensemble by default. With preset best, it has
// more members, also with more rows.
const ensembleRows, members, bestMembers = 20_000, 6, 20

// Plan returns the plan of a training run on data of this shape.
func (p *Params) Plan(s data.Shape, continued bool) Plan {
	paper := p.Preset == presetPaper
	plan := Plan{
		Choose:   p.NEstimators == 0 && !paper,
		Temper:   p.Calibration != "none" && !(paper && p.Calibration == Auto),
		Thorough: isSmall(s, thoroughRows),
	}
	switch {
	case !plan.Temper && !plan.Choose, p.EarlyStoppingRounds > 0, continued && p.Calibration != "holdout" && p.Calibration != "folds", s.Classes == 1, s.Rows < leastRows:
	case p.Calibration == "folds":
		plan.Folds = 5
	case p.Calibration == "holdout":
		plan.Folds = 1
	case s.ValidRows > 0:
	case s.Rows < foldRows:
		plan.Folds = 5
	default:
		plan.Folds = 1
	}
	most, rows := members, ensembleRows
	if p.Preset == presetBest {
		most, rows = bestMembers, manyRows
	}
	byDefault := p.Calibration == Auto && plan.Choose && p.TimeLimit == 0 && s.Rows < rows && s.Classes <= wideClasses
	if n := cmp.Or(p.Ensemble, most); n > 1 && (p.Ensemble > 1 || byDefault) && plan.Folds > 0 && p.memberless(s) == "" {
		plan.Folds, plan.Scouts = n, max(2, n/3)
	}
	return plan
}

// memberless returns what excludes an ensemble; "": nothing.
func (p *Params) memberless(s data.Shape) string {
	switch {
	case p.Method != model.AOSO:
		return "method " + string(p.Method)
	case p.leafFor(s.Classes) != "full":
		return "leaf " + p.leafFor(s.Classes)
	case p.MonotoneConstraints != "":
		return "monotone constraints"
	case p.TimeLimit > 0:
		return "a time limit"
	}
	return ""
}

// CheckEnsemble returns an error if the parameters ask for an ensemble that the plan has not.
func (p *Params) CheckEnsemble(s data.Shape, plan Plan) error {
	if p.Ensemble <= 1 || plan.Scouts > 0 {
		return nil
	}
	return argument.New("ensemble", p.Ensemble, "0 or 1 with %s", cmp.Or(p.memberless(s), "no rows held out"))
}

// SearchFolds returns the number of folds on which a search compares parameters. They need more rows than the
// number of trees does, so small data have five folds.
func (p *Params) SearchFolds(s data.Shape) int {
	switch {
	case s.Classes == 1 || s.Rows < leastRows:
		return 0
	case p.Calibration == "holdout":
		return 1
	case p.Calibration == "folds", s.Rows < 5*foldRows && s.Rows*s.Features < 500_000:
		return 5
	}
	return 1
}

// Axes returns the parameters to search: those that are unset.
func (p Params) Axes(s data.Shape) (open []tune.Axis) {
	settings, err := p.Resolve(s)
	if err != nil {
		return nil
	}
	pairs := p
	pairs.Pairs = 8
	if pairs, err = pairs.filled(setting{nEstimators: math.MaxInt32}).Complete(s.Classes); err != nil {
		pairs.Pairs = 1
	}
	defaults := Default()
	for _, axis := range tune.Axes(s.Rows, settings[0].MaxLeaves, pairs.Pairs) {
		if axis.Value((*boost.Params)(&p)) == axis.Value((*boost.Params)(&defaults)) {
			open = append(open, axis)
		}
	}
	symmetric := (*boost.Params)(&p).GrowsSymmetric()
	return slices.DeleteFunc(open, func(a tune.Axis) bool {
		return a.Name == "pairs" && pairs.Pairs == 1 || a.Name == "min_child_weight" && symmetric
	})
}
