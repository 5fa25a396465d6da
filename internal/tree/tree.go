// Package tree grows vector-valued regression trees on binned features.
//
// A Grower splits the rows of a [Partition] best-first; for each node it
// chooses class pairs, and a Splitter fills histograms of the pairs' gradients
// and scans them for the best SplitInfo. The result is a Tree.
package tree

import (
	"slices"

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

// Segment is a run of a row list that reaches one leaf.
type Segment struct{ Leaf, Start, End int }

// routeRows is the rows that Route takes at once: so many that most leaves get
// whole vectors of them, so few that their codes stay in cache.
const routeRows = 8 * kernel.RowBlock

// Route sorts each routeRows of a row list by the leaves that its rows reach,
// stably.
func (t *Tree) Route(k *kernel.Funcs, x *bin.Matrix, p *Partition, team *par.Team) []Segment {
	return slices.Concat(t.route(k, x, p, team)...)
}

// route is Route, whose segments it returns by block.
func (t *Tree) route(k *kernel.Funcs, x *bin.Matrix, p *Partition, team *par.Team) [][]Segment {
	byBlock := make([][]Segment, (len(p.Rows)+routeRows-1)/routeRows)
	team.Do(len(byBlock), func(_, b int) {
		segments := make([]Segment, 0, min(len(t.Leaves), routeRows))
		var walk func(child int32, start, end int)
		walk = func(child int32, start, end int) {
			switch {
			case start == end:
			case child < 0:
				segments = append(segments, Segment{int(^child), start, end})
			default:
				n := &t.Nodes[child]
				middle := p.splitBlock(k, x.Columns[n.Feature], n.Bin, n.MissingLeft, start, end)
				walk(n.Left, start, middle)
				walk(n.Right, middle, end)
			}
		}
		walk(t.root(), b*routeRows, min((b+1)*routeRows, len(p.Rows)))
		byBlock[b] = segments
	})
	return byBlock
}

// Order orders a row list by the leaves that its rows reach, stably. A leaf
// that no row reaches has no segment.
func (t *Tree) Order(k *kernel.Funcs, x *bin.Matrix, p *Partition, team *par.Team) (segments []Segment) {
	byBlock := t.route(k, x, p, team)
	rows := make([]int, len(t.Leaves))
	for _, runs := range byBlock {
		for _, r := range runs {
			rows[r.Leaf] += r.End - r.Start
		}
	}
	next := rows // by leaf: where its next rows go
	end := 0
	for leaf, n := range rows {
		if n > 0 {
			segments = append(segments, Segment{leaf, end, end + n})
		}
		next[leaf], end = end, end+n
	}
	places := make([][]int, len(byBlock)) // by block: where each run goes
	for b, runs := range byBlock {
		places[b] = make([]int, len(runs))
		for i, r := range runs {
			places[b][i] = next[r.Leaf]
			next[r.Leaf] += r.End - r.Start
		}
	}
	team.Do(len(byBlock), func(_, b int) {
		for i, r := range byBlock[b] {
			copy(p.left[places[b][i]:], p.Rows[r.Start:r.End])
		}
	})
	n := len(p.Rows)
	p.Rows, p.left = p.left[:n], p.Rows[:cap(p.Rows)]
	return segments
}

func (t *Tree) root() int32 {
	if len(t.Nodes) == 0 {
		return ^0
	}
	return 0
}
