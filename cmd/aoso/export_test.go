package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestExport(t *testing.T) {
	model := smallModel(t)
	wants := map[string]string{
		"c":           "void NAME(predict_raw)(const AOSO_ROW *row, double *scores) {",
		"go":          "func PredictRaw(row, scores []float64) {",
		"onnx":        "TreeEnsembleClassifier",
		"onnx_double": "TreeEnsembleClassifier",
		"pmml":        `<PMML version="4.4"`,
		"treelite":    "softmax",
		"lightgbm":    "objective=multiclass num_class:3",
		"json":        `"format":"aoso-json"`,
		"json_tree":   `{"nodes":[{`,
		"dot":         "digraph tree0 {",
		"text":        "tree 0\n",
	}
	if names := namesOfFormats(); !slices.Equal(names, slices.Sorted(maps.Keys(wants))) {
		t.Errorf("the formats are %q", names)
	}
	for format, want := range wants {
		all := do(t, "export", "--model", model, "--format", format)
		if !strings.Contains(all, want) {
			t.Errorf("%s: %q is not in\n%.300s", format, want, all)
		}
		out := filepath.Join(t.TempDir(), "out")
		do(t, "export", "--model", model, "--format", format, "--out", out)
		if read(t, out) != all {
			t.Errorf("%s: the file has something else", format)
		}
		if some := do(t, "export", "--model", model, "--format", format, "--trees", "3"); format != "dot" && format != "json_tree" && len(some) >= len(all)*2/3 {
			t.Errorf("%s: 3 trees of 20 have %d bytes, all %d", format, len(some), len(all))
		}
	}
	if tree := do(t, "export", "--model", model, "--format", "dot", "--tree", "19"); !strings.Contains(tree, "digraph tree19 {") {
		t.Error(tree)
	}
	var parsed struct{ Trees []any }
	if err := json.Unmarshal([]byte(do(t, "export", "--model", model, "--format", "json", "--trees", "3")), &parsed); err != nil || len(parsed.Trees) != 3 {
		t.Error(len(parsed.Trees), err)
	}
}

func TestExportErrors(t *testing.T) {
	model := smallModel(t)
	fail(t, exitUsage, []string{`format is "pdf"`, "c, dot, go, json, json_tree, lightgbm, onnx, onnx_double, pmml, text, treelite"}, "export", "--model", model, "--format", "pdf")
	fail(t, exitUsage, []string{"format"}, "export", "--model", model)
	fail(t, exitUsage, []string{"cannot be overwritten"}, "export", "--model", model, "--format", "json", "--out", model)
	fail(t, exitFailed, []string{"tree is 20", "below 20"}, "export", "--model", model, "--format", "dot", "--tree", "20")
	fail(t, exitFailed, []string{"trees is 21", "1 to 20"}, "export", "--model", model, "--format", "json", "--trees", "21")
	fail(t, exitFailed, []string{"tree is 3", "format json shows all trees"}, "export", "--model", model, "--format", "json", "--tree", "3")
	out := filepath.Join(t.TempDir(), "out")
	fail(t, exitFailed, []string{"tree is -1"}, "export", "--model", model, "--format", "dot", "--tree", "-1", "--out", out)
	if _, err := os.Stat(out); err == nil {
		t.Error("there is a file of nothing")
	}
}

// TestExportForce: linear scores of many classes become large trees.
func TestExportForce(t *testing.T) {
	var data strings.Builder
	r := rand.New(rand.NewPCG(1, 1))
	for row := range 3000 {
		for range 36 {
			fmt.Fprintf(&data, "%d,", r.IntN(1000))
		}
		fmt.Fprintf(&data, "c%d\n", row%1500)
	}
	dir := t.TempDir()
	model, out := filepath.Join(dir, "wide.aoso"), filepath.Join(dir, "wide.tl")
	do(t, "train", "--data", file(t, "wide.csv", data.String()), "--model", model, "--start", "linear", "--n-estimators", "1", "--leaf", "sparse", "--calibration", "none")
	export := []string{"export", "--model", model, "--format", "treelite", "--out", out}
	fail(t, exitFailed, []string{"force is false", "112 MB", "start=zero"}, export...)
	do(t, append(export, "--force")...)
	if stat, err := os.Stat(out); err != nil || stat.Size() < 100e6 {
		t.Error(err)
	}
}
