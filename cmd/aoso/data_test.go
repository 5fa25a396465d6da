package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// fingerprintOf trains a small model and returns its fingerprint.
func fingerprintOf(t *testing.T, data string, flags ...string) string {
	t.Helper()
	model := filepath.Join(t.TempDir(), "m.aoso")
	out := do(t, append([]string{"train", "--data", data, "--model", model, "--n-estimators", "5", "--json"}, flags...)...)
	return jsonLine[trained](t, out).Fingerprint
}

// TestDialects: what a file says counts, not how it is written.
func TestDialects(t *testing.T) {
	text := strings.ReplaceAll(small, ",1,", ",1.5,")
	want := fingerprintOf(t, file(t, "d.csv", text))
	for name, c := range map[string]struct {
		text  string
		flags []string
	}{
		"decimal commas": {strings.NewReplacer(",", ";", ".", ",").Replace(text), nil},
		"told":           {strings.NewReplacer(",", ":", ".", ",").Replace(text), []string{"--separator", ":", "--decimal", ","}},
		"blanks":         {strings.ReplaceAll(text, ",", "  "), nil},
		"comments":       {"# by hand\n" + text, nil},
		"told comments":  {strings.Replace(text, "\n", "\n% by hand\n", 1), []string{"--comment", "%"}},
		"columns":        {strings.NewReplacer("class", "class,id", "x\n", "x,1\n", "y\n", "y,2\n", "z\n", "z,3\n").Replace(text), []string{"--columns", "a,b", "--label", "class"}},
	} {
		if got := fingerprintOf(t, file(t, "d.csv", c.text), c.flags...); got != want {
			t.Errorf("%s: fingerprint %s, want %s", name, got, want)
		}
	}
	_, rows, _ := strings.Cut(text, "\n")
	if no, auto := fingerprintOf(t, file(t, "d.csv", rows), "--no-header"), fingerprintOf(t, file(t, "d.csv", rows)); no != auto {
		t.Errorf("without a header: fingerprints %s and %s", no, auto)
	}
	o := try("train", "--data", file(t, "d.csv", strings.NewReplacer(",", ";", ".", ",").Replace(text)), "--model", filepath.Join(t.TempDir(), "m"), "--n-estimators", "2")
	if !strings.Contains(o.stderr, "d.csv: 2 numeric, with decimal commas\n") {
		t.Errorf("%+v", o)
	}
}

// TestWeights: a weight of 2 is a row twice, one of 0 none, in every command and
// format.
func TestWeights(t *testing.T) {
	text := mixed(200, "age", "code", "city", "class")
	lines := strings.SplitAfter(strings.TrimSpace(text)+"\n", "\n")
	weighted, repeated := "n,"+lines[0], lines[0]
	for i, line := range lines[1 : len(lines)-1] {
		weight := []string{"2", "0", "1"}[i%3]
		weighted += weight + "," + line
		repeated += strings.Repeat(line, int(weight[0]-'0'))
	}
	csv, twice := file(t, "w.csv", weighted), file(t, "r.csv", repeated)
	parquet, arrow, _ := columnarFiles(t, weighted)
	dir := t.TempDir()
	model, dataset := filepath.Join(dir, "m.aoso"), filepath.Join(dir, "d.aosod")

	want := fingerprintOf(t, csv, "--weight", "n")
	if fingerprintOf(t, parquet, "--weight", "n") != want || fingerprintOf(t, arrow, "--weight", "0") != want {
		t.Error("CSV, Parquet and Arrow: the fingerprints differ")
	}
	do(t, "bin", "--data", csv, "--weight", "n", "--out", dataset)
	if got := fingerprintOf(t, dataset); got != want {
		t.Errorf("dataset: fingerprint %s, want %s", got, want)
	}
	if fingerprintOf(t, csv, "--ignore", "n") == want {
		t.Error("weights make no difference")
	}

	do(t, "train", "--data", csv, "--valid", csv, "--weight", "n", "--model", model, "--n-estimators", "5", "--preset", "paper")
	for _, command := range []string{"calibrate", "refit"} {
		a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
		do(t, command, "--model", model, "--data", csv, "--weight", "n", "--out", a)
		do(t, command, "--model", model, "--data", twice, "--out", b)
		proba := func(model string) string {
			return do(t, "predict", "--model", model, "--data", twice, "--output", "proba")
		}
		if proba(a) != proba(b) {
			t.Errorf("%s: with weights and with repeated rows the probabilities differ", command)
		}
	}
	one := jsonLine[evaluated](t, do(t, "eval", "--model", model, "--data", csv, "--weight", "n", "--json"))
	two := jsonLine[evaluated](t, do(t, "eval", "--model", model, "--data", twice, "--json"))
	if *one.LogLoss != *two.LogLoss || one.ErrorRate != two.ErrorRate {
		t.Errorf("eval: %+v and %+v", one, two)
	}
	fail(t, exitFailed, []string{`w.csv: weight: no column "m"`}, "train", "--data", csv, "--weight", "m", "--model", model)
	fail(t, exitFailed, []string{`w.csv:2: column "city": the weight `}, "train", "--data", csv, "--weight", "city", "--model", model)
}
