package acceptance

import (
	"math"
	"testing"

	"github.com/libaoso/aoso"
)

func reliability(t *testing.T, m *aoso.Model, d *table) *aoso.Reliability {
	t.Helper()
	r, err := m.Reliability(d.features(), d.labels(), d.weights)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestReliability compares a report with its definitions.
func TestReliability(t *testing.T) {
	d := blobs(191, 2000, 4, 4, 255).weighted(191)
	m := trained(t, d.slice(0, 500), params(func(p *aoso.Params) { p.NEstimators = 60 })).Model
	test := d.slice(500, 2000)
	r := reliability(t, m, test)
	proba := mustProba(t, m, test.features())
	mostLikely, err := m.Predict(test.features())
	if err != nil {
		t.Fatal(err)
	}
	brier, total, right := 0.0, 0.0, 0.0
	for i, y := range test.y {
		w := test.weights[i]
		total += w
		if mostLikely[i] == y {
			right += w
		}
		for k, p := range proba[4*i:][:4] {
			if k == y {
				p--
			}
			brier += w * p * p
		}
	}
	if !near(r.Brier, brier/total, 1e-12) {
		t.Errorf("Brier score %v, want %v", r.Brier, brier/total)
	}
	share, accuracy, ece, last := 0.0, 0.0, 0.0, 0.0
	for _, b := range r.Bins {
		if math.Abs(b.Share-1.0/15) > 0.003 || b.Rows < 50 || b.Confidence <= last {
			t.Errorf("%+v after a confidence of %v", b, last)
		}
		last = b.Confidence
		share += b.Share
		accuracy += b.Share * b.Accuracy
		ece += b.Share * math.Abs(b.Accuracy-b.Confidence)
	}
	if len(r.Bins) != 15 || !near(share, 1, 1e-12) || !near(accuracy, right/total, 1e-12) || !near(r.ECE, ece, 1e-12) {
		t.Errorf("%d bins of share %v, accuracy %v, ECE %v; want 15, 1, %v, %v", len(r.Bins), share, accuracy, r.ECE, right/total, ece)
	}
	if c, _ := calibrated(t, m, test); reliability(t, c, test).ECE > r.ECE/2 {
		t.Errorf("calibrated, the error is %v; before, %v", reliability(t, c, test).ECE, r.ECE)
	}
}

// TestReliabilityBounds: few rows, equal confidences, unknown classes.
func TestReliabilityBounds(t *testing.T) {
	d := blobs(192, 200, 4, 2, 255)
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators, p.MaxLeaves = 1, 2 })).Model // two leaves
	r := reliability(t, m, d)
	if len(r.Bins) > 2 || r.Bins[0].Rows+r.Bins[len(r.Bins)-1].Rows < 200 {
		t.Errorf("bins of two leaves: %+v", r.Bins)
	}
	if r := reliability(t, m, d.slice(0, 1)); len(r.Bins) != 1 || r.Bins[0].Share != 1 {
		t.Errorf("one row: %+v", r)
	}
	x, none := d.slice(0, 3).features(), []float64{0, 0, 0}
	if r, err := m.Reliability(x, aoso.StringLabels([]string{"a", "b", "0"}), nil); err != nil || r.Brier-r.Brier != 0 || r.Bins[0].Accuracy > 0.5 {
		t.Errorf("unknown classes: %+v, %v", r, err)
	}
	if r, err := m.Reliability(aoso.RowMajor[float64](nil, 0, 4), nil, nil); err != nil || !math.IsNaN(r.Brier) || !math.IsNaN(r.ECE) || len(r.Bins) != 0 {
		t.Errorf("no rows: %+v, %v", r, err)
	}
	_, err := m.Reliability(x, d.labels(), nil)
	wantArgumentError(t, err, "labels", "3, one for each row")
	_, err = m.Reliability(x, d.labels()[:3], none)
	wantArgumentError(t, err, "weights", "above 0")
}
