package page_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/libaoso/aoso/cmd/aoso/internal/page"
)

// plants is a table with numbers, categories, missing values, quotes with line ends, a comment and an index.
func plants(rows int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	fmt.Fprintln(&b, "# plants of a garden\nid,height,soil,note,seen,kind")
	for i := range rows {
		soil := []string{"clay", "sand", "", "loam"}[r.IntN(4)]
		height := r.Float64() * 10
		kind := "moss"
		if soil == "sand" {
			kind = "grass"
		}
		if height > 6 {
			kind = "tree, tall"
		}
		fmt.Fprintf(&b, "%d,%.2f,%s,\"a \"\"note\"\"\nof two lines\",2026-11-%02d,\"%s\"\n", 1000+7*i, height, soil, 1+i%28, kind)
	}
	return b.Bytes()
}

func open(t *testing.T, name string, file []byte) *page.Sheet {
	t.Helper()
	s, err := page.Open(name, file, "auto")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSheet(t *testing.T) {
	s := open(t, "plants.csv", plants(200))
	if s.Rows != 200 || !s.Header || s.Columns[s.Label].Name != "kind" {
		t.Fatalf("the sheet has %d rows, header %v, label %d", s.Rows, s.Header, s.Label)
	}
	var kinds []string
	for _, c := range s.Columns {
		kinds = append(kinds, c.Kind)
	}
	if got := strings.Join(kinds, " "); got != "number number category category date category" {
		t.Errorf("kinds are %s", got)
	}
	if c := s.Columns[2]; c.Distinct != 3 || c.Missing == 0 || c.Problem == "" {
		t.Errorf("soil is %+v", c)
	}
	if c := s.Columns[4]; c.Least != "2026-11-01" || c.Most != "2026-11-28" {
		t.Errorf("dates are from %s to %s", c.Least, c.Most)
	}
	if c := s.Columns[3]; !strings.Contains(c.Problem, "the same value") {
		t.Errorf("the problem of a constant label is %q", c.Problem)
	}
	if notes := strings.Join(s.Notes, "; "); !strings.Contains(notes, `"id" has another value in each row`) {
		t.Errorf("notes are %s", notes)
	}
}

func TestTrainAndPredict(t *testing.T) {
	s := open(t, "my plants.csv", plants(400))
	set := page.Settings{Label: s.Label, Ignore: []int{0}, Test: page.TestFifth, Strategy: page.Fixed, Trees: 30}
	reports := 0
	r, err := s.Train(set, func(page.Progress) { reports++ })
	if err != nil {
		t.Fatal(err)
	}
	if r.Rows != 320 || r.Test.Rows != 80 || r.Test.Errors > 8 || *r.Guess < 20 || reports == 0 {
		t.Errorf("%d rows; test %+v, by guessing %d; %d reports", r.Rows, r.Test, *r.Guess, reports)
	}
	wrong, all := 0, 0
	for _, c := range r.Confusion {
		if all += c.Rows; c.Class != c.Predicted {
			wrong += c.Rows
		}
	}
	if all != 80 || wrong != r.Test.Errors {
		t.Errorf("the confusions have %d rows and %d errors, the test has %+v", all, wrong, r.Test)
	}
	want := "aoso train --data 'my plants.train.csv' --label kind --ignore id --n-estimators 30 --calibration none --model 'my plants.aoso'"
	if r.Commands[0] != want {
		t.Errorf("the command is %s, want %s", r.Commands[0], want)
	}
	p, err := page.Load(r.ModelName, r.Model)
	if err != nil {
		t.Fatal(err)
	}
	row := []string{"9.5", "sand", `a "note"` + "\nof two lines", "2026-11-05"}
	tall, err := p.Row(row)
	if err != nil || most(tall.Proba) != "tree, tall" {
		t.Fatalf("a tall plant is %v of %v (%v)", tall, p.Classes, err)
	}
	row[0], row[1] = "", "gravel"
	if unknown, err := p.Row(row); err != nil || len(unknown.Unknown) != 1 || unknown.Unknown[0] != "soil" {
		t.Errorf("an unknown category gives %+v, %v", unknown, err)
	}
	row[0] = "high"
	if _, err := p.Row(row); err == nil || !strings.Contains(err.Error(), `height: "high"`) {
		t.Errorf("text in a number gives %v", err)
	}
	predicted, err := p.File("new.csv", r.TestText)
	if err != nil || predicted.Rows != 80 || !bytes.HasPrefix(predicted.Text, []byte("predicted,grass,moss,\"tree, tall\"\n")) {
		t.Errorf("predictions are %+v, %v", predicted, err)
	}
	for _, test := range []string{page.TestLast, page.TestNone} {
		set.Test = test
		if r, err = s.Train(set, func(page.Progress) {}); err != nil || len(r.Examples) == 0 || (r.Test == nil) != (test == page.TestNone) {
			t.Errorf("test rows %s give %+v, %v", test, r, err)
		}
	}
}

func most(proba []float64) string {
	classes, k := []string{"grass", "moss", "tree, tall"}, 0
	for c, v := range proba {
		if v > proba[k] {
			k = c
		}
	}
	return classes[k]
}

// TestLetters: the last fifth of the Letter data are the test rows of the paper.
func TestLetters(t *testing.T) {
	file, err := os.ReadFile("../../../../testdata/letter.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, "letter.csv.gz", file)
	r, err := s.Train(page.Settings{Label: s.Label, Test: page.TestLast, Strategy: page.Fixed, Trees: 3}, func(page.Progress) {})
	if err != nil || r.Rows != 16000 || r.Test.Rows != 4000 || math.IsNaN(r.Test.LogLoss) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestWrongFiles(t *testing.T) {
	column := func(cell func(i int) string) string {
		var b strings.Builder
		b.WriteString("x,class\n")
		for i := range 2400 {
			fmt.Fprintf(&b, "%d,%s\n", i%10, cell(i))
		}
		return b.String()
	}
	for name, c := range map[string]struct{ text, says string }{
		"empty":       {"", "is empty"},
		"header only": {"a,b\n", "no rows"},
		"one column":  {"a\n1\n2\n", "has one column only"},
		"few rows":    {"a,b\n1,x\n2,y\n", "has too few rows, 2"},
		"short row":   {"a,b,c\n" + strings.Repeat("1,2,x\n", 20) + "1,2\n", "file:22: "},
		"zip":         {"PK\x03\x04\x00\x00", "a zip archive or a workbook"},
		"picture":     {"\x89PNG\r\n\x1a\n\x00\x00", "zero bytes"},
		"web page":    {"<!doctype html><p>1,2", "a web page"},
		"model":       {"AOSO\x00\x01", "a model or dataset file"},
		"libsvm":      {strings.Repeat("1 1:2 3:4\n2 1:1\n", 20), "LIBSVM"},
		"open quote":  {"a,b\n" + strings.Repeat("1,\"x\n", 21), "quote"},
	} {
		if s, err := page.Open("file", []byte(c.text), "auto"); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: the sheet is %v, the error %v, want %q", name, s, err, c.says)
		}
	}
	for name, c := range map[string]struct {
		text, says string
	}{
		"one class":    {column(func(int) string { return "same" }), "at least two classes"},
		"many classes": {column(func(i int) string { return fmt.Sprint("c", i/2) }), "1200 different values"},
		"no label":     {column(func(i int) string { return []string{"a", "b", ""}[i%3] }), "no value in 800 of the 2400 rows"},
	} {
		s := open(t, name, []byte(c.text))
		if _, err := s.Train(page.Settings{Label: 1, Test: page.TestFifth, Strategy: page.Fast}, nil); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: the error is %v, want %q", name, err, c.says)
		}
	}
	if s := open(t, "numbers.csv", []byte(strings.Repeat("1,2,7\n3,4,8\n", 20))); s.Header || s.Columns[2].Flag != "2" {
		t.Errorf("without a header, the sheet is %+v", s)
	}
	for _, text := range []string{"", "not a model", "AOSO\x00\x01", "x,class\n1,a\n"} {
		if _, err := page.Load("file", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), "file ") {
			t.Errorf("%q as a model: the error is %v", text, err)
		}
	}
}
