package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
)

// mixed returns a file whose class depends on a category, beside a number, a date, a
// truth value and an identifier.
func mixed(rows int, columns ...string) string {
	r := rand.New(rand.NewPCG(1, 2))
	cities := []string{"Rome", "Oslo", "Bern", "Kyiv"}
	var b strings.Builder
	fmt.Fprintln(&b, strings.Join(columns, ","))
	for i := range rows {
		k := r.IntN(len(cities))
		cells := map[string]string{
			"id": fmt.Sprintf("r%d", i), "age": fmt.Sprint(r.IntN(90)), "city": cities[k], "born": fmt.Sprintf("20%02d-03-01", r.IntN(30)),
			"ok": fmt.Sprint(r.IntN(2) == 0), "code": fmt.Sprint(k), "class": string("xyzx"[k]),
		}
		if i%10 == 0 {
			cells["city"] = ""
		}
		for j, column := range columns {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString(cells[column])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestCategories(t *testing.T) {
	data := file(t, "mixed.csv", mixed(400, "id", "age", "city", "born", "ok", "class"))
	model := filepath.Join(t.TempDir(), "m.aoso")
	o := try("train", "--data", data, "--valid", data, "--model", model, "--n-estimators", "20", "--ignore", "id")
	if want := "mixed.csv: 1 numeric; 1 categorical: city (4); 1 of dates: born; 1 of truth values: ok; 1 ignored: id\n"; o.code != 0 || !strings.Contains(o.stderr, want) {
		t.Fatalf("%+v, want %q", o, want)
	}
	m, err := aoso.Load(model)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Categories(1), []string{"Bern", "Kyiv", "Oslo", "Rome"}) || m.Categories(0) != nil {
		t.Errorf("the categories are %q", m.Categories(1))
	}

	// Columns in another order, without labels, with a category that the model does not know.
	other := strings.Replace(mixed(400, "city", "ok", "age", "born"), "Rome,", "Lima,", 1)
	unlabelled := file(t, "new.csv", other)
	raw := do(t, "predict", "--model", model, "--data", unlabelled, "--output", "raw")
	of := do(t, "predict", "--model", model, "--data", unlabelled, "--output", "raw", "--of", "z", "--of", "x")
	line, ofLine := strings.Split(strings.Split(raw, "\n")[5], ","), strings.Split(strings.Split(of, "\n")[5], ",")
	if line[0] != ofLine[1] || line[2] != ofLine[0] {
		t.Errorf("the scores are %v and, of z and x, %v", line, ofLine)
	}
	if out := do(t, "eval", "--model", model, "--data", data, "--ignore", "id", "--json"); !strings.Contains(out, `"unknown":0`) {
		t.Error(out)
	}
	do(t, "explain", "--model", model, "--data", unlabelled)
	if o := try("eval", "--model", model, "--data", data); o.code != 0 || !strings.HasSuffix(o.stderr, `mixed.csv: left out, because the model does not have them: "id"`+"\n") {
		t.Errorf("a column that is no feature: %+v", o)
	}
	bad := file(t, "bad.csv", strings.Replace(mixed(20, "age", "city", "born", "ok", "class"), "\n", "\nold", 1))
	fail(t, exitFailed, []string{`bad.csv:2: column "age": "old`, "is not a number"}, "eval", "--model", model, "--data", bad)
	fail(t, exitFailed, []string{`ignore: no column "name"`}, "train", "--data", data, "--model", model, "--ignore", "name")
}

// TestCodes: numbers of --categorical are the categories of their names.
func TestCodes(t *testing.T) {
	numbers := file(t, "numbers.csv", mixed(300, "age", "code", "class"))
	names := file(t, "names.csv", strings.NewReplacer(",0,", ",k0,", ",1,", ",k1,", ",2,", ",k2,", ",3,", ",k3,").Replace(mixed(300, "age", "code", "class")))
	folder := t.TempDir()
	train := func(data string, flags ...string) *aoso.Model {
		path := filepath.Join(folder, "m.aoso")
		do(t, append([]string{"train", "--data", data, "--model", path, "--n-estimators", "5"}, flags...)...)
		m, err := aoso.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	coded, named := train(numbers, "--categorical", "code"), train(names)
	if !slices.Equal(coded.Categories(1), []string{"0", "1", "2", "3"}) || !slices.Equal(named.Categories(1), []string{"k0", "k1", "k2", "k3"}) {
		t.Errorf("the categories are %q and %q", coded.Categories(1), named.Categories(1))
	}
	if train(numbers).Categories(1) != nil {
		t.Error("numbers are categories without being asked for")
	}
	fail(t, exitFailed, []string{`names.csv:2: column "code": "k`}, "train", "--data", names, "--model", filepath.Join(folder, "n"), "--numeric", "code")
	odd := file(t, "odd.csv", strings.Replace(mixed(300, "age", "code", "class"), "\n", "\n?17,1,x\n", 1))
	o := try("train", "--data", odd, "--model", filepath.Join(folder, "n"), "--n-estimators", "2")
	if want := `column "age" is categorical because of "?17" in line 2, but 300 of its 301 cells are numbers; use --numeric`; o.code != 0 || !strings.Contains(o.stderr, want) {
		t.Errorf("%+v, want %q", o, want)
	}
}
