package predict

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/kernel"
)

// walks is the trees of a forest in the form in which a single row walks
// through them. It does not change.
type walks struct {
	values   *values
	branches []kernel.Branch
	members  []*members    // of categorical features: a slot for each test
	slots    []slot        // of numeric features; they come after memberSlots others
	walks    []kernel.Walk // runTrees a run, numbered within it
	depths   []uint32      // by kernel.WalkLanes walks

	memberSlots int

	// Between what the trees of a stage change the score of a class, by stage and
	// class, zero being among it; and how much its sums can be rounded, by stage: the
	// greatest of what a tree adds to any score in absolute value, added up.
	low, high, size []float64
	stage           int // runs of a stage
}

// slot is where the key of a feature's value is kept. Missing values have two:
// one that no threshold is above, and one below all.
type slot struct {
	feature      int
	missingRight bool
}

// slotsOf is the slots of tests.
type slotsOf struct {
	categorical map[member]uint32
	numeric     map[slot]uint32
}

// runTrees is how many trees are walked before their values are added.
const runTrees = 8 * kernel.WalkLanes

// freeBounds is how many bounds by stage and class any forest may have. There are no more than that, or than
// values of leaves, so that many classes with few values take little memory.
const freeBounds = 1 << 16

// newWalks prepares all trees, whose values are given.
func newWalks(f *model.Forest, v *values) *walks {
	runs := (f.Trees() + runTrees - 1) / runTrees
	stages := max(1, max(freeBounds, f.Leaves()*v.perLeaf)/v.classes)
	w := &walks{values: v, stage: max(1, (runs+stages-1)/stages)}
	for leaf := range uint32(v.most) {
		w.branches = append(w.branches, leafBranch(leaf, leaf))
	}
	slots := slotsOf{w.addMembers(f), map[slot]uint32{}}
	bounds := newBounder(v.classes)
	for first := 0; first < f.Trees(); first += runTrees {
		w.addRun(f, slots, first, min(first+runTrees, f.Trees()))
		w.boundRun(f, bounds, first, min(first+runTrees, f.Trees()))
	}
	return w
}

// leafBranch is a leaf in place of a branch.
func leafBranch(leaf, at uint32) kernel.Branch {
	return kernel.Branch{Slot: leaf, Right: at}
}

// addRun adds the walks through some trees, those of like depth side by side.
func (w *walks) addRun(f *model.Forest, slots slotsOf, first, last int) {
	type tree struct {
		kernel.Walk
		depth uint32
	}
	trees := make([]tree, last-first)
	for t := range trees {
		root := uint32(len(w.branches))
		trees[t] = tree{kernel.Walk{Root: root, Tree: uint32(t)}, w.addTree(f.Tree(first+t), slots)}
	}
	slices.SortStableFunc(trees, func(a, b tree) int { return int(a.depth) - int(b.depth) })
	for len(trees)%kernel.WalkLanes != 0 {
		trees = append(trees, trees[len(trees)-1])
	}
	for i, t := range trees {
		w.walks = append(w.walks, t.Walk)
		if i%kernel.WalkLanes == kernel.WalkLanes-1 {
			w.depths = append(w.depths, t.depth)
		}
	}
}

// addTree adds the nodes of a tree, those near the root together. It returns
// their depth. Two leaves of one node are the same in all trees.
func (w *walks) addTree(t model.Tree, slots slotsOf) (depth uint32) {
	type place struct {
		child model.Child
		depth uint32
	}
	base := len(w.branches)
	queue := []place{{t.Root(), 0}}
	for i := 0; i < len(queue); i++ {
		p := queue[i]
		depth = max(depth, p.depth)
		if p.child.IsLeaf() {
			w.branches = append(w.branches, leafBranch(uint32(p.child.Leaf()), uint32(base+i)))
			continue
		}
		n := t.Node(p.child)
		b := w.branch(n.Split(), slots)
		left, right := n.Left(), n.Right()
		if left.IsLeaf() && right.IsLeaf() {
			b.Right = uint32(right.Leaf())
			depth = max(depth, p.depth+1)
		} else {
			b.Right = uint32(base + len(queue) + 1)
			queue = append(queue, place{left, p.depth + 1}, place{right, p.depth + 1})
		}
		w.branches = append(w.branches, b)
	}
	return depth
}

// branch is a test, whose slot may be that of others.
func (w *walks) branch(split model.Split, slots slotsOf) kernel.Branch {
	if set := split.Set(); set != nil {
		return kernel.Branch{Key: categoricalKey, Slot: slots.categorical[member{split.Feature, *set}]}
	}
	s := slot{int(split.Feature), !split.MissingLeft}
	number, known := slots.numeric[s]
	if !known {
		number = uint32(w.memberSlots + len(w.slots))
		slots.numeric[s] = number
		w.slots = append(w.slots, s)
	}
	return kernel.Branch{Key: bin.Key(split.Threshold()), Slot: number}
}

// bounder adds up how the trees of a stage can change scores.
type bounder struct {
	low, high []float64 // by class; of the stage so far
	size      float64

	// Of a tree, and of a leaf: zero between them.
	treeLow, treeHigh, scores []float64
}

func newBounder(classes int) *bounder {
	zeros := func() []float64 { return make([]float64, classes) }
	return &bounder{low: zeros(), high: zeros(), treeLow: zeros(), treeHigh: zeros(), scores: zeros()}
}

// addTree adds the bounds of a tree, in time that its values take, however many the classes are. It returns the size of the
// tree's sums.
func (b *bounder) addTree(t model.Tree) (size float64) {
	for _, leaf := range t.Leaves() {
		for k, score := range leaf.Scores() {
			b.scores[k] += score
		}
		for k := range leaf.Scores() {
			b.treeLow[k], b.treeHigh[k] = min(b.treeLow[k], b.scores[k]), max(b.treeHigh[k], b.scores[k])
		}
		leafSize := 0.0
		for _, value := range leaf.Values() {
			leafSize += 2 * math.Abs(float64(value)) // all values may be those of one class
		}
		size = max(size, leafSize)
		for k := range leaf.Scores() {
			b.scores[k] = 0
		}
	}
	for _, leaf := range t.Leaves() {
		for k := range leaf.Scores() { // a class that comes again adds zeros
			b.low[k], b.high[k] = b.low[k]+b.treeLow[k], b.high[k]+b.treeHigh[k]
			b.treeLow[k], b.treeHigh[k] = 0, 0
		}
	}
	return size
}

// boundRun adds how some trees can change scores to the bounds of their stage.
func (w *walks) boundRun(f *model.Forest, b *bounder, first, last int) {
	for t := first; t < last; t++ {
		b.size += b.addTree(f.Tree(t))
	}
	if last < f.Trees() && last/runTrees%w.stage > 0 {
		return
	}
	w.low, w.high, w.size = append(w.low, b.low...), append(w.high, b.high...), append(w.size, b.size)
	clear(b.low)
	clear(b.high)
	b.size = 0
}
