package tree

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/kernel"
)

// Walker is the trees of a forest in the form in which a single row walks
// through them. It does not change.
type Walker struct {
	steps    *Steps
	branches []kernel.Branch
	slots    []slot
	walks    []kernel.Walk // runTrees a run, numbered within it
	depths   []uint32      // by kernel.WalkLanes walks

	// Between what the trees of a run change the score of a class, by run and
	// class, zero being among it; and how much its sums can be rounded, by run: the
	// greatest of what a tree adds to any score in absolute value, added up.
	low, high, size []float64
}

// slot is where the key of a feature's value is kept. Missing values have two:
// one that no threshold is above, and one below all.
type slot struct {
	feature      int
	missingRight bool
}

// runTrees is how many trees are walked before their steps are added.
const runTrees = 8 * kernel.WalkLanes

// NewWalker prepares all trees, whose steps are given.
func NewWalker(f *Forest, steps *Steps) *Walker {
	w := &Walker{steps: steps}
	for leaf := range uint32(steps.most) {
		w.branches = append(w.branches, leafBranch(leaf, leaf))
	}
	slots := map[slot]uint32{}
	for first := 0; first < f.Trees(); first += runTrees {
		w.addRun(f, slots, first, min(first+runTrees, f.Trees()))
		w.boundRun(f, first, min(first+runTrees, f.Trees()))
	}
	return w
}

// leafBranch is a leaf in place of a branch.
func leafBranch(leaf, at uint32) kernel.Branch {
	return kernel.Branch{Slot: leaf, Right: at}
}

// addRun adds the walks through some trees, those of like depth side by side.
func (w *Walker) addRun(f *Forest, slots map[slot]uint32, first, last int) {
	type tree struct {
		kernel.Walk
		depth uint32
	}
	trees := make([]tree, last-first)
	for t := range trees {
		root := uint32(len(w.branches))
		trees[t] = tree{kernel.Walk{Root: root, Tree: uint32(t)}, w.addTree(f, slots, first+t)}
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
func (w *Walker) addTree(f *Forest, slots map[slot]uint32, tree int) (depth uint32) {
	type place struct {
		child int32
		depth uint32
	}
	base, first := len(w.branches), int(f.FirstNode[tree])
	queue := []place{{}}
	if int(f.FirstNode[tree+1]) == first {
		queue[0].child = ^0
	}
	for i := 0; i < len(queue); i++ {
		p := queue[i]
		depth = max(depth, p.depth)
		if p.child < 0 {
			w.branches = append(w.branches, leafBranch(uint32(^p.child), uint32(base+i)))
			continue
		}
		n := first + int(p.child)
		s := slot{int(f.Feature[n]), f.MissingLeft[n] == 0}
		if _, ok := slots[s]; !ok {
			slots[s] = uint32(len(w.slots))
			w.slots = append(w.slots, s)
		}
		b := kernel.Branch{Key: bin.Key(f.Threshold[n]), Slot: slots[s]}
		left, right := f.Left[n], f.Right[n]
		if left < 0 && right < 0 {
			b.Right = uint32(^right)
			depth = max(depth, p.depth+1)
		} else {
			b.Right = uint32(base + len(queue) + 1)
			queue = append(queue, place{left, p.depth + 1}, place{right, p.depth + 1})
		}
		w.branches = append(w.branches, b)
	}
	return depth
}

// boundRun notes how some trees can change scores.
func (w *Walker) boundRun(f *Forest, first, last int) {
	low, high := make([]float64, f.Classes), make([]float64, f.Classes)
	treeLow, treeHigh, leaf := make([]float64, f.Classes), make([]float64, f.Classes), make([]float64, f.Classes)
	size, n := 0.0, f.StepsPerLeaf()
	for t := first; t < last; t++ {
		clear(treeLow)
		clear(treeHigh)
		treeSize := 0.0
		for l := f.FirstLeaf[t]; l < f.FirstLeaf[t+1]; l++ {
			clear(leaf)
			f.AddLeaf(t, int(l-f.FirstLeaf[t]), leaf)
			for k, step := range leaf {
				treeLow[k], treeHigh[k] = min(treeLow[k], step), max(treeHigh[k], step)
			}
			leafSize := 0.0
			for _, step := range f.Steps[int(l)*n:][:n] {
				leafSize += 2 * math.Abs(float64(step)) // all steps may be those of one class
			}
			treeSize = max(treeSize, leafSize)
		}
		for k := range low {
			low[k], high[k] = low[k]+treeLow[k], high[k]+treeHigh[k]
		}
		size += treeSize
	}
	w.low, w.high, w.size = append(w.low, low...), append(w.high, high...), append(w.size, size)
}
