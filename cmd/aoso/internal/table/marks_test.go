package table

import (
	"slices"
	"strings"
	"testing"
)

// TestMarks: the marks of other programs are missing values among numbers, dates and truth values, and categories among strings.
func TestMarks(t *testing.T) {
	type f = [][]float64
	type s = []string
	named := func(columns f, categories ...s) Table {
		table := Table{Names: s{"u"}, Columns: columns, Labels: make(s, len(columns[0])), LabelName: "y", Rows: len(columns[0])}
		for i := range table.Labels {
			table.Labels[i] = "A"
		}
		table.Categories = categories
		return table
	}
	var good []accept
	for _, mark := range []string{"N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "None", "-", ".", "-nan", "1.#IND", "NaT"} {
		good = append(good,
			accept{mark + " among numbers", "u,y\n1," + "A\n" + mark + ",A\n3,A\n", Options{}, named(f{{1, nan, 3}})},
			accept{mark + " first", "u,y\n" + mark + ",A\n3,A\n", Options{}, named(f{{nan, 3}})},
			accept{mark + " in a numeric column", "u,y\n" + mark + ",A\n3,A\n", Options{Numeric: s{"u"}}, named(f{{nan, 3}})},
			accept{mark + " among texts", "u,y\nx,A\n" + mark + ",A\n", Options{}, named(f{{0, 1}}, s{"x", mark})},
			accept{mark + " before texts", "u,y\n" + mark + ",A\nx,A\n", Options{}, named(f{{0, 1}}, s{mark, "x"})},
			accept{mark + " among numbers and texts", "u,y\n1,A\n" + mark + ",A\nx,A\n", Options{}, named(f{{0, 1, 2}}, s{"1", mark, "x"})},
			accept{mark + " as a known category", "u,y\n" + mark + ",A\n", Options{Names: s{"u"}, NumericFeatures: []bool{false}}, named(f{{0}}, s{mark})},
		)
	}
	good = append(good,
		accept{"truth values", "u,y\ntrue,A\nNone,A\n", Options{}, named(f{{1, nan}})},
		accept{"dates", "u,y\n1970-01-02,A\nNaT,A\n", Options{}, named(f{{86400, nan}})},
		accept{"decimal commas", "u;y\n1,5;A\n.;A\n", Options{}, named(f{{1.5, nan}})},
		accept{"in the first row, without a header", "N/A,1,A\n2,3,B\n", Options{}, Table{Columns: f{{nan, 2}, {1, 3}}, Labels: s{"A", "B"}, Rows: 2}},
	)
	checkAll(t, good, nil)
	got, err := Parse(strings.NewReader("u,v,y\n1,2,A\nN/A,3,A\nN/A,4,A\n"), "f", Options{})
	if err != nil || !slices.Equal(got.Marked, s{`u (2 times "N/A")`}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestMissingLabels: a class may be called NA if the options or a model say so.
func TestMissingLabels(t *testing.T) {
	const text = "u,y\n1,NA\n2,null\n3,x\n"
	want := Table{Names: []string{"u"}, Columns: [][]float64{{1, 2, 3}}, Labels: []string{"NA", "null", "x"}, LabelName: "y", Rows: 3}
	const fault = `f:2: column "y": the label is missing ("NA" stands for a missing value; --text-labels takes it as a class)`
	checkAll(t, []accept{
		{"as texts", text, Options{TextLabels: true}, want},
		{"as classes of a model", text, Options{Classes: []string{"NA", "null"}}, want},
		{"in LIBSVM", "NA 1:2\n", Options{TextLabels: true}, Table{Columns: [][]float64{{2}}, Labels: []string{"NA"}, Rows: 1}},
	}, []refuse{
		{"no text labels", text, Options{}, fault},
		{"not a class of the model", text, Options{Classes: []string{"x"}}, fault},
		{"empty", "u,y\n1,\n", Options{TextLabels: true}, `f:2: column "y": the label is missing`},
	})
}

// TestOdd: categorical columns that may be meant to be numeric are reported.
func TestOdd(t *testing.T) {
	numbers := func(n int) (text strings.Builder) {
		text.WriteString("u,y\n")
		for i := range n {
			text.WriteString(strings.Repeat("1", 1+i%9) + "." + strings.Repeat("2", i/9) + "1,A\n")
		}
		return text
	}
	for _, c := range []struct {
		name    string
		numbers int
		more    string
		odd     bool
	}{
		{"one text among many numbers", 50, "x,A\n", true},
		{"a word that comes often", 50, strings.Repeat("unknown,A\n", 20), true},
		{"as many texts as numbers", 50, strings.Repeat("unknown,A\n", 50), false},
		{"many different texts", 50, "a,A\nb,A\nc,A\nd,A\ne,A\nf,A\n", false},
		{"few different numbers", 8, "x,A\nx,A\n", false},
	} {
		text := numbers(c.numbers)
		got, err := Parse(strings.NewReader(text.String()+c.more), "f", Options{})
		if err != nil || (got.Odd != nil) != c.odd || got.Categories == nil {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}
