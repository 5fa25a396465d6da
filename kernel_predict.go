//go:build !purego && (amd64 || arm64)

package aoso

import (
	"unsafe"

	"github.com/libaoso/aoso/kernel"
)

// The arguments of the prediction kernels are alike on all architectures.
// Leaf numbers, and what cuts and pairs hold, are trusted.

type compareArgs struct {
	values      *float64
	words       int // of rows, at least 1
	thresholds  *float64
	n           int // at least 1
	missingLeft int
	right       *uint64
}

func compareRows(j *kernel.CompareJob, compare func(a *compareArgs)) {
	n, words := len(j.Thresholds), len(j.Values)/64
	if len(j.Values)%64 != 0 || uint(j.MissingLeft) > uint(n) {
		panic("kernel: rows by whole words, as many thresholds as are left")
	}
	if n > 0 && words > 0 {
		_ = j.Right[:(n-1)*kernel.PredictWords+words]
		compare(&compareArgs{&j.Values[0], words, &j.Thresholds[0], n, j.MissingLeft, &j.Right[0]})
	}
}

// leavesArgs is one tree of a job.
type leavesArgs struct {
	right   *uint64
	cuts    *kernel.Cut
	n       int // cuts
	atLeast *uint64
	leaves  *uint16
	words   int
}

func findLeaves(j *kernel.LeavesJob, leaves func(a *leavesArgs)) {
	a := leavesArgs{right: unsafe.SliceData(j.Right), words: j.Words}
	for t, first := range j.FirstCut[:len(j.FirstCut)-1] {
		cuts := j.Cuts[first:j.FirstCut[t+1]]
		a.cuts, a.n = unsafe.SliceData(cuts), len(cuts)
		a.atLeast = &j.AtLeast[:(len(cuts)+2)*kernel.PredictWords][0]
		a.leaves = &j.Leaves[t*j.LeafStride:][:kernel.PredictRows][0]
		leaves(&a)
	}
}

// addStepsArgs is some classes of a job. Strides are in bytes.
type addStepsArgs struct {
	leaves     *uint16 // of the first row in the first tree
	leafStride int     // from one tree to the next
	firstLeaf  *uint32
	trees      int      // at least 1
	steps      *float32 // of the first class
	leafBytes  int      // of all classes
	scores     *float64 // of the first row and class
	stride     int      // from one row to the next
	rows       int      // at least 1
	classes    int      // 2 … stepClasses
}

// stepClasses is how many sums the registers hold.
const stepClasses = 32

func addSteps(j *kernel.AddStepsJob, add func(a *addStepsArgs)) {
	trees, tiles := len(j.FirstLeaf), (j.Classes+stepClasses-1)/stepClasses
	if j.Classes == 1 {
		kernel.AddSteps(j)
		return
	}
	if trees == 0 || j.Rows == 0 {
		return
	}
	_, _ = j.Leaves[(trees-1)*j.LeafStride:][:j.Rows], j.Scores[(j.Rows-1)*j.Stride:][:j.Classes]
	for i := range tiles {
		first, last := i*j.Classes/tiles, (i+1)*j.Classes/tiles
		add(&addStepsArgs{
			leaves: &j.Leaves[0], leafStride: 2 * j.LeafStride,
			firstLeaf: &j.FirstLeaf[0], trees: trees,
			steps: &j.Steps[first], leafBytes: 4 * j.Classes,
			scores: &j.Scores[first], stride: 8 * j.Stride,
			rows: j.Rows, classes: last - first,
		})
	}
}

// addPairsArgs is some rows of a job. Strides are in bytes.
type addPairsArgs struct {
	leaves     *uint16 // of the first row in the first tree
	leafStride int     // from one tree to the next
	firstLeaf  *uint32
	trees      int // at least 1
	steps      *kernel.PairStep
	leafBytes  int
	scores     *float64 // of the first row
	stride     int      // from one row to the next
	rows       int      // at least 1
}

//go:noescape
func addPairsRows(a *addPairsArgs)

// addPairs takes so many rows at once that their scores stay in the cache while
// the trees pass by.
func addPairs(j *kernel.AddPairsJob) {
	const cache = 16 << 10 // bytes; half of the smallest there is
	trees := len(j.FirstLeaf)
	if trees == 0 || j.Rows == 0 || j.Pairs == 0 {
		return
	}
	_, _ = j.Leaves[(trees-1)*j.LeafStride:][:j.Rows], j.Scores[:j.Rows*j.Stride]
	most := max(cache/(8*j.Stride), 16)
	for row := 0; row < j.Rows; row += most {
		addPairsRows(&addPairsArgs{
			leaves: &j.Leaves[row], leafStride: 2 * j.LeafStride,
			firstLeaf: &j.FirstLeaf[0], trees: trees,
			steps: &j.Steps[0], leafBytes: 8 * j.Pairs,
			scores: &j.Scores[row*j.Stride], stride: 8 * j.Stride,
			rows: min(most, j.Rows-row),
		})
	}
}
