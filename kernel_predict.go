//go:build !purego && (amd64 || arm64)

package aoso

import (
	"unsafe"

	"github.com/libaoso/aoso/kernel"
)

// The arguments of the prediction kernels are alike on all architectures, and
// do not escape: one row is predicted without allocating memory. What cuts,
// leaves, pairs and branches hold is trusted.

type compareArgs struct {
	values      *float64
	words       int // of rows, at least 1
	thresholds  *float64
	n           int // at least 1
	missingLeft int
	right       *uint64
}

// load tells whether there is anything to compare.
func (a *compareArgs) load(j *kernel.CompareJob) bool {
	n, words := len(j.Thresholds), len(j.Values)/64
	if len(j.Values)%64 != 0 || uint(j.MissingLeft) > uint(n) {
		panic("kernel: rows by whole words, as many thresholds as there are")
	}
	if n == 0 || words == 0 {
		return false
	}
	_ = j.Right[:(n-1)*kernel.PredictWords+words]
	*a = compareArgs{&j.Values[0], words, &j.Thresholds[0], n, j.MissingLeft, &j.Right[0]}
	return true
}

// leavesArgs is one tree of a job.
type leavesArgs struct {
	right   *uint64
	cuts    *kernel.Cut
	n       int // cuts
	atLeast *uint64
	leaves  *uint16
	words   int
	tree    int // the next
}

// next takes the next tree, if there is one.
func (a *leavesArgs) next(j *kernel.LeavesJob) bool {
	if a.tree+1 >= len(j.FirstCut) {
		return false
	}
	cuts := j.Cuts[j.FirstCut[a.tree]:j.FirstCut[a.tree+1]]
	a.right, a.words = unsafe.SliceData(j.Right), j.Words
	a.cuts, a.n = unsafe.SliceData(cuts), len(cuts)
	a.atLeast = &j.AtLeast[:(len(cuts)+2)*kernel.PredictWords][0]
	a.leaves = &j.Leaves[a.tree*j.LeafStride:][:kernel.PredictRows][0]
	a.tree++
	return true
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
	tile       int      // the next
}

// stepClasses is how many sums the registers hold.
const stepClasses = 32

// next takes the next classes, if there are any.
func (a *addStepsArgs) next(j *kernel.AddStepsJob) bool {
	trees, tiles := len(j.FirstLeaf), (j.Classes+stepClasses-1)/stepClasses
	switch {
	case trees == 0 || j.Rows == 0 || a.tile == tiles:
		return false
	case j.Classes == 1:
		kernel.AddSteps(j)
		return false
	}
	first, last := a.tile*j.Classes/tiles, (a.tile+1)*j.Classes/tiles
	*a = addStepsArgs{
		leaves: &j.Leaves[:(trees-1)*j.LeafStride+j.Rows][0], leafStride: 2 * j.LeafStride,
		firstLeaf: &j.FirstLeaf[0], trees: trees,
		steps: &j.Steps[first], leafBytes: 4 * j.Classes,
		scores: &j.Scores[:(j.Rows-1)*j.Stride+j.Classes][first], stride: 8 * j.Stride,
		rows: j.Rows, classes: last - first,
		tile: a.tile + 1,
	}
	return true
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
	_, _ = j.Leaves[:(trees-1)*j.LeafStride+j.Rows], j.Scores[:j.Rows*j.Stride]
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

// softmaxArgs is some rows of a job.
type softmaxArgs struct {
	scores      *float64
	rows        int // at least 1
	classes     int // at least 2
	temperature float64
	row         int // the next
}

// softmaxTops divides the scores of rows by the temperature and takes the row's
// greatest from them.
//
//go:noescape
func softmaxTops(a *softmaxArgs)

// softmaxSums divides rows by their sums.
//
//go:noescape
func softmaxSums(a *softmaxArgs)

// next takes so many rows that their scores stay in the cache from one pass over
// them to the next.
func (a *softmaxArgs) next(j *kernel.SoftmaxJob) bool {
	const cache = 16 << 10 // bytes; half of the smallest there is
	rows := len(j.Scores) / j.Classes
	switch {
	case len(j.Scores)%j.Classes != 0:
		panic("kernel: scores by whole rows")
	case a.row == rows:
		return false
	case j.Classes == 1 || len(j.Scores) <= 4: // that few take the reference less time
		kernel.Softmax(j)
		return false
	}
	n := min(max(cache/(8*j.Classes), 1), rows-a.row)
	*a = softmaxArgs{&j.Scores[a.row*j.Classes:][:n*j.Classes][0], n, j.Classes, j.Temperature, a.row + n}
	return true
}

// expLanes is what e to a vector takes, each number by lane.
var expLanes [18][4]float64

// roundBy added and taken away again rounds to a whole number, which in between
// is the sum's lowest bits.
const roundBy = 0x1.8p52

func init() {
	numbers := append([]float64{kernel.Log2E, roundBy, kernel.Ln2Hi, kernel.Ln2Lo, 1, kernel.SoftmaxLeast}, kernel.InverseFactorials[:]...)
	for i, v := range numbers {
		expLanes[i] = [4]float64{v, v, v, v}
	}
}

type walkArgs struct {
	branches *kernel.Branch
	keys     *uint64
	walks    *kernel.Walk
	depths   *uint32
	n        int // of depths, at least 1
	leaves   *uint16
}

//go:noescape
func walkTrees(a *walkArgs)

func walkLanes(j *kernel.WalkJob) {
	if n := len(j.Depths); n > 0 {
		_ = j.Walks[:n*kernel.WalkLanes]
		walkTrees(&walkArgs{&j.Branches[0], &j.Keys[0], &j.Walks[0], &j.Depths[0], n, &j.Leaves[0]})
	}
}
