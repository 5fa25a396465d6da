package predict

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/kernel"
)

// walks has the trees of a forest in the form in which a kernel finds the leaves of a single row. Trees are divided into runs, whose leaves are
// found before their values are added, and runs into stages, after which Row.Class may stop. walks does not change.
type walks struct {
	values   *values
	branches []kernel.Branch
	members  []*members    // of categorical features: a slot for each test
	slots    []slot        // of numeric features; memberSlots other slots precede them
	walks    []kernel.Walk // runTrees for each run
	depths   []uint32      // the depth of each kernel.WalkLanes walks

	memberSlots int

	// low and high, by stage and class, bound the sum of the values that a stage adds, and include 0. size, by stage, bounds rounding
	// errors: it is the sum over the trees of the largest absolute value added to any score.
	low, high, size []float64
	stage           int // number of runs of a stage
}

// slot is a position in the keys of a row: it has the key of a feature's value. A feature may have two slots. If the value is missing, their
// keys are above all thresholds, and below all.
type slot struct {
	feature      int
	missingRight bool
}

// slotsOf maps tests to slots.
type slotsOf struct {
	categorical map[member]uint32
	numeric     map[slot]uint32
}

// runTrees is the number of trees of a run.
const runTrees = 8 * kernel.WalkLanes

// freeBounds is the number of bounds, stages × classes, that any forest may have. There are more only if there are as many leaf values, so
// that the bounds of many classes with few leaf values take little memory.
const freeBounds = 1 << 16

// newWalks prepares all trees, with the values v.
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

// leafBranch returns a leaf as a branch, at position `at`, that leads to itself.
func leafBranch(leaf, at uint32) kernel.Branch {
	return kernel.Branch{Slot: leaf, Right: at}
}

// addRun adds the walks of a run of trees, sorted by depth, as the kernel walks through WalkLanes trees at once.
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

// addTree adds the nodes of a tree in breadth-first order, so that nodes near the root are adjacent, and returns the depth. If both children
// of a node are leaves, it refers to the leaf branches that all trees share.
func (w *walks) addTree(t model.Tree, slots slotsOf) (depth uint32) {
	type queued struct {
		child model.Child
		depth uint32
	}
	base := len(w.branches)
	queue := []queued{{t.Root(), 0}}
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
			queue = append(queue, queued{left, p.depth + 1}, queued{right, p.depth + 1})
		}
		w.branches = append(w.branches, b)
	}
	return depth
}

// branch returns the branch of a split. Branches on one feature share slots.
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

// bounder adds up the bounds of the trees of a stage.
type bounder struct {
	low, high []float64 // by class, of the stage so far
	size      float64

	treeLow, treeHigh, scores []float64 // scratch buffers by class, zero between calls
}

func newBounder(classes int) *bounder {
	zeros := func() []float64 { return make([]float64, classes) }
	return &bounder{low: zeros(), high: zeros(), treeLow: zeros(), treeHigh: zeros(), scores: zeros()}
}

// addTree adds the bounds of a tree, in time proportional to the number of its values, and returns the tree's contribution to size.
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
			leafSize += 2 * math.Abs(float64(value)) // all values may belong to one class
		}
		size = max(size, leafSize)
		for k := range leaf.Scores() {
			b.scores[k] = 0
		}
	}
	for _, leaf := range t.Leaves() {
		for k := range leaf.Scores() { // if a class occurs again, it adds zeros
			b.low[k], b.high[k] = b.low[k]+b.treeLow[k], b.high[k]+b.treeHigh[k]
			b.treeLow[k], b.treeHigh[k] = 0, 0
		}
	}
	return size
}

// boundRun adds the bounds of a run of trees to their stage.
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
