package model

import (
	"iter"

	"github.com/libaoso/aoso/kernel"
)

// Child identifies a node or a leaf of a tree: node n is n, leaf n is −1 − n.
type Child int32

// LeafChild returns the leaf with the given number as a child.
func LeafChild(leaf int) Child { return ^Child(leaf) }

// IsLeaf reports whether the child is a leaf.
func (c Child) IsLeaf() bool { return c < 0 }

// Leaf returns the number of the leaf that the child is.
func (c Child) Leaf() int { return int(^c) }

// Tree is a tree of a forest. Nodes and leaves are numbered from zero: a node
// after its parent, the leaves from left to right.
type Tree struct {
	forest            *Forest
	firstNode, nodes  int
	firstLeaf, leaves int
}

// Root returns where rows start: node 0, or leaf 0 of a tree without nodes.
func (t Tree) Root() Child {
	if t.nodes == 0 {
		return LeafChild(0)
	}
	return 0
}

// NumNodes returns the number of nodes.
func (t Tree) NumNodes() int { return t.nodes }

// NumLeaves returns the number of leaves.
func (t Tree) NumLeaves() int { return t.leaves }

// Node returns a node by its number.
func (t Tree) Node(number Child) Node { return Node{t.forest, t.firstNode + int(number)} }

// Leaf returns a leaf by its number.
func (t Tree) Leaf(number int) Leaf { return Leaf{t.forest, t.firstLeaf + number} }

// Nodes yields the nodes by their numbers.
func (t Tree) Nodes() iter.Seq2[Child, Node] {
	return func(yield func(Child, Node) bool) {
		for i := range Child(t.nodes) {
			if !yield(i, t.Node(i)) {
				return
			}
		}
	}
}

// Leaves yields the leaves by their numbers.
func (t Tree) Leaves() iter.Seq2[int, Leaf] {
	return func(yield func(int, Leaf) bool) {
		for i := range t.leaves {
			if !yield(i, t.Leaf(i)) {
				return
			}
		}
	}
}

// Rows returns the number of training rows that reached a child.
func (t Tree) Rows(c Child) int {
	if c.IsLeaf() {
		return t.Leaf(c.Leaf()).Rows()
	}
	return t.Node(c).Rows()
}

// Find returns the number of the leaf that a row of raw feature values reaches.
func (t Tree) Find(row []float64) int {
	f, c := t.forest, t.Root()
	for !c.IsLeaf() {
		if i := t.firstNode + int(c); f.goesLeft(i, row) {
			c = f.left[i]
		} else {
			c = f.right[i]
		}
	}
	return c.Leaf()
}

// Cuts finds which leaves each node separates. It reports whether the root leads to every node,
// once and after its parent, and to the leaves in their order.
func (t Tree) Cuts(cuts []kernel.Cut) bool {
	left, right := t.forest.left[t.firstNode:][:len(cuts)], t.forest.right[t.firstNode:][:len(cuts)]
	below := func(c Child) uint32 { // leaves; of a node not cut yet
		if c.IsLeaf() {
			return 1
		}
		return cuts[c].High
	}
	for i := len(cuts) - 1; i >= 0; i-- {
		for _, c := range [...]Child{left[i], right[i]} {
			if !c.IsLeaf() && (int(c) <= i || int(c) >= len(cuts)) {
				return false
			}
		}
		cuts[i] = kernel.Cut{High: below(left[i]) + below(right[i])}
	}
	reach := func(c Child, leaf uint32) bool {
		if c.IsLeaf() {
			return uint32(c.Leaf()) == leaf
		}
		again := cuts[c].Middle > 0
		cuts[c].Low, cuts[c].Middle = leaf, leaf+1
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

// SetLeaf changes the number of rows of a leaf and, unless values is nil, its
// values.
func (t Tree) SetLeaf(number int, values []float32, rows int) {
	l := t.Leaf(number)
	copy(l.Values(), values)
	t.forest.leafRows[l.index] = uint32(rows)
}

// CountRows sets the numbers of rows of the nodes from the leaves'.
func (t Tree) CountRows() {
	for i := Child(t.nodes - 1); i >= 0; i-- { // children come after their parents
		n := t.Node(i)
		t.forest.nodeRows[n.index] = uint32(t.Rows(n.Left()) + t.Rows(n.Right()))
	}
}
