package model

import (
	"slices"

	"github.com/libaoso/aoso/kernel"
)

// In files, the shape of a tree is the middle of each node: its first leaf on the right. A node
// comes after its parent, so of the nodes that separate some leaves, the first separates them
// first.

// middles returns the middles of all nodes. The number of rows of a node follows from its
// leaves.
func (f *Forest) middles() []uint16 {
	all, cuts := make([]uint16, f.Nodes()), make([]kernel.Cut, f.Nodes())
	for t := range f.Trees() {
		first, last := f.firstNode[t], f.firstNode[t+1]
		f.Tree(t).Cuts(cuts[first:last])
		for i := first; i < last; i++ {
			all[i] = uint16(cuts[i].Middle)
		}
	}
	return all
}

// setMiddles sets the shape of all trees and the numbers of rows of their nodes. It returns
// false if the middles make no trees.
func (f *Forest) setMiddles(all []uint16) bool {
	f.left, f.right, f.nodeRows = make([]Child, len(all)), make([]Child, len(all)), make([]uint32, len(all))
	if len(f.firstLeaf) != len(f.firstNode) {
		return false
	}
	var memory []Child
	for i := range f.Trees() {
		t := f.Tree(i)
		if t.nodes < 0 || t.firstNode+t.nodes > len(all) || t.leaves != t.nodes+1 || t.firstLeaf+t.leaves > f.Leaves() || !t.setMiddles(all[t.firstNode:][:t.nodes], &memory) {
			return false
		}
		t.CountRows()
	}
	return true
}

// setMiddles sets the children of all nodes; memory is scratch for their order.
func (t Tree) setMiddles(middles []uint16, memory *[]Child) bool {
	left, right := t.forest.left[t.firstNode:], t.forest.right[t.firstNode:]
	nodes := slices.Grow((*memory)[:0], 2*t.nodes)[:t.nodes] // by middle, from 1
	*memory = nodes
	for i := range nodes {
		nodes[i] = -1
	}
	for i, middle := range middles {
		if middle < 1 || int(middle) > t.nodes || nodes[middle-1] >= 0 {
			return false
		}
		nodes[middle-1] = Child(i)
	}
	open := nodes[t.nodes:] // nodes whose right child is not known yet, each below the one before
	below := LeafChild(0)
	for i := range t.nodes + 1 {
		node := Child(-1) // past the last
		if i < t.nodes {
			node = nodes[i]
		}
		for len(open) > 0 && open[len(open)-1] > node {
			top := open[len(open)-1]
			open = open[:len(open)-1]
			right[top], below = below, top
		}
		if node >= 0 {
			left[node], below = below, LeafChild(i+1)
			open = append(open, node)
		}
	}
	return true
}
