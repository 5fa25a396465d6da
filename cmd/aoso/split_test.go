package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestGroupAndTime: rows are held out by groups or times, which are no features.
func TestGroupAndTime(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("patient,visit,a,b,label\n")
	for i := range 300 {
		fmt.Fprintf(&rows, "p%d,2026-%02d-01,%d,%d,%d\n", i/30, 1+i%10, i%7, i*i%11, i%3)
	}
	data, model := file(t, "visits.csv", rows.String()), filepath.Join(t.TempDir(), "model")
	train := func(flags string) []string {
		return strings.Fields("train --n-estimators 5 --json --data " + data + " --model " + model + " " + flags)
	}
	for _, flags := range []string{"--group patient --calibration holdout --ignore visit", "--time visit --ignore patient"} {
		if out := do(t, train(flags)...); !strings.Contains(out, `"held_out_rows":60,`) {
			t.Errorf("%s: %s", flags, out)
		}
	}
	do(t, train("--group patient")...)
	if out := do(t, "info", "--json", "--model", model); !strings.Contains(out, `"feature_names":["visit","a","b"]`) {
		t.Errorf("the features of %s", out)
	}
	if o := try(train("--time patient")...); o.code != 1 || !strings.Contains(o.stderr, `the time "p0" in row 1; allowed: numbers, or dates`) {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	fail(t, 1, []string{`no column "other"`}, train("--group other")...)
	fail(t, 2, []string{"group time"}, train("--group patient --time visit")...)
	fail(t, 2, []string{"no effect with --valid"}, train("--group patient --valid "+data)...)
}
