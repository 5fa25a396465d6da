package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBin: training on a dataset file gives the model that the data files give.
func TestBin(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	header, first, second, numbers := "size,colour,code,kind\n", "", "", ""
	for i := range 400 {
		row := fmt.Sprintf("%d,%s,%d,k%d\n", i*i%97, []string{"red", "", "blue", "7"}[i%4], i%5, i%3)
		if i < 150 {
			first += row
		} else {
			second += row
		}
		numbers += fmt.Sprintf("k%d 1:%d 3:%d\n", i%3, i*i%97, i%5)
	}
	whole := file("whole.csv", header+first+second)
	fingerprint := func(args ...string) string {
		t.Helper()
		var line trained
		out := do(t, append(args, "--model", filepath.Join(dir, "m.aoso"), "--preset", "paper", "--n-estimators", "5", "--json")...)
		if err := json.Unmarshal([]byte(out), &line); err != nil {
			t.Fatal(err)
		}
		return line.Fingerprint
	}
	set := filepath.Join(dir, "set.aosod")
	for _, c := range []struct {
		data  []string
		flags []string
		whole string
	}{
		{[]string{file("a.csv", header+first), file("b.csv", header+second)}, []string{"--categorical", "code"}, whole},
		{[]string{whole}, []string{"--label", "kind", "--ignore", "code"}, whole},
		{[]string{file("late.csv", header+strings.ReplaceAll(first, "red", "")+second)}, nil, file("late2.csv", header+strings.ReplaceAll(first, "red", "")+second)},
		{[]string{file("set.libsvm", numbers)}, nil, file("set2.libsvm", numbers)},
	} {
		want := fingerprint(append([]string{"train", "--data", c.whole}, c.flags...)...)
		args := append([]string{"bin", "--out", set, "--json"}, c.flags...)
		for _, f := range c.data {
			args = append(args, "--data", f)
		}
		var line binned
		if err := json.Unmarshal([]byte(do(t, args...)), &line); err != nil || line.Rows != 400 || line.Classes != 3 || line.Dataset != set {
			t.Errorf("%+v, %v", line, err)
		}
		if got := fingerprint("train", "--data", set); got != want {
			t.Errorf("%v: fingerprint %s, want %s", c, got, want)
		}
	}
	do(t, "bin", "--data", whole, "--out", set)
	do(t, "train", "--data", set, "--valid", whole, "--model", filepath.Join(dir, "m.aoso"), "--n-estimators", "3")
	fail(t, exitUsage, []string{"--init", set}, "train", "--data", set, "--init", filepath.Join(dir, "m.aoso"), "--model", filepath.Join(dir, "n.aoso"))
	before, _ := os.ReadDir(dir)
	fail(t, exitUsage, []string{"read twice"}, "bin", "--data", "-", "--out", set)
	fail(t, exitUsage, []string{"input file"}, "bin", "--data", whole, "--out", whole)
	fail(t, exitUsage, []string{"label"}, "bin", "--data", whole, "--label", "none", "--out", set)
	fail(t, exitFailed, []string{"max_bin"}, "bin", "--data", whole, "--max-bin", "1", "--out", filepath.Join(dir, "none"))
	fail(t, exitFailed, []string{"c.csv", "those of"}, "bin", "--data", whole, "--data", file("c.csv", "a,b,c,d\n1,2,3,4\n"), "--out", filepath.Join(dir, "none"))
	if after, _ := os.ReadDir(dir); len(after) != len(before)+1 { // c.csv
		t.Errorf("the failures left %v", after)
	}
}

// TestUnusedFlags: flags that say how to read data are refused where nothing reads them.
func TestUnusedFlags(t *testing.T) {
	data, dir := file(t, "d.csv", small), t.TempDir()
	dataset, model := filepath.Join(dir, "d.aosod"), filepath.Join(dir, "m.aoso")
	do(t, "bin", "--data", data, "--out", dataset)
	do(t, "train", "--data", dataset, "--model", model, "--n-estimators", "2")
	for flag, value := range map[string]string{
		"label": "class", "weight": "a", "ignore": "a", "header": "yes", "separator": ";", "decimal": ",", "comment": "%",
		"columns": "a", "numeric": "a", "categorical": "a", "row-id": "a", "max-bin": "9",
	} {
		fail(t, exitUsage, []string{"--" + flag + " has no effect", "is a dataset"}, "train", "--data", dataset, "--model", model, "--"+flag, value)
	}
	fail(t, exitUsage, []string{"--text-labels has no effect"}, "tune", "--data", dataset, "--model", model, "--text-labels")
	fail(t, exitUsage, []string{"--max-bin has no effect"}, "train", "--data", dataset, "--valid", data, "--model", model, "--max-bin", "9")
	do(t, "train", "--data", dataset, "--valid", data, "--label", "class", "--model", model, "--n-estimators", "2")
	fail(t, exitUsage, []string{"--columns has no effect with --init"}, "train", "--data", data, "--init", model, "--columns", "a", "--model", model)
}
