package aoso

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

// TestParameterTable: the table has every field of Params in order, with a
// default that is set and allowed.
func TestParameterTable(t *testing.T) {
	p := DefaultParams()
	fields, table := reflect.ValueOf(&p).Elem(), Parameters()
	if fields.NumField() != len(table) {
		t.Fatalf("%d fields, %d parameters", fields.NumField(), len(table))
	}
	for i, known := range table {
		field := fields.Type().Field(i)
		if field.Name != known.Field || field.Type.String() != known.Type || p.fields()[i] != fields.Field(i).Addr().Interface() {
			t.Errorf("%s %s is the field of %+v", field.Name, field.Type, known)
		}
		if v := value(p.fields()[i]); fmt.Sprint(v) != known.Default || !known.Allows(v) {
			t.Errorf("%s: default %v, in the table %s; allowed: %s", known.Name, v, known.Default, known.Allowed())
		}
		text := known.Default
		if known.Auto != "" {
			text = "auto"
		}
		for _, name := range []string{known.Name, known.CName()} {
			changed := p
			if err := changed.Set(name, text); err != nil || changed != p {
				t.Errorf("%s=%s: %+v, %v", name, text, changed, err)
			}
		}
	}
	text, err := json.Marshal(p)
	if err != nil || !strings.Contains(string(text), `"min_samples":0`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestParseParams(t *testing.T) {
	tests := []struct {
		text string
		want func(*Params)
	}{
		{"", func(*Params) {}},
		{" \n,,\t", func(*Params) {}},
		{"method=abc leaf=pair pairs=1 pair_selection=root base_class=exhaustive base_gap=3", func(p *Params) {
			p.Method, p.Leaf, p.Pairs, p.PairSelection, p.BaseClass, p.BaseGap = ABC, "pair", 1, "root", "exhaustive", 3
		}},
		{"trees=5,leaves=6,\nshrinkage=.5\r\nmax_depth=7  min_samples=8", func(p *Params) {
			p.Trees, p.Leaves, p.Shrinkage, p.MaxDepth, p.MinSamples = 5, 6, 0.5, 7, 8
		}},
		{"min_hessian=1e-3 min_gain=2 l2=3.25 max_step=4 subsample=0.1 colsample_bytree=0.2 colsample_bynode=0.3 trim=0", func(p *Params) {
			p.MinHessian, p.MinGain, p.L2, p.MaxStep = 1e-3, 2, 3.25, 4
			p.Subsample, p.ColsampleByTree, p.ColsampleByNode, p.Trim = 0.1, 0.2, 0.3, 0
		}},
		{"stop_loss=1 early_stopping=2 metric=error threads=3 seed=18446744073709551615 level=generic", func(p *Params) {
			p.StopLoss, p.EarlyStopping, p.Metric, p.Threads, p.Seed, p.Level = 1, 2, "error", 3, math.MaxUint64, "generic"
		}},
		{"trees=5 trees=6", func(p *Params) { p.Trees = 6 }},
		{"level=", func(*Params) {}},
		{"level=auto leaf=auto pairs=auto trees=auto l2=auto", func(*Params) {}},
		{"preset=paper calibration=folds", func(p *Params) { p.Preset, p.Calibration = PresetPaper, "folds" }},
		{"num_threads=2", func(p *Params) { p.Threads = 2 }},
		{"num_leaves=9, eta=0.5 n_estimators=7 lambda_l2=2 min_child_samples=0 max_delta_step=0.0", func(p *Params) {
			p.Leaves, p.Shrinkage, p.Trees, p.L2, p.MinSamples = 9, 0.5, 7, 2, 1
		}},
		{"max_leaves=0 eval_metric=mlogloss objective=multi:softprob verbosity=-1 booster=gbtree reg_alpha=0.0 num_class=3", func(p *Params) {}},
		{"max_depth=-1 num_threads=-1 metric=multi_error", func(p *Params) { p.Metric = "error" }},
		{"eval_metric=HammingLoss early_stopping=false depth=-1", func(p *Params) { p.Metric = "error" }},
		{"scoring=top_k_accuracy", func(p *Params) { p.Metric = "top_k_error" }},
		{"monotonic_cst=[1, 0] interaction_cst=[[0, 1], [2]] leaves=5", func(p *Params) {
			p.MonotoneConstraints, p.InteractionConstraints, p.Leaves = "[1,0]", "[[0,1],[2]]", 5
		}},
	}
	for _, test := range tests {
		want := DefaultParams()
		test.want(&want)
		if got, err := ParseParams(test.text); err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", test.text, got, err, want)
		}
	}
}

func TestParseParamErrors(t *testing.T) {
	for text, want := range map[string][]string{
		"trie=5":                          {"parameter", `"trie"`, "method, leaf, pairs", "seed, level"},
		"=5":                              {"parameter", `""`},
		"trees":                           {"params", `"trees"`, "name=value"},
		"trees = 5":                       {"params", `"trees"`},
		"trees=many":                      {"trees", `"many"`, "an integer"},
		"trees=5.0":                       {"trees", `"5.0"`},
		"trees=":                          {"trees", `""`},
		"trees=1e99":                      {"trees"},
		"trim=0,1":                        {"params", `"1"`},
		"shrinkage=low":                   {"shrinkage", `"low"`, "a number"},
		"l2=1e999":                        {"l2", "a number"},
		"seed=-1":                         {"seed", `"-1"`, "at least 0"},
		"trees=0":                         {"trees", `"0"`, "at least 1 or auto"},
		"l2=-1":                           {"l2", `"-1"`, "at least 0, at most 3.4e+38 or auto"},
		"seed=auto":                       {"seed", `"auto"`, "at least 0"},
		"leaves=9 threads=x":              {"threads", `"x"`},
		"eta=fast":                        {"eta", `"fast"`, "a number"},
		"boosting=dart":                   {"boosting", `"dart"`, "gbdt, gbrt, gbtree, plain; leave it out"},
		"metric=MCC":                      {"metric", `"MCC"`, "logloss, error", "; the nearest to it is kappa"},
		"eval_metric=TotalF1":             {"eval_metric", `"TotalF1"`, "; the nearest to it is f1_macro"},
		"eval_metric=TotalF1:average=Any": {"eval_metric", `"TotalF1:average=Any"`, "; the nearest to it is f1_macro"},
		"init=model":                      {"init", "none; leave it out"},
		"max_bin=63":                      {"max_bin", "none; it is max_bins of the dataset"},
		"goss=1 device=gpu eta=x trees=x": {"parameter", `"goss"`, `device is "gpu"; allowed: cpu`, `eta is "x"`, `trees is "x"`},
	} {
		p, err := ParseParams(text)
		wantArgumentError(t, err, want[0], want[1:]...)
		if p != (Params{}) {
			t.Errorf("%q: %+v", text, p)
		}
	}
	p := DefaultParams()
	if err := p.Set("trees", "x"); err == nil || p != DefaultParams() {
		t.Errorf("%v, and now %+v", err, p)
	}
}

func TestChanges(t *testing.T) {
	for _, want := range []string{"", "leaves=64 shrinkage=0.3", "method=abc trim=0 seed=1"} {
		if p, err := ParseParams(want); err != nil || p.Changes() != want {
			t.Errorf("%q: %q, %v", want, p.Changes(), err)
		}
	}
}

// FuzzParams: what can be read says of itself what can be read again.
func FuzzParams(f *testing.F) {
	f.Add("")
	f.Add(DefaultParams().String())
	f.Add("method=abc,shrinkage=0.30000000000000004\nmin_gain=1e-320 l2=inf seed=7")
	f.Add("leaf=\u00a0 level== trees=+07 trim=0x1p-4")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParseParams(text)
		if err != nil {
			return
		}
		if changed, err := ParseParams(p.Changes()); err != nil || changed.String() != p.String() {
			t.Errorf("%q: the changes %q are %+v, %v", text, p.Changes(), changed, err)
		}
		again, err := ParseParams(p.String())
		if err != nil || again.String() != p.String() {
			t.Errorf("%q is %q and again %q, %v", text, p, again, err)
		}
	})
}
