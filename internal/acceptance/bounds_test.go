package acceptance

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/model"
)

// leafRows counts the training rows in every leaf of a tree by prediction.
func leafRows(t *testing.T, m *aoso.Model, d *table) [][]int {
	t.Helper()
	leaves, err := m.PredictLeaf(d.features())
	if err != nil {
		t.Fatal(err)
	}
	counts := make([][]int, m.Trees())
	for tree := range counts {
		counts[tree] = make([]int, m.Leaves(tree))
		for i := range d.y {
			counts[tree][leaves[i*m.Trees()+tree]]++
		}
	}
	return counts
}

// depth returns the most splits above a leaf.
func depth(t model.Tree, child model.Child) int {
	if child.IsLeaf() {
		return 0
	}
	n := t.Node(child)
	return 1 + max(depth(t, n.Left()), depth(t, n.Right()))
}

func TestMinSamples(t *testing.T) {
	plain := blobs(18, 2000, 5, 6, 40)
	binary := blobs(19, 2000, 5, 2, 40).punch(19, 0.1)
	sets := []struct {
		name    string
		data    *table
		trim    float64
		weights bool
	}{
		{"plain", plain, 0, false},
		{"missing", plain.punch(18, 0.1), 0, false},
		{"missing, trim", plain.punch(18, 0.1), 0.1, false},
		{"weights", plain.punch(18, 0.1), 0.2, true},
		{"binary, missing", binary, 0, false},
		{"binary, missing, trim", binary, 0.1, true},
	}
	for _, v := range everyVariant {
		for _, s := range sets {
			for _, least := range []int{1, 2, 37} {
				t.Run(fmt.Sprintf("%s/%s/%d", v.name, s.name, least), func(t *testing.T) {
					d := s.data
					if s.weights {
						d = d.weighted(4)
					}
					classes := d.classes()
					m := trained(t, d, params(func(p *aoso.Params) {
						v.change(p)
						p.MinSamplesLeaf, p.Trim, p.MaxLeaves, p.LearningRate = least, s.trim, 25, 0.3
						rounds(p, 4, classes)
					})).Model
					fewest, i, rows := math.MaxInt, 0, rowsOfLeaves(forest(m))
					for _, counts := range leafRows(t, m, d) {
						for _, n := range counts {
							said := rows[i] // less with rows left out by Trim, which have no say
							if n < said || s.trim == 0 && n > said {
								t.Fatalf("leaf %d is said to have %d rows and has %d", i, said, n)
							}
							fewest = min(fewest, said)
							i++
						}
					}
					if fewest < least {
						t.Errorf("a leaf has %d rows", fewest)
					}
					if least == 37 && fewest > 2*least {
						t.Errorf("no leaf comes near the bound: the smallest has %d rows", fewest)
					}
				})
			}
		}
	}
}

func TestMaxDepth(t *testing.T) {
	sets := map[string]*table{"classes": blobs(20, 1000, 5, 5, 255), "binary": blobs(21, 1000, 5, 2, 255)}
	for name, d := range sets {
		for _, most := range []int{1, 2, 4} {
			t.Run(fmt.Sprintf("%s/%d", name, most), func(t *testing.T) {
				m := trained(t, d, params(func(p *aoso.Params) { p.MaxDepth, p.NEstimators, p.MaxLeaves = most, 5, 1000 })).Model
				for tree := range m.Trees() {
					if got := depth(forest(m).Tree(tree), forest(m).Tree(tree).Root()); got != most {
						t.Errorf("tree %d: depth %d", tree, got)
					}
				}
			})
		}
	}
	m := trained(t, sets["classes"], params(func(p *aoso.Params) { p.NEstimators, p.MaxLeaves = 5, 30 })).Model
	for tree := range m.Trees() {
		if m.Leaves(tree) != 30 || depth(forest(m).Tree(tree), forest(m).Tree(tree).Root()) < 5 {
			t.Errorf("without a bound tree %d has %d leaves and depth %d", tree, m.Leaves(tree), depth(forest(m).Tree(tree), forest(m).Tree(tree).Root()))
		}
	}
}

// TestMinHessian: before the first tree a row of two classes has the Hessian
// 1 along the pair, and 1/4 along one class.
func TestMinHessian(t *testing.T) {
	d := blobs(22, 1000, 5, 2, 255)
	tests := []struct {
		method aoso.Method
		bound  float64
		least  int
	}{{aoso.MethodAOSO, 50, 50}, {aoso.MethodAOSO, 50.5, 51}, {aoso.MethodABC, 50.5, 51}, {aoso.MethodLogitBoost, 12.5, 50}, {aoso.MethodLogitBoost, 12.6, 51}}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.method, test.bound), func(t *testing.T) {
			m := trained(t, d, params(func(p *aoso.Params) {
				p.Method, p.MinChildWeight, p.MaxLeaves, p.NEstimators = test.method, test.bound, 1000, 2
			})).Model
			fewest := slices.Min(leafRows(t, m, d)[0])
			if fewest < test.least || fewest > test.least+20 {
				t.Errorf("the smallest of %d leaves has %d rows, want %d or few more", m.Leaves(0), fewest, test.least)
			}
		})
	}
}

func TestMinGain(t *testing.T) {
	d := blobs(23, 1000, 5, 4, 255)
	m := trained(t, d, params(func(p *aoso.Params) { p.Gamma, p.MaxLeaves, p.NEstimators = 12, 1000, 5 })).Model
	least := slices.Min(gains(forest(m)))
	if least <= 12 || least > 30 {
		t.Errorf("the least gain is %g, want above 12 and not by much", least)
	}
}

// TestMaxDeltaStep: no leaf of a pair moves by more than the learning rate × the bound, and
// some do move by that.
func TestMaxDeltaStep(t *testing.T) {
	d := blobs(24, 500, 5, 4, 255)
	for _, most := range []float64{0.5, 2} {
		m := trained(t, d, params(func(p *aoso.Params) { paper(p); p.MaxDeltaStep, p.NEstimators = most, 40 })).Model
		got := 0.0
		for _, s := range leafValues(forest(m)) {
			got = max(got, math.Abs(float64(s)))
		}
		if !near(got, 0.1*most, 1e-6) {
			t.Errorf("bound %g: the greatest step is %g", most, got)
		}
	}
}

func TestL2(t *testing.T) {
	d := blobs(25, 500, 5, 4, 255)
	last := math.Inf(1)
	for _, l2 := range []float64{0, 1, 100, 10_000} {
		m := trained(t, d, params(func(p *aoso.Params) { p.RegLambda, p.NEstimators = l2, 3 })).Model
		sum := 0.0
		for _, s := range leafValues(forest(m)) {
			sum += math.Abs(float64(s))
		}
		if !(sum < last) {
			t.Errorf("L2 %g: steps of %g in all, %g with less", l2, sum, last)
		}
		last = sum
	}
}
