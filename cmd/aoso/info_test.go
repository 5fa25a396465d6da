package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
)

func TestInfo(t *testing.T) {
	model := smallModel(t)
	out := do(t, "info", "--model", model)
	for _, want := range []string{"aoso, full leaves", "trees        20", "classes      3: x y z", "features     2: a b", "x | y", "splits"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	d := jsonLine[described](t, do(t, "info", "--model", model, "--json"))
	if d.Trees != 20 || d.Classes != 3 || d.Features != 2 || d.Leaves < 40 || d.Params.LearningRate != 0.1 || len(d.Fingerprint) != 32 {
		t.Errorf("%+v", d)
	}
	if dump := do(t, "info", "--model", model, "--dump", "--trees", "2"); strings.Count(dump, "tree ") != 2 || !strings.Contains(dump, "|") {
		t.Error(dump)
	}
	fail(t, exitFailed, []string{"trees is 99"}, "info", "--model", model, "--dump", "--trees", "99")
}

// TestInfoOfLinearScores: a model says how many features its linear scores have.
func TestInfoOfLinearScores(t *testing.T) {
	model := smallModel(t, "--start", "linear")
	if out := do(t, "info", "--model", model); !strings.Contains(out, "start        linear scores of 2 features\n") {
		t.Error(out)
	}
	d := jsonLine[described](t, do(t, "info", "--model", model, "--json"))
	if d.LinearFeatures != 2 || d.Params.Start != "linear" {
		t.Errorf("%+v", d)
	}
	if out := do(t, "info", "--model", smallModel(t)); strings.Contains(out, "linear") {
		t.Error(out)
	}
}

// A model of one class has no splits.
func TestInfoOfOneClass(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m")
	do(t, "train", "--data", file(t, "d.csv", "1,x\n2,x\n"), "--model", model)
	if out := do(t, "info", "--model", model); !strings.Contains(out, "classes      1: x") || strings.Contains(out, "NaN") {
		t.Error(out)
	}
}

// TestInfoOfCategories: a model says what its splits are on by names.
func TestInfoOfCategories(t *testing.T) {
	x, err := aoso.NewTable(aoso.Texts([]string{"red", "blue", "green", "red", "blue", "green"}))
	if err != nil {
		t.Fatal(err)
	}
	d, err := aoso.NewDataset(x, aoso.IntLabels([]int{0, 1, 1, 0, 1, 1}), aoso.DatasetOptions{Names: []string{"color"}})
	if err != nil {
		t.Fatal(err)
	}
	p := aoso.DefaultParams()
	p.Preset, p.NEstimators, p.MinSamplesLeaf, p.CategoryL2 = "paper", 1, 1, 0
	result, err := aoso.Train(t.Context(), d, p)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m")
	if err := result.Model.Save(path); err != nil {
		t.Fatal(err)
	}
	if out := do(t, "info", "--model", path); !strings.Contains(out, "categories   1: color (3)") {
		t.Error(out)
	}
	if out := do(t, "info", "--model", path, "--dump"); !strings.Contains(out, "color in {red}") && !strings.Contains(out, "color not in {red}") {
		t.Error(out)
	}
}
