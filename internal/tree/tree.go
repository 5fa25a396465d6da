// Package tree grows vector-valued regression trees on binned features.
//
// A Grower splits the rows of a [Partition] best-first; for each node it
// chooses class pairs, and a Splitter fills histograms of the pairs' gradients
// and scans them for the best SplitInfo. The result is a Tree.
package tree

import (
	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Tree is a grown tree. The root is Nodes[0]; a tree of one leaf has no nodes.
type Tree struct {
	Nodes  []Node
	Leaves []Leaf
}

// Node is a split: a row goes left if its value of Feature is below
// Threshold, that is if its bin code is at most Bin.
type Node struct {
	Feature     int32
	Bin         uint8
	MissingLeft bool
	Threshold   float64
	Left, Right int32 // a node's number, or ^leaf
	Gain        float64
	Rows        int
	Pairs       []kernel.Pair
}

// Leaf is what a row's scores gain here: Steps[i] for class Pairs[i].R and
// its opposite for Pairs[i].S, or, without pairs, Steps[k] for class k.
type Leaf struct {
	Pairs []kernel.Pair
	Steps []float32
	Rows  int
}

// Idle tells whether the tree is a single leaf that moves nothing.
func (t *Tree) Idle() bool {
	if len(t.Nodes) > 0 {
		return false
	}
	for _, step := range t.Leaves[0].Steps {
		if step > 1e-9 || step < -1e-9 {
			return false
		}
	}
	return true
}

// Segment is a run of a row list that reaches one leaf.
type Segment struct{ Leaf, Start, End int }

// Route sorts a row list by the leaves that its rows reach, stably.
func (t *Tree) Route(k *kernel.Funcs, x *bin.Matrix, p *Partition, team *par.Team) []Segment {
	var segments []Segment
	var walk func(child int32, start, end int)
	walk = func(child int32, start, end int) {
		switch {
		case start == end:
		case child < 0:
			segments = append(segments, Segment{int(^child), start, end})
		default:
			n := &t.Nodes[child]
			split := SplitInfo{Feature: int(n.Feature), Bin: n.Bin, MissingLeft: n.MissingLeft}
			middle := p.Split(k, x, split, start, end, team)
			walk(n.Left, start, middle)
			walk(n.Right, middle, end)
		}
	}
	root := int32(0)
	if len(t.Nodes) == 0 {
		root = ^root
	}
	walk(root, 0, len(p.Rows))
	return segments
}
