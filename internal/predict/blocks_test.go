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

// randomForest returns trees of random shape, with thresholds that equal values, and pairs that training would not choose. change may
// change the values of a tree.
func randomForest(r *rand.Rand, trees, leaves, features, classes, pairs int, full bool, change func(tree int, values []float32)) *model.Forest {
	f := model.NewForest(classes, pairs, full)
	for tree := range trees {
		n := 1 + r.IntN(leaves)
		for range n {
			values := make([]float32, f.ValuesPerLeaf())
			for i := range values {
				values[i] = float32(r.NormFloat64())
			}
			change(tree, values)
			f.AddLeaf(values, randomPairs(r, f), 0)
		}
		addNodes(r, f, 0, n, features, new(model.Child))
		f.EndTree()
	}
	return f
}

func unchanged(int, []float32) {}

// randomPairs returns the pairs of a leaf.
func randomPairs(r *rand.Rand, f *model.Forest) []kernel.Pair {
	if f.Full() {
		return nil
	}
	pairs := make([]kernel.Pair, f.Pairs())
	for i := range pairs {
		pairs[i] = kernel.Pair{R: int32(r.IntN(f.Classes())), S: int32(r.IntN(f.Classes() + 3))}
		if pairs[i].R == pairs[i].S {
			pairs[i].S = int32(f.Classes())
		}
	}
	return pairs
}

// addNodes adds nodes that separate the leaves from low up to high. next is the number of the next node.
func addNodes(r *rand.Rand, f *model.Forest, low, high, features int, next *model.Child) {
	if high-low == 1 {
		return
	}
	*next++
	middle := low + 1 + r.IntN(high-low-1)
	left, right := *next, *next+model.Child(middle-low-1) // after the nodes on the left, one less than leaves
	if middle-low == 1 {
		left = model.LeafChild(low)
	}
	if high-middle == 1 {
		right = model.LeafChild(middle)
	}
	split := model.NumericSplit(r.IntN(features), max(number(r), -math.MaxFloat64), r.IntN(2) == 0)
	f.AddNode(split, left, right, 0, slices.Repeat([]kernel.Pair{{R: 0, S: int32(f.Classes())}}, f.Pairs()))
	addNodes(r, f, low, middle, features, next)
	addNodes(r, f, middle, high, features, next)
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
			if j%2 == 0 && math.IsInf(s[i][j], 0) { // so that the column is one of float32s
				s[i][j] = 0.25
			}
		}
	}
	return s
}

// TestNarrow: numbers compare with thresholds as float32 as they do as float64.
func TestNarrow(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 41))
	for range 100_000 {
		x := math.Float32frombits(r.Uint32())
		threshold := math.Float64frombits(r.Uint64())
		if r.IntN(2) == 0 { // at x, or next to it
			threshold = float64(x)
			for range r.IntN(3) {
				threshold = math.Nextafter(threshold, math.Inf(r.IntN(2)*2-1))
			}
		}
		if threshold == threshold && (float64(x) >= threshold) != (x >= narrowThreshold(threshold)) {
			t.Fatalf("%v and threshold %v, as float32 %v", x, threshold, narrowThreshold(threshold))
		}
	}
	to := make([]float32, 3)
	for _, test := range []struct {
		values []float64
		narrow bool
	}{
		{[]float64{0.5, math.NaN(), -math.MaxFloat32}, true}, {[]float64{math.SmallestNonzeroFloat32, 0, math.Inf(1)}, true}, {nil, true},
		{[]float64{0.5, 0.1, 0}, false}, {[]float64{0, 0, math.MaxFloat64}, false}, {[]float64{0, 1 << 24, 1<<24 + 1}, false},
	} {
		if narrow(to, test.values) != test.narrow {
			t.Errorf("%v: not %v", test.values, test.narrow)
		}
	}
}

// multiples rounds values to multiples of 1/8, and sets the last to the smallest that is short.
func multiples(_ int, values []float32) {
	for i, v := range values {
		values[i] = float32(math.Round(float64(8*v))) / 8
	}
	values[len(values)-1] = -(1<<shortBits - 1) / 8.0
}

// TestBlocks compares with walks through the forest.
func TestBlocks(t *testing.T) {
	for seed, test := range []struct {
		leaves, classes, pairs int
		full                   bool
		change                 func(tree int, values []float32)
	}{
		{20, 26, 1, true, unchanged}, {2, 3, 1, true, unchanged}, {70, 2, 1, false, unchanged}, {20, 40, 2, false, unchanged},
		{20, 9, 4, false, unchanged}, {700, 17, 1, false, unchanged}, {1, 1, 1, true, unchanged},
		{20, 16, 1, true, multiples}, {20, 300, 1, true, multiples}, {3, 15, 1, true, multiples},
	} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			const trees, cols, rows = 90, 7, 600
			r := rand.New(rand.NewPCG(uint64(seed), 30))
			f := randomForest(r, trees, test.leaves, cols, test.classes, test.pairs, test.full, test.change)
			x := newSource(r, rows, cols)
			if err := f.Check(make([]int, cols)); err != nil {
				t.Fatal(err)
			}
			if v := newValues(f, 4096); (v.short != nil) != (seed == 7 || seed == 8) {
				t.Fatal("short values:", v.short != nil)
			}
			for i, run := range []struct{ first, last, use int }{{0, trees, trees}, {0, trees, 31}, {13, 80, 67}, {5, 5, 0}, {0, trees, trees}, {13, 80, 67}} {
				cache := 4096
				if i >= 4 {
					cache = 1 << 20
				}
				p := newBlocks(f, run.first, newValues(f, cache).slice(run.first, run.last), cache)
				if p.values.short != nil && p.values.short.cached != (i >= 4) {
					t.Fatalf("a cache of %d bytes holds the values: %v", cache, p.values.short.cached)
				}
				blocks := []struct{ first, rows int }{{0, 512}, {512, 88}, {3, 1}, {9, 64}}
				if p.values.short != nil {
					blocks = append(blocks, struct{ first, rows int }{0, 600})
				}
				for _, block := range blocks {
					b := p.newBlock(kernel.Generic, block.rows, run.use)
					b.load(x, block.first, block.rows)
					scores := make([]float64, block.rows*test.classes)
					leaves := make([]int32, block.rows*run.use)
					b.addTo(scores)
					b.writeLeaves(leaves)
					for i, row := range x[block.first:][:block.rows] {
						want := make([]float64, test.classes)
						for k := range run.use {
							tree := f.Tree(run.first + k)
							leaf := tree.Find(row)
							tree.Leaf(leaf).AddTo(want)
							if int(leaves[i*run.use+k]) != leaf {
								t.Fatalf("%v, row %d, tree %d: leaf %d, want %d", run, i, k, leaves[i*run.use+k], leaf)
							}
						}
						if got := scores[i*test.classes:][:test.classes]; !slices.Equal(got, want) {
							t.Fatalf("%v, row %d: scores %v, want %v", run, i, got, want)
						}
					}
					b.sumUp()
					whole := make([]float64, len(scores))
					if b.write(whole, 0, 0); !slices.Equal(whole, scores) {
						t.Fatalf("%v: scores %v, added to zeros %v", run, whole, scores)
					}
				}
			}
		})
	}
}

// TestSpread: pairs become values by class, unless a class occurs twice.
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

// TestPlan: blocks of rows with many scores have fewer rows.
func TestPlan(t *testing.T) {
	for _, test := range []struct {
		classes, want int
		short         *shortValues
		trees         int
	}{
		{2, 512, nil, 9}, {300, 512, nil, 9}, {10_000, 64, nil, 9}, {1 << 24, 64, nil, 9},
		{100, 2048, &shortValues{classes: 112}, 9}, {300, 2048, &shortValues{classes: 304}, 9}, {10_000, 384, &shortValues{classes: 10_000}, 9}, {300, 512, &shortValues{classes: 304, cached: true}, 9},
	} {
		j := Job{Features: rowsOf(10_000), Threads: 1, Trees: test.trees}
		p := blocks{values: &values{classes: test.classes, short: test.short}}
		if threads, size := p.planBlocks(&j); threads != 1 || size > test.want || size <= test.want/2 {
			t.Errorf("%d classes: %d threads, %d rows; want at most %d", test.classes, threads, size, test.want)
		}
	}
}

// TestShortValues: values are short if they are multiples of a unit.
func TestShortValues(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, test := range []struct {
		values []float32
		short  bool
	}{
		{[]float32{0.5, -1, 0, float32(math.Copysign(0, -1))}, true}, {[]float32{2047, -1}, true}, {[]float32{4094, 2}, true},
		{[]float32{0x1p100, -0x1p90}, true}, {[]float32{0x1p-149, -0x1p-149}, true},
		{[]float32{1, 0x1p-13}, false}, {[]float32{0.1, 0.3}, false}, {[]float32{nan, 1}, false}, {[]float32{1, inf}, false},
		{[]float32{0x1p30, 0x1p-149}, false}, {nil, false},
	} {
		values := slices.Concat(test.values, make([]float32, 20-len(test.values)))
		if newShortValues(values, 20, 1<<20, 4096) != nil {
			t.Errorf("%v: sums of a million trees are more than 32 bits hold", test.values)
		}
		s := newShortValues(values, 20, 1, 4096)
		if (s != nil) != test.short {
			t.Errorf("%v: short %v", test.values, s != nil)
		}
		if s == nil {
			continue
		}
		for k, v := range values {
			if float64(s.pieces[0][k])*s.unit != float64(v) {
				t.Errorf("%v: %d units of %v", v, s.pieces[0][k], s.unit)
			}
		}
		if sum := s.group * int(max(slices.Max(s.pieces[0]), -slices.Min(s.pieces[0]))); sum > math.MaxInt16 || s.classes != 32 {
			t.Errorf("%v: %d trees at once, %d classes", test.values, s.group, s.classes)
		}
	}
}

// rowsOf is rows without features.
type rowsOf int

func (n rowsOf) Rows() int                    { return int(n) }
func (rowsOf) Cols() int                      { return 0 }
func (rowsOf) Column(_, _ int, dst []float64) {}
