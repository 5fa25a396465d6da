package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
)

// load loads a model and checks that it is the one that a command reported.
func load(t *testing.T, line saved) *aoso.Model {
	t.Helper()
	m, err := aoso.Load(line.Model)
	if err != nil {
		t.Fatal(err)
	}
	if m.Trees() != line.Trees || m.Fingerprint() != line.Fingerprint || m.Temperature() != line.Temperature {
		t.Errorf("%+v, in the file %d trees, fingerprint %s", line, m.Trees(), m.Fingerprint())
	}
	return m
}

func TestTruncate(t *testing.T) {
	model, data, out := smallModel(t), file(t, "d.csv", small), filepath.Join(t.TempDir(), "out")
	line := jsonLine[saved](t, do(t, "truncate", "--model", model, "--trees", "3", "--out", out, "--json"))
	if load(t, line); line.Trees != 3 || line.LogLossBefore != nil {
		t.Errorf("%+v", line)
	}
	if a, b := do(t, "predict", "--model", out, "--data", data, "--output", "raw"), do(t, "predict", "--model", model, "--data", data, "--output", "raw", "--trees", "3"); a != b {
		t.Error("other scores than those of the first trees")
	}
	if text := do(t, "truncate", "--model", model, "--trees", "2", "--out", model); !strings.Contains(text, model+": 2 trees, fingerprint") {
		t.Error(text)
	}
	fail(t, exitFailed, []string{"trees is 3", "1 to 2"}, "truncate", "--model", model, "--trees", "3", "--out", out)
	fail(t, exitUsage, []string{"out"}, "truncate", "--model", model, "--trees", "1")
}

func TestMerge(t *testing.T) {
	model, out := smallModel(t), filepath.Join(t.TempDir(), "out")
	line := jsonLine[saved](t, do(t, "merge", "--model", model, "--model", model, "--out", out, "--json"))
	if load(t, line); line.Trees != 40 {
		t.Errorf("%+v", line)
	}
	other := filepath.Join(t.TempDir(), "other")
	do(t, "train", "--data", file(t, "d.csv", "1,2,a\n2,1,b\n"), "--model", other, "--trees", "1")
	fail(t, exitFailed, []string{"models[1]", "classes"}, "merge", "--model", model, "--model", other, "--out", out)
	fail(t, exitFailed, []string{"none", "no such file"}, "merge", "--model", model, "--model", "none", "--out", out)
}

func TestRefit(t *testing.T) {
	model, out := smallModel(t), filepath.Join(t.TempDir(), "out")
	swapped := strings.NewReplacer("x", "y", "y", "x").Replace(small)
	data := file(t, "d.csv", swapped)
	line := jsonLine[saved](t, do(t, "refit", "--model", model, "--data", data, "--out", out, "--json", "--threads", "1"))
	load(t, line)
	if got, want := do(t, "predict", "--model", out, "--data", data), strings.NewReplacer("x", "y", "y", "x").Replace(smallClasses); line.Trees != 20 || got != want {
		t.Errorf("%q, want %q", got, want)
	}
	do(t, "refit", "--model", model, "--data", data, "--out", out, "--keep", "1")
	if got := do(t, "predict", "--model", out, "--data", data); got != smallClasses {
		t.Errorf("keeping all: %q", got)
	}
	fail(t, exitFailed, []string{"keep is 2", "0 to 1"}, "refit", "--model", model, "--data", data, "--out", out, "--keep", "2")
	fail(t, exitFailed, []string{"1 rows of unknown classes"}, "refit", "--model", model, "--data", file(t, "d.csv", small+"1,1,new\n"), "--out", out)
	fail(t, exitUsage, []string{`label is "none"`}, "refit", "--model", model, "--data", data, "--out", out, "--label", "none")
	fail(t, exitUsage, []string{"cannot be overwritten"}, "refit", "--model", model, "--data", data, "--out", data)
	fail(t, exitFailed, []string{"cannot write"}, "refit", "--model", model, "--data", data, "--out", filepath.Join(out, "x"))
}

func TestCalibrate(t *testing.T) {
	train, test := letter(t, 1000, 1000)
	model := filepath.Join(t.TempDir(), "m.aoso")
	do(t, "train", "--data", train, "--model", model, "--preset", "paper", "--trees", "200")
	before := jsonLine[evaluated](t, do(t, "eval", "--model", model, "--data", test, "--json"))
	line := jsonLine[saved](t, do(t, "calibrate", "--model", model, "--data", test, "--out", model, "--json"))
	load(t, line)
	after := jsonLine[evaluated](t, do(t, "eval", "--model", model, "--data", test, "--json"))
	if *line.LogLossBefore != *before.LogLoss || *line.LogLossAfter != *after.LogLoss || *after.LogLoss >= *before.LogLoss || after.Errors != before.Errors || line.Temperature <= 1 {
		t.Errorf("log loss %v, then %v; %+v", *before.LogLoss, *after.LogLoss, line)
	}
	if text := do(t, "info", "--model", model); !strings.Contains(text, "temperature  1.") {
		t.Error(text)
	}
	if text := do(t, "calibrate", "--model", model, "--data", test, "--out", model); !strings.Contains(text, "temperature 1.") || !strings.Contains(text, ", was ") {
		t.Error(text)
	}
	fail(t, exitFailed, []string{"unknown classes"}, "calibrate", "--model", smallModel(t), "--data", file(t, "d.csv", "1,2,new\n"), "--out", model)
	if strings.Contains(do(t, "info", "--model", smallModel(t)), "temperature") {
		t.Error("a model without temperature has one")
	}
}
