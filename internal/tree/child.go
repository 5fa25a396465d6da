package tree

import "iter"

// LeafScores yields the classes that a leaf, counted through the forest, moves
// and what it adds to their scores.
func (f *Forest) LeafScores(leaf int) iter.Seq2[int, float64] {
	n := f.StepsPerLeaf()
	return func(yield func(int, float64) bool) {
		for i, step := range f.Steps[leaf*n:][:n] {
			if f.Full {
				if !yield(i, float64(step)) {
					return
				}
				continue
			}
			pair := f.LeafPairs[2*(leaf*n+i):][:2]
			if r := int(pair[0]); r < f.Classes && !yield(r, float64(step)) {
				return
			}
			if s := int(pair[1]); s < f.Classes && !yield(s, -float64(step)) {
				return
			}
		}
	}
}

// Root is the root of a tree as a child: a node of the tree, or ^leaf.
func (f *Forest) Root(tree int) int32 {
	if f.FirstNode[tree] == f.FirstNode[tree+1] {
		return ^0
	}
	return 0
}

// Rows is the number of training rows that reached a child of a tree.
func (f *Forest) Rows(tree int, child int32) uint32 {
	if child < 0 {
		return f.LeafRows[f.FirstLeaf[tree]+uint32(^child)]
	}
	return f.NodeRows[f.FirstNode[tree]+uint32(child)]
}
