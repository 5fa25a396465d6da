package aoso

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestTooLarge: what no model can hold is refused before training.
func TestTooLarge(t *testing.T) {
	d, err := NewDataset(RowMajor([]float64{0, 1, 2}, 3, 1), IntLabels([]int{0, 1, 2}), DatasetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	refused := func(err error, texts ...string) {
		t.Helper()
		e, ok := errors.AsType[*ArgumentError](err)
		if !ok || e.Argument != "train" || slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(err.Error(), text) }) {
			t.Errorf("%v, want an error about train with %q", err, texts)
		}
	}
	// The header has six bytes for each <.
	p := Params{Method: MethodAOSO, MonotoneConstraints: strings.Repeat("<", 12<<20)}
	refused(checkSavable(d, &p), "and the constraints, have", "constraints: the header has")
	if err := checkSavable(d, &Params{Method: MethodAOSO, InteractionConstraints: strings.Repeat("x", 20<<20)}); err != nil {
		t.Error(err)
	}
	refused(checkRows(1<<32), "4294967296 rows", "at most 4294967295")
	if err := checkRows(1<<32 - 1); err != nil {
		t.Error(err)
	}
}
