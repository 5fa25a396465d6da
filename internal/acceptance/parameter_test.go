package acceptance

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
)

func TestParseParams(t *testing.T) {
	tests := []struct {
		text string
		want func(*aoso.Params)
	}{
		{"", func(*aoso.Params) {}},
		{" \n,,\t", func(*aoso.Params) {}},
		{"method=abc leaf=pair pairs=1 pair_selection=root base_class=exhaustive base_gap=3", func(p *aoso.Params) {
			p.Method, p.Leaf, p.Pairs, p.PairSelection, p.BaseClass, p.BaseGap = aoso.MethodABC, "pair", 1, "root", "exhaustive", 3
		}},
		{"n_estimators=5,max_leaves=6,\nlearning_rate=.5\r\nmax_depth=7  min_samples_leaf=8", func(p *aoso.Params) {
			p.NEstimators, p.MaxLeaves, p.LearningRate, p.MaxDepth, p.MinSamplesLeaf = 5, 6, 0.5, 7, 8
		}},
		{"min_child_weight=1e-3 gamma=2 reg_lambda=3.25 max_delta_step=4 subsample=0.1 colsample_bytree=0.2 colsample_bynode=0.3 trim=0", func(p *aoso.Params) {
			p.MinChildWeight, p.Gamma, p.RegLambda, p.MaxDeltaStep = 1e-3, 2, 3.25, 4
			p.Subsample, p.ColsampleByTree, p.ColsampleByNode, p.Trim = 0.1, 0.2, 0.3, 0
		}},
		{"stop_loss=1 early_stopping_rounds=2 metric=error nthread=3 seed=18446744073709551615 level=generic", func(p *aoso.Params) {
			p.StopLoss, p.EarlyStoppingRounds, p.Metric, p.NThread, p.Seed, p.Level = 1, 2, "error", 3, math.MaxUint64, "generic"
		}},
		{"n_estimators=5 n_estimators=6", func(p *aoso.Params) { p.NEstimators = 6 }},
		{"level=", func(*aoso.Params) {}},
		{"level=auto leaf=auto pairs=auto n_estimators=auto reg_lambda=auto", func(*aoso.Params) {}},
		{"preset=paper calibration=folds", func(p *aoso.Params) { p.Preset, p.Calibration = aoso.PresetPaper, "folds" }},
		{"nthread=2", func(p *aoso.Params) { p.NThread = 2 }},
		{"trees=5 leaves=6 shrinkage=.5 min_samples=8 min_hessian=1e-3 min_gain=2 l2=3 max_step=4 early_stopping=2 num_threads=1 threads=3", func(p *aoso.Params) {
			p.NEstimators, p.MaxLeaves, p.LearningRate, p.MinSamplesLeaf, p.MinChildWeight = 5, 6, 0.5, 8, 1e-3
			p.Gamma, p.RegLambda, p.MaxDeltaStep, p.EarlyStoppingRounds, p.NThread = 2, 3, 4, 2, 3
		}},
		{"num_leaves=9, eta=0.5 n_estimators=7 lambda_l2=2 min_child_samples=0 max_delta_step=0.0", func(p *aoso.Params) {
			p.MaxLeaves, p.LearningRate, p.NEstimators, p.RegLambda, p.MinSamplesLeaf = 9, 0.5, 7, 2, 1
		}},
		{"max_leaves=0 eval_metric=mlogloss objective=multi:softprob verbosity=-1 booster=gbtree reg_alpha=0.0 num_class=3", func(p *aoso.Params) {}},
		{"max_depth=-1 nthread=-1 metric=multi_error", func(p *aoso.Params) { p.Metric = "error" }},
		{"eval_metric=HammingLoss early_stopping_rounds=false depth=-1", func(p *aoso.Params) { p.Metric = "error" }},
		{"scoring=top_k_accuracy", func(p *aoso.Params) { p.Metric = "top_k_error" }},
		{"monotonic_cst=[1, 0] interaction_cst=[[0, 1], [2]] max_leaves=5", func(p *aoso.Params) {
			p.MonotoneConstraints, p.InteractionConstraints, p.MaxLeaves = "[1,0]", "[[0,1],[2]]", 5
		}},
	}
	for _, test := range tests {
		want := aoso.DefaultParams()
		test.want(&want)
		if got, err := aoso.ParseParams(test.text); err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", test.text, got, err, want)
		}
	}
}

func TestParseParamErrors(t *testing.T) {
	for text, want := range map[string][]string{
		"trie=5":                                 {"parameter", `"trie"`, "method, leaf, pairs", "seed, level"},
		"=5":                                     {"parameter", `""`},
		"n_estimators":                           {"params", `"n_estimators"`, "name=value"},
		"n_estimators = 5":                       {"params", `"n_estimators"`},
		"n_estimators=many":                      {"n_estimators", `"many"`, "an integer"},
		"n_estimators=5.0":                       {"n_estimators", `"5.0"`},
		"n_estimators=":                          {"n_estimators", `""`},
		"n_estimators=1e99":                      {"n_estimators"},
		"trim=0,1":                               {"params", `"1"`},
		"learning_rate=low":                      {"learning_rate", `"low"`, "a number"},
		"reg_lambda=1e999":                       {"reg_lambda", "a number"},
		"seed=-1":                                {"seed", `"-1"`, "at least 0"},
		"n_estimators=0":                         {"n_estimators", `"0"`, "at least 1 or auto"},
		"reg_lambda=-1":                          {"reg_lambda", `"-1"`, "at least 0, at most 3.4e+38 or auto"},
		"seed=auto":                              {"seed", `"auto"`, "at least 0"},
		"max_leaves=9 nthread=x":                 {"nthread", `"x"`},
		"eta=fast":                               {"eta", `"fast"`, "a number"},
		"boosting=dart":                          {"boosting", `"dart"`, "gbdt, gbrt, gbtree, plain; leave it out"},
		"metric=MCC":                             {"metric", `"MCC"`, "logloss, error", "; the nearest to it is kappa"},
		"eval_metric=TotalF1":                    {"eval_metric", `"TotalF1"`, "; the nearest to it is f1_macro"},
		"eval_metric=TotalF1:average=Any":        {"eval_metric", `"TotalF1:average=Any"`, "; the nearest to it is f1_macro"},
		"init=model":                             {"init", "none; leave it out"},
		"max_bin=63":                             {"max_bin", "none; it is max_bin of the dataset"},
		"goss=1 device=gpu eta=x n_estimators=x": {"parameter", `"goss"`, `device is "gpu"; allowed: cpu`, `eta is "x"`, `n_estimators is "x"`},
	} {
		p, err := aoso.ParseParams(text)
		wantArgumentError(t, err, want[0], want[1:]...)
		if p != (aoso.Params{}) {
			t.Errorf("%q: %+v", text, p)
		}
	}
	p := aoso.DefaultParams()
	if err := p.Set("n_estimators", "x"); err == nil || p != aoso.DefaultParams() {
		t.Errorf("%v, and now %+v", err, p)
	}
}

func TestChanges(t *testing.T) {
	for _, want := range []string{"", "max_leaves=64 learning_rate=0.3", "method=abc trim=0 seed=1"} {
		if p, err := aoso.ParseParams(want); err != nil || p.Changes() != want {
			t.Errorf("%q: %q, %v", want, p.Changes(), err)
		}
	}
}

// FuzzParams: what can be read says of itself what can be read again.
func FuzzParams(f *testing.F) {
	f.Add("")
	f.Add(aoso.DefaultParams().String())
	f.Add("method=abc,learning_rate=0.30000000000000004\ngamma=1e-320 reg_lambda=inf seed=7")
	f.Add("leaf=\u00a0 level== n_estimators=+07 trim=0x1p-4")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := aoso.ParseParams(text)
		if err != nil {
			return
		}
		if changed, err := aoso.ParseParams(p.Changes()); err != nil || changed.String() != p.String() {
			t.Errorf("%q: the changes %q are %+v, %v", text, p.Changes(), changed, err)
		}
		again, err := aoso.ParseParams(p.String())
		if err != nil || again.String() != p.String() {
			t.Errorf("%q is %q and again %q, %v", text, p, again, err)
		}
	})
}

// TestParamsJSON: the keys of parameters as JSON are their names.
func TestParamsJSON(t *testing.T) {
	text, err := json.Marshal(aoso.DefaultParams())
	if err != nil || !strings.Contains(string(text), `"min_samples_leaf":0`) {
		t.Errorf("%s, %v", text, err)
	}
}
