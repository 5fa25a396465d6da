package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// sharesFile has soft labels of three classes, and a column of groups.
func sharesFile(t *testing.T) string {
	r := rand.New(rand.NewPCG(3, 0))
	var b strings.Builder
	b.WriteString("x,low,mid,high,who\n")
	for i := range 200 {
		x := r.Float64()
		fmt.Fprintf(&b, "%.3f,%.4f,%.4f,%.4f,%d\n", x, (1-x)*(1-x), 2*x*(1-x), x*x, i%20)
	}
	return file(t, "shares.csv", b.String())
}

// TestLabelColumns: each command that reads labels takes them from several columns.
func TestLabelColumns(t *testing.T) {
	data, folder := sharesFile(t), t.TempDir()
	model, other := filepath.Join(folder, "m"), filepath.Join(folder, "other")
	train := func(args ...string) trained {
		return jsonLine[trained](t, do(t, append([]string{"train", "--model", model, "--n-estimators", "20", "--ensemble", "1", "--json", "--quiet"}, args...)...))
	}
	soft := []string{"--label-columns", "high,low", "--label-columns", "mid"}
	line := train(append(soft, "--data", data, "--ignore", "who", "--valid", data, "--valid", data)...)
	if line.Classes != 3 || line.Features != 1 || len(line.Others) != 1 || *line.Others[0].LogLoss != *line.ValidLogLoss {
		t.Errorf("%+v", line)
	}
	binned := filepath.Join(folder, "d.aosod")
	do(t, append(soft, "bin", "--data", data, "--ignore", "who", "--out", binned)...)
	whole := train(append(soft, "--data", data, "--ignore", "who")...)
	if of := train("--data", binned); of.Fingerprint != whole.Fingerprint {
		t.Error("the dataset file has another model")
	}
	if grouped := train(append(soft, "--data", data, "--group", "who")...); *grouped.HeldOutRows == 0 || grouped.Features != 1 {
		t.Errorf("%+v", grouped)
	}
	eval := func(model string) evaluated {
		return jsonLine[evaluated](t, do(t, append(soft, "eval", "--model", model, "--data", data, "--json", "--metric", "kappa")...))
	}
	before := eval(model)
	if before.ECE != nil || *before.Metrics["kappa"] < 0.7 || *before.Brier > 0.01 {
		t.Errorf("%+v", before)
	}
	if text := do(t, append(soft, "eval", "--model", model, "--data", data)...); !strings.Contains(text, "\nbrier ") || strings.Contains(text, "confidence") {
		t.Error(text)
	}
	do(t, append(soft, "calibrate", "--model", model, "--data", data, "--out", other)...)
	if after := eval(other); *after.LogLoss > *before.LogLoss {
		t.Errorf("calibrated %g, before %g", *after.LogLoss, *before.LogLoss)
	}
	do(t, append(soft, "refit", "--model", model, "--data", data, "--out", other)...)
	if predicted := do(t, "predict", "--model", other, "--data", data, "--output", "proba"); !strings.HasPrefix(predicted, "high,low,mid\n") {
		t.Error(predicted)
	}
	for want, args := range map[string][]string{
		"allowed for conformalize: --label":           append(soft, "conformalize", "--model", model, "--data", data, "--out", other),
		"allowed for --confusions: --label":           append(soft, "eval", "--model", model, "--data", data, "--confusions", "2"),
		"allowed for plot: --label":                   append(soft, "plot", "reliability", "--model", model, "--data", data, "--out", other+".svg"),
		`label is "who"; allowed with`:                append(soft, "train", "--label", "who", "--data", data, "--model", other),
		"has 1 column; allowed: at least two":         {"train", "--label-columns", "low", "--data", data, "--model", other},
		`no column "lo"`:                              {"train", "--label-columns", "lo,mid", "--data", data, "--model", other},
		"the sum of the shares in row 0":              {"train", "--label-columns", "low,mid", "--data", data, "--model", other},
		`the share of class "b" in row 1 is "x"`:      {"train", "--label-columns", "a,b", "--data", file(t, "bad.csv", "v,a,b\n1,0.5,0.5\n2,1,x\n"), "--model", other},
		`the share of class "b" in row 1 is -1`:       {"train", "--label-columns", "a,b", "--data", file(t, "bad.csv", "v,a,b\n1,0.5,0.5\n2,1,-1\n"), "--model", other},
		"--label-columns has no effect":               {"train", "--label-columns", "low,mid", "--data", binned, "--model", other},
		`"4" is the column of groups or times; allow`: append(soft, "train", "--group", "4", "--data", data, "--model", other),
	} {
		if o := try(args...); o.code == 0 || !strings.Contains(o.stderr, want) {
			t.Errorf("%v: %+v; want %s", args, o, want)
		}
	}
}
