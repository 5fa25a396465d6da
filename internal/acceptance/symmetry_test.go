package acceptance

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/metric"
)

func TestPermutedFeatures(t *testing.T) {
	d := blobs(15, 3000, 7, 5, 255).punch(15, 0.03)
	permuted, order := &table{y: d.y}, []int{3, 0, 6, 2, 5, 1, 4}
	for _, row := range d.x {
		var r []float64
		for _, j := range order {
			r = append(r, row[j])
		}
		permuted.x = append(permuted.x, r)
	}
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			p := params(func(p *aoso.Params) { v.change(p); p.MaxLeaves = 8; rounds(p, 4, 5) })
			a, b := trained(t, d, p).Model, trained(t, permuted, p).Model
			if !slices.Equal(rawScores(t, a, d.features(), aoso.PredictOptions{}), rawScores(t, b, permuted.features(), aoso.PredictOptions{})) {
				t.Error("the scores differ")
			}
			for _, kind := range []string{"gain", "split"} {
				of, err1 := a.Importance(kind)
				moved, err2 := b.Importance(kind)
				if err1 != nil || err2 != nil {
					t.Fatal(err1, err2)
				}
				for j, from := range order {
					if of[from] != moved[j] {
						t.Errorf("%s importance of feature %d is %g and, moved to %d, %g", kind, from, of[from], j, moved[j])
					}
				}
			}
		})
	}
}

// TestRenamedClasses gives the classes another order, which decides ties only:
// weights and large leaves see to it that there are none.
func TestRenamedClasses(t *testing.T) {
	d := blobs(16, 4000, 6, 5, 255)
	r := rand.New(rand.NewPCG(16, 0))
	for range d.y {
		d.weights = append(d.weights, 0.5+r.Float64())
	}
	name := []int{2, 4, 1, 0, 3}
	renamed := &table{x: d.x, weights: d.weights}
	for _, y := range d.y {
		renamed.y = append(renamed.y, name[y])
	}
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			p := params(func(p *aoso.Params) { v.change(p); p.MaxLeaves, p.MinSamplesLeaf = 6, 200; rounds(p, 4, 5) })
			a, b := trained(t, d, p).Model, trained(t, renamed, p).Model
			f, g := rawScores(t, a, d.features(), aoso.PredictOptions{}), rawScores(t, b, d.features(), aoso.PredictOptions{})
			for i := range d.y {
				for k := range 5 {
					if x, y := f[i*5+k], g[i*5+name[k]]; math.Abs(x-y) > 1e-4 {
						t.Fatalf("row %d, class %d: score %g, renamed %g", i, k, x, y)
					}
				}
				if x, y := metric.Argmax(f[i*5:][:5]), metric.Argmax(g[i*5:][:5]); name[x] != y {
					t.Fatalf("row %d: class %d, renamed %d", i, x, y)
				}
			}
		})
	}
}

// TestTies: of equal splits the one of the lowest feature is taken, and of its
// lowest cut.
func TestTies(t *testing.T) {
	d := blobs(45, 1500, 4, 5, 200)
	twice := &table{y: d.y}
	for i, row := range d.x {
		rare := 0.0
		if (d.y[i]+i)%9 == 0 {
			rare = 1
		}
		row = append(slices.Clone(row), rare, rare+1, rare*3)
		twice.x = append(twice.x, append(row, row...))
	}
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			m := trained(t, twice, params(func(p *aoso.Params) { v.change(p); rounds(p, 3, 5) })).Model
			splits, err := m.Importance("split")
			if err != nil {
				t.Fatal(err)
			}
			for j, n := range splits {
				if copied := j >= 5; copied && n > 0 {
					t.Errorf("feature %d, a copy, has %g splits", j, n)
				}
			}
		})
	}
	symmetric := &table{x: [][]float64{{1}, {2}, {2}, {3}}, y: []int{0, 1, 1, 0}}
	m := trained(t, symmetric, params(func(p *aoso.Params) { p.NEstimators, p.MaxLeaves = 1, 2 })).Model
	if cut := thresholds(forest(m)); !slices.Equal(cut, []float64{1.5}) {
		t.Errorf("cut at %v, want 1.5", cut)
	}
}

// TestCutInNode: a node is cut half-way between the values that it holds.
func TestCutInNode(t *testing.T) {
	d := &table{}
	for i := range 90 {
		d.x, d.y = append(d.x, []float64{0, float64(1 + i%9)}), append(d.y, 0)
	}
	for i := range 30 { // holds 1 and 9 alone
		d.x, d.y = append(d.x, []float64{1, float64(1 + i%2*8)}), append(d.y, 1+i%2)
	}
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators, p.MaxLeaves = 1, 3 })).Model
	if s := splits(forest(m)); len(s) != 2 || s[0].Feature != 0 || s[0].Threshold() != 0.5 || s[1].Feature != 1 || s[1].Threshold() != 4.5 {
		t.Errorf("splits %v, want feature 0 at 0.5 and 1 at 4.5", s)
	}
}
