package spelling

import (
	"strings"
	"testing"
)

func TestNear(t *testing.T) {
	names := []string{"leaves", "leaf", "trees", "min-samples", "max_depth", "x.box", "y.box", "label", "n"}
	for word, want := range map[string]string{
		"leafs": "leaf leaves", "leaves": "leaves", "Trees": "trees", "tress": "trees", "text": "", "min_sample": "min-samples",
		"maxdepth": "max_depth", "xbox": "x.box", "zbox": "x.box y.box", "lable": "label", "m": "", "": "", "shrinkage": "",
	} {
		if got := strings.Join(Near(word, names), " "); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
	if got := Suggestion("leafs", names, "--%s"); got != "; did you mean --leaf or --leaves?" {
		t.Error(got)
	}
	if got := Suggestion("colour", names, "%q"); got != "" {
		t.Error(got)
	}
}
