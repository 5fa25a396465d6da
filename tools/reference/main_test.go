package main

import (
	"strings"
	"testing"
)

// A comment explains every public name, and the reference has it.
func TestReference(t *testing.T) {
	text, bare, err := reference("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(bare) > 0 {
		t.Errorf("no comment explains %s", strings.Join(bare, ", "))
	}
	for _, heading := range []string{"### aoso.Model\n", "#### Model.PredictProba\n", "#### Train\n", "### columnar.File\n"} {
		if !strings.Contains(string(text), heading) {
			t.Errorf("the reference lacks %q", heading)
		}
	}
}
