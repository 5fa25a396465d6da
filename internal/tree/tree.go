// Package tree grows vector-valued regression trees on binned features.
//
// A Grower splits the rows of a [Partition], best-first or level by level; for
// each node it chooses class pairs, and a Splitter fills histograms of the pairs'
// gradients and scans them for the best SplitInfo. The result is a Tree.
package tree

import (
	"slices"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/kernel"
)

// Tree is a grown tree. The root is Nodes[0]; a tree of one leaf has no nodes.
type Tree struct {
	Nodes  []Node
	Leaves []Leaf

	steps []float32 // of all leaves, unless they share those of a model
}

// NewSteps gives the leaves a number of steps each, in memory of the tree.
func (t *Tree) NewSteps(each int) {
	t.steps = slices.Grow(t.steps[:0], each*len(t.Leaves))[:each*len(t.Leaves)]
	clear(t.steps)
	for i := range t.Leaves {
		t.Leaves[i].Steps = t.steps[i*each:][:each:each]
	}
}

// Node is a split. Binned rows go left whose code is in the split's set, or at most Bin if it
// has none.
type Node struct {
	Split       model.Split
	Bin         uint8
	Left, Right int32 // a node's number, or ^leaf
	Gain        float64
	Pairs       []kernel.Pair
}

func (n *Node) test() Test { return Test{n.Bin, n.Split.MissingLeft, n.Split.Set()} }

// Leaf holds what it adds to a row's scores: Steps[i] to class Pairs[i].R and its opposite to
// Pairs[i].S, or, without pairs, Steps[k] to class k.
type Leaf struct {
	Pairs []kernel.Pair
	Steps []float32
	Rows  int

	box *loss.Box // bounds of the steps; nil: unconstrained
}

// AddTo adds the leaf's steps to the scores of a row, one per class.
func (l *Leaf) AddTo(scores []float64) {
	if l.Pairs == nil {
		for k, step := range l.Steps {
			scores[k] += float64(step)
		}
		return
	}
	for i, p := range l.Pairs {
		if int(p.R) < len(scores) { // else it is the padding class
			scores[p.R] += float64(l.Steps[i])
		}
		if int(p.S) < len(scores) {
			scores[p.S] -= float64(l.Steps[i])
		}
	}
}

// AddToRows adds the leaf's steps to the scores of some rows; scores are rows × classes.
func (l *Leaf) AddToRows(scores []float64, rows []uint32, classes int) {
	if l.Pairs != nil {
		for _, row := range rows {
			l.AddTo(scores[int(row)*classes:][:classes])
		}
		return
	}
	steps := slices.Grow(make([]float64, 0, 64), len(l.Steps)) // on the stack if they are few
	for _, step := range l.Steps {
		steps = append(steps, float64(step))
	}
	for _, row := range rows {
		of := scores[int(row)*classes:][:len(steps)]
		for k, step := range steps {
			of[k] += step
		}
	}
}

// Idle reports whether the tree is a single leaf that changes no score.
func (t *Tree) Idle() bool {
	if len(t.Nodes) > 0 {
		return false
	}
	for _, step := range t.Leaves[0].Steps {
		if step > 0x1p-24 || step < -0x1p-24 { // smaller steps are lost in float32
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
