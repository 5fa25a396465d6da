package model

import (
	"errors"
	"fmt"
	"math"

	"github.com/libaoso/aoso/kernel"
)

// maxLeaves is the most leaves of a tree: their numbers have 16 bits.
const maxLeaves = 1 << 16

// Check returns an error if the forest is invalid. Every index must be in range, every number
// must be one that training can make, and the nodes must make trees whose leaves are numbered
// from left to right. codes is the number of codes of each column that splits can be on, 0 if
// the column is numeric.
func (f *Forest) Check(codes []int) error {
	if err := f.checkSizes(); err != nil {
		return err
	}
	cuts := make([]kernel.Cut, f.Nodes())
	for t := range f.Trees() {
		if err := f.checkTree(t, cuts); err != nil {
			return err
		}
	}
	if err := f.splits.check(codes); err != nil {
		return err
	}
	for i, gain := range f.gain {
		if !(gain >= 0 && gain <= math.MaxFloat32) {
			return fmt.Errorf("node %d has gain %v", i, gain)
		}
	}
	for i, v := range f.values {
		if v-v != 0 {
			return fmt.Errorf("leaf %d has value %v", i/f.ValuesPerLeaf(), v)
		}
	}
	if i := f.badPair(f.nodePairs, f.pairs); i >= 0 {
		return fmt.Errorf("node %d has classes that make no pairs", i)
	}
	if i := f.badPair(f.leafPairs, f.pairsPerLeaf()); i >= 0 {
		return fmt.Errorf("leaf %d has classes that make no pairs", i)
	}
	for i := 1; f.named > 0 && i < len(f.leafPairs); i += 2 {
		if int(f.leafPairs[i]) < f.classes {
			return fmt.Errorf("leaf %d is sparse and has a pair of two classes", i/(2*f.named))
		}
	}
	return nil
}

// size is the actual and the expected length of an array.
type size struct {
	name      string
	have, due int
}

// checkSizes checks the lengths of the arrays.
func (f *Forest) checkSizes() error {
	trees, nodes, leaves := f.Trees(), f.Nodes(), f.Leaves()
	if trees < 0 || len(f.firstLeaf) != trees+1 || f.firstNode[0] != 0 || f.firstLeaf[0] != 0 ||
		int(f.firstNode[trees]) != nodes || int(f.firstLeaf[trees]) != leaves {
		return errors.New("first_node and first_leaf do not fit the nodes and leaves")
	}
	leafPairs := leaves * 2 * f.pairsPerLeaf()
	if f.full {
		leafPairs = 0
	}
	for _, array := range append(f.splits.sizes(),
		size{"left", len(f.left), nodes}, size{"right", len(f.right), nodes},
		size{"gain", len(f.gain), nodes}, size{"node_rows", len(f.nodeRows), nodes},
		size{"node_pairs", len(f.nodePairs), nodes * 2 * f.pairs},
		size{"leaf_pairs", len(f.leafPairs), leafPairs}, size{"steps", len(f.values), leaves * f.ValuesPerLeaf()},
	) {
		if array.have != array.due {
			return fmt.Errorf("%s has %d numbers in place of %d", array.name, array.have, array.due)
		}
	}
	return nil
}

// checkTree checks the shape of a tree and its numbers of rows; cuts is scratch for all trees.
func (f *Forest) checkTree(number int, cuts []kernel.Cut) error {
	first, last := f.firstNode[number], f.firstNode[number+1]
	firstLeaf, lastLeaf := f.firstLeaf[number], f.firstLeaf[number+1]
	if last < first || int(last) > len(cuts) || lastLeaf < firstLeaf || int(lastLeaf) > f.Leaves() {
		return fmt.Errorf("tree %d has no range of nodes and leaves", number)
	}
	t := f.Tree(number)
	switch {
	case t.leaves != t.nodes+1 || t.leaves > maxLeaves:
		return fmt.Errorf("tree %d has %d nodes and %d leaves", number, t.nodes, t.leaves)
	case !t.Cuts(cuts[first:last]):
		return fmt.Errorf("the nodes of tree %d do not make a tree", number)
	}
	for _, n := range t.Nodes() {
		if n.Rows() != t.Rows(n.Left())+t.Rows(n.Right()) {
			return fmt.Errorf("the rows of a node of tree %d are not those of its children", number)
		}
	}
	return nil
}

// badPair finds a node or leaf with invalid pairs: a pair is two classes, or one and a number
// that is no class; pairs of two such numbers come last.
func (f *Forest) badPair(ends []uint32, pairs int) int {
	for i := 0; i < len(ends); i += 2 {
		r, s, real := ends[i], ends[i+1], int(ends[i]) < f.classes
		afterNone := i%(2*pairs) != 0 && int(ends[i-2]) >= f.classes
		if real && (r == s || afterNone) || !real && int(s) < f.classes {
			return i / (2 * pairs)
		}
	}
	return -1
}
