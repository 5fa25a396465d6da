package tree

import (
	"fmt"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/model"
)

// AppendTo appends the tree to a model's.
func (t *Tree) AppendTo(f *model.Forest) {
	for i := range t.Nodes {
		n := &t.Nodes[i]
		f.AddNode(n.Split, model.Child(n.Left), model.Child(n.Right), n.Gain, n.Pairs)
	}
	for i := range t.Leaves {
		l := &t.Leaves[i]
		f.AddLeaf(l.Steps, l.Pairs, l.Rows)
	}
	f.EndTree()
}

// FromModel returns a model's tree in the form that routes binned rows. The thresholds must be
// edges of the mapper's bins.
func FromModel(t model.Tree, m *bin.Mapper) *Tree {
	grown := new(Tree)
	grown.Load(t, m)
	return grown
}

// Load replaces the tree by one that FromModel would return, in the same memory.
func (t *Tree) Load(from model.Tree, m *bin.Mapper) {
	t.Nodes, t.Leaves = slices.Grow(t.Nodes[:0], from.NumNodes()), appendLeaves(t.Leaves[:0], from)
	for _, n := range from.Nodes() {
		s := n.Split()
		node := Node{Split: s, Left: int32(n.Left()), Right: int32(n.Right())}
		if s.Set() == nil {
			node.Bin = m.Features[s.Feature].BinBelow(s.Threshold())
		}
		t.Nodes = append(t.Nodes, node)
	}
}

// SetLeaves gives the leaves of a model's tree of the same splits the steps and rows of t.
func (t *Tree) SetLeaves(other model.Tree) {
	for i := range t.Leaves {
		other.SetLeaf(i, t.Leaves[i].Steps, t.Leaves[i].Rows)
	}
	other.CountRows()
}

// Fits returns why training with at most `leaves` leaves on the mapper's bins cannot have grown a tree of a
// model whose columns are those of the mapper.
func Fits(t model.Tree, m *bin.Mapper, leaves int) error {
	if t.NumLeaves() > leaves {
		return fmt.Errorf("it has %d leaves, more than %d", t.NumLeaves(), leaves)
	}
	for i, n := range t.Nodes() {
		s := n.Split()
		if f := &m.Features[s.Feature]; s.Set() == nil && f.Threshold(int(f.BinBelow(s.Threshold()))) != s.Threshold() {
			return fmt.Errorf("node %d has threshold %v, which is between no bins of column %d", i, s.Threshold(), s.Feature)
		}
	}
	return nil
}

// LeavesOf returns the leaves of a model's tree, which share its steps.
func LeavesOf(t model.Tree) []Leaf {
	return appendLeaves(make([]Leaf, 0, t.NumLeaves()), t)
}

func appendLeaves(leaves []Leaf, t model.Tree) []Leaf {
	for _, l := range t.Leaves() {
		leaves = append(leaves, Leaf{Pairs: l.Pairs(), Steps: l.Values(), Rows: l.Rows()})
	}
	return leaves
}
