package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// TestSets: sets of a conformalized model, with names that need an escape.
func TestSets(t *testing.T) {
	model, dir := smallModel(t), t.TempDir()
	data := file(t, "d.csv", small)
	fail(t, exitFailed, []string{"without conformity scores", "conformalized"}, "predict", "--model", model, "--data", data, "--sets", "0.1")
	with := filepath.Join(dir, "with.aoso")
	line := jsonLine[saved](t, do(t, "conformalize", "--model", model, "--data", data, "--out", with, "--json"))
	if line.ConformalRows != 9 {
		t.Errorf("%+v", line)
	}
	if got := jsonLine[described](t, do(t, "info", "--model", with, "--json")); got.ConformalRows != 9 || got.Fingerprint != line.Fingerprint {
		t.Errorf("%+v", got)
	}
	if text := do(t, "info", "--model", with); !strings.Contains(text, "sets         by the scores of 9 rows\n") {
		t.Error(text)
	}
	// With nine rows, no class can be left out for alpha below 0.1.
	if got := do(t, "predict", "--model", with, "--data", data, "--sets", "0.09", "--method", "raps"); got != "size,classes\n"+strings.Repeat("3,x|y|z\n", 9) {
		t.Error(got)
	}
	want := "size,classes\n" + strings.Repeat("1,x\n", 3) + strings.Repeat("1,y\n", 3) + strings.Repeat("1,z\n", 3)
	if got := do(t, "predict", "--model", with, "--data", data, "--sets", "0.1"); got != want {
		t.Error(got)
	}
	empty := do(t, "predict", "--model", with, "--data", data, "--sets", "0.9", "--method", "aps")
	if !strings.Contains(empty, "\n0,\n") {
		t.Error(empty)
	}
	if got := do(t, "predict", "--model", with, "--data", data, "--sets", "0.9", "--method", "aps", "--non-empty"); got != want {
		t.Error(got)
	}
	if got := escapeClass.Replace(`a|b\c`); got != `a\|b\\c` {
		t.Error(got)
	}
	fail(t, exitFailed, []string{"alpha is 1;"}, "predict", "--model", with, "--data", data, "--sets", "1")
	fail(t, exitFailed, []string{`method is "top"`, "lac, aps or raps"}, "predict", "--model", with, "--data", data, "--sets", "0.1", "--method", "top")
	fail(t, exitUsage, []string{"output", "sets"}, "predict", "--model", with, "--data", data, "--sets", "0.1", "--output", "raw")
	fail(t, exitUsage, []string{`output is "sets"`}, "predict", "--model", with, "--data", data, "--output", "sets")
	fail(t, exitFailed, []string{"unknown classes"}, "conformalize", "--model", model, "--data", file(t, "d.csv", "1,2,new\n"), "--out", with)
}

// TestTop: the most likely classes and their probabilities, in order.
func TestTop(t *testing.T) {
	model, data := smallModel(t), file(t, "d.csv", small)
	rows := records(t, "class1,probability1,class2,probability2", "predict", "--model", model, "--data", data, "--top", "2")
	proba := records(t, "x,y,z", "predict", "--model", model, "--data", data, "--output", "proba")
	for i, row := range rows {
		first, second := strings.Index("xyz", row[0]), strings.Index("xyz", row[2])
		if row[0] != strings.Split(smallClasses, "\n")[i] || first == second || row[1] != proba[i][first] || row[3] != proba[i][second] || row[1] <= row[3] {
			t.Errorf("row %d: %v of %v", i, row, proba[i])
		}
	}
	for _, top := range []string{"0", "4"} {
		fail(t, exitUsage, []string{"top is " + top + "; allowed: 1 to 3"}, "predict", "--model", model, "--data", data, "--top", top)
	}
}

func TestCosts(t *testing.T) {
	model, data := smallModel(t), file(t, "d.csv", small)
	costs := func(content string) []string {
		return []string{"predict", "--model", model, "--data", data, "--costs", file(t, "costs.csv", content)}
	}
	rows := records(t, "decision,expected_cost", costs("true,x,y,z\nz,1,1,0\nx,0,1,1\ny,1,0,1\n")...)
	for i, row := range rows {
		if row[0] != strings.Split(smallClasses, "\n")[i] || !(row[1] > "0" && row[1] < "0.5") {
			t.Errorf("row %d: %v", i, row)
		}
	}
	for i, row := range records(t, "decision,expected_cost", costs("class,\"ask, then wait\",go\nx,0.4,0\ny, 0.4 ,1\nz,0.4,1\n")...) {
		if want := []string{"go", "ask, then wait"}[min(i/3, 1)]; row[0] != want || want != "go" && row[1] != "0.4" {
			t.Errorf("row %d: %v", i, row)
		}
	}
	for content, want := range map[string]string{
		"":                            "costs.csv:1: there are no decisions",
		"class,a\nx,1\ny,1\n":         `costs.csv:3: missing: "z"`,
		"class,a\nx,1\nw,1\n":         `costs.csv:3: class is "w"; allowed: each class of the model once: x, y, z`,
		"class,a\nx,1\nx,1\n":         `costs.csv:3: class is "x"`,
		"class,a\nx,1\ny,NaN\nz,1\n":  `costs.csv:3: the cost of "a" is "NaN"; allowed: finite numbers`,
		"class,a\nx,1\ny,much\nz,1\n": `the cost of "a" is "much"`,
		"class,a\nx,1\ny,1,2\nz,1\n":  "costs.csv:3: wrong number of fields",
	} {
		fail(t, exitFailed, []string{want}, costs(content)...)
	}
	fail(t, exitFailed, []string{"no such file"}, "predict", "--model", model, "--data", data, "--costs", "none.csv")
	fail(t, exitUsage, []string{"costs"}, append(costs("class,a\n"), "--sets", "0.1")...)
}

// TestAbstain: a decision is empty where the cost of not deciding is least.
func TestAbstain(t *testing.T) {
	classes := []string{"x", "y", "z"}
	predict := []string{"predict", "--model", smallModel(t), "--data", file(t, "d.csv", small)}
	proba := records(t, "x,y,z", append(predict, "--output", "proba")...)
	for _, cost := range []float64{0, 0.2, 0.6, 1} {
		empty := 0
		for i, row := range records(t, "decision,expected_cost", append(predict, "--abstain", fmt.Sprint(cost))...) {
			best := 0
			for k := range proba[i] {
				if number(t, proba[i][k]) > number(t, proba[i][best]) {
					best = k
				}
			}
			error := 1 - number(t, proba[i][best])
			want := classes[best]
			if error > cost {
				want, empty = "", empty+1
			}
			if row[0] != want || math.Abs(number(t, row[1])-min(error, cost)) > 1e-12 {
				t.Errorf("cost %g, row %d: %q; want %q, error %g", cost, i, row, want, error)
			}
		}
		if cost == 0 && empty == 0 || cost == 1 && empty > 0 {
			t.Errorf("cost %g: %d rows are not decided", cost, empty)
		}
	}
	fail(t, exitUsage, []string{"abstain is NaN"}, append(predict, "--abstain", "nan")...)
	fail(t, exitUsage, []string{"abstain"}, append(predict, "--abstain", "1", "--top", "1")...)
}
