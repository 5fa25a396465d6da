package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSeveralValidationSets: the first decides, and all are in the progress, the log, the
// curve and the result.
func TestSeveralValidationSets(t *testing.T) {
	train, test := letter(t, 1500, 600)
	dir := t.TempDir()
	model, log, curve := filepath.Join(dir, "m.aoso"), filepath.Join(dir, "log.csv"), filepath.Join(dir, "curve.svg")
	common := []string{"train", "--data", train, "--n-estimators", "12", "--early-stopping-rounds", "5", "--valid", test, "--json"}
	alone := jsonLine[trained](t, do(t, append(common, "--model", filepath.Join(dir, "alone.aoso"))...))
	o := try(append(common, "--model", model, "--valid", train, "--valid", test, "--log", log)...)
	if o.code != 0 || !strings.Contains(o.stderr, "logloss 3") {
		t.Fatalf("%+v", o)
	}
	line := jsonLine[trained](t, o.stdout)
	if line.Fingerprint != alone.Fingerprint || len(line.Others) != 2 {
		t.Fatalf("with other sets: %+v; without: %+v", line, alone)
	}
	first, second := line.Others[0], line.Others[1]
	if first.File != train || first.Rows != 1500 || second.Errors != *line.ValidErrors || *second.LogLoss != *line.ValidLogLoss {
		t.Errorf("validation: %d errors, logloss %v; others: %+v", *line.ValidErrors, *line.ValidLogLoss, line.Others)
	}
	if e := jsonLine[evaluated](t, do(t, "eval", "--model", model, "--data", train, "--json")); e.Errors != first.Errors {
		t.Errorf("eval finds %d errors, train %d", e.Errors, first.Errors)
	}
	runs, err := readLog(log)
	if err != nil {
		t.Fatal(err)
	}
	last := runs[len(runs)-1]
	if len(last.others) != 2 || len(last.others[0].logLoss) != len(last.trees) || last.others[1].logLoss[3] != last.logLoss[3] {
		t.Errorf("the log has %+v", last)
	}
	do(t, "plot", "curve", "--log", log, "--out", curve)
	if svg, err := os.ReadFile(curve); err != nil || !strings.Contains(string(svg), "validation rows 3") {
		t.Errorf("the curve has no third set: %v", err)
	}
	fail(t, exitUsage, []string{"--valid is there more than once"}, "tune", "--data", train, "--model", model, "--valid", test, "--valid", test)
	fail(t, exitUsage, []string{"standard input"}, "train", "--data", train, "--model", model, "--valid", "-", "--valid", "-")
}

func TestClassWeight(t *testing.T) {
	train, _ := letter(t, 1500, 600)
	model := filepath.Join(t.TempDir(), "m.aoso")
	fingerprint := func(weight string) string {
		return jsonLine[trained](t, do(t, "train", "--data", train, "--model", model, "--n-estimators", "3", "--calibration", "none", "--json", "--class-weight", weight)).Fingerprint
	}
	plain, balanced := fingerprint(""), fingerprint("balanced")
	if ones := fingerprint("A=1"); ones != plain || balanced == plain || fingerprint("A=2,B=0.5") == plain {
		t.Errorf("without weights %s, with A=1 %s, balanced %s", plain, ones, balanced)
	}
	for weight, message := range map[string]string{"A": "has \"A\"", "A=x": "balanced, or CLASS=WEIGHT", "a=2": "which is no class", "A=0": "class_weights[0] is 0"} {
		o := try("train", "--data", train, "--model", model, "--class-weight", weight)
		if o.code == 0 || !strings.Contains(o.stderr, message) {
			t.Errorf("%s: %+v", weight, o)
		}
	}
}
