package model

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/libaoso/aoso/kernel"
)

// forests returns one of pair leaves and one of full leaves, three trees each, the second of one
// leaf.
func forests() map[string]*Forest {
	pair := func(r, s int32) []kernel.Pair { return []kernel.Pair{{R: r, S: s}, {R: 3, S: 3}} }
	pairs, full := NewForest(3, 2, false), NewForest(3, 2, true)
	for tree := range 3 {
		scales := []float32{1, 2, 4}
		if tree == 1 {
			scales = []float32{8}
		}
		for _, f := range []*Forest{pairs, full} {
			if tree != 1 {
				f.AddNode(NumericSplit(1, 0.5, true), 1, LeafChild(2), 9, pair(0, 1))
				f.AddNode(NumericSplit(0, math.Inf(1), false), LeafChild(0), LeafChild(1), 4, pair(2, 3))
			}
			for _, scale := range scales {
				if f == full {
					f.AddLeaf([]float32{scale, -scale, 0}, nil, 3)
				} else {
					f.AddLeaf([]float32{scale, scale / 2}, []kernel.Pair{{R: 2, S: 0}, {R: 1, S: 3}}, 3)
				}
			}
			f.EndTree()
		}
	}
	return map[string]*Forest{"pairs": pairs, "full": full}
}

// numbers is columns without codes, of two features.
var numbers = make([]int, 2)

func TestForest(t *testing.T) {
	nan := math.NaN()
	for name, f := range forests() {
		t.Run(name, func(t *testing.T) {
			if f.Check(numbers) != nil || f.Trees() != 3 || f.Nodes() != 4 || f.Leaves() != 7 {
				t.Fatalf("%d trees, valid: %v", f.Trees(), f.Check(numbers))
			}
			for _, test := range []struct {
				row  []float64
				leaf int
			}{{[]float64{7, 0}, 0}, {[]float64{nan, 0.4}, 1}, {[]float64{7, nan}, 0}, {[]float64{7, 0.5}, 2}, {[]float64{nan, 9}, 2}, {[]float64{math.Inf(1), 0}, 0}} {
				for tree, want := range []int{test.leaf, 0, test.leaf} {
					if got := f.Tree(tree).Find(test.row); got != want {
						t.Errorf("tree %d, %v: leaf %d, want %d", tree, test.row, got, want)
					}
				}
			}
			scores := []float64{100, 100, 100}
			f.Tree(0).Leaf(2).AddTo(scores)
			f.Tree(1).Leaf(0).AddTo(scores)
			want := []float64{88, 106, 112}
			if f.Full() {
				want = []float64{112, 88, 100}
			}
			if !slices.Equal(scores, want) {
				t.Errorf("scores %v, want %v", scores, want)
			}

			before := fmt.Sprint(*f)
			c := f.Clone()
			if fmt.Sprint(*c) != before {
				t.Error("a clone is another forest")
			}
			c.values[0], c.feature[0], c.firstNode[0] = 77, 77, 77
			if fmt.Sprint(*f) != before {
				t.Error("a clone shares memory")
			}
			for trees := 3; trees >= 0; trees-- {
				c := f.Truncated(trees)
				if c.Trees() != trees || c.Check(numbers) != nil {
					t.Errorf("%d of %d trees, valid: %v", c.Trees(), trees, c.Check(numbers))
				}
				c.AddLeaf(make([]float32, f.ValuesPerLeaf()), nil, 1)
				c.EndTree()
			}
			if fmt.Sprint(*f) != before {
				t.Error("what is added to a truncated forest changes the whole one")
			}
		})
	}
}

// TestTree walks over the nodes and leaves of a tree.
func TestTree(t *testing.T) {
	for name, f := range forests() {
		for number, tree := range f.All() {
			if (tree.Root().IsLeaf()) != (number == 1) || tree.NumLeaves() != tree.NumNodes()+1 {
				t.Errorf("%s: tree %d has root %d, %d nodes, %d leaves", name, number, tree.Root(), tree.NumNodes(), tree.NumLeaves())
			}
			rows := 0
			for i, l := range tree.Leaves() {
				rows += tree.Rows(LeafChild(i))
				if l.Rows() != 3 || (l.Pairs() == nil) != f.Full() {
					t.Errorf("%s: leaf %d has %d rows and the pairs %v", name, i, l.Rows(), l.Pairs())
				}
			}
			if rows != tree.Rows(tree.Root()) {
				t.Errorf("%s: %d rows in the leaves of tree %d, %d at its root", name, rows, number, tree.Rows(tree.Root()))
			}
		}
		nodes := maps.Collect(f.Tree(2).Nodes())
		if len(nodes) != 2 || nodes[0].Split() != (NumericSplit(1, 0.5, true)) || nodes[0].Left() != 1 || nodes[0].Right().Leaf() != 2 || nodes[0].Gain() != 9 {
			t.Errorf("%s: nodes %v", name, nodes)
		}
		same := func(pairs iter.Seq2[int, int], want string) {
			if got := fmt.Sprint(maps.Collect(pairs)); got != want {
				t.Errorf("%s: pairs %s, want %s", name, got, want)
			}
		}
		same(nodes[0].Pairs(), "map[0:1]")
		same(nodes[1].Pairs(), fmt.Sprintf("map[2:%d]", Others))
		if n := len(slices.Collect(f.AllNodes())); n != 4 {
			t.Errorf("%s: %d nodes", name, n)
		}
	}
}

// TestSplit: where values go, and the ranges of those that go one way.
func TestSplit(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	goesLeft := func(s Split, x float64) bool {
		var all splits
		all.add(s)
		return all.goesLeft(0, []float64{x})
	}
	for _, s := range []Split{NumericSplit(0, 0.5, true), NumericSplit(0, 0.5, false), NumericSplit(0, inf, false), NumericSplit(0, -math.MaxFloat64, true)} {
		l, r := s.Left(), s.Right()
		for _, x := range []float64{-math.MaxFloat64, 0, math.Nextafter(0.5, 0), 0.5, 1, math.MaxFloat64, nan} {
			left := x < s.Threshold() || x != x && s.MissingLeft
			if goesLeft(s, x) != left || l.Has(x) != left || r.Has(x) == left {
				t.Errorf("%+v: %v goes left: %v, is left: %v, is right: %v", s, x, goesLeft(s, x), l.Has(x), r.Has(x))
			}
		}
		if !goesLeft(s, inf) != (s.Threshold() < inf) || goesLeft(s, -inf) != (s.Threshold() > -math.MaxFloat64) {
			t.Errorf("%+v: infinite values", s)
		}
	}
	between := NumericSplit(0, 1, true).Right().And(NumericSplit(0, 3, false).Left())
	for x, want := range map[float64]bool{0.5: false, 1: true, 2: true, 3: false} {
		if between.Has(x) != want {
			t.Errorf("%v is from 1 up to 3: %v", x, between.Has(x))
		}
	}
	splits := []Split{NumericSplit(0, 5, true), NumericSplit(0, 1, false), NumericSplit(0, 2, false), NumericSplit(1, 0, true)}
	for i, s := range splits {
		for j, o := range splits {
			if got := s.Compare(o); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%+v is compared with %+v as %d", s, o, got)
			}
		}
	}
}

// TestSetLeaf changes values and numbers of rows.
func TestSetLeaf(t *testing.T) {
	for name, f := range forests() {
		tree := f.Tree(2)
		values := slices.Clone(tree.Leaf(0).Values())
		values[0] = 0.25
		tree.SetLeaf(0, values, 10)
		tree.SetLeaf(1, nil, 0)
		tree.CountRows()
		if tree.Leaf(0).Values()[0] != 0.25 || tree.Leaf(1).Values()[0] != 2 || tree.Rows(0) != 13 || tree.Rows(1) != 10 || f.Check(numbers) != nil {
			t.Errorf("%s: leaves %v and %v, %d and %d rows", name, tree.Leaf(0).Values(), tree.Leaf(1).Values(), tree.Rows(0), tree.Rows(1))
		}
	}
}

// TestGain: a gain that float32 cannot hold is its greatest number.
func TestGain(t *testing.T) {
	f := NewForest(2, 1, true)
	f.AddNode(Split{}, LeafChild(0), LeafChild(1), 1e40, make([]kernel.Pair, 1))
	if got := f.gain[0]; got != math.MaxFloat32 {
		t.Errorf("gain %g", got)
	}
}

// TestCheck spoils a forest in every way.
func TestCheck(t *testing.T) {
	spoil := map[string]func(f *Forest){
		"no first node":         func(f *Forest) { f.firstNode = nil },
		"no first leaf":         func(f *Forest) { f.firstLeaf = nil },
		"first node not zero":   func(f *Forest) { f.firstNode[0] = 1 },
		"first leaf not zero":   func(f *Forest) { f.firstLeaf[0] = 1 },
		"first node falls":      func(f *Forest) { f.firstNode[1] = 4; f.firstNode[2] = 2 },
		"first node past":       func(f *Forest) { f.firstNode[1] = 1 << 31 },
		"first leaf past":       func(f *Forest) { f.firstLeaf[1] = 1 << 31 },
		"a leaf too few":        func(f *Forest) { f.firstLeaf[1]-- },
		"too many nodes":        func(f *Forest) { f.firstNode[3]++ },
		"too many leaves":       func(f *Forest) { f.firstLeaf[3]++ },
		"threshold missing":     func(f *Forest) { f.threshold = f.threshold[1:] },
		"threshold NaN":         func(f *Forest) { f.threshold[1] = math.NaN() },
		"missing left missing":  func(f *Forest) { f.missingLeft = f.missingLeft[1:] },
		"left missing":          func(f *Forest) { f.left = f.left[1:] },
		"right missing":         func(f *Forest) { f.right = f.right[1:] },
		"gain missing":          func(f *Forest) { f.gain = f.gain[1:] },
		"node rows missing":     func(f *Forest) { f.nodeRows = f.nodeRows[1:] },
		"node pairs missing":    func(f *Forest) { f.nodePairs = f.nodePairs[1:] },
		"leaf rows missing":     func(f *Forest) { f.leafRows = f.leafRows[1:] },
		"leaf pairs of another": func(f *Forest) { f.leafPairs = append(f.leafPairs, 0, 0, 0, 0) },
		"value missing":         func(f *Forest) { f.values = f.values[1:] },
		"value NaN":             func(f *Forest) { f.values[3] = float32(math.NaN()) },
		"value infinite":        func(f *Forest) { f.values[3] = float32(math.Inf(-1)) },
		"feature negative":      func(f *Forest) { f.feature[0] = -1 },
		"feature past":          func(f *Forest) { f.feature[0] = 2 },
		"child itself":          func(f *Forest) { f.left[0] = 0 },
		"child before":          func(f *Forest) { f.right[1] = 0 },
		"child past":            func(f *Forest) { f.left[0] = 2 },
		"leaf past":             func(f *Forest) { f.left[1] = ^3 },
		"least leaf":            func(f *Forest) { f.left[1] = math.MinInt32 },
		"greatest child":        func(f *Forest) { f.right[0] = math.MaxInt32 },
		"leaf twice":            func(f *Forest) { f.left[1] = ^1 },
		"leaves in disorder":    func(f *Forest) { f.left[1], f.right[1] = ^1, ^0 },
		"node twice":            func(f *Forest) { f.right[0] = 1 },
		"node not reached":      func(f *Forest) { f.left[0] = ^0 },
		"pairs in disorder":     func(f *Forest) { f.nodePairs[0], f.nodePairs[2] = 9, 1 },
	}
	for name := range forests() {
		for what, change := range spoil {
			f := forests()[name].Clone()
			if change(f); f.Check(numbers) == nil {
				t.Errorf("%s: %s is taken for valid", name, what)
			}
		}
	}
}
