package tree

import (
	"errors"
	"fmt"
	"math"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/kernel"
)

// Forest is many trees in flat arrays, in the order they were grown: the
// form that prediction reads and that files hold. Classes of pairs are
// 16-bit; a number past the last class is the impossible class.
type Forest struct {
	Classes int
	Pairs   int  // class pairs of a node, and of a leaf that has pairs
	Full    bool // leaves hold Classes steps, not Pairs

	FirstNode, FirstLeaf []uint32 // by tree, and one past the last

	Feature     []int32
	Threshold   []float64
	MissingLeft []uint8
	Left, Right []int32 // a node of the tree, or ^leaf of the tree
	Gain        []float32
	NodeRows    []uint32
	NodePairs   []uint16 // 2·Pairs a node: r, s, r, s, …

	LeafRows  []uint32
	LeafPairs []uint16 // 2·Pairs a leaf, unless Full
	Steps     []float32
}

// NewForest is a forest without trees.
func NewForest(classes, pairs int, full bool) *Forest {
	return &Forest{Classes: classes, Pairs: pairs, Full: full, FirstNode: []uint32{0}, FirstLeaf: []uint32{0}}
}

// Trees is the number of trees.
func (f *Forest) Trees() int { return len(f.FirstNode) - 1 }

// StepsPerLeaf is the number of steps that a leaf holds.
func (f *Forest) StepsPerLeaf() int {
	if f.Full {
		return f.Classes
	}
	return f.Pairs
}

// Append adds a tree.
func (f *Forest) Append(t *Tree) {
	for i := range t.Nodes {
		n := &t.Nodes[i]
		f.Feature = append(f.Feature, n.Feature)
		f.Threshold = append(f.Threshold, n.Threshold)
		missingLeft := uint8(0)
		if n.MissingLeft {
			missingLeft = 1
		}
		f.MissingLeft = append(f.MissingLeft, missingLeft)
		f.Left = append(f.Left, n.Left)
		f.Right = append(f.Right, n.Right)
		f.Gain = append(f.Gain, float32(min(n.Gain, math.MaxFloat32))) // with large weights it can be more
		f.NodeRows = append(f.NodeRows, uint32(n.Rows))
		f.NodePairs = appendPairs(f.NodePairs, n.Pairs)
	}
	for i := range t.Leaves {
		l := &t.Leaves[i]
		f.LeafRows = append(f.LeafRows, uint32(l.Rows))
		f.LeafPairs = appendPairs(f.LeafPairs, l.Pairs)
		f.Steps = append(f.Steps, l.Steps...)
	}
	f.FirstNode = append(f.FirstNode, uint32(len(f.Feature)))
	f.FirstLeaf = append(f.FirstLeaf, uint32(len(f.LeafRows)))
}

func appendPairs(dst []uint16, pairs []kernel.Pair) []uint16 {
	for _, p := range pairs {
		dst = append(dst, uint16(p.R), uint16(p.S))
	}
	return dst
}

// Truncate keeps the first trees only.
func (f *Forest) Truncate(trees int) {
	nodes, leaves := f.FirstNode[trees], f.FirstLeaf[trees]
	f.FirstNode, f.FirstLeaf = f.FirstNode[:trees+1], f.FirstLeaf[:trees+1]
	f.Feature, f.Threshold = f.Feature[:nodes], f.Threshold[:nodes]
	f.MissingLeft, f.Left, f.Right = f.MissingLeft[:nodes], f.Left[:nodes], f.Right[:nodes]
	f.Gain, f.NodeRows = f.Gain[:nodes], f.NodeRows[:nodes]
	f.NodePairs = f.NodePairs[:int(nodes)*2*f.Pairs]
	f.LeafRows = f.LeafRows[:leaves]
	if !f.Full {
		f.LeafPairs = f.LeafPairs[:int(leaves)*2*f.Pairs]
	}
	f.Steps = f.Steps[:int(leaves)*f.StepsPerLeaf()]
}

// Clone is a copy that shares nothing with f.
func (f *Forest) Clone() *Forest {
	c := *f
	c.FirstNode, c.FirstLeaf = clone(f.FirstNode), clone(f.FirstLeaf)
	c.Feature, c.Threshold = clone(f.Feature), clone(f.Threshold)
	c.MissingLeft, c.Left, c.Right = clone(f.MissingLeft), clone(f.Left), clone(f.Right)
	c.Gain, c.NodeRows, c.NodePairs = clone(f.Gain), clone(f.NodeRows), clone(f.NodePairs)
	c.LeafRows, c.LeafPairs, c.Steps = clone(f.LeafRows), clone(f.LeafPairs), clone(f.Steps)
	return &c
}

func clone[T any](s []T) []T { return append([]T(nil), s...) }

// Leaf is the leaf of a tree, counted within it, that a row of raw feature
// values reaches. NaN is missing, and infinite values are the largest finite ones.
func (f *Forest) Leaf(tree int, row []float64) int {
	first := int(f.FirstNode[tree])
	if int(f.FirstNode[tree+1]) == first {
		return 0
	}
	for node := int32(0); ; {
		i := first + int(node)
		x := max(-math.MaxFloat64, min(row[f.Feature[i]], math.MaxFloat64))
		left := x < f.Threshold[i]
		if x != x {
			left = f.MissingLeft[i] != 0
		}
		if left {
			node = f.Left[i]
		} else {
			node = f.Right[i]
		}
		if node < 0 {
			return int(^node)
		}
	}
}

// Tree is a tree as [Tree.Route] and its leaves need it, whose thresholds are
// edges of the mapper's bins.
func (f *Forest) Tree(tree int, m *bin.Mapper) *Tree {
	t := &Tree{}
	for i := int(f.FirstNode[tree]); i < int(f.FirstNode[tree+1]); i++ {
		t.Nodes = append(t.Nodes, Node{
			Feature:     f.Feature[i],
			Bin:         m.Features[f.Feature[i]].BinBelow(f.Threshold[i]),
			MissingLeft: f.MissingLeft[i] != 0,
			Left:        f.Left[i],
			Right:       f.Right[i],
		})
	}
	for i := f.FirstLeaf[tree]; i < f.FirstLeaf[tree+1]; i++ {
		t.Leaves = append(t.Leaves, f.LeafAt(int(i)))
	}
	return t
}

// LeafAt is the class pairs and steps of a leaf, counted through the forest.
// All impossible classes are the one past the last.
func (f *Forest) LeafAt(i int) Leaf {
	n := f.StepsPerLeaf()
	leaf := Leaf{Steps: f.Steps[i*n:][:n]}
	if f.Full {
		return leaf
	}
	class := func(k uint16) int32 { return int32(min(int(k), f.Classes)) }
	leaf.Pairs = make([]kernel.Pair, n)
	for p := range leaf.Pairs {
		ends := f.LeafPairs[2*(i*n+p):]
		leaf.Pairs[p] = kernel.Pair{R: class(ends[0]), S: class(ends[1])}
	}
	return leaf
}

// AddLeaf adds the steps of a tree's leaf to the scores of a row.
func (f *Forest) AddLeaf(tree, leaf int, scores []float64) {
	n := f.StepsPerLeaf()
	i := int(f.FirstLeaf[tree]) + leaf
	steps := f.Steps[i*n:][:n]
	if f.Full {
		for k, s := range steps {
			scores[k] += float64(s)
		}
		return
	}
	pairs := f.LeafPairs[i*2*n:][:2*n]
	for p, s := range steps {
		if r := int(pairs[2*p]); r < f.Classes {
			scores[r] += float64(s)
		}
		if r := int(pairs[2*p+1]); r < f.Classes {
			scores[r] -= float64(s)
		}
	}
}

// maxLeaves is the most leaves of a tree: their numbers have 16 bits.
const maxLeaves = 1 << 16

// Check tells what is wrong with the arrays, if anything: every index must be in
// range, every number one that training can make, and the nodes make trees,
// their leaves numbered from left to right.
func (f *Forest) Check(features int) error {
	if err := f.checkSizes(); err != nil {
		return err
	}
	cuts := make([]kernel.Cut, len(f.Feature))
	for t := range f.Trees() {
		first, last := f.FirstNode[t], f.FirstNode[t+1]
		switch leaves := f.FirstLeaf[t+1] - f.FirstLeaf[t]; {
		case last < first || int(last) > len(cuts) || f.FirstLeaf[t+1] < f.FirstLeaf[t] || int(f.FirstLeaf[t+1]) > len(f.LeafRows):
			return fmt.Errorf("tree %d has no range of nodes and leaves", t)
		case leaves != last-first+1 || leaves > maxLeaves:
			return fmt.Errorf("tree %d has %d nodes and %d leaves", t, last-first, leaves)
		case !f.cut(t, cuts[first:last]):
			return fmt.Errorf("the nodes of tree %d do not make a tree", t)
		case !f.rowsAdd(t):
			return fmt.Errorf("the rows of a node of tree %d are not those of its children", t)
		}
	}
	for i, feature := range f.Feature {
		switch {
		case feature < 0 || int(feature) >= features:
			return fmt.Errorf("node %d has feature %d of %d", i, feature, features)
		case !(f.Threshold[i] >= -math.MaxFloat64):
			return fmt.Errorf("node %d has threshold %v", i, f.Threshold[i])
		case f.MissingLeft[i] > 1:
			return fmt.Errorf("node %d has missing_left %d", i, f.MissingLeft[i])
		case !(f.Gain[i] >= 0 && f.Gain[i] <= math.MaxFloat32):
			return fmt.Errorf("node %d has gain %v", i, f.Gain[i])
		}
	}
	for i, s := range f.Steps {
		if s-s != 0 {
			return fmt.Errorf("leaf %d has step %v", i/f.StepsPerLeaf(), s)
		}
	}
	if i := f.badPair(f.NodePairs); i >= 0 {
		return fmt.Errorf("node %d has classes that make no pairs", i)
	}
	if i := f.badPair(f.LeafPairs); i >= 0 {
		return fmt.Errorf("leaf %d has classes that make no pairs", i)
	}
	return nil
}

// checkSizes checks the lengths of the arrays.
func (f *Forest) checkSizes() error {
	trees, nodes, leaves := f.Trees(), len(f.Feature), len(f.LeafRows)
	if trees < 0 || len(f.FirstLeaf) != trees+1 || f.FirstNode[0] != 0 || f.FirstLeaf[0] != 0 ||
		int(f.FirstNode[trees]) != nodes || int(f.FirstLeaf[trees]) != leaves {
		return errors.New("first_node and first_leaf do not fit the nodes and leaves")
	}
	leafPairs := leaves * 2 * f.Pairs
	if f.Full {
		leafPairs = 0
	}
	for _, array := range []struct {
		name      string
		have, due int
	}{
		{"threshold", len(f.Threshold), nodes}, {"missing_left", len(f.MissingLeft), nodes},
		{"left", len(f.Left), nodes}, {"right", len(f.Right), nodes},
		{"gain", len(f.Gain), nodes}, {"node_rows", len(f.NodeRows), nodes},
		{"node_pairs", len(f.NodePairs), nodes * 2 * f.Pairs},
		{"leaf_pairs", len(f.LeafPairs), leafPairs}, {"steps", len(f.Steps), leaves * f.StepsPerLeaf()},
	} {
		if array.have != array.due {
			return fmt.Errorf("%s has %d numbers in place of %d", array.name, array.have, array.due)
		}
	}
	return nil
}

// rowsAdd tells whether each node of a tree has as many rows as its children.
func (f *Forest) rowsAdd(tree int) bool {
	for i := f.FirstNode[tree]; i < f.FirstNode[tree+1]; i++ {
		if uint64(f.NodeRows[i]) != uint64(f.Rows(tree, f.Left[i]))+uint64(f.Rows(tree, f.Right[i])) {
			return false
		}
	}
	return true
}

// cut finds which leaves the nodes of a tree part. It tells whether all nodes
// are reached from the root, each once and after its parent, and the leaves in
// their order.
func (f *Forest) cut(tree int, cuts []kernel.Cut) bool {
	left, right := f.Left[f.FirstNode[tree]:][:len(cuts)], f.Right[f.FirstNode[tree]:][:len(cuts)]
	below := func(child int32) uint32 { // leaves; of a node not cut yet
		if child < 0 {
			return 1
		}
		return cuts[child].High
	}
	for i := len(cuts) - 1; i >= 0; i-- {
		for _, child := range [...]int32{left[i], right[i]} {
			if child >= 0 && (int(child) <= i || int(child) >= len(cuts)) {
				return false
			}
		}
		cuts[i] = kernel.Cut{High: below(left[i]) + below(right[i])}
	}
	reach := func(child int32, leaf uint32) bool {
		if child < 0 {
			return uint32(^child) == leaf
		}
		again := cuts[child].Middle > 0
		cuts[child].Low, cuts[child].Middle = leaf, leaf+1
		return !again
	}
	for i := range cuts {
		c := &cuts[i]
		if i > 0 && c.Middle == 0 {
			return false
		}
		c.Middle, c.High = c.Low+below(left[i]), c.Low+c.High
		if !reach(left[i], c.Low) || !reach(right[i], c.Middle) {
			return false
		}
	}
	return true
}

// badPair finds a node or leaf whose pairs cannot be: a pair is two classes, or
// one and the impossible class; those of the impossible class alone come last.
func (f *Forest) badPair(pairs []uint16) int {
	for i := 0; i < len(pairs); i += 2 {
		r, s, real := pairs[i], pairs[i+1], int(pairs[i]) < f.Classes
		afterNone := i%(2*f.Pairs) != 0 && int(pairs[i-2]) >= f.Classes
		if real && (r == s || afterNone) || !real && int(s) < f.Classes {
			return i / (2 * f.Pairs)
		}
	}
	return -1
}
