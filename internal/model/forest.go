// Package model owns a trained model: its trees, and the codec of its file.
package model

import (
	"iter"
	"math"
	"slices"

	"github.com/libaoso/aoso/kernel"
)

// Forest holds the trees of a model, in the order in which they were grown, in flat arrays, as
// files do.
type Forest struct {
	classes int
	pairs   int
	full    bool
	named   int // pairs of a sparse leaf, each with the padding class; 0: a leaf has as many pairs as a node

	linear *Linear // initial scores; nil: zeros

	firstNode, firstLeaf []uint32 // by tree, and one past the last

	// By node.
	splits
	left, right []Child
	gain        []float32
	nodeRows    []uint32
	nodePairs   []uint32 // 2·pairs each: r, s, r, s, …; see Pairs

	// By leaf.
	leafRows  []uint32
	leafPairs []uint32  // 2·pairs each, unless full
	values    []float32 // ValuesPerLeaf each
}

// NewForest returns a forest without trees. Its nodes split on a number of class pairs. Its
// leaves have a value for each class if full, else one for each pair.
func NewForest(classes, pairs int, full bool) *Forest {
	return &Forest{classes: classes, pairs: pairs, full: full, firstNode: []uint32{0}, firstLeaf: []uint32{0}}
}

// NewSparseForest returns a forest without trees whose leaves have values for named classes.
// Such a value is relative to the common value of all other classes.
func NewSparseForest(classes, pairs, named int) *Forest {
	f := NewForest(classes, pairs, false)
	f.named = named
	return f
}

// Named returns the number of classes that a leaf of [NewSparseForest] has values for, else 0.
func (f *Forest) Named() int { return f.named }

// Linear returns the initial scores of rows; nil: zeros.
func (f *Forest) Linear() *Linear { return f.linear }

// Start returns the value of the parameter start that gives a model such initial scores.
func (f *Forest) Start() string {
	switch {
	case f.linear == nil:
		return "zero"
	case f.linear.Terms() == 0:
		return "prior"
	}
	return "linear"
}

// StartsFrom reports whether the initial scores can be those of a value of the parameter start. Linear scores that explain
// nothing have no features, like the class frequencies.
func (f *Forest) StartsFrom(start string) bool {
	return start == f.Start() || start == "linear" && f.linear != nil || start == "mixed" && f.linear == nil
}

// SetLinear sets the initial scores of rows.
func (f *Forest) SetLinear(l *Linear) { f.linear = l }

// pairsPerLeaf returns the number of pairs of a leaf that is not full.
func (f *Forest) pairsPerLeaf() int {
	if f.named > 0 {
		return f.named
	}
	return f.pairs
}

// Classes returns the number of classes.
func (f *Forest) Classes() int { return f.classes }

// Pairs returns the number of class pairs of a node, and of a leaf that is neither full nor
// sparse.
func (f *Forest) Pairs() int { return f.pairs }

// Full reports whether leaves have a value for each class.
func (f *Forest) Full() bool { return f.full }

// ValuesPerLeaf returns the number of values that a leaf has.
func (f *Forest) ValuesPerLeaf() int {
	if f.full {
		return f.classes
	}
	return f.pairsPerLeaf()
}

// Trees returns the number of trees.
func (f *Forest) Trees() int { return len(f.firstNode) - 1 }

// Nodes returns the number of nodes of all trees.
func (f *Forest) Nodes() int { return f.splits.len() }

// Leaves returns the number of leaves of all trees.
func (f *Forest) Leaves() int { return len(f.leafRows) }

// Tree returns a tree by its number.
func (f *Forest) Tree(number int) Tree {
	firstNode, firstLeaf := f.firstNode[number], f.firstLeaf[number]
	return Tree{
		forest:    f,
		firstNode: int(firstNode), nodes: int(f.firstNode[number+1] - firstNode),
		firstLeaf: int(firstLeaf), leaves: int(f.firstLeaf[number+1] - firstLeaf),
	}
}

// All yields all trees by their numbers.
func (f *Forest) All() iter.Seq2[int, Tree] {
	return func(yield func(int, Tree) bool) {
		for t := range f.Trees() {
			if !yield(t, f.Tree(t)) {
				return
			}
		}
	}
}

// AllNodes yields the nodes of all trees.
func (f *Forest) AllNodes() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for i := range f.Nodes() {
			if !yield(Node{f, i}) {
				return
			}
		}
	}
}

// LeafValues returns the values of all leaves of the trees from first up to
// last, one leaf after the other. Unless the leaves are full, it returns their
// class pairs as well: r, s, r, s, …. Both belong to the forest and must not be
// changed.
func (f *Forest) LeafValues(first, last int) (values []float32, pairs []uint32) {
	n, begin, end := f.ValuesPerLeaf(), int(f.firstLeaf[first]), int(f.firstLeaf[last])
	if !f.full {
		pairs = f.leafPairs[2*n*begin : 2*n*end]
	}
	return f.values[n*begin : n*end], pairs
}

// AddNode adds a node to the tree that [Forest.EndTree] ends. A tree's first
// node is its root, and the others come after their parents.
func (f *Forest) AddNode(s Split, left, right Child, gain float64, pairs []kernel.Pair) {
	f.splits.add(s)
	f.left, f.right = append(f.left, left), append(f.right, right)
	f.gain = append(f.gain, float32(min(gain, math.MaxFloat32))) // with large weights it can be more
	f.nodeRows = append(f.nodeRows, 0)
	f.nodePairs = appendPairs(f.nodePairs, pairs)
}

// AddLeaf adds a leaf to the tree that [Forest.EndTree] ends. A tree's leaves
// come from left to right. A full leaf has no pairs.
func (f *Forest) AddLeaf(values []float32, pairs []kernel.Pair, rows int) {
	f.leafRows = append(f.leafRows, uint32(rows))
	f.leafPairs = appendPairs(f.leafPairs, pairs)
	f.values = append(f.values, values...)
}

// EndTree makes the nodes and leaves added since the last tree a tree, and counts
// the rows of its nodes.
func (f *Forest) EndTree() {
	f.firstNode = append(f.firstNode, uint32(f.Nodes()))
	f.firstLeaf = append(f.firstLeaf, uint32(len(f.leafRows)))
	f.Tree(f.Trees() - 1).CountRows()
}

// Reserve makes room for all trees of forests of the same kind.
func (f *Forest) Reserve(forests ...*Forest) {
	nodes, leaves := 0, 0
	for _, o := range forests {
		nodes, leaves = nodes+o.Nodes(), leaves+o.Leaves()
	}
	f.splits.reserve(nodes)
	f.left, f.right = slices.Grow(f.left, nodes), slices.Grow(f.right, nodes)
	f.gain, f.nodeRows = slices.Grow(f.gain, nodes), slices.Grow(f.nodeRows, nodes)
	f.nodePairs = slices.Grow(f.nodePairs, 2*f.pairs*nodes)
	f.leafRows, f.values = slices.Grow(f.leafRows, leaves), slices.Grow(f.values, f.ValuesPerLeaf()*leaves)
	if !f.full {
		f.leafPairs = slices.Grow(f.leafPairs, 2*f.pairsPerLeaf()*leaves)
	}
}

// ReserveValues makes room for the values of trees with that many leaves, up to 128 MiB, if a tree is large: with many classes, values
// that grow tree by tree would leave copies behind until the garbage is collected.
func (f *Forest) ReserveValues(trees, leaves int) {
	const large, most = 1 << 16, 1 << 25
	if perTree := leaves * f.ValuesPerLeaf(); perTree >= large {
		f.values = slices.Grow(f.values, min(trees, most/perTree)*perTree)
	}
}

// AddTree adds a tree of a forest of the same kind.
func (f *Forest) AddTree(t Tree) {
	for _, n := range t.Nodes() {
		f.splits.add(n.Split())
		f.left, f.right = append(f.left, n.Left()), append(f.right, n.Right())
		f.gain, f.nodeRows = append(f.gain, n.Gain()), append(f.nodeRows, uint32(n.Rows()))
		f.nodePairs = append(f.nodePairs, t.forest.nodePairs[n.index*2*f.pairs:][:2*f.pairs]...)
	}
	for _, l := range t.Leaves() {
		f.leafRows, f.values = append(f.leafRows, uint32(l.Rows())), append(f.values, l.Values()...)
		if !f.full {
			f.leafPairs = append(f.leafPairs, l.ends()...)
		}
	}
	f.EndTree()
}

func appendPairs(dst []uint32, pairs []kernel.Pair) []uint32 {
	for _, p := range pairs {
		dst = append(dst, uint32(p.R), uint32(p.S))
	}
	return dst
}

// Truncated returns a forest of the first trees. It shares their memory, but a tree added to one
// does not change the other.
func (f *Forest) Truncated(trees int) *Forest {
	nodes, leaves := int(f.firstNode[trees]), int(f.firstLeaf[trees])
	t := *f
	t.firstNode, t.firstLeaf = first(f.firstNode, trees+1), first(f.firstLeaf, trees+1)
	t.splits = f.splits.first(nodes)
	t.left, t.right = first(f.left, nodes), first(f.right, nodes)
	t.gain, t.nodeRows, t.nodePairs = first(f.gain, nodes), first(f.nodeRows, nodes), first(f.nodePairs, nodes*2*f.pairs)
	t.leafRows, t.values = first(f.leafRows, leaves), first(f.values, leaves*f.ValuesPerLeaf())
	if !f.full {
		t.leafPairs = first(f.leafPairs, leaves*2*f.pairsPerLeaf())
	}
	return &t
}

// Emptied returns the same trees without values: leaf values and numbers of rows are zero, and no longer f's. It shares
// the splits with f, so no trees may be added.
func (f *Forest) Emptied() *Forest {
	e := *f
	e.nodeRows, e.leafRows, e.values = make([]uint32, len(f.nodeRows)), make([]uint32, len(f.leafRows)), make([]float32, len(f.values))
	return &e
}

// Scale multiplies all leaf values by a factor and rounds them.
func (f *Forest) Scale(factor float64, round func(float64) float32) {
	for i, v := range f.values {
		f.values[i] = round(float64(v) * factor)
	}
}

// first returns the first n elements of s; appending to them leaves s unchanged.
func first[T any](s []T, n int) []T { return s[:n:n] }

// Clone returns a copy that shares nothing with f.
func (f *Forest) Clone() *Forest { return Concat(f) }

// Concat returns the trees of forests of one kind, forest after forest, with the sum of their
// linear scores. It shares nothing with them that can change.
func Concat(forests ...*Forest) *Forest {
	c := NewForest(forests[0].classes, forests[0].pairs, forests[0].full)
	c.named = forests[0].named
	for _, f := range forests {
		nodes, leaves := uint32(c.Nodes()), uint32(c.Leaves())
		for t := range f.Trees() {
			c.firstNode = append(c.firstNode, nodes+f.firstNode[t+1])
			c.firstLeaf = append(c.firstLeaf, leaves+f.firstLeaf[t+1])
		}
		c.linear = c.linear.plus(f.linear)
		c.splits.addAll(&f.splits)
		c.left, c.right = append(c.left, f.left...), append(c.right, f.right...)
		c.gain, c.nodeRows = append(c.gain, f.gain...), append(c.nodeRows, f.nodeRows...)
		c.nodePairs, c.leafPairs = append(c.nodePairs, f.nodePairs...), append(c.leafPairs, f.leafPairs...)
		c.leafRows, c.values = append(c.leafRows, f.leafRows...), append(c.values, f.values...)
	}
	return c
}
