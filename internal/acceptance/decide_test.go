package acceptance

import (
	"math"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
)

func TestDecide(t *testing.T) {
	d := blobs(181, 400, 4, 3, 255).punch(181, 0.05)
	m := trained(t, d.slice(0, 300), short(20)).Model
	x := d.slice(300, 400).features()
	proba := mustProba(t, m, x)

	// Where all errors cost the same, the most likely class is decided for.
	decisions, expected, err := m.Decide(x, []float64{0, 1, 1, 1, 0, 1, 1, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	mostLikely, err := m.Predict(x)
	if err != nil || !slices.Equal(decisions, mostLikely) {
		t.Error("other decisions than the most likely classes", err)
	}
	for i, k := range decisions {
		if !near(expected[i], 1-proba[3*i+k], 1e-12) {
			t.Fatalf("row %d: cost %v, want %v", i, expected[i], 1-proba[3*i+k])
		}
	}

	// Four decisions, the last one to abstain.
	costs := []float64{
		0, 10, 1, 0.4,
		1, 0, 2, 0.4,
		3, 1, -1, 0.4,
	}
	decisions, expected, err = m.Decide(x, costs, aoso.PredictOptions{NThread: 2})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for i, got := range decisions {
		seen[got] = true
		for choice := range 4 {
			mean := 0.0
			for k := range 3 {
				mean += proba[3*i+k] * costs[4*k+choice]
			}
			if choice == got && !near(expected[i], mean, 1e-12) || mean < expected[i]-1e-12 {
				t.Fatalf("row %d: decision %d of cost %v; %d costs %v", i, got, expected[i], choice, mean)
			}
		}
	}
	if !seen[3] || len(seen) < 3 {
		t.Errorf("decisions %v only", seen)
	}
	if same, _, err := m.Decide(x, make([]float64, 6)); err != nil || slices.Max(same) != 0 {
		t.Error("a tie is not the first decision's", err)
	}

	for _, bad := range [][]float64{nil, make([]float64, 4)} {
		_, _, err := m.Decide(x, bad)
		wantArgumentError(t, err, "costs", "a multiple of 3")
	}
	costs[6] = math.NaN()
	_, _, err = m.Decide(x, costs)
	wantArgumentError(t, err, "costs[1][2]", "finite")
	_, _, err = m.Decide(aoso.RowMajor([]float64{1, 2}, 1, 2), make([]float64, 3))
	wantArgumentError(t, err, "features", "2 columns")
}
