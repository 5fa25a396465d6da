package tree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso/kernel"
)

// randomForest has trees of any shape, thresholds that values meet, and pairs
// that a training would not choose.
func randomForest(r *rand.Rand, trees, leaves, features, classes, pairs int, full bool) *Forest {
	f := NewForest(classes, pairs, full)
	for range trees {
		t := &Tree{}
		n := 1 + r.IntN(leaves)
		for range n {
			l := Leaf{Steps: make([]float32, f.StepsPerLeaf())}
			for i := range l.Steps {
				l.Steps[i] = float32(r.NormFloat64())
			}
			if !full {
				l.Pairs = make([]kernel.Pair, pairs)
				for i := range l.Pairs {
					l.Pairs[i] = kernel.Pair{R: int32(r.IntN(classes)), S: int32(r.IntN(classes + 3))}
					if l.Pairs[i].R == l.Pairs[i].S {
						l.Pairs[i].S = int32(classes)
					}
				}
			}
			t.Leaves = append(t.Leaves, l)
		}
		var grow func(low, high int) int32
		grow = func(low, high int) int32 {
			if high-low == 1 {
				return ^int32(low)
			}
			i, middle := len(t.Nodes), low+1+r.IntN(high-low-1)
			t.Nodes = append(t.Nodes, Node{
				Feature: int32(r.IntN(features)), Threshold: max(number(r), -math.MaxFloat64), MissingLeft: r.IntN(2) == 0,
				Pairs: slices.Repeat([]kernel.Pair{{R: 0, S: int32(classes)}}, pairs),
			})
			left := grow(low, middle)
			right := grow(middle, high)
			t.Nodes[i].Left, t.Nodes[i].Right = left, right
			return int32(i)
		}
		grow(0, n)
		f.Append(t)
	}
	return f
}

func number(r *rand.Rand) float64 {
	return []float64{-1, math.Copysign(0, -1), 0, 0.5, 1, math.Inf(1), math.Inf(-1)}[r.IntN(7)]
}

// source is a table of such numbers, some missing.
type source [][]float64

func (s source) Rows() int { return len(s) }
func (s source) Cols() int { return len(s[0]) }
func (s source) Column(j, first int, dst []float64) {
	for i := range dst {
		dst[i] = s[first+i][j]
	}
}

func newSource(r *rand.Rand, rows, cols int) source {
	s := make(source, rows)
	for i := range s {
		s[i] = make([]float64, cols)
		for j := range s[i] {
			if s[i][j] = number(r); r.IntN(5) == 0 {
				s[i][j] = math.NaN()
			}
		}
	}
	return s
}

// TestPredictor compares with walks through the forest.
func TestPredictor(t *testing.T) {
	for seed, test := range []struct {
		leaves, classes, pairs int
		full                   bool
	}{
		{20, 26, 1, true}, {2, 3, 1, true}, {70, 2, 1, false}, {20, 40, 2, false}, {20, 9, 4, false}, {700, 17, 1, false}, {1, 1, 1, true},
	} {
		t.Run(fmt.Sprint(test), func(t *testing.T) {
			const trees, cols, rows = 90, 7, 600
			r := rand.New(rand.NewPCG(uint64(seed), 30))
			f := randomForest(r, trees, test.leaves, cols, test.classes, test.pairs, test.full)
			x := newSource(r, rows, cols)
			if err := f.Check(cols); err != nil {
				t.Fatal(err)
			}
			for _, run := range []struct{ first, last, use int }{{0, trees, trees}, {0, trees, 31}, {13, 80, 67}, {5, 5, 0}} {
				p := NewPredictor(f, run.first, NewSteps(f, run.first, run.last), 4096)
				b := p.NewBlock(kernel.Generic)
				for _, block := range []struct{ first, rows int }{{0, 512}, {512, 88}, {3, 1}, {9, 64}} {
					b.Load(x, block.first, block.rows)
					scores := make([]float64, block.rows*test.classes)
					leaves := make([]int32, block.rows*run.use)
					b.AddTo(scores, run.use)
					b.Leaves(leaves, run.use)
					for i, row := range x[block.first:][:block.rows] {
						want := make([]float64, test.classes)
						for k := range run.use {
							leaf := f.Leaf(run.first+k, row)
							f.AddLeaf(run.first+k, leaf, want)
							if int(leaves[i*run.use+k]) != leaf {
								t.Fatalf("%v, row %d, tree %d: leaf %d, want %d", run, i, k, leaves[i*run.use+k], leaf)
							}
						}
						if got := scores[i*test.classes:][:test.classes]; !slices.Equal(got, want) {
							t.Fatalf("%v, row %d: scores %v, want %v", run, i, got, want)
						}
					}
				}
			}
		})
	}
}

// TestSpread: steps by class, if no class is there twice.
func TestSpread(t *testing.T) {
	pairs := []kernel.PairStep{{R: 0, S: 2, Step: 1}, {R: 3, S: 3, Step: 9}, {R: 2, S: 3, Step: 2}, {R: 1, S: 0, Step: 4}}
	steps, ok := spread(pairs, 2, 3)
	if want := []float32{1, 0, -1, -4, 4, 2}; !ok || !slices.Equal(steps, want) {
		t.Errorf("steps %v, want %v", steps, want)
	}
	if _, ok := spread(pairs, 4, 3); ok {
		t.Error("a class is there twice")
	}
}
