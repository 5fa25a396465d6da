package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestDefaultLabel: where no flag names the label, train, tune and bin say which column
// they take, and refuse one that does not look like labels.
func TestDefaultLabel(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.aoso")
	table := func(header string, row func(i int) string) string {
		text := header
		for i := range 60 {
			text += row(i) + "\n"
		}
		return text
	}
	good := table("a,b,species\n", func(i int) string { return fmt.Sprintf("%d,%d,%c", i%7, i, 'x'+i%2) })
	first := table("species,a,b\n", func(i int) string { return fmt.Sprintf("%c,%d,%d.%d", 'x'+i%2, i%7, i%4, i%5) })
	command := func(name, data string, more ...string) []string {
		if name == "bin" {
			return append([]string{name, "--data", data, "--out", model}, more...)
		}
		if name == "tune" {
			more = append(more, "--trials", "1")
		}
		return append([]string{name, "--data", data, "--model", model, "--n-estimators", "2"}, more...)
	}
	for _, name := range []string{"train", "tune", "bin"} {
		data := file(t, "good.csv", good)
		if o := try(command(name, data)...); o.code != 0 || !strings.Contains(o.stderr, `good.csv: label: the last column, "species", by default; --label names another`) {
			t.Errorf("%s: %+v", name, o)
		}
		if o := try(command(name, data, "--label", "species")...); o.code != 0 || strings.Contains(o.stderr, "label") {
			t.Errorf("%s with --label: %+v", name, o)
		}
		data = file(t, "first.csv", first)
		fail(t, exitFailed, []string{`the last column, "b", would be the label by default, but it has 20 different numbers in 60 rows, such as 1.1`, "--label b takes this one"}, command(name, data)...)
		do(t, command(name, data, "--label", "b")...)
		do(t, command(name, data, "--label", "species")...)
	}
	for text, want := range map[string]string{
		strings.Replace(first, "species", "Class", 1):                                        `but there is a column "Class"; --label Class or --label b must say which`,
		strings.TrimPrefix(first, "species,a,b\n"):                                           "the last column would be the label by default",
		table("a,the id\n", func(i int) string { return fmt.Sprintf("%d,%d", i%7, 1000-i) }): "60 different numbers in 60 rows, such as 1000, as a feature has; --label names the column of the labels; --label 'the id' takes this one",
	} {
		fail(t, exitFailed, []string{want}, "train", "--data", file(t, "d.csv", text), "--model", model)
	}
	for _, text := range []string{
		table("a,b,species\n", func(i int) string { return fmt.Sprintf("%d,%d,%d", i, i, i%30) }),
		table("a,b,stars\n", func(i int) string { return fmt.Sprintf("%d,%d,%g", i, i, float64(1+i%9)/2) }),
		table("a,b,class\n", func(i int) string { return fmt.Sprintf("%d,%d,%d", i, i, i) }),
		table("label,b,class\n", func(i int) string { return fmt.Sprintf("%d,%d,%d", i, i, i%2) }),
		"1,2\n3,4\n5,6\n",
	} {
		do(t, "train", "--data", file(t, "d.csv", text), "--model", model, "--n-estimators", "2")
	}
}

// TestPipedRow: a row without a header is a row, also if its texts repeat.
func TestPipedRow(t *testing.T) {
	text := "age,smoker,sex,drinker,ill\n"
	for i := range 40 {
		answer := []string{"no", "yes"}
		text += fmt.Sprintf("%d,%s,%c,%s,%s\n", 20+i, answer[i%2], "mf"[i/2%2], answer[i/3%2], answer[i/20])
	}
	model := filepath.Join(t.TempDir(), "m.aoso")
	do(t, "train", "--data", file(t, "d.csv", text), "--model", model, "--n-estimators", "20")
	for _, row := range []string{"57,no,f,no\n", "57,no,f,no", "57,no,f,no,yes\n", "age,smoker,sex,drinker\n57,no,f,no\n"} {
		if got := do(t, "predict", "--model", model, "--data", file(t, "row.csv", row)); got != "yes\n" {
			t.Errorf("%q: %q", row, got)
		}
	}
	fail(t, exitFailed, []string{"has only one line", `the feature "age" is missing`}, "predict", "--model", model, "--data", file(t, "row.csv", "old,no,f,yes\n"))
}

// TestMarkedCells: cells such as N/A are missing in numeric columns, and train says so.
func TestMarkedCells(t *testing.T) {
	text, same := "age,city,class\n", "age,city,class\n"
	for i := range 40 {
		mark := []string{"N/A", "-", "<NA>", "None"}[i%4]
		text += fmt.Sprintf("%d,%s,x\n%s,Rome,y\n", i, mark, mark)
		same += fmt.Sprintf("%d,%s,x\n,Rome,y\n", i, mark)
	}
	o := try("train", "--data", file(t, "d.csv", text), "--model", filepath.Join(t.TempDir(), "m"), "--n-estimators", "2")
	if o.code != 0 || !strings.Contains(o.stderr, `d.csv: missing values in numeric columns: age (40 times "N/A")`) || !strings.Contains(o.stderr, "1 categorical: city (5)") {
		t.Errorf("%+v", o)
	}
	if a, b := fingerprintOf(t, file(t, "d.csv", text)), fingerprintOf(t, file(t, "d.csv", same)); a != b {
		t.Errorf("fingerprints %s and %s", a, b)
	}
}

// TestIdentifiers: columns nearly all of whose values differ are told, but not measures and times.
func TestIdentifiers(t *testing.T) {
	text := "patient,name,grams,born,a,class\n"
	for i := range 60 {
		text += fmt.Sprintf("%d,n%d,%g,19%d-01-01,%d,%c\n", (i*7919)%10007, max(i, 2), 20.5+float64(i), 30+i, i%9, 'x'+i%2)
	}
	o := try("train", "--data", file(t, "d.csv", text), "--model", filepath.Join(t.TempDir(), "m"), "--n-estimators", "2")
	for _, want := range []string{
		`column "patient" of `, "has a different whole number in nearly each row, as identifiers have; --ignore leaves it out",
		`column "name" of `, "has a different text in nearly each row; --ignore leaves it out",
	} {
		if o.code != 0 || !strings.Contains(o.stderr, want) {
			t.Errorf("%q is not in %s", want, o.stderr)
		}
	}
	if strings.Count(o.stderr, "--ignore leaves it out") != 2 {
		t.Error(o.stderr)
	}
}

// TestUselessColumns: columns that number the rows or differ in each are told.
func TestUselessColumns(t *testing.T) {
	text := ",key,count,a,class\n"
	for i := range 40 {
		text += fmt.Sprintf("%d,k%d,%d,%d,%c\n", 100-i, i, i+1, i%9, 'x'+i%2)
	}
	o := try("train", "--data", file(t, "d.csv", text), "--model", filepath.Join(t.TempDir(), "m"), "--n-estimators", "2")
	for _, want := range []string{
		`column "" of `, "has no name and a different whole number in each row, as an index; --ignore leaves it out",
		`column "key" of `, "has a different text in each row; --ignore leaves it out", `column "count" of `, "counts the rows",
	} {
		if o.code != 0 || !strings.Contains(o.stderr, want) {
			t.Errorf("%q is not in %s", want, o.stderr)
		}
	}
	if strings.Count(o.stderr, "--ignore leaves it out") != 3 {
		t.Error(o.stderr)
	}
}

// TestLabelName: the result, the model and what is derived of it name the label's column; training warns of
// features that have the name of a label.
func TestLabelName(t *testing.T) {
	dir := t.TempDir()
	model, dataset := filepath.Join(dir, "m.aoso"), filepath.Join(dir, "d.aosod")
	table := func(header string) string {
		text := header + "\n"
		for i := range 60 {
			text += fmt.Sprintf("%d,%d,%d,%c\n", i%7, i%5, i%11, 'x'+i%2)
		}
		return file(t, "d.csv", text)
	}
	warning := `the label is "kind", and column "%s" is a feature; --ignore %[1]s leaves it out`
	for header, features := range map[string][]string{
		"a,b,Target,kind": {"Target"}, "y,class,label,kind": {"y", "class", "label"}, "x,y,b,kind": nil, "a,b,c,kind": nil,
	} {
		data := table(header)
		for _, command := range [][]string{
			{"train", "--model", model, "--n-estimators", "2", "--data", data, "--label", "kind"},
			{"bin", "--out", dataset, "--data", data, "--label", "kind"},
		} {
			o := try(command...)
			if o.code != 0 || strings.Count(o.stderr, "is a feature; --ignore") != len(features) {
				t.Errorf("%q: %+v", command, o)
			}
			for _, name := range features {
				if !strings.Contains(o.stderr, fmt.Sprintf(warning, name)) {
					t.Errorf("%q is not in %s", fmt.Sprintf(warning, name), o.stderr)
				}
			}
			if command[0] == "train" && !strings.Contains(o.stdout, "label       kind (2 classes)\n") {
				t.Error(o.stdout)
			}
		}
	}
	if o := try("train", "--model", model, "--n-estimators", "2", "--data", table("a,class,b,target")); o.code != exitFailed && !strings.Contains(o.stderr, `the label is "target", and column "class" is a feature`) {
		t.Errorf("%+v", o)
	}
	short := filepath.Join(dir, "short.aoso")
	do(t, "bin", "--out", dataset, "--data", table("a,b,c,kind"))
	do(t, "train", "--model", model, "--n-estimators", "2", "--data", dataset)
	do(t, "truncate", "--model", model, "--trees", "1", "--out", short)
	do(t, "train", "--model", model, "--init", short, "--n-estimators", "2", "--data", table("a,b,c,kind"))
	for _, m := range []string{short, model} {
		if text := do(t, "info", "--model", m); !strings.Contains(text, "label        kind\n") {
			t.Error(text)
		}
	}
}

// TestTold: the result says what is calibrated, the parameters, and whether the number of trees is the largest allowed.
func TestTold(t *testing.T) {
	data, _ := letter(t, 1000, 10) // on clear labels, every tree is of use
	args := []string{"train", "--data", data, "--model", filepath.Join(t.TempDir(), "m.aoso")}
	o := try(args...)
	for _, want := range []string{", the most that the settings allow; --n-estimators with --ensemble 6 allows more", "params      ", " learning_rate=", "held out    ", "calibrated  with temperature"} {
		if o.code != 0 || !strings.Contains(o.stdout, want) {
			t.Errorf("%q is not in %s", want, o.stdout)
		}
	}
	if !strings.Contains(o.stderr, "log losses in these tables are not calibrated") {
		t.Error(o.stderr)
	}
	if o := do(t, append(args, "--n-estimators", "5", "--calibration", "none")...); strings.Contains(o, "the most") || strings.Contains(o, "calibrated  ") {
		t.Error(o)
	}
}
