package acceptance

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
)

// TestPredictTop compares with all probabilities, in order.
func TestPredictTop(t *testing.T) {
	for name, classes := range map[string]int{"full": 5, "short": 120, "sparse": 150, "sparse prior": 150, "pair": 40} {
		t.Run(name, func(t *testing.T) {
			d := blobs(3, 900, 6, classes, 255)
			m := trained(t, d, params(func(p *aoso.Params) {
				p.NEstimators, p.MaxLeaves, p.LearningRate, p.LeafClasses = 8, 12, 0.3, 4
				switch p.Leaf = name; name {
				case "short":
					p.Leaf = "full"
				case "sparse prior":
					p.Leaf, p.Start = "sparse", "prior"
				}
			})).Model
			x, sparse := d.features(), strings.HasPrefix(name, "sparse")
			proba := proba(t, m, d)
			raw, _ := m.PredictRaw(x)
			for _, top := range []int{1, 3, classes} {
				got, of, err := m.PredictTop(x, top)
				if err != nil {
					t.Fatal(err)
				}
				for i := range x.Rows() {
					order := make([]int, classes)
					for k := range order {
						order[k] = k
					}
					row := raw[i*classes:][:classes]
					slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(row[b], row[a]) })
					if !slices.Equal(got[i*top:][:top], order[:top]) {
						t.Fatalf("row %d: classes %v, want %v", i, got[i*top:][:top], order[:top])
					}
					for j, k := range order[:top] {
						if p := proba[i*classes+k]; math.Abs(of[i*top+j]-p) > 1e-13 || !sparse && of[i*top+j] != p {
							t.Fatalf("row %d: class %d has probability %v, want %v", i, k, of[i*top+j], p)
						}
					}
				}
			}
			for _, top := range []int{0, classes + 1} {
				if _, _, err := m.PredictTop(x, top); err == nil {
					t.Errorf("top %d is no error", top)
				}
			}
		})
	}
}
