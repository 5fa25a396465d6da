package model

import "iter"

// Node is an inner node of a tree.
type Node struct {
	forest *Forest
	index  int // in the forest
}

// Split returns the node's test.
func (n Node) Split() Split { return n.forest.splits.at(n.index) }

// Left returns the child to which the split sends rows left.
func (n Node) Left() Child { return n.forest.left[n.index] }

// Right returns the child to which the split sends the other rows.
func (n Node) Right() Child { return n.forest.right[n.index] }

// Gain returns the estimate of how much the split lowers the loss.
func (n Node) Gain() float32 { return n.forest.gain[n.index] }

// Rows returns the number of training rows that reached the node.
func (n Node) Rows() int { return int(n.forest.nodeRows[n.index]) }

// Pairs yields the class pairs that the split separates; see [Others].
func (n Node) Pairs() iter.Seq2[int, int] {
	f := n.forest
	return realPairs(f.nodePairs[n.index*2*f.pairs:][:2*f.pairs], f.classes)
}

// Others, as the second class of a pair, means all other classes.
const Others = -1

// realPairs yields the pairs among r, s, r, s, …. A number that is not below classes is no
// class: as s it means all others, and a pair whose r is no class is empty. Empty pairs come
// last.
func realPairs(ends []uint32, classes int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for ; len(ends) > 0 && int(ends[0]) < classes; ends = ends[2:] {
			s := int(ends[1])
			if s >= classes {
				s = Others
			}
			if !yield(int(ends[0]), s) {
				return
			}
		}
	}
}
