package model

import (
	"fmt"
	"math"
	"testing"

	"github.com/libaoso/aoso/kernel"
)

// TestBalance: the mean of the places of a tree is 0, with rows that fit counters.
func TestBalance(t *testing.T) {
	for _, places := range [][]float32{{-2, -1, 0.5, 1, 3}, {-0.25, 0, 4}, {-1e-30, 1e-30, 2e-30}, {-3e38, 1}, {1, 2}} {
		l := NewLinear([]float32{0})
		edges := make([]float64, len(places)-1)
		for i := range edges {
			edges[i] = float64(i)
		}
		l.Add(0, edges, places, []float32{1})
		sum, size := 0.0, 0.0
		f := l.forest(1)
		for _, leaf := range f.Tree(1).Leaves() {
			value := float64(leaf.Values()[0]) * float64(leaf.Rows())
			sum, size = sum+value, max(size, math.Abs(value))
		}
		if err := f.Check(numbers); err != nil || places[0] < -1e-30 && places[len(places)-1] > 1 && sum != 0 || places[0] < 0 && math.Abs(sum) > size*1e-5 && size < 1e38 {
			t.Errorf("%v: sum %v, %v", places, sum, err)
		}
	}
}

// TestTreesOnly: trees replace linear scores, whatever kind the other leaves are.
func TestTreesOnly(t *testing.T) {
	l := NewLinear([]float32{0.5, -1, 0.25})
	l.Add(0, []float64{-1, 0, 0.5, 2}, []float32{-2, -1, 0.5, 1, 3}, []float32{0.1, 0.2, -0.3})
	l.Add(1, nil, []float32{0.75}, []float32{1, 0, -1})
	l.Add(1, []float64{0.4}, []float32{-0.1, 0.2}, []float32{0.7, -0.7, 0})
	l.Add(0, []float64{-math.MaxFloat64, math.MaxFloat64}, []float32{7, 0, 9}, []float32{1, 1, -1})
	const newLeaves = 1 + 6 + 2 + 3 + 4

	all := forests()
	all["sparse"] = NewSparseForest(3, 2, 1)
	all["no trees"] = NewForest(3, 4, true)
	for name, f := range all {
		t.Run(name, func(t *testing.T) {
			if plain, ok := f.TreesOnly(0); plain != f || !ok {
				t.Error("a forest without linear scores becomes another one")
			}
			f.SetLinear(l)
			before, most := fmt.Sprint(*f), 3*newLeaves
			if !f.Full() {
				most += 3 * f.Leaves()
			}
			if _, ok := f.TreesOnly(most - 1); ok {
				t.Errorf("%d values are at most %d", most, most-1)
			}
			only, ok := f.TreesOnly(most)
			if !ok || only.Linear() != nil || !only.Full() || only.Trees() != 5+f.Trees() || only.Leaves() != newLeaves+f.Leaves() {
				t.Fatalf("%d trees, %d leaves", only.Trees(), only.Leaves())
			}
			if err := only.Check(numbers); err != nil {
				t.Fatal(err)
			}
			scores := make([]float64, l.Scorer().Stride())
			values := []float64{math.Inf(-1), -math.MaxFloat64, -1, math.Nextafter(-1, -2), 0, 0.4, 0.5, 2, math.MaxFloat64, math.Inf(1), math.NaN()}
			for _, x := range values {
				for _, y := range values {
					row := []float64{x, y}
					places, want, got := make([]float32, l.Terms()), make([]float64, 3), make([]float64, 3)
					for term := range places {
						places[term] = l.Place(term, row[l.Column(term)])
					}
					l.Scorer().Scores(places, 1, scores, kernel.Generic)
					copy(want, scores)
					for _, tree := range f.All() {
						tree.Leaf(tree.Find(row)).AddTo(want)
					}
					for _, tree := range only.All() {
						tree.Leaf(tree.Find(row)).AddTo(got)
					}
					for k := range want {
						if math.Abs(got[k]-want[k]) > 1e-5 {
							t.Fatalf("%v: scores %v, want %v", row, got, want)
						}
					}
				}
			}
			if fmt.Sprint(*f) != before {
				t.Error("the forest changes")
			}
		})
	}
}
