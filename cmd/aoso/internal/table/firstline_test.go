package table

import (
	"errors"
	"strings"
	"testing"
)

// TestFirstRow: if the features are known, a first line that is a row of them is not a header.
func TestFirstRow(t *testing.T) {
	type s = []string
	known := Options{LabelOptional: true, Features: 4, Names: s{"age", "smoker", "sex", "drinker"},
		NumericFeatures: []bool{true, false, false, false}, Categories: []s{nil, {"no", "yes"}, {"m", "f"}, {"no", "yes"}}}
	generated, texts := known, known
	generated.Names = nil
	texts.Names, texts.Features, texts.NumericFeatures, texts.Categories = s{"u", "v"}, 2, []bool{false, false}, []s{{"no", "yes"}, {"no", "yes"}}
	for _, c := range []struct {
		name, text   string
		o            Options
		rows         int
		isHeader     bool
		wantLabelled bool
	}{
		{"a row", "34,no,f,no\n", known, 1, false, false},
		{"a row with a label", "34,no,f,no,ill\n", known, 1, false, true},
		{"a row with new categories", "34,never,x,never\n", known, 1, false, false},
		{"a row with missing cells", "34,no,,\n", known, 1, false, false},
		{"rows", "34,no,f,no\n35,yes,f,no\n", known, 2, false, false},
		{"generated names", "34,no,f,no\n", generated, 1, false, false},
		{"only texts", "no,no\n", texts, 1, false, false},
		{"a header", "age,smoker,sex,drinker\n34,no,f,no\n", known, 1, true, false},
		{"a header in another order", "sex,age,smoker,drinker\nf,34,no,no\n", known, 1, true, false},
		{"other names", "a,b,c,d\n34,no,f,no\n", generated, 1, true, false},
		{"a header of texts", "v,u\nno,no\n", texts, 1, true, false},
	} {
		got, err := Parse(strings.NewReader(c.text), "f", c.o)
		if err != nil || got.Rows != c.rows || (got.Names != nil) != c.isHeader || (got.Labels != nil) != c.wantLabelled || len(got.Columns) != c.o.Features {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
	for text, want := range map[string]string{
		"x,no,f,never\n":      `f: has only one line, which was read as a header, but the feature "age" is missing; --no-header reads it as a row`,
		"age,smoker,sex,12\n": `f: has only one line, which was read as a header, but the feature "drinker" is missing; --no-header reads it as a row`,
	} {
		if _, err := Parse(strings.NewReader(text), "f", known); err == nil || errors.Is(err, ErrNoRows) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := Parse(strings.NewReader("x34,no,f,7\n"), "f", generated); err == nil || errors.Is(err, ErrNoRows) || !strings.Contains(err.Error(), "but it has numbers") {
		t.Errorf("a row with a typo: %v", err)
	}
	if _, err := Parse(strings.NewReader("sex,age,smoker,drinker\n"), "f", known); !errors.Is(err, ErrNoRows) {
		t.Errorf("a header only: %v", err)
	}
}
