package main

import (
	"math"
	"strings"
	"testing"
)

func TestEval(t *testing.T) {
	model := smallModel(t)
	out := do(t, "eval", "--model", model, "--data", file(t, "d.csv", small+"5,1,x\n5,1,new\n"))
	for _, want := range []string{"rows     11", "errors   2 (18.18 %)", "unknown  1 rows", "x     4       1  25.00 %", "brier    0.", "ece      0.", "confidence  accuracy  rows"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	e := jsonLine[evaluated](t, do(t, "eval", "--model", model, "--data", file(t, "d.csv", small+"5,1,x\n5,1,new\n"), "--json"))
	if e.Rows != 11 || e.Errors != 2 || e.Unknown != 1 || e.LogLoss == nil || e.Trees != 20 || !(*e.Brier > 0 && *e.Brier < 2) || !(*e.ECE > 0 && *e.ECE < 1) {
		t.Errorf("%+v", e)
	}
	m := jsonLine[evaluated](t, do(t, "eval", "--model", model, "--data", file(t, "d.csv", small), "--json", "--metric", "kappa", "--metric", "error@2"))
	if k, e := m.Metrics["kappa"], m.Metrics["error@2"]; k == nil || !(*k > 0 && *k <= 1) || e == nil || *e != 0 {
		t.Errorf("%+v", m.Metrics)
	}
	if out := do(t, "eval", "--model", model, "--data", file(t, "d.csv", "5,1,x\n"), "--metric", "auc_ovr"); !strings.Contains(out, "auc_ovr  not defined") {
		t.Error(out)
	}
	fail(t, exitUsage, []string{"metric", "auc", "auc_ovr"}, "eval", "--model", model, "--data", file(t, "d.csv", small), "--metric", "auc")
	confused := []string{"eval", "--model", model, "--data", file(t, "d.csv", small+"5,1,x\n5,1,new\n"), "--confusions", "2"}
	c := jsonLine[evaluated](t, do(t, append(confused, "--json")...)).Confusions
	if len(c) != 1 || c[0].FirstAsSecond+c[0].SecondAsFirst != 1 || c[0].FirstRows+c[0].SecondRows != 7 {
		t.Errorf("confusions %+v", c)
	}
	if out := do(t, confused...); !strings.Contains(out, "first as second") {
		t.Error(out)
	}
	fail(t, exitUsage, []string{"confusions is -1", "at least 0"}, "eval", "--model", model, "--data", file(t, "d.csv", small), "--confusions", "-1")
	rows := 0
	for _, b := range e.Reliability {
		rows += b.Rows
	}
	if rows != 11 {
		t.Errorf("%d rows in the bins %+v", rows, e.Reliability)
	}
	fail(t, exitFailed, []string{"d.csv: labels is", "1 rows of unknown classes (such as new)"}, "eval", "--model", model, "--data", file(t, "d.csv", "5,1,new\n"))
	o := try("eval", "--model", model, "--data", file(t, "d.csv", "5,1,new\n5,1,old\n1,1,x\n"), "--json")
	if o.code != 0 || !strings.Contains(o.stderr, "warning: 2 of the 3 rows of ") || jsonLine[evaluated](t, o.stdout).LogLoss == nil {
		t.Errorf("mostly unknown labels: %+v", o)
	}
	if got := do(t, "eval", "--model", model, "--data", file(t, "d.csv", "class,b,a\nx,1,1\n"), "--label", "class", "--trees", "3", "--json"); !strings.Contains(got, `"errors":0`) || !strings.Contains(got, `"trees":3`) {
		t.Error(got)
	}
	fail(t, exitFailed, []string{"has no column for the label"}, "eval", "--model", model, "--data", file(t, "d.csv", "a,b\n1,2\n"))
	fail(t, exitFailed, []string{"empty"}, "eval", "--model", model, "--data", file(t, "d.csv", ""))
}

// TestEvalWeights: metrics, losses and bins count rows by their weights.
func TestEvalWeights(t *testing.T) {
	model := smallModel(t)
	weighted := file(t, "w.csv", "a,b,w,class\n5,1,3,x\n1,1,1,x\n")
	repeated := file(t, "r.csv", "a,b,class\n5,1,x\n5,1,x\n5,1,x\n1,1,x\n")
	metrics := []string{"--json", "--metric", "error", "--metric", "logloss", "--metric", "f1_macro", "--metric", "brier"}
	of := func(args ...string) evaluated {
		return jsonLine[evaluated](t, do(t, append(append([]string{"eval", "--model", model, "--data"}, args...), metrics...)...))
	}
	w, r := of(weighted, "--weight", "w"), of(repeated)
	for name, want := range r.Metrics {
		if got := w.Metrics[name]; got == nil || math.Abs(*got-*want) > 1e-12 {
			t.Errorf("%s: %v, with repeated rows %v", name, got, *want)
		}
	}
	if *r.Metrics["error"] != 0.75 || math.Abs(w.ErrorRate-r.ErrorRate) > 1e-12 || math.Abs(*w.Brier-*r.Brier) > 1e-12 {
		t.Errorf("%+v\n%+v", w, r)
	}
}
