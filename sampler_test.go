package aoso

import (
	"fmt"
	"testing"
)

// TestSubsampleTrim: whatever is drawn and trimmed, some rows are left to grow
// a tree on. Converged data are almost all trimmed.
func TestSubsampleTrim(t *testing.T) {
	sets := map[string]*table{
		"one row":   blobs(60, 1, 2, 1, 255),
		"two rows":  {x: [][]float64{{0}, {1}}, y: []int{0, 1}},
		"separable": {},
		"weights 0": blobs(61, 60, 3, 3, 255),
		"blobs":     blobs(62, 150, 4, 3, 255),
	}
	separable := sets["separable"]
	for i := range 90 {
		separable.x, separable.y = append(separable.x, []float64{float64(i % 3)}), append(separable.y, i%3)
	}
	d := sets["weights 0"]
	d.weights = make([]float64, len(d.y))
	d.weights[7], d.weights[8] = 1, 1e-15
	for name, d := range sets {
		set := newDataset(t, d)
		for _, method := range []string{AOSO, ABC, LogitBoost} {
			for _, subsample := range []float64{0.01, 0.5, 0.99} {
				for _, trim := range []float64{0, 0.1, 0.999} {
					t.Run(fmt.Sprintf("%s/%s/%g/%g", name, method, subsample, trim), func(t *testing.T) {
						p := DefaultParams()
						p.Method, p.Subsample, p.Trim = method, subsample, trim
						p.rounds(60, len(set.set.Classes))
						checkReportedLoss(t, set, d, p)
					})
				}
			}
		}
	}
}
