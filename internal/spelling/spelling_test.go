package spelling

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"leaves", "trees", "min-samples", "max_depth", "x.box", "label", "n"}
	for word, want := range map[string]string{
		"leafs": "leaves", "leaves": "leaves", "Trees": "trees", "tress": "trees", "text": "", "min_sample": "min-samples",
		"maxdepth": "max_depth", "xbox": "x.box", "lable": "label", "m": "", "": "", "shrinkage": "",
	} {
		if got := Nearest(word, names); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
	if got := Suggestion("lable", names, "--%s"); got != "; did you mean --label?" {
		t.Error(got)
	}
	if got := Suggestion("colour", names, "%q"); got != "" {
		t.Error(got)
	}
}
