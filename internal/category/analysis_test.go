package category

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAnalysis: the main direction tells two groups of categories apart, whose rows have other classes, and does not depend on the order
// of the rows.
func TestAnalysis(t *testing.T) {
	const rows, categories, classes = 4000, 150, 20
	r := rand.New(rand.NewPCG(1, 2))
	labels, positions, ids := make([]int32, rows), make([]int32, rows), make([]uint64, rows)
	for i := range rows {
		ids[i], positions[i] = uint64(i), r.Int32N(categories)
		labels[i] = positions[i]%2*classes/2 + r.Int32N(classes/2)
	}
	target := func() *Target {
		return &Target{Classes: classes, Labels: labels, Weight: func(row int) float64 { return 0.1 + float64(ids[row]%3) }, ID: func(row int) uint64 { return ids[row] }}
	}
	rater := newRater(target(), 5)
	weights := rater.weights(positions, categories)
	if len(weights) != mostWeights {
		t.Fatalf("%d columns", len(weights))
	}
	rates, _ := rater.rates(weights, positions, categories)
	even, odd := []float32{}, []float32{}
	for category, rate := range rates[0][:categories] {
		if category%2 == 0 {
			even = append(even, rate)
		} else {
			odd = append(odd, rate)
		}
	}
	if slices.Max(even) >= slices.Min(odd) && slices.Max(odd) >= slices.Min(even) {
		t.Errorf("rates from %v to %v, and from %v to %v", slices.Min(even), slices.Max(even), slices.Min(odd), slices.Max(odd))
	}
	r.Shuffle(rows, func(i, j int) {
		labels[i], labels[j] = labels[j], labels[i]
		positions[i], positions[j] = positions[j], positions[i]
		ids[i], ids[j] = ids[j], ids[i]
	})
	if again := newRater(target(), 5).weights(positions, categories); !slices.EqualFunc(weights, again, slices.Equal[[]float32]) {
		t.Error("other weights in another order of the rows")
	}
}

// TestRatesOfRows: a row's rates do not depend on its own class.
func TestRatesOfRows(t *testing.T) {
	const rows, categories = 500, 120
	r := rand.New(rand.NewPCG(3, 4))
	labels, positions := make([]int32, rows), make([]int32, rows)
	for i := range rows {
		labels[i], positions[i] = r.Int32N(3), r.Int32N(categories+1)-1
	}
	target := &Target{Classes: 3, Labels: labels, Weight: func(int) float64 { return 1 }, ID: func(row int) uint64 { return uint64(row) }}
	ofRows := func() [][]float32 {
		rater := newRater(target, 5)
		rater.share = []float64{0.2, 0.3, 0.5} // the shares of all rows depend on each
		_, ofRows := rater.rates(rater.weights(positions, categories), positions, categories)
		return ofRows
	}
	before := ofRows()
	for row := range labels {
		old := labels[row]
		labels[row] = (old + 1) % 3
		for i, rates := range ofRows() {
			if a, b := rates[row], before[i][row]; a != b && (a == a || b == b) {
				t.Fatalf("row %d has the rate %v, and %v with another label", row, b, a)
			}
		}
		labels[row] = old
	}
}
