package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
)

func TestTune(t *testing.T) {
	train, test := letter(t, 600, 500)
	folder := t.TempDir()
	model, table := filepath.Join(folder, "m.aoso"), filepath.Join(folder, "trials.csv")
	args := []string{
		"tune", "--data", train, "--model", model, "--nthread", "1", "--trials", "3", "--n-estimators", "40", "--calibration", "holdout", "--table", table,
	}
	o := try(append(args, "--json")...)
	if o.code != 0 || strings.Count(o.stderr, "\n") < 3 {
		t.Fatalf("%+v", o)
	}
	line := jsonLine[map[string]any](t, o.stdout)
	if line["trees"] != 40. || line["phase"] != "train" || line["held_out_rows"] != 120. || len(line["trials"].([]any)) < 6 {
		t.Errorf("%v", line)
	}
	params, _ := line["params"].(string)
	if p, err := aoso.ParseParams(params); err != nil || p.NEstimators != 40 {
		t.Errorf("params %q, %v", params, err)
	}
	again := do(t, append(args, "--valid", test)[:len(args)]...)
	if !strings.Contains(again, "refined") || !strings.Contains(again, "params      ") || !strings.Contains(again, line["fingerprint"].(string)) {
		t.Errorf("a search that is in the table prints\n%s", again)
	}
	other := filepath.Join(folder, "other.aoso")
	trained := jsonLine[map[string]any](t, do(t, "train", "--data", train, "--model", other, "--params", params, "--json"))
	if trained["trees"] != 40. {
		t.Errorf("train --params: %v", trained)
	}
	fail(t, 1, []string{"table", "another validation set"}, append(args, "--valid", test)...)
	fail(t, 2, []string{"preset", "paper"}, "train", "--data", train, "--model", model, "--params", "preset=papery")
	fail(t, 1, []string{"preset", "auto or fast"}, append(args, "--preset", "paper")...)
	content, err := os.ReadFile(table)
	if err != nil || strings.Count(string(content), "\n") != 2+len(line["trials"].([]any)) {
		t.Errorf("%q, %v", content, err)
	}
	var first aoso.Trial
	one, _ := json.Marshal(line["trials"].([]any)[0])
	if err := json.Unmarshal(one, &first); err != nil || first.Number != 1 || first.Rung != 1 || first.RefinedLoss <= 0 {
		t.Errorf("%s, %v", one, err)
	}
}

// TestTuneTableDevice: a table that has no end is not read.
func TestTuneTableDevice(t *testing.T) {
	for _, table := range []string{"/dev/full", "-"} {
		fail(t, exitUsage, []string{`table is "` + table + `"; allowed: a regular file`}, "tune", "--data", file(t, "d.csv", small), "--table", table, "--model", filepath.Join(t.TempDir(), "m"))
	}
}
