package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/libaoso/aoso/tools/cases"
)

// codedFile has a column that is a code, and one that is a measure.
func codedFile(t *testing.T, rows int) string {
	r := rand.New(rand.NewPCG(1, 0))
	var skilled [60]bool
	for k := range skilled {
		skilled[k] = r.IntN(2) == 1
	}
	var b strings.Builder
	b.WriteString("the job,age,class\n")
	for range rows {
		job, age := r.IntN(60), 18+r.IntN(42)
		fmt.Fprintf(&b, "%d,%d,%v\n", job+100, age, skilled[job] != (age > 57))
	}
	return file(t, "people.csv", b.String())
}

func TestSuggest(t *testing.T) {
	data, model := codedFile(t, 600), filepath.Join(t.TempDir(), "m")
	text := do(t, "suggest", "--data", data)
	found := regexp.MustCompile(`\n +60 +(0\.\d+) +(0\.\d+) +yes  the job\n +42 +-?0\.\d+ +0\.\d+ +no  age\n\nfor train: --categorical 'the job'\n$`).FindStringSubmatch(text)
	if found == nil {
		t.Fatal(text)
	}
	o := try("train", "--data", data, "--categorical", "auto", "--n-estimators", "3", "--model", model)
	want := fmt.Sprintf("numbers taken for categories: the job (60 values, log loss -%s ± %s)\n", found[1], found[2])
	if o.code != 0 || !strings.Contains(o.stderr, want) {
		t.Errorf("%+v; want %s", o, want)
	}
	do(t, "train", "--data", data, "--categorical", "the job", "--n-estimators", "3", "--model", model+"2")
	if auto, named := read(t, model), read(t, model+"2"); auto != named {
		t.Error("auto and the name make different models")
	}
}

func TestSuggestNothing(t *testing.T) {
	data := file(t, "d.csv", "x,class\n"+strings.Repeat("1,a\n2,b\n", 30))
	if text := do(t, "suggest", "--data", data); text != "no column gains as categories\n" {
		t.Error(text)
	}
	if text := do(t, "suggest", "--data", data, "--json"); text != "[]\n" {
		t.Error(text)
	}
	fail(t, exitUsage, []string{`categorical is "auto"`}, "suggest", "--data", data, "--categorical", "auto")
	fail(t, exitUsage, []string{`categorical is "auto"`, "for bin"}, "bin", "--data", data, "--categorical", "auto", "--out", data+".aosod")
}

// TestSuggestStudents: of a table from practice, the course is a code and the grade is none.
func TestSuggestStudents(t *testing.T) {
	data := filepath.Join(cmp.Or(os.Getenv("AOSO_TABLES"), "../../../shared/tables"), "student-dropout.csv.gz")
	if _, err := os.Stat(data); err != nil || !cases.Long() {
		t.Skip("a long test, of a table in the folder that AOSO_TABLES names: ", err)
	}
	for _, c := range jsonLine[[]codeColumn](t, do(t, "suggest", "--data", data, "--json")) {
		if want := c.Column == "Course"; want && !c.Suggested || strings.Contains(c.Column, "enrolled") && c.Suggested {
			t.Errorf("%+v", c)
		}
	}
}
