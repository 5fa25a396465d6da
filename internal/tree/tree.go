// Package tree grows vector-valued regression trees on binned features.
//
// A Grower splits the rows of a [Partition] best-first; for each node it
// chooses class pairs, and a Splitter fills histograms of the pairs' gradients
// and scans them for the best SplitInfo. The result is a Tree.
package tree

import (
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/kernel"
)

// Tree is a grown tree. The root is Nodes[0]; a tree of one leaf has no nodes.
type Tree struct {
	Nodes  []Node
	Leaves []Leaf
}

// Node is a split. Of rows in bins, those go left whose bin code is in the split's
// set, or at most Bin if it has none.
type Node struct {
	Split       model.Split
	Bin         uint8
	Left, Right int32 // a node's number, or ^leaf
	Gain        float64
	Pairs       []kernel.Pair
}

func (n *Node) test() Test { return Test{n.Bin, n.Split.MissingLeft, n.Split.Set()} }

// Leaf is what a row's scores gain here: Steps[i] for class Pairs[i].R and
// its opposite for Pairs[i].S, or, without pairs, Steps[k] for class k.
type Leaf struct {
	Pairs []kernel.Pair
	Steps []float32
	Rows  int

	box *loss.Box // that the steps stay in; nil: no constraints
}

// AddTo adds the leaf's steps to the scores of a row, one a class.
func (l *Leaf) AddTo(scores []float64) {
	if l.Pairs == nil {
		for k, step := range l.Steps {
			scores[k] += float64(step)
		}
		return
	}
	for i, p := range l.Pairs {
		if int(p.R) < len(scores) { // else it is the impossible class
			scores[p.R] += float64(l.Steps[i])
		}
		if int(p.S) < len(scores) {
			scores[p.S] -= float64(l.Steps[i])
		}
	}
}

// Idle tells whether the tree is a single leaf that moves nothing.
func (t *Tree) Idle() bool {
	if len(t.Nodes) > 0 {
		return false
	}
	for _, step := range t.Leaves[0].Steps {
		if step > 0x1p-24 || step < -0x1p-24 { // else it is lost on odds in float32
			return false
		}
	}
	return true
}

func (t *Tree) root() int32 {
	if len(t.Nodes) == 0 {
		return ^0
	}
	return 0
}
