//go:build !purego && (amd64 || arm64)

package aoso

import (
	"cmp"
	"math"
	"unsafe"

	"github.com/libaoso/aoso/kernel"
)

// This file has what the kernels of all architectures share: the arguments of
// assembly routines, and the Go code that makes arguments of a job. A routine
// of this file exists for every architecture. Jobs are checked before
// (kernel.Checked).
//
// Arguments are made on the stack: predicting a row must not allocate memory.
// Therefore routines are called by their names, not through variables. The
// functions xLevel of kernel_gen_*.go call the routine of a level.

// completed returns f, the kernels that differ between architectures, with all
// others. They use AVX-512 if wide, else AVX2 or NEON.
func completed(wide bool, f kernel.Funcs) *kernel.Funcs {
	f.Sparse, f.SumBins, f.Spill, f.Subtract = sparse, sumBins, spill, subtract
	f.Members, f.AddPairs, f.Scores, f.Walk = members, addPairs, scores, walkLanes
	f.Compare = func(j *kernel.CompareJob[float64]) {
		if a := new(compareArgs); loadCompare(a, j) {
			compareLevel(wide, a)
		}
	}
	f.Compare32 = func(j *kernel.CompareJob[float32]) {
		if a := new(compareArgs); loadCompare(a, j) {
			compare32Level(wide, a)
		}
	}
	f.Leaves = func(j *kernel.LeavesJob) {
		for a := new(leavesArgs); a.next(j); {
			leavesLevel(wide, a)
		}
	}
	f.AddSteps = func(j *kernel.AddStepsJob) {
		for a := new(addStepsArgs); a.next(j); {
			addStepsLevel(wide, a)
		}
	}
	f.AddShort = func(j *kernel.AddShortJob) {
		for a := new(addShortArgs); a.next(j, shortClasses); {
			addShortLevel(wide, a)
		}
	}
	lanes := 4 // of float64
	if wide {
		lanes = 8
	}
	f.Linear = func(j *kernel.LinearJob) {
		for a := new(linearArgs); a.next(j, lanes); {
			linearLevel(wide, a)
		}
	}
	return kernel.Checked(f)
}

func sparse(j *kernel.SparseJob) {
	if len(j.Entries) == 0 { // the assembly steps back from the end of the entries, which may be nil
		return
	}
	switch j.Pairs {
	case 1:
		sparse1(j)
	case 2:
		sparse2(j)
	case 4:
		sparse4(j)
	case 8:
		sparse8(j)
	}
}

func sumBins(sums, cells []int64) {
	bins := len(cells) / max(len(sums), 1)
	if len(sums)%8 != 0 || bins == 0 || bins*len(sums) != len(cells) {
		kernel.SumBins(sums, cells) // or it panics
		return
	}
	for i := 0; i < len(sums); i += 8 {
		sumBins8(&sums[i], &cells[i], len(sums), bins)
	}
}

// spill and subtract leave cells that do not fill a block of eight to the
// reference.

func spill(wideG, wideH, narrow []int64) {
	blocks := len(narrow) / 8
	if blocks > 0 {
		spill8(&wideG[0], &wideH[0], &narrow[0], blocks)
	}
	n := 8 * blocks
	kernel.Spill(wideG[n:], wideH[n:], narrow[n:])
}

func subtract(dst, minuend, subtrahend []int64) {
	blocks := len(dst) / 8
	if blocks > 0 {
		subtract8(&dst[0], &minuend[0], &subtrahend[0], blocks)
	}
	n := 8 * blocks
	kernel.Subtract(dst[n:], minuend[n:], subtrahend[n:])
}

type compareArgs struct {
	values      unsafe.Pointer // float64, or float32, as the thresholds
	words       int            // of rows, at least 1
	thresholds  unsafe.Pointer
	n           int // at least 1
	missingLeft int
	right       *uint64
}

// loadCompare reads a job and reports whether there is anything to compare.
func loadCompare[T float32 | float64](a *compareArgs, j *kernel.CompareJob[T]) bool {
	n, words := len(j.Thresholds), len(j.Values)/64
	if n == 0 || words == 0 {
		return false
	}
	*a = compareArgs{unsafe.Pointer(&j.Values[0]), words, unsafe.Pointer(&j.Thresholds[0]), n, j.MissingLeft, &j.Right[0]}
	return true
}

type membersArgs struct {
	codes *uint8
	words int // of rows, at least 1
	sets  *[4]uint64
	n     int // at least 1
	right *uint64
}

func members(j *kernel.MembersJob) {
	n, words := len(j.Sets), len(j.Codes)/64
	if n > 0 && words > 0 {
		membersWords(&membersArgs{&j.Codes[0], words, &j.Sets[0], n, &j.Right[0]})
	}
}

// leavesArgs holds one tree of a job.
type leavesArgs struct {
	right   *uint64
	cuts    *kernel.Cut
	n       int // cuts
	atLeast *uint64
	leaves  *uint16
	words   int
	tree    int // the next
}

// next goes on to the next tree and reports whether there is one.
func (a *leavesArgs) next(j *kernel.LeavesJob) bool {
	if a.tree+1 >= len(j.FirstCut) {
		return false
	}
	cuts := j.Cuts[j.FirstCut[a.tree]:j.FirstCut[a.tree+1]]
	a.right, a.words = unsafe.SliceData(j.Right), j.Words
	a.cuts, a.n = unsafe.SliceData(cuts), len(cuts)
	a.atLeast, a.leaves = &j.AtLeast[0], &j.Leaves[a.tree*j.LeafStride]
	a.tree++
	return true
}

// addStepsArgs holds some classes of a job. Strides are in bytes.
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

// stepClasses is the number of sums of AddSteps that the registers hold.
const stepClasses = 32

// next goes on to the next classes and reports whether there are any.
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
		leaves: &j.Leaves[0], leafStride: 2 * j.LeafStride,
		firstLeaf: &j.FirstLeaf[0], trees: trees,
		steps: &j.Steps[first], leafBytes: 4 * j.Classes,
		scores: &j.Scores[first], stride: 8 * j.Stride,
		rows: j.Rows, classes: last - first,
		tile: a.tile + 1,
	}
	return true
}

// addPairsArgs holds some rows of a job. Strides are in bytes.
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

// startTotals sets the sums of a job to what they start from, and returns the shift.
func startTotals(j *kernel.TotalsJob) (shift float64) {
	shift, start := unitSums(j.Unit, len(j.Rows))
	for k := range j.Stride {
		j.Gradient[k], j.Hessian[k] = start, start
	}
	return shift
}

// unitSums returns the shift that is added to each addend, and the number that the sums
// of their bits start from: minus the bits of the shift for each row.
func unitSums(unit float64, rows int) (shift float64, start int64) {
	shift = kernel.Shift(unit)
	return shift, -int64(rows) * int64(math.Float64bits(shift))
}

// forRuns calls f with one run of at most that many rows after the other.
func forRuns(rows []uint32, most int, f func(rows []uint32)) {
	for len(rows) > 0 {
		n := min(len(rows), most)
		f(rows[:n])
		rows = rows[n:]
	}
}

// rowsInCache returns the number of rows that stay in the first-level cache while a
// kernel passes over them several times, given the bytes of a row and the least number.
func rowsInCache(bytes, least int) int {
	const cache = 16 << 10 // half of the smallest there is
	return max(cache/bytes, least)
}

func addPairs(j *kernel.AddPairsJob) {
	if len(j.FirstLeaf) == 0 {
		return
	}
	most := rowsInCache(8*j.Stride, 16)
	for row := 0; row < j.Rows; row += most {
		addPairsRows(&addPairsArgs{
			leaves: &j.Leaves[row], leafStride: 2 * j.LeafStride,
			firstLeaf: &j.FirstLeaf[0], trees: len(j.FirstLeaf),
			steps: &j.Steps[0], leafBytes: 8 * j.Pairs,
			scores: &j.Scores[row*j.Stride], stride: 8 * j.Stride,
			rows: min(most, j.Rows-row),
		})
	}
}

// addShortArgs holds some classes of a job. Strides are in bytes.
type addShortArgs struct {
	leaves     *uint16 // of the first row in the first tree
	leafStride int     // from one tree to the next
	firstLeaf  *uint32
	trees      int    // at least 1
	steps      *int16 // of the first class
	leafBytes  int    // of all classes
	sums       *int32 // of the first row and class
	stride     int    // from one row to the next
	rows       int    // at least 1
	classes    int    // 16, 32, 64 or 128
	first      int    // class
}

// next goes on to the next classes, at most `most`, and reports whether there are any.
func (a *addShortArgs) next(j *kernel.AddShortJob, most int) bool {
	trees, first := len(j.FirstLeaf), a.first+a.classes
	if trees == 0 || j.Rows == 0 || first == j.Classes {
		return false
	}
	classes := most
	for classes > j.Classes-first {
		classes /= 2
	}
	*a = addShortArgs{
		leaves: &j.Leaves[0], leafStride: 2 * j.LeafStride,
		firstLeaf: &j.FirstLeaf[0], trees: trees,
		steps: &j.Steps[first], leafBytes: 2 * j.Classes,
		sums: &j.Sums[first], stride: 4 * j.Stride,
		rows: j.Rows, classes: classes, first: first,
	}
	return true
}

type scoresArgs struct {
	sums        *int32
	stride      int // of sums, in bytes
	unit        float64
	first       *float64 // by class
	scores      *float64
	classes     int // at least 4
	rows        int // at least 1
	temperature float64
}

// ordinary numbers can be multiplied and divided a few times without overflow or underflow.
func ordinary(x float64) bool { return 0x1p-200 < x && x < 0x1p200 }

func scores(j *kernel.ScoresJob) {
	rows, temperature := len(j.Scores)/j.Classes, cmp.Or(j.Temperature, 1)
	if rows == 0 || j.Classes < 4 || !(ordinary(j.Unit) && ordinary(temperature)) {
		kernel.Scores(j)
		return
	}
	scoresRows(&scoresArgs{&j.Sums[0], 4 * j.Stride, j.Unit, &j.First[0], &j.Scores[0], j.Classes, rows, temperature})
}

// linearArgs holds some rows, terms and lanes of a job.
type linearArgs struct {
	terms   int      // at least 1
	weights *float32 // of the first term and lane
	stride  int      // from one term to the next, in bytes; twice that from one row of scores to the next
	bias    *float32 // of the first lane; nil: the scores have the terms before these
	scores  *float64 // of the first row and lane
	rows    int      // at least 1
	lanes   int      // one vector to three
	shift   float64  // 0: there are more terms

	row, term, lane int // the first

	// Places: of four rows side by side, term after term; then of the next four. Rows
	// past the last are the last again.
	quads [4 * linearTerms]float64
}

// linearTerms is the most terms that are read at once.
const linearTerms = 256

// next goes on to the next rows, terms and lanes and reports whether there are any. A
// vector has width lanes.
func (a *linearArgs) next(j *kernel.LinearJob, width int) bool {
	if j.Terms == 0 {
		kernel.Linear(j)
		return false
	}
	if a.lane += a.lanes; a.lane == j.Stride {
		a.lane, a.term = 0, a.term+a.terms
	}
	if a.term == j.Terms {
		a.term, a.row = 0, a.row+a.rows
	}
	if a.row == j.Rows {
		return false
	}
	if a.lane == 0 {
		a.load(j)
	}
	vectors := (j.Stride - a.lane) / width
	tiles := (vectors + 2) / 3
	a.lanes = (vectors + tiles - 1) / tiles * width
	a.weights = &j.Weights[a.term*j.Stride+a.lane]
	a.bias, a.shift = nil, 0
	if a.term == 0 {
		a.bias = &j.Bias[a.lane]
	}
	if a.term+a.terms == j.Terms {
		a.shift = kernel.Shift(kernel.LinearUnit)
	}
	a.scores = &j.Scores[a.row*j.Stride+a.lane]
	return true
}

// load reads the places of the next rows and terms.
func (a *linearArgs) load(j *kernel.LinearJob) {
	a.stride = 4 * j.Stride
	a.terms = min(j.Terms-a.term, linearTerms)
	a.rows = min(j.Rows-a.row, len(a.quads)/min(j.Terms, linearTerms)&^3)
	quads := a.quads[:]
	for first := 0; first < a.rows; first += 4 {
		var rows [4][]float32
		for i := range rows {
			row := a.row + min(first+i, a.rows-1)
			rows[i] = j.Places[row*j.Terms+a.term:][:a.terms]
		}
		for t, x := range rows[0] {
			quad := quads[4*t:][:4]
			quad[0], quad[1], quad[2], quad[3] = float64(x), float64(rows[1][t]), float64(rows[2][t]), float64(rows[3][t])
		}
		quads = quads[4*a.terms:]
	}
}

// softmaxArgs holds some rows of a job.
type softmaxArgs struct {
	scores  *float64
	rows    int // at least 1
	classes int // at least 2
}

// byRow is the number of classes, at least 9, from which on it takes less time to do
// row after row.
const byRow = 64

// softmax returns a kernel that calls two routines: exp replaces n numbers x by eˣ, or by zero
// below SoftmaxLeast. If it is not nil, many does the same as softmaxTops, exp and
// softmaxSums to rows of byRow classes or more.
func softmax(exp func(x *float64, n int), many func(scores *float64, rows, classes int)) func(*kernel.SoftmaxJob) {
	return func(j *kernel.SoftmaxJob) {
		if j.Classes == 1 || len(j.Scores) <= 4 { // so few take the reference less time
			kernel.Softmax(j)
			return
		}
		most := rowsInCache(8*j.Classes, 1)
		rows := len(j.Scores) / j.Classes
		for row := 0; row < rows; row += most {
			a := softmaxArgs{&j.Scores[row*j.Classes], min(most, rows-row), j.Classes}
			if j.Temperature != 0 {
				softmaxDivide(a.scores, a.rows*a.classes, j.Temperature)
			}
			if many != nil && j.Classes >= byRow {
				many(a.scores, a.rows, a.classes)
				continue
			}
			softmaxTops(&a)
			exp(a.scores, a.rows*a.classes)
			softmaxSums(&a)
		}
	}
}

// expLanes holds the constants of eˣ, each in every lane of a vector.
var expLanes [18][4]float64

// roundBy, added and subtracted again, rounds to a whole number. In between,
// that number is the lowest bits of the sum.
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

func walkLanes(j *kernel.WalkJob) {
	if n := len(j.Depths); n > 0 {
		walkTrees(&walkArgs{&j.Branches[0], &j.Keys[0], &j.Walks[0], &j.Depths[0], n, &j.Leaves[0]})
	}
}
