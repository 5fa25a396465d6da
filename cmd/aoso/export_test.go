package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestExport(t *testing.T) {
	model := smallModel(t)
	wants := map[string]string{
		"c":         "void NAME(predict_raw)(const AOSO_ROW *row, double *scores) {",
		"go":        "func PredictRaw(row, scores []float64) {",
		"onnx":      "TreeEnsembleClassifier",
		"lightgbm":  "objective=multiclass num_class:3",
		"json":      `"format":"aoso-json"`,
		"json_tree": `{"nodes":[{`,
		"dot":       "digraph tree0 {",
		"text":      "tree 0\n",
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
	fail(t, exitUsage, []string{`format is "pmml"`, "c, dot, go, json, json_tree, lightgbm, onnx, text"}, "export", "--model", model, "--format", "pmml")
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
