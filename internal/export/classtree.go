package export

import (
	"cmp"

	"github.com/libaoso/aoso/internal/model"
)

// classTree is what a tree adds to the score of one class, for formats whose leaves have a single
// value.
type classTree struct {
	model  *model.Model
	tree   model.Tree
	values []float64 // by leaf, divided by the temperature of the model
	moves  []bool    // by node: some leaf below has a value
}

// classTrees returns a tree's part for each class; nil: the tree does not change the class.
func classTrees(m *model.Model, t model.Tree) []*classTree {
	trees := make([]*classTree, len(m.Classes))
	temperature := cmp.Or(m.Temperature, 1)
	for i, leaf := range t.Leaves() {
		for k, v := range leaf.Scores() {
			if trees[k] == nil {
				trees[k] = &classTree{m, t, make([]float64, t.NumLeaves()), make([]bool, t.NumNodes())}
			}
			trees[k].values[i] += v / temperature
		}
	}
	for _, c := range trees {
		if c != nil {
			c.findMoves()
		}
	}
	return trees
}

func (c *classTree) findMoves() {
	moves := func(child model.Child) bool {
		value, ok := c.constant(child)
		return !ok || value != 0
	}
	for i := len(c.moves) - 1; i >= 0; i-- { // children come after their parents
		n := c.tree.Node(model.Child(i))
		c.moves[i] = moves(n.Left()) || moves(n.Right())
	}
}

// constant returns the value of a leaf, or 0 for a node below which no leaf has a value. false:
// the rows of the node do not all get the same value.
func (c *classTree) constant(child model.Child) (value float64, ok bool) {
	if child.IsLeaf() {
		return c.values[child.Leaf()], true
	}
	return 0, !c.moves[child]
}
