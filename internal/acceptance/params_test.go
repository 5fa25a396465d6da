package acceptance

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/libaoso/aoso"
)

func TestParamErrors(t *testing.T) {
	tests := []struct {
		argument string
		value    any
		change   func(*aoso.Params)
		texts    []string
	}{
		{"method", "boost", func(p *aoso.Params) { p.Method = "boost" }, []string{`"boost"`, "aoso, abc or logitboost"}},
		{"leaf", "half", func(p *aoso.Params) { p.Leaf = "half" }, []string{`"half"`, "full, pair or sparse"}},
		{"leaf", "full", func(p *aoso.Params) { p.Method, p.Leaf = aoso.MethodABC, "full" }, []string{"pair", "method abc"}},
		{"pairs", 3, func(p *aoso.Params) { p.Pairs = 3 }, []string{"1, 2, 4 or 8"}},
		{"pairs", -1, func(p *aoso.Params) { p.Pairs = -1 }, nil},
		{"pairs", 16, func(p *aoso.Params) { p.Pairs = 16 }, nil},
		{"pairs", 2, func(p *aoso.Params) { p.Method, p.Pairs = aoso.MethodLogitBoost, 2 }, []string{"method logitboost"}},
		{"pair_selection", "best", func(p *aoso.Params) { p.PairSelection = "best" }, []string{"second_order, first_order or root"}},
		{"base_class", "any", func(p *aoso.Params) { p.BaseClass = "any" }, []string{"worst or exhaustive"}},
		{"base_gap", 0, func(p *aoso.Params) { p.BaseGap = 0 }, nil},
		{"n_estimators", -1, func(p *aoso.Params) { p.NEstimators = -1 }, []string{"at least 1"}},
		{"n_estimators", 2, func(p *aoso.Params) { p.Method, p.NEstimators = aoso.MethodLogitBoost, 2 }, []string{"at least 3", "logitboost"}},
		{"max_leaves", 1, func(p *aoso.Params) { p.MaxLeaves = 1 }, []string{"2 to 65536"}},
		{"max_leaves", 100_000, func(p *aoso.Params) { p.MaxLeaves = 100_000 }, []string{"65536"}},
		{"learning_rate", -0.1, func(p *aoso.Params) { p.LearningRate = -0.1 }, []string{"above 0"}},
		{"learning_rate", 1.5, func(p *aoso.Params) { p.LearningRate = 1.5 }, nil},
		{"max_depth", -1, func(p *aoso.Params) { p.MaxDepth = -1 }, nil},
		{"min_samples_leaf", -1, func(p *aoso.Params) { p.MinSamplesLeaf = -1 }, nil},
		{"min_child_weight", -1.0, func(p *aoso.Params) { p.MinChildWeight = -1 }, nil},
		{"gamma", math.Inf(1), func(p *aoso.Params) { p.Gamma = math.Inf(1) }, nil},
		{"preset", "slow", func(p *aoso.Params) { p.Preset = "slow" }, []string{"auto, fast, paper or best"}},
		{"calibration", "", func(p *aoso.Params) { p.Calibration = "" }, []string{"auto, none, holdout or folds"}},
		{"reg_lambda", -0.5, func(p *aoso.Params) { p.RegLambda = -0.5 }, nil},
		{"max_delta_step", -1.0, func(p *aoso.Params) { p.MaxDeltaStep = -1 }, nil},
		{"max_delta_step", 21.0, func(p *aoso.Params) { p.MaxDeltaStep = 21 }, nil},
		{"subsample", -0.5, func(p *aoso.Params) { p.Subsample = -0.5 }, nil},
		{"subsample", 1.1, func(p *aoso.Params) { p.Subsample = 1.1 }, nil},
		{"colsample_bytree", -1.0, func(p *aoso.Params) { p.ColsampleByTree = -1 }, nil},
		{"colsample_bynode", 2.0, func(p *aoso.Params) { p.ColsampleByNode = 2 }, nil},
		{"trim", 1.0, func(p *aoso.Params) { p.Trim = 1 }, nil},
		{"trim", -0.1, func(p *aoso.Params) { p.Trim = -0.1 }, nil},
		{"stop_loss", -1.0, func(p *aoso.Params) { p.StopLoss = -1 }, nil},
		{"early_stopping_rounds", -1, func(p *aoso.Params) { p.EarlyStoppingRounds = -1 }, nil},
		{"early_stopping_rounds", 5, func(p *aoso.Params) { p.EarlyStoppingRounds = 5 }, []string{"validation set"}},
		{"metric", "auc", func(p *aoso.Params) { p.Metric = "auc" }, []string{"logloss, error, "}},
		{"nthread", -1, func(p *aoso.Params) { p.NThread = -1 }, nil},
		{"level", "sse", func(p *aoso.Params) { p.Level = "sse" }, []string{"generic"}},
	}
	set := newDataset(t, blobs(40, 50, 3, 3, 255))
	for _, test := range tests {
		t.Run(fmt.Sprint(test.argument, test.value), func(t *testing.T) {
			r, err := aoso.Train(context.Background(), set, params(test.change))
			wantArgumentError(t, err, test.argument, append(test.texts, fmt.Sprint(test.value))...)
			if e, ok := err.(*aoso.ArgumentError); ok && e.Value != test.value {
				t.Errorf("value %v, want %v", e.Value, test.value)
			}
			if r != nil {
				t.Error("there is a result all the same")
			}
		})
	}
	for _, change := range []func(*aoso.Params){
		func(p *aoso.Params) { p.LearningRate = math.NaN() }, func(p *aoso.Params) { p.Subsample = math.NaN() }, func(p *aoso.Params) { p.Trim = math.NaN() },
		func(p *aoso.Params) { p.RegLambda = math.NaN() }, func(p *aoso.Params) { p.MaxDeltaStep = math.NaN() }, func(p *aoso.Params) { p.StopLoss = math.NaN() },
		func(p *aoso.Params) { p.ColsampleByTree = math.NaN() }, func(p *aoso.Params) { p.ColsampleByNode = math.NaN() },
		func(p *aoso.Params) { p.MinChildWeight = math.NaN() }, func(p *aoso.Params) { p.Gamma = math.NaN() },
	} {
		if err := params(change).Check(); err == nil {
			t.Errorf("NaN is taken: %+v", params(change))
		}
	}
	if err := aoso.DefaultParams().Check(); err != nil {
		t.Error(err)
	}
	wantArgumentError(t, params(func(p *aoso.Params) { p.Level = "mmx" }).Check(), "level", "generic")
}
