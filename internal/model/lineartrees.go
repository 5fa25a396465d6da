package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/libaoso/aoso/kernel"
)

// TreesOnly returns a forest with the scores of f up to rounding, with full leaves, and with
// trees in place of linear scores. false: that would take more than most new leaf values.
func (f *Forest) TreesOnly(most int) (_ *Forest, ok bool) {
	if f.linear == nil {
		return f, true
	}
	leaves := f.linear.leaves()
	if !f.full {
		leaves += f.Leaves()
	}
	if leaves > most/f.classes {
		return nil, false
	}
	return Concat(f.linear.forest(f.pairs), f.withFullLeaves()), true
}

// withFullLeaves returns the trees of f, each leaf with a value for each class. It shares the
// memory of nodes.
func (f *Forest) withFullLeaves() *Forest {
	full := *f
	full.linear = nil
	if f.full {
		return &full
	}
	full.full, full.named, full.leafPairs = true, 0, nil
	full.values = make([]float32, 0, f.Leaves()*f.classes)
	scores := make([]float64, f.classes)
	for i := range f.Leaves() {
		clear(scores)
		Leaf{f, i}.AddTo(scores)
		for _, score := range scores {
			full.values = append(full.values, float32(score))
		}
	}
	return &full
}

// leaves returns the number of leaves of [Linear.forest].
func (l *Linear) leaves() int {
	n := 1 // of the bias
	for t := range l.Terms() {
		n += len(l.Places(t)) + 1
	}
	return n
}

// forest returns trees that add up to the scores, up to rounding: one of a single leaf, the
// bias, and one for each term. Their nodes have no class pairs.
func (l *Linear) forest(pairs int) *Forest {
	f := NewForest(l.classes, pairs, true)
	f.AddLeaf(l.bias, nil, 1)
	f.EndTree()
	l.addTrees(f)
	return f
}

// PlaceTrees returns a tree of one class for each term. The score of a row is the place of its value.
func (l *Linear) PlaceTrees() *Forest {
	unit := *l
	unit.classes, unit.weights = 1, slices.Repeat([]float32{1}, l.Terms())
	f := NewForest(1, 1, true)
	unit.addTrees(f)
	return f
}

// addTrees adds a tree for each term.
func (l *Linear) addTrees(f *Forest) {
	none := slices.Repeat([]kernel.Pair{{R: int32(l.classes), S: int32(l.classes)}}, f.pairs)
	for t := range l.Terms() {
		l.addTree(f, t, none)
	}
}

// addTree adds the tree of a term, with a leaf for each bin. Two nodes are at the lowest edge.
// Missing values go right at the first of them, and left elsewhere, to a leaf of their own.
func (l *Linear) addTree(f *Forest, term int, none []kernel.Pair) {
	lowest, edges := math.Inf(1), l.Edges(term)
	if len(edges) > 0 {
		lowest = edges[0]
	}
	edges = slices.Insert(slices.Clone(edges), 0, lowest)
	// add adds the node of the edges from first up to end, at the given number.
	var add func(first, end int, number Child)
	add = func(first, end int, number Child) {
		middle := (first + end) / 2
		left, right := LeafChild(first), LeafChild(end)
		if first < middle {
			left = number + 1
		}
		if middle+1 < end {
			right = number + 1 + Child(middle-first)
		}
		f.AddNode(NumericSplit(l.Column(term), edges[middle], middle > 0), left, right, 0, none)
		if !left.IsLeaf() {
			add(first, middle, left)
		}
		if !right.IsLeaf() {
			add(middle+1, end, right)
		}
	}
	add(0, len(edges), 0)
	values, rows := make([]float32, l.classes), balance(l.Places(term))
	for _, place := range slices.Insert(slices.Clone(l.Places(term)), 1, 0) {
		for k, w := range l.Weights(term) {
			values[k] = float32(float64(place) * float64(w))
		}
		f.AddLeaf(values, nil, rows[cmp.Compare(place, 0)])
	}
	f.EndTree()
}

// balance returns numbers of rows for places below 0, at 0 and above it, by sign. The true
// numbers are unknown. With these, the mean place is 0, so SHAP values from the tree equal the
// term's.
func balance(places []float32) map[int]int {
	above, below := 0.0, 0.0
	for _, place := range places {
		above += max(float64(place), 0)
		below -= min(float64(place), 0)
	}
	if above == 0 || below == 0 {
		return map[int]int{-1: 1, 0: 1, 1: 1}
	}
	const digits = 20
	_, exponent := math.Frexp(max(above, below))
	return map[int]int{
		-1: max(int(math.Ldexp(above, digits-exponent)), 1),
		0:  1,
		1:  max(int(math.Ldexp(below, digits-exponent)), 1),
	}
}
