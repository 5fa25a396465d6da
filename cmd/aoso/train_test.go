package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/libaoso/aoso"
)

func TestTrainJSON(t *testing.T) {
	train, test := letter(t, 2000, 1000)
	model := filepath.Join(t.TempDir(), "m.aoso")
	o := try("train", "--data", train, "--valid", test, "--model", model, "--n-estimators", "30", "--json", "--nthread", "1")
	if o.code != 0 || strings.Count(o.stdout, "\n") != 1 {
		t.Fatalf("%+v", o)
	}
	if lines := strings.Count(o.stderr, "\n"); lines < 5 || lines > 10 {
		t.Errorf("%d lines of progress:\n%s", lines, o.stderr)
	}
	line := jsonLine[map[string]any](t, o.stdout)
	for key, want := range map[string]any{
		"trees": 30., "iterations": 30., "best_iteration": 30., "stopped_by": "trees", "threads": 1.,
		"classes": 26., "features": 16., "rows": 2000., "valid_rows": 1000., "valid_unknown": 0., "model": model,
	} {
		if line[key] != want {
			t.Errorf("%s is %v, want %v", key, line[key], want)
		}
	}
	for _, key := range []string{"train_loss", "valid_errors", "valid_error_rate", "valid_logloss", "seconds", "seconds_total"} {
		if v, ok := line[key].(float64); !ok || v <= 0 {
			t.Errorf("%s is %v", key, line[key])
		}
	}
	m, err := aoso.Load(model)
	if err != nil {
		t.Fatal(err)
	}
	if m.Fingerprint() != line["fingerprint"] || line["level"] == "" {
		t.Errorf("fingerprint %v, level %v", line["fingerprint"], line["level"])
	}
	e := jsonLine[evaluated](t, do(t, "eval", "--model", model, "--data", test, "--json"))
	if float64(e.Errors) != line["valid_errors"] {
		t.Errorf("eval finds %d errors, train %v", e.Errors, line["valid_errors"])
	}
}

func TestTrainWithoutValidation(t *testing.T) {
	out := do(t, "train", "--data", file(t, "d.csv", small), "--model", filepath.Join(t.TempDir(), "m"), "--n-estimators", "2", "--json")
	if !strings.Contains(out, `"valid_errors":null`) || !strings.Contains(out, `"valid_logloss":null`) {
		t.Error(out)
	}
}

// allLetters returns the Letter data, or fewer rows of it in a short run.
func allLetters(t *testing.T) string {
	if testing.Short() {
		few, _ := letter(t, 3000, 1)
		return few
	}
	return "../../testdata/letter.csv.gz"
}

func TestEarlyStopping(t *testing.T) {
	train, test := letter(t, 500, 500)
	model := filepath.Join(t.TempDir(), "m")
	line := jsonLine[trained](t, do(t, "train", "--data", train, "--valid", test, "--model", model,
		"--learning-rate", "1", "--n-estimators", "2000", "--early-stopping-rounds", "10", "--json"))
	if line.StoppedBy != "early_stopping" || line.Iterations != line.BestIteration+10 || line.Trees != line.BestIteration {
		t.Errorf("%+v", line)
	}
	if e := jsonLine[evaluated](t, do(t, "eval", "--model", model, "--data", test, "--json")); e.Errors != *line.ValidErrors {
		t.Errorf("%d errors, %d when training", e.Errors, *line.ValidErrors)
	}
}

func TestContinue(t *testing.T) {
	dir, data := t.TempDir(), file(t, "d.csv", small)
	half, both, whole := filepath.Join(dir, "half"), filepath.Join(dir, "both"), filepath.Join(dir, "whole")
	do(t, "train", "--data", data, "--model", half, "--n-estimators", "5", "--leaf", "pair", "--pairs", "1")
	line := jsonLine[trained](t, do(t, "train", "--data", data, "--init", half, "--model", both, "--n-estimators", "5", "--json"))
	if line.Trees != 10 || line.Iterations != 5 {
		t.Errorf("%+v", line)
	}
	do(t, "train", "--data", data, "--model", whole, "--n-estimators", "10", "--leaf", "pair", "--pairs", "1")
	if a, b := do(t, "predict", "--model", both, "--data", data), do(t, "predict", "--model", whole, "--data", data); a != b {
		t.Errorf("continued %q, at once %q", a, b)
	}
	fail(t, exitFailed, []string{"leaf", "pair"}, "train", "--data", data, "--init", half, "--model", both, "--leaf", "full")
	fail(t, exitFailed, []string{"w", "the classes of the model"}, "train", "--data", file(t, "new.csv", "a,b,class\n3,3,w\n"), "--init", half, "--model", both)
	o := try("train", "--data", file(t, "new.csv", small+"3,3,w\n"), "--init", half, "--model", both)
	if !strings.Contains(o.stderr, "does not know; they become new classes: w\n") {
		t.Errorf("%+v", o)
	}
	if info := do(t, "info", "--model", both); !strings.Contains(info, "classes      4: w x y z\n") || !strings.Contains(info, "came later   1, from tree 5 on: w\n") {
		t.Error(info)
	}
	fail(t, exitFailed, []string{"3 features", "2"}, "train", "--data", file(t, "wide.csv", "1,2,3,x\n"), "--init", half, "--model", both)
}

// TestPhases: by default, training holds rows out first.
func TestPhases(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	train, test := letter(t, 600, 1000)
	model := filepath.Join(t.TempDir(), "m")
	o := try("train", "--data", train, "--model", model, "--json")
	line := jsonLine[trained](t, o.stdout)
	holdOut, all, found := strings.Cut(o.stderr, "training on all rows\n")
	if !found || !strings.HasPrefix(labelNote.ReplaceAllString(holdOut, ""), "choosing parameters") || !strings.Contains(holdOut, "errors") || strings.Contains(all, "errors") {
		t.Errorf("%+v", o)
	}
	if *line.HeldOutRows != 600 || *line.HeldOutErrors >= 300 || line.Phase != aoso.PhaseTrain || line.Trees > 5*700 {
		t.Errorf("%+v", line)
	}
	eval := jsonLine[evaluated](t, do(t, "eval", "--model", model, "--data", test, "--json"))
	if line.Temperature == 1 || math.Abs(*eval.LogLoss / *line.HeldOutLogLoss - 1) > 0.25 {
		t.Errorf("log loss %g, of the rows held out %g; temperature %g", *eval.LogLoss, *line.HeldOutLogLoss, line.Temperature)
	}
	o = try("train", "--data", train, "--valid", test, "--model", model, "--json")
	if line = jsonLine[trained](t, o.stdout); line.HeldOutRows != nil || line.Temperature == 1 || strings.Contains(o.stderr, "all rows") {
		t.Errorf("with a validation set: %+v, %+v", line, o)
	}
}

func TestWarnings(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m")
	o := try("train", "--data", file(t, "same.csv", "1,2,x\n3,4,x\n"), "--model", model)
	if o.code != 0 || !strings.Contains(o.stderr, `warning: all labels`) {
		t.Errorf("one class: %+v", o)
	}
	o = try("train", "--data", file(t, "d.csv", small), "--valid", file(t, "v.csv", "a,b,class\n1,1,x\n1,1,new\n5,1,other\n"), "--model", model, "--n-estimators", "20", "--json")
	line := jsonLine[trained](t, o.stdout)
	if o.code != 0 || !strings.Contains(o.stderr, "2 of the 3 rows") || *line.ValidUnknown != 2 || *line.ValidErrors != 2 || line.ValidLogLoss == nil {
		t.Errorf("unknown labels: %+v", o)
	}
	fail(t, exitFailed, []string{"v.csv: ", "2 rows of unknown classes (such as new)", `["x" "y" "z"]`},
		"train", "--data", file(t, "d.csv", small), "--valid", file(t, "v.csv", "1,1,new\n3,2,old\n"), "--model", model, "--n-estimators", "20")
}

func TestTrainErrors(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.aoso")
	data := file(t, "small.csv", small)
	for _, c := range []struct {
		content string
		want    []string
	}{
		{"", []string{"d.csv", "empty"}},
		{"a,b,class\n", []string{"d.csv", "no rows"}},
		{"1,2,x\n1,2\n", []string{"d.csv:2", "2 cells", "3"}},
		{"1,2,x\n1,ab\xff,y\n", []string{"d.csv:2", "column 1", "UTF-8"}},
		{"a,b,class\n1,1e999,y\n", []string{"d.csv:2", `column "b"`, "1e999"}},
		{"1,2,x\n1,2,\n", []string{"d.csv:2", "label is missing"}},
	} {
		fail(t, exitFailed, c.want, "train", "--data", file(t, "d.csv", c.content), "--model", model)
	}
	fail(t, exitFailed, []string{"none.csv", "no such file"}, "train", "--data", "none.csv", "--model", model)
	fail(t, exitFailed, []string{"letter", "class"}, "train", "--data", data, "--label", "letter", "--model", model)
	fail(t, exitUsage, []string{"format", "arff"}, "train", "--data", data, "--format", "arff", "--model", model)
	fail(t, exitFailed, []string{"1 features", "the training data has 2"}, "train", "--data", data, "--valid", file(t, "v.csv", "1,x\n"), "--model", model)
	fail(t, exitFailed, []string{`v.csv has no column "b", a feature of the training data; it has others: "c"`}, "train", "--data", data, "--valid", file(t, "v.csv", "a,c,class\n1,2,x\n"), "--model", model)
	fail(t, exitFailed, []string{"init.aoso", "not an aoso model"}, "train", "--data", data, "--init", file(t, "init.aoso", "text of some length"), "--model", model)
	if _, err := os.Stat(model); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a model: %v", err)
	}
}

// The path of the model is checked before the data are read.
func TestUnwritableModel(t *testing.T) {
	dir := t.TempDir()
	fail(t, exitFailed, []string{"cannot write", "no such file or directory"}, "train", "--data", "none.csv", "--model", filepath.Join(dir, "no", "m"))
	fail(t, exitFailed, []string{"cannot write", "regular"}, "train", "--data", "none.csv", "--model", dir)
	if os.Getuid() > 0 && runtime.GOOS != "windows" {
		os.Chmod(dir, 0o500)
		fail(t, exitFailed, []string{"cannot write", "permission denied"}, "train", "--data", "none.csv", "--model", filepath.Join(dir, "m"))
	}
}

// process returns the command as a separate process, under a shell's limits.
func process(t *testing.T, limits string, args ...string) *exec.Cmd {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs signals and a shell")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("/bin/sh", append([]string{"-c", limits + ` exec "$0" "$@"`, self}, args...)...)
	c.Env = append(os.Environ(), "AOSO_TEST_MAIN=1")
	return c
}

func TestFullDisk(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.aoso")
	do(t, "train", "--data", file(t, "d.csv", small), "--model", model, "--n-estimators", "2")
	old := read(t, model)
	var stderr strings.Builder
	c := process(t, "ulimit -f 20;", "train", "--data", "../../testdata/letter.csv.gz", "--model", model, "--n-estimators", "20")
	c.Stderr = &stderr
	if err := c.Run(); c.ProcessState.ExitCode() != exitFailed || !strings.Contains(stderr.String(), "cannot write "+model) {
		t.Errorf("%v: %s", err, stderr.String())
	}
	if read(t, model) != old {
		t.Error("the old model is lost")
	}
	if list, err := os.ReadDir(filepath.Dir(model)); err != nil || len(list) != 1 {
		t.Errorf("left behind: %v %v", list, err)
	}
}

func TestInterrupt(t *testing.T) {
	data := allLetters(t)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		model := filepath.Join(t.TempDir(), "m.aoso")
		c := process(t, "", "train", "--data", data, "--model", model, "--n-estimators", "1000000", "--stop-loss", "0", "--json")
		var stdout strings.Builder
		c.Stdout = &stdout
		stderr, err := c.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(time.Minute, func() { c.Process.Kill() })
		lines := bufio.NewScanner(stderr)
		for lines.Scan() && !strings.HasPrefix(strings.TrimSpace(lines.Text()), "10 ") { // trees
		}
		if err := c.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		last := ""
		for lines.Scan() {
			last = lines.Text()
		}
		c.Wait()
		kill.Stop()
		if code := c.ProcessState.ExitCode(); code != exitSignal+int(signal) || !strings.Contains(last, "interrupted") || !strings.Contains(last, model) {
			t.Fatalf("%v: exit code %d, %q", signal, code, last)
		}
		m, err := aoso.Load(model)
		if err != nil {
			t.Fatal(err)
		}
		var line trained
		if err := json.Unmarshal([]byte(stdout.String()), &line); err != nil {
			t.Fatal(err)
		}
		if line.StoppedBy != aoso.StoppedByInterrupt || line.Trees < 10 || line.Trees != m.Trees() || line.Fingerprint != m.Fingerprint() {
			t.Errorf("%v: %+v, %d trees saved", signal, line, m.Trees())
		}
	}
}

// TestTrainCheckpoint: a training begins with its checkpoint, which may be all of it.
func TestTrainCheckpoint(t *testing.T) {
	train, _ := letter(t, 1000, 10)
	folder := t.TempDir()
	model, checkpoint := filepath.Join(folder, "m.aoso"), filepath.Join(folder, "training")
	args := []string{"train", "--data", train, "--model", model, "--n-estimators", "30", "--nthread", "1", "--json"}
	want := jsonLine[trained](t, do(t, args...))
	args = append(args, "--checkpoint", checkpoint)
	for range 2 {
		if got := jsonLine[trained](t, do(t, args...)); got.Fingerprint != want.Fingerprint {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if o := try(append(args, "--max-leaves", "7")...); o.code == 0 || !strings.Contains(o.stderr, "other parameters") {
		t.Errorf("%+v", o)
	}
	if o := try("train", "--data", train, "--model", model, "--checkpoint", model); o.code != 2 {
		t.Errorf("%+v", o)
	}
}
