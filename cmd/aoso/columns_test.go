package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestColumnsByName: columns are found by name, also where the names are those that
// the library generates for features without names.
func TestColumnsByName(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.aoso")
	rows := "1,9,5,a\n2,8,5,a\n3,1,6,b\n4,2,6,b\n5,7,7,c\n6,6,7,c\n"
	do(t, "train", "--data", file(t, "d.csv", "f0,f1,f2,class\n"+rows+rows), "--model", model, "--n-estimators", "20", "--min-samples-leaf", "1", "--quiet")
	want := do(t, "predict", "--model", model, "--data", file(t, "p.csv", "f0,f1,f2\n1,9,5\n3,1,6\n5,7,7\n"), "--output", "raw")
	for _, other := range []string{
		"f2,f0,f1\n5,1,9\n6,3,1\n7,5,7\n",
		"f2,other,f0,f1\n5,0,1,9\n6,0,3,1\n7,0,5,7\n",
	} {
		if got := do(t, "predict", "--model", model, "--data", file(t, "p.csv", other), "--output", "raw"); got != want {
			t.Errorf("%q gives\n%s, want\n%s", other, got, want)
		}
	}
	fail(t, exitFailed, []string{`no column "f1"`}, "predict", "--model", model, "--data", file(t, "p.csv", "f0,f2,g1\n1,5,9\n"))

	do(t, "train", "--data", file(t, "d.csv", rows+rows), "--model", model, "--n-estimators", "20", "--min-samples-leaf", "1", "--quiet") // no names
	for _, header := range []string{"f0,f1,f2\n", "x,y,z\n", ""} {
		if got := do(t, "predict", "--model", model, "--data", file(t, "p.csv", header+"1,9,5\n3,1,6\n5,7,7\n"), "--output", "raw"); got != want {
			t.Errorf("header %q gives\n%s, want\n%s", header, got, want)
		}
	}
}

// TestIdentifiersKeepAllDigits: float64 would merge the numbers of a categorical column.
func TestIdentifiersKeepAllDigits(t *testing.T) {
	model, data := filepath.Join(t.TempDir(), "m.aoso"), "id,v,class\n"
	for range 20 {
		data += "1152921504606846976,1,a\n1152921504606846977,1,b\n1152921504606846978,1,c\n7,1,a\n"
	}
	do(t, "train", "--data", file(t, "d.csv", data), "--model", model, "--categorical", "id", "--n-estimators", "20", "--quiet")
	ask := "id,v\n1152921504606846977,1\n1152921504606846978,1\n7,1\n1152921504606846976,1\n"
	if got := strings.Fields(do(t, "predict", "--model", model, "--data", file(t, "p.csv", ask))); strings.Join(got, "") != "bcaa" {
		t.Errorf("predicted %q", got)
	}
	if out := do(t, "eval", "--model", model, "--data", file(t, "d.csv", data), "--json"); !strings.Contains(out, `"errors":0`) {
		t.Error(out)
	}
}
