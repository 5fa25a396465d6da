package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
)

func TestPlot(t *testing.T) {
	dir, data := t.TempDir(), file(t, "small.csv", small)
	model, log, out := filepath.Join(dir, "m.aoso"), filepath.Join(dir, "log.csv"), filepath.Join(dir, "out.svg")
	do(t, "train", "--data", data, "--valid", data, "--model", model, "--n-estimators", "20", "--log", log, "--eval-every", "1", "--quiet")
	lines := strings.Split(strings.TrimSpace(read(t, log)), "\n")
	if lines[0] != "phase,run,iteration,trees,seconds,train_loss,errors,error_rate,logloss" || len(lines) < 10 || !strings.HasPrefix(lines[1], "train,1,1,1,") {
		t.Fatalf("log: %q", lines)
	}
	for args, want := range map[string][]string{
		"curve --log " + log:                               {"Learning curve", "trees", "log loss", "error rate", "validation rows", "log.csv"},
		"importance --model " + model:                      {">a<", ">b<", "total gain"},
		"importance --model " + model + " --top 1":         {"1 of 2 features"},
		"confusion --model " + model + " --data " + data:   {">x<", ">y<", ">z<", ">3<", "0 errors of 9 rows"},
		"reliability --model " + model + " --data " + data: {"Reliability diagram", "9 rows", "100 %"},
	} {
		args := append([]string{"plot"}, strings.Fields(args)...)
		do(t, append(args, "--out", out)...)
		svg := read(t, out)
		for _, text := range want {
			if !strings.Contains(svg, text) {
				t.Errorf("%q: no %q in %s", args, text, svg)
			}
		}
		if do(t, append(args, "--out", "-")...) != svg {
			t.Errorf("%q: standard output differs", args)
		}
	}
	os.Remove(out)
	drawn := file(t, "drawn.svg", "<svg/>")
	fail(t, exitUsage, []string{`out is "x.png"; allowed: a file that ends in .svg, or - for standard output`}, "plot", "curve", "--log", log, "--out", "x.png")
	fail(t, exitUsage, []string{"cannot be overwritten"}, "plot", "importance", "--model", drawn, "--out", drawn)
	fail(t, exitFailed, []string{`no column "phase"; allowed: a file that train --log wrote`}, "plot", "curve", "--log", data, "--out", out)
	fail(t, exitFailed, []string{"log.csv: has no evaluations"}, "plot", "curve", "--log", file(t, "log.csv", lines[0]+"\n"), "--out", out)
	fail(t, exitFailed, []string{"no row has a label that the model knows"}, "plot", "confusion", "--model", model, "--data", file(t, "d.csv", "1,2,new\n"), "--out", out)
	fail(t, exitUsage, []string{`no command "curves"; did you mean aoso plot curve?`}, "plot", "curves", "--log", log)
}

// TestLogLost: a log that cannot be written does not end the training.
func TestLogLost(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/full")
	}
	data, model := file(t, "small.csv", small), filepath.Join(t.TempDir(), "m.aoso")
	o := try("train", "--data", data, "--model", model, "--n-estimators", "5", "--log", "/dev/full")
	if _, err := aoso.Load(model); o.code != 0 || err != nil || !strings.Contains(o.stderr, "aoso: warning: the log /dev/full is not complete: no space left on device") {
		t.Errorf("%v, %+v", err, o)
	}
	fail(t, exitFailed, []string{"cannot write " + model + "/log.csv: not a directory"}, "train", "--data", data, "--model", model, "--log", model+"/log.csv")
	fail(t, exitUsage, []string{"cannot be overwritten"}, "train", "--data", data, "--model", model, "--log", data)
	fail(t, exitUsage, []string{"allowed: a file of its own"}, "train", "--data", data, "--model", model, "--log", model)
}

// TestMistakes: what looks like a mistake is told, and what was left out.
func TestMistakes(t *testing.T) {
	text := "id,b,a,class\n"
	for i := range 40 {
		text += fmt.Sprintf("%d,%d,%d,%d\n", i, i%5, i%7, i)
	}
	data, model := file(t, "d.csv", text), filepath.Join(t.TempDir(), "m.aoso")
	o := try("train", "--data", data, "--model", model, "--n-estimators", "1", "--quiet")
	for _, want := range []string{`warning: column "id" of ` + data + " counts the rows; --ignore leaves it out\n", "d.csv has 40 classes in 40 rows; --label names another column"} {
		if o.code != 0 || !strings.Contains(o.stderr, want) {
			t.Errorf("%+v, want %q", o, want)
		}
	}
	if o := try("train", "--data", data, "--model", model, "--n-estimators", "1", "--quiet", "--ignore", "id,class", "--label", "a"); o.code != 0 || o.stderr != "" {
		t.Errorf("%+v", o)
	}
	fail(t, exitFailed, []string{"d.csv: has no features beside the label"}, "train", "--data", data, "--model", model, "--ignore", "id,a,b")
}

// TestBestRuns: of parameters tried on the rows held out, those of the least loss.
func TestBestRuns(t *testing.T) {
	log := file(t, "log.csv", strings.Join(logColumns, ",")+`
holdout,1,1,1,0.1,2,5,0.5,1.5
holdout,1,2,2,0.1,1,4,0.4,1.2
holdout,2,1,1,0.1,2,5,0.5,1.3
holdout,2,2,2,0.1,1,4,0.4,1.4
train,1,1,1,0.1,2,,,
`)
	runs, err := readLog(log)
	if err != nil {
		t.Fatal(err)
	}
	if best := bestRuns(runs); len(runs) != 3 || len(best) != 2 || best[0].run != "1" || best[0].logLoss[1] != 1.2 || best[1].phase != "train" || best[1].validTrees != nil {
		t.Errorf("%d runs, the best are %+v", len(runs), best)
	}
}
