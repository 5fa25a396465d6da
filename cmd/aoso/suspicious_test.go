package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSuspicious: the wrong labels are in the file, by the position of their rows.
func TestSuspicious(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,y,class\n")
	for i := range 300 {
		class := "low"
		if i >= 150 != (i == 20 || i == 250) {
			class = "high, or so"
		}
		fmt.Fprintf(&b, "%d,%d,%q\n", i, i*7%11, class)
	}
	data, folder := file(t, "d.csv", b.String()), t.TempDir()
	model, out := filepath.Join(folder, "m"), filepath.Join(folder, "rows.csv")
	do(t, "train", "--data", data, "--model", model, "--suspicious", out, "--n-estimators", "20")
	text, err := os.ReadFile(out)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if err != nil || len(lines) < 3 || len(lines) > 6 || lines[0] != "row,label,probability,other,other_probability" ||
		!strings.Contains(string(text), "\n20,\"high, or so\",0.") || !strings.Contains(string(text), "\n250,low,0.") {
		t.Errorf("%s %v", text, err)
	}
	o := try("train", "--data", data, "--model", model, "--suspicious", out, "--suspicious-runs", "3", "--n-estimators", "20")
	several, err := os.ReadFile(out)
	if err != nil || o.code != 0 || !strings.Contains(o.stderr, "run 3 of 3") || string(several) == string(text) ||
		!strings.Contains(string(several), "\n20,\"high, or so\",0.") || !strings.Contains(string(several), "\n250,low,0.") {
		t.Errorf("%s %v %+v", several, err, o)
	}
	for name, arguments := range map[string][]string{
		"a file of its own":     {"--suspicious", model},
		"is an input file":      {"--suspicious", data},
		"no such file":          {"--suspicious", filepath.Join(folder, "none", "rows.csv")},
		"without --valid":       {"--suspicious", out, "--preset", "paper"},
		"at least 1":            {"--suspicious", out, "--suspicious-runs", "0"},
		"without --suspicious":  {"--suspicious-runs", "2"},
		"the model is saved in": {"--suspicious", out, "--valid", data},
	} {
		o := try(append([]string{"train", "--data", data, "--model", model, "--n-estimators", "2"}, arguments...)...)
		if o.code == 0 || !strings.Contains(o.stderr, name) {
			t.Errorf("%v: %+v", arguments, o)
		}
	}
}
