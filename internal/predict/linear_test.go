package predict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/kernel"
)

// randomLinear returns linear scores, some terms on the same column, with edges that equal values.
func randomLinear(r *rand.Rand, classes, cols, terms int) *model.Linear {
	numbers := func(n int) []float32 {
		all := make([]float32, n)
		for i := range all {
			all[i] = float32(r.NormFloat64())
		}
		return all
	}
	l := model.NewLinear(numbers(classes))
	for range terms {
		edges := []float64{-1, 0, 0.5, 1}[r.IntN(3):]
		l.Add(r.IntN(cols), edges, numbers(len(edges)+1), numbers(classes))
	}
	return l
}

// sparseForest returns trees with sparse leaves.
func sparseForest(r *rand.Rand, trees, leaves, cols, classes, named int) *model.Forest {
	f := model.NewSparseForest(classes, 1, named)
	for range trees {
		for range leaves {
			pairs, values := make([]kernel.Pair, named), make([]float32, named)
			for i, k := range r.Perm(classes)[:named] {
				pairs[i], values[i] = kernel.Pair{R: int32(k), S: int32(classes)}, float32(r.NormFloat64())
			}
			f.AddLeaf(values, pairs, 0)
		}
		addNodes(r, f, 0, leaves, cols, new(model.Child))
		f.EndTree()
	}
	return f
}

// TestLinear: all predictions begin with linear scores and add the values of the trees in their order.
func TestLinear(t *testing.T) {
	const trees, cols, rows = 70, 7, 300
	for seed, test := range []struct {
		classes, terms int
		forest         func(r *rand.Rand) *model.Forest
	}{
		{5, 9, func(r *rand.Rand) *model.Forest { return randomForest(r, trees, 9, cols, 5, 1, true, unchanged) }},
		{120, 4, func(r *rand.Rand) *model.Forest { return randomForest(r, trees, 9, cols, 120, 1, true, multiples) }},
		{120, 0, func(r *rand.Rand) *model.Forest { return randomForest(r, trees, 9, cols, 120, 1, true, multiples) }},
		{40, 3, func(r *rand.Rand) *model.Forest { return randomForest(r, trees, 9, cols, 40, 2, false, unchanged) }},
		{90, 3, func(r *rand.Rand) *model.Forest { return sparseForest(r, trees, 12, cols, 90, 3) }},
		{70_000, 2, func(r *rand.Rand) *model.Forest { return sparseForest(r, 3, 12, cols, 70_000, 3) }},
		{5, 4, func(r *rand.Rand) *model.Forest { return randomForest(r, 0, 9, cols, 5, 1, true, unchanged) }},
		{3, 0, func(r *rand.Rand) *model.Forest { return randomForest(r, trees, 1, cols, 3, 1, true, unchanged) }},
	} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(seed), 50))
			f := test.forest(r)
			l := randomLinear(r, test.classes, cols, test.terms)
			f.SetLinear(l)
			n := rows
			if test.classes > 1000 {
				n = 70
			}
			x := newSource(r, n, cols)
			want, stage := make([]float64, n*test.classes), make([]float64, n*test.classes)
			half := max(f.Trees()+1, 2) / 2
			for i, row := range x {
				scores := want[i*test.classes:][:test.classes]
				places := make([]float32, l.Terms())
				for term := range places {
					places[term] = l.Place(term, row[l.Column(term)])
				}
				begin := make([]float64, l.Scorer().Stride())
				l.Scorer().Scores(places, 1, begin, kernel.Generic)
				copy(scores, begin)
				for number, tree := range f.All() {
					tree.Leaf(tree.Find(row)).AddTo(scores)
					if number == half-1 {
						copy(stage[i*test.classes:], scores)
					}
				}
			}
			p := New(f, 4096)
			j := &Job{Features: x, Trees: f.Trees(), Kernels: kernel.Generic, Threads: 1}
			got := make([]float64, len(want))
			if p.Scores(j, got, func(int, []float64) {}); !slices.Equal(got, want) {
				t.Fatal("scores of blocks differ")
			}
			best := make([]int, n)
			p.Classes(j, best)
			p.Top(j, 2, 0, func(row int, top []Scored) {
				if top[0].Class != best[row] {
					t.Errorf("row %d: the most likely class is %d and %d", row, top[0].Class, best[row])
				}
			})
			row := p.Row(kernel.Generic, f.Trees())
			for i := range n {
				scores := want[i*test.classes:][:test.classes]
				row.Load(x[i])
				class, _ := row.Class()
				if due := slices.Index(scores, slices.Max(scores)); class != due || best[i] != due {
					t.Fatalf("row %d: class %d alone, %d in a block, want %d", i, class, best[i], due)
				}
				row.Load(x[i])
				if !slices.Equal(row.Scores(), scores) {
					t.Fatalf("row %d: other scores alone", i)
				}
				some, few := []int{r.IntN(test.classes)}, make([]float64, 1)
				row.Load(x[i])
				if row.ScoresOf(some, few); few[0] != scores[some[0]] {
					t.Fatalf("row %d: score %v of class %d, want %v", i, few[0], some[0], scores[some[0]])
				}
			}
			for number, scores := range p.Staged(j, half) {
				if due := map[int][]float64{half: stage, f.Trees(): want}[number]; !slices.Equal(scores, due) {
					t.Errorf("other scores after %d trees", number)
				}
			}
			few := &Job{Features: x[:3], Trees: f.Trees(), Kernels: kernel.Generic, Threads: 1}
			if p.Scores(few, got, func(int, []float64) {}); !slices.Equal(got[:3*test.classes], want[:3*test.classes]) {
				t.Error("other scores of few rows")
			}
		})
	}
}

// TestPlace: edges belong to the bin above, and missing values have place 0.
func TestPlace(t *testing.T) {
	l := model.NewLinear([]float32{0, 0})
	l.Add(0, []float64{-1, 2}, []float32{-3, 1, 4}, []float32{1, 2})
	for x, want := range map[float64]float32{
		-2: -3, -1: 1, 0: 1, 2: 4, math.Inf(1): 4, math.Inf(-1): -3, math.NaN(): 0,
	} {
		if got := l.Place(0, x); got != want {
			t.Errorf("%v has place %v, want %v", x, got, want)
		}
	}
}
