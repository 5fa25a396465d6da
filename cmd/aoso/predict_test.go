package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const smallClasses = "x\nx\nx\ny\ny\ny\nz\nz\nz\n"

// Files may have labels or not, at either end, and names in any order.
func TestPredictForms(t *testing.T) {
	model := smallModel(t)
	for name, c := range map[string]struct {
		content string
		args    []string
	}{
		"labelled":          {content: small},
		"without label":     {content: "a,b\n1,1\n5,1\n2,9\n"},
		"without names":     {content: "1,1\n5,1\n2,9\n"},
		"labels, no names":  {content: "1,1,x\n5,1,\"unseen, really\"\n2,9,z\n"},
		"label first":       {content: "class,a,b\nx,1,1\nx,5,1\nx,2,9\n", args: []string{"--label", "class"}},
		"label by index":    {content: "x,1,1\nx,5,1\nx,2,9\n", args: []string{"--label", "0"}},
		"other order":       {content: "b,a\n1,1\n1,5\n9,2\n"},
		"other separator":   {content: "a;b\n1;1\n5;1\n2;9\n"},
		"libsvm":            {content: "x 1:1 2:1\ny 1:5 2:1\nz 1:2 2:9\n"},
		"libsvm, no labels": {content: "1:1 2:1\n1:5 2:1\n1:2 2:9\n"},
	} {
		want := "x\ny\nz\n"
		if name == "labelled" {
			want = smallClasses
		}
		args := append([]string{"predict", "--model", model, "--data", file(t, "d", c.content)}, c.args...)
		if got := do(t, args...); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	// Absent features of LIBSVM are 0.
	if got := do(t, "predict", "--model", model, "--data", file(t, "d", "x 1:1\nx 1:5\n")); got != "x\ny\n" {
		t.Errorf("short LIBSVM: %q", got)
	}
}

func TestPredictOutputs(t *testing.T) {
	model, data := smallModel(t), file(t, "d.csv", small)
	numbers := func(output string, columns int, header string) [][]float64 {
		records, err := csv.NewReader(strings.NewReader(do(t, "predict", "--model", model, "--data", data, "--output", output))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if len(records) != 10 || len(records[0]) != columns || !strings.HasPrefix(strings.Join(records[0], " "), header) {
			t.Fatalf("%s: %q", output, records)
		}
		rows := make([][]float64, 9)
		for i, record := range records[1:] {
			for _, cell := range record {
				v, err := strconv.ParseFloat(cell, 64)
				if err != nil {
					t.Fatal(err)
				}
				rows[i] = append(rows[i], v)
			}
		}
		return rows
	}
	proba, raw := numbers("proba", 3, "x y z"), numbers("raw", 3, "x y z")
	numbers("leaf", 20, "tree0 tree1")
	for i, p := range proba {
		if math.Abs(p[0]+p[1]+p[2]-1) > 1e-12 {
			t.Errorf("row %d: probabilities %v", i, p)
		}
		if k := i / 3; p[k] < 0.5 || raw[i][k] < 0 {
			t.Errorf("row %d: probabilities %v, scores %v", i, p, raw[i])
		}
	}
	out := filepath.Join(t.TempDir(), "out.txt")
	if stdout := do(t, "predict", "--model", model, "--data", data, "--out", out); stdout != "" || read(t, out) != smallClasses {
		t.Errorf("stdout %q, file %q", stdout, read(t, out))
	}
	do(t, "predict", "--model", model, "--data", data, "--out", os.DevNull)
	fail(t, exitUsage, []string{"cannot be overwritten"}, "predict", "--model", model, "--data", data, "--out", data)
	fail(t, exitFailed, []string{"cannot write"}, "predict", "--model", model, "--data", data, "--out", filepath.Join(out, "x"))
	fail(t, exitFailed, []string{"trees is 21", "20"}, "predict", "--model", model, "--data", data, "--trees", "21")
}

// The scores of some classes equal those among all, in the order of the flags.
func TestPredictOf(t *testing.T) {
	model, data := smallModel(t), file(t, "d.csv", small)
	all := records(t, "x,y,z", "predict", "--model", model, "--data", data, "--output", "raw")
	for i, some := range records(t, "z,x", "predict", "--model", model, "--data", data, "--output", "raw", "--of", "z", "--of", "x") {
		if some[0] != all[i][2] || some[1] != all[i][0] {
			t.Errorf("row %d: %v of %v", i, some, all[i])
		}
	}
	fail(t, exitUsage, []string{"--of is given without output raw; allowed: --output raw"}, "predict", "--model", model, "--data", data, "--of", "z")
	fail(t, exitUsage, []string{`of is "w"; allowed: the classes of the model: x, y, z`}, "predict", "--model", model, "--data", data, "--output", "raw", "--of", "w")
}

func TestPredictNothing(t *testing.T) {
	model := smallModel(t)
	for _, content := range []string{"", "\n", "# nothing\n"} {
		fail(t, exitFailed, []string{"d.csv: is empty"}, "predict", "--model", model, "--data", file(t, "d.csv", content))
	}
	for _, content := range []string{"a,b\n", "a,b,class\n"} {
		data := file(t, "d.csv", content)
		if got := do(t, "predict", "--model", model, "--data", data); got != "" {
			t.Errorf("%q: %q", content, got)
		}
		if got := do(t, "predict", "--model", model, "--data", data, "--output", "proba"); got != "x,y,z\n" {
			t.Errorf("%q: %q", content, got)
		}
	}
}

func TestPredictErrors(t *testing.T) {
	model := smallModel(t)
	for _, c := range []struct {
		content string
		want    []string
	}{
		{"1,2,3,4\n", []string{"3 features", "the model has 2"}},
		{"a,c\n1,2\n", []string{`d has no column "b", a feature of the model; it has others: "c"`}},
		{"c,d\n1,2\n", []string{`d has no columns "a", "b", features of the model; it has others: "c", "d"`}},
		{"a,c,d,class\n1,2,3,x\n", []string{`no column "b", a feature`, `others: "c", "d", "class"`}},
		{"a,B\n1,2\n", []string{`no column "b", a feature of the model; did you mean "B"?`}},
		{"x 1:1 3:2\n", []string{"3 features", "2"}},
		{"1,2\n1,b\n", []string{"d:2", `"b"`}},
	} {
		fail(t, exitFailed, c.want, "predict", "--model", model, "--data", file(t, "d", c.content))
	}
	data := file(t, "d.csv", small)
	content := read(t, model)
	at := len(content) * 3 / 4
	flipped := content[:at] + string([]byte{content[at] ^ 1}) + content[at+1:]
	fail(t, exitFailed, []string{"m.aoso", "truncated"}, "predict", "--model", file(t, "m.aoso", content[:len(content)/2]), "--data", data)
	fail(t, exitFailed, []string{"m.aoso", "corrupt"}, "predict", "--model", file(t, "m.aoso", flipped), "--data", data)
	fail(t, exitFailed, []string{"d.csv", "not an aoso model"}, "predict", "--model", data, "--data", data)
	fail(t, exitFailed, []string{"none.aoso", "no such file"}, "predict", "--model", "none.aoso", "--data", data)
}

// TestKeepColumns: columns of the data stand in front of what is predicted, as they are written, and several outputs
// stand side by side.
func TestKeepColumns(t *testing.T) {
	model := smallModel(t)
	text := "id,a,note,b,class\n"
	for i := range 40 {
		text += fmt.Sprintf("%d,%d.50,\"%d, \"\"x\"\"\",%d,x\n", 9007199254740993+i, i%5, i, i%7)
	}
	data := file(t, "d.csv", text)
	predict := func(flags ...string) [][]string {
		t.Helper()
		lines, err := csv.NewReader(strings.NewReader(do(t, append([]string{"predict", "--model", model, "--data", data}, flags...)...))).ReadAll()
		if err != nil || len(lines) != 41 {
			t.Fatalf("%v: %d lines, %v", flags, len(lines), err)
		}
		return lines
	}
	classes := strings.Fields(do(t, "predict", "--model", model, "--data", data))
	proba, raw := predict("--output", "proba"), predict("--output", "raw", "--of", "y")
	all := predict("--keep-columns", "note,id", "--keep-columns", "a", "--output", "class,proba", "--output", "raw", "--of", "y")
	if got := strings.Join(all[0], " "); got != "id a note class proba_x proba_y proba_z raw_y" {
		t.Error(got)
	}
	for i := range classes {
		want := slices.Concat([]string{fmt.Sprint(9007199254740993 + i), fmt.Sprintf("%d.50", i%5), fmt.Sprintf("%d, \"x\"", i), classes[i]}, proba[i+1], raw[i+1])
		if !slices.Equal(all[i+1], want) {
			t.Fatalf("row %d: %q, want %q", i, all[i+1], want)
		}
	}
	for want, flags := range map[string][]string{
		"id class":                  nil,
		"id class1 probability1":    {"--top", "1"},
		"id decision expected_cost": {"--costs", file(t, "costs.csv", "class,x,yz\nx,0,1\ny,1,0\nz,1,0\n")},
		"id x y z":                  {"--output", "raw"},
		"id class tree0 tree1":      {"--output", "class,leaf", "--trees", "2"},
	} {
		if got := strings.Join(predict(append(flags, "--keep-columns", "id")...)[0], " "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	none := file(t, "d.csv", "id,a,b\n")
	if got := do(t, "predict", "--model", model, "--data", none, "--keep-columns", "id", "--output", "class,proba"); got != "id,class,proba_x,proba_y,proba_z\n" {
		t.Error(got)
	}
	if o := try("predict", "--model", model, "--data", data, "--keep-columns", "ide"); o.code != exitFailed || !strings.Contains(o.stderr, `keep-columns: no column "ide"; did you mean "id"?`) {
		t.Errorf("%+v", o)
	}
	for want, output := range map[string]string{`output is "prob"; allowed: class, proba, raw or leaf`: "class,prob", `output has "class" twice`: "class,class", "output is empty": ""} {
		fail(t, exitUsage, []string{want}, "predict", "--model", model, "--data", data, "--output", output)
	}
	fail(t, exitFailed, []string{"a LIBSVM file has no columns to choose, keep"}, "predict", "--model", model, "--data", file(t, "d", "1 1:2 2:3\n"), "--keep-columns", "0")
}

// TestModelStream: a model comes from standard input, and goes to standard output, reports to standard error.
func TestModelStream(t *testing.T) {
	data := file(t, "d.csv", small)
	o := try("train", "--data", data, "--model", "-", "--n-estimators", "4")
	if o.code != 0 || !strings.HasPrefix(o.stdout, "AOSO") || !strings.Contains(o.stderr, "model       standard output: 4 trees") {
		t.Fatalf("%d, %.10q, %s", o.code, o.stdout, o.stderr)
	}
	model := file(t, "m.aoso", o.stdout)
	pipe := func(args ...string) outcome {
		in, err := os.Open(model)
		if err != nil {
			t.Fatal(err)
		}
		before := os.Stdin
		os.Stdin = in
		defer func() { os.Stdin = before; in.Close() }()
		return try(args...)
	}
	for _, command := range [][]string{
		{"predict", "--data", data}, {"eval", "--data", data}, {"info"}, {"explain"}, {"export", "--format", "json"}, {"plot", "importance", "--out", "-"},
		{"truncate", "--trees", "2", "--out", "-"}, {"calibrate", "--data", data, "--out", "-"}, {"merge", "--model", model, "--out", "-"},
	} {
		want, got := do(t, append(command, "--model", model)...), pipe(append(command, "--model", "-")...)
		if got.code != 0 || want != got.stdout || want == "" {
			t.Errorf("%q: %+v", command, got)
		}
	}
	for _, command := range [][]string{{"predict", "--data", "-", "--model", "-"}, {"merge", "--model", "-", "--model", "-", "--out", "-"}, {"train", "--data", "-", "--init", "-", "--model", "-"}} {
		if o := pipe(command...); o.code != exitUsage || !strings.Contains(o.stderr, "two files are standard input; allowed: one") {
			t.Errorf("%q: %+v", command, o)
		}
	}
	fail(t, exitUsage, []string{"--json is given, and the model goes to standard output"}, "train", "--data", data, "--model", "-", "--json")
	if o := pipe("info", "--model", "-"); o.code != 0 {
		t.Errorf("%+v", o)
	}
	model = file(t, "m.aoso", "none")
	if o := pipe("info", "--model", "-"); o.code != exitFailed || !strings.Contains(o.stderr, "stdin: ") {
		t.Errorf("%+v", o)
	}
}
