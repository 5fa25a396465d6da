package tree

import (
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
		f.Gain = append(f.Gain, float32(n.Gain))
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
// values reaches. NaN is missing, and infinity the largest number.
func (f *Forest) Leaf(tree int, row []float64) int {
	first := int(f.FirstNode[tree])
	if int(f.FirstNode[tree+1]) == first {
		return 0
	}
	for node := int32(0); ; {
		i := first + int(node)
		x := min(row[f.Feature[i]], math.MaxFloat64)
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
	n := f.StepsPerLeaf()
	for i := int(f.FirstLeaf[tree]); i < int(f.FirstLeaf[tree+1]); i++ {
		leaf := Leaf{Steps: f.Steps[i*n:][:n]}
		for p := 0; !f.Full && p < n; p++ {
			pair := f.LeafPairs[2*(i*n+p):]
			leaf.Pairs = append(leaf.Pairs, kernel.Pair{R: int32(pair[0]), S: int32(pair[1])})
		}
		t.Leaves = append(t.Leaves, leaf)
	}
	return t
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

// Valid tells whether every index of the arrays is in range and the nodes make
// trees, their leaves numbered from left to right.
func (f *Forest) Valid(features int) bool {
	trees, nodes, leaves := f.Trees(), len(f.Feature), len(f.LeafRows)
	sized := trees >= 0 && len(f.FirstLeaf) == trees+1 && f.FirstNode[0] == 0 && f.FirstLeaf[0] == 0 &&
		int(f.FirstNode[trees]) == nodes && int(f.FirstLeaf[trees]) == leaves &&
		len(f.Threshold) == nodes && len(f.MissingLeft) == nodes && len(f.Left) == nodes && len(f.Right) == nodes &&
		len(f.Gain) == nodes && len(f.NodeRows) == nodes && len(f.NodePairs) == nodes*2*f.Pairs &&
		(f.Full && len(f.LeafPairs) == 0 || !f.Full && len(f.LeafPairs) == leaves*2*f.Pairs) &&
		len(f.Steps) == leaves*f.StepsPerLeaf()
	if !sized {
		return false
	}
	cuts := make([]kernel.Cut, nodes)
	for t := range trees {
		if f.FirstNode[t+1] < f.FirstNode[t] || f.FirstLeaf[t+1] < f.FirstLeaf[t] ||
			int(f.FirstNode[t+1]) > nodes || int(f.FirstLeaf[t+1]) > leaves ||
			f.FirstLeaf[t+1]-f.FirstLeaf[t] != f.FirstNode[t+1]-f.FirstNode[t]+1 ||
			f.FirstLeaf[t+1]-f.FirstLeaf[t] > maxLeaves || !f.cut(t, cuts[f.FirstNode[t]:f.FirstNode[t+1]]) {
			return false
		}
	}
	for i, feature := range f.Feature {
		if feature < 0 || int(feature) >= features || math.IsNaN(f.Threshold[i]) {
			return false
		}
	}
	for _, s := range f.Steps {
		if s-s != 0 {
			return false
		}
	}
	return f.realFirst(f.NodePairs) && f.realFirst(f.LeafPairs)
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

// realFirst tells whether in every node's or leaf's pairs those of the
// impossible class alone come last.
func (f *Forest) realFirst(pairs []uint16) bool {
	for i := 2; i < len(pairs); i += 2 {
		if i%(2*f.Pairs) != 0 && int(pairs[i]) < f.Classes && int(pairs[i-2]) >= f.Classes {
			return false
		}
	}
	return true
}
