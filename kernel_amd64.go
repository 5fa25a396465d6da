//go:build !purego

package aoso

import (
	"unsafe"

	"github.com/klauspost/cpuid/v2"

	"github.com/libaoso/aoso/kernel"
)

func cpuLevels() (levels []*kernel.Funcs) {
	if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL, cpuid.BMI2) {
		levels = append(levels, &avx512)
	}
	if cpuid.CPU.Supports(cpuid.AVX2, cpuid.BMI2) {
		levels = append(levels, &avx2)
	}
	return levels
}

// A kernel that assembly does not speed up is the reference itself.
var (
	avx512 = withLevel("avx512")
	avx2   = withLevel("avx2")
)

func init() {
	avx512.Totals = func(j *kernel.TotalsJob) { totalsAVX512(checkTotals(j)) }
	avx512.Cross = func(j *kernel.CrossJob) { crossAVX512(checkCross(j)) }
	avx512.Gradients = func(j *kernel.GradientsJob) { gradientsAVX512(checkGradients(j)) }
	avx512.Quantize = func(j *kernel.QuantizeJob) { quantizeAVX512(checkQuantize(j)) }
	avx512.Partition = func(j *kernel.PartitionJob) { partitionAVX512(checkPartition(j)) }
	avx512.Update = func(j *kernel.UpdateJob) { mustHaveClass(updateAVX512(checkUpdate(j))) }
	avx2.Totals = func(j *kernel.TotalsJob) { totalsAVX2(checkTotals(j)) }
	avx2.Cross = func(j *kernel.CrossJob) { crossAVX2(checkCross(j)) }
	avx2.Gradients = func(j *kernel.GradientsJob) { gradientsAVX2(checkGradients(j)) }
	avx2.Quantize = func(j *kernel.QuantizeJob) { quantizeAVX2(checkQuantize(j)) }
	avx2.Partition = func(j *kernel.PartitionJob) { partitionAVX2(checkPartition(j)) }
	avx2.Update = func(j *kernel.UpdateJob) { mustHaveClass(updateAVX2(checkUpdate(j))) }
	avx512.Compare = func(j *kernel.CompareJob) {
		if a := new(compareArgs); a.load(j) {
			compareAVX512(a)
		}
	}
	avx512.Leaves = func(j *kernel.LeavesJob) {
		for a := new(leavesArgs); a.next(j); {
			leavesAVX512(a)
		}
	}
	avx512.AddSteps = func(j *kernel.AddStepsJob) {
		for a := new(addStepsArgs); a.next(j); {
			addStepsAVX512(a)
		}
	}
	avx512.Softmax = func(j *kernel.SoftmaxJob) {
		for a := new(softmaxArgs); a.next(j); {
			softmaxTops(a)
			expAVX512(a.scores, a.rows*a.classes)
			softmaxSums(a)
		}
	}
	avx2.Compare = func(j *kernel.CompareJob) {
		if a := new(compareArgs); a.load(j) {
			compareAVX2(a)
		}
	}
	avx2.Leaves = func(j *kernel.LeavesJob) {
		for a := new(leavesArgs); a.next(j); {
			leavesAVX2(a)
		}
	}
	avx2.AddSteps = func(j *kernel.AddStepsJob) {
		for a := new(addStepsArgs); a.next(j); {
			addStepsAVX2(a)
		}
	}
	avx2.Softmax = func(j *kernel.SoftmaxJob) {
		for a := new(softmaxArgs); a.next(j); {
			softmaxTops(a)
			expAVX2(a.scores, a.rows*a.classes)
			softmaxSums(a)
		}
	}
	avx512.AddPairs, avx2.AddPairs = addPairs, addPairs
	avx512.Walk, avx2.Walk = walkLanes, walkLanes
	avx512.Histogram, avx2.Histogram = histogram, histogram
	avx512.Scan, avx2.Scan = scanAVX512, scanAVX2
	avx512.Sparse, avx2.Sparse = sparse, sparse
	avx512.SumBins, avx2.SumBins = sumBins, sumBins
	avx512.Spill, avx2.Spill = spill, spill
	avx512.Subtract, avx2.Subtract = subtract, subtract
}

func withLevel(name string) kernel.Funcs {
	f := *kernel.Generic
	f.Level = name
	return f
}

// The jobs under names of this package: go_asm.h gives the assembly the
// offsets of the fields of these.
type (
	totalsJob    kernel.TotalsJob
	crossJob     kernel.CrossJob
	gradientsJob kernel.GradientsJob
	quantizeJob  kernel.QuantizeJob
	partitionJob kernel.PartitionJob
	updateJob    kernel.UpdateJob
	//lint:ignore U1000 for go_asm.h
	pair kernel.Pair
	//lint:ignore U1000 for go_asm.h
	pairStats kernel.PairStats
)

//go:noescape
func totalsAVX512(j *totalsJob)

//go:noescape
func crossAVX512(j *crossJob)

//go:noescape
func gradientsAVX512(j *gradientsJob)

//go:noescape
func quantizeAVX512(j *quantizeJob)

//go:noescape
func partitionAVX512(j *partitionJob)

//go:noescape
func updateAVX512(j *updateJob) bool

//go:noescape
func totalsAVX2(j *totalsJob)

//go:noescape
func crossAVX2(j *crossJob)

//go:noescape
func gradientsAVX2(j *gradientsJob)

//go:noescape
func quantizeAVX2(j *quantizeJob)

//go:noescape
func partitionAVX2(j *partitionJob)

//go:noescape
func updateAVX2(j *updateJob) bool

// What AVX-512 compresses by mask, AVX2 permutes by table: byte l of an entry is
// the place where 32-bit lane l of the result comes from.
var (
	permute8 [256][8]uint8 // the lanes of a mask, lowest first
	permute4 [16][8]uint8  // the pairs of lanes of a mask

	// foldCells is what to keep of eight cells, given which of them fail, by
	// log2 of the pairs of a row: the cells, and in the high byte, from its top
	// downwards, the rows.
	foldCells [4][256]uint16
)

func init() {
	for mask := range 256 {
		n := 0
		for l := range 8 {
			if mask>>l&1 != 0 {
				permute8[mask][n] = uint8(l)
				n++
			}
		}
		for log := range foldCells {
			m := 1 << log
			for first := 0; first < 8; first += m {
				if cells := (1<<m - 1) << first; mask&cells != cells {
					foldCells[log][mask] |= uint16(cells | 1<<(16-8/m+first/m))
				}
			}
		}
	}
	for mask := range 16 {
		n := 0
		for l := range 4 {
			if mask>>l&1 != 0 {
				permute4[mask][n], permute4[mask][n+1] = uint8(2*l), uint8(2*l+1)
				n += 2
			}
		}
	}
}

// The check functions make the bounds checks that the reference's slice
// expressions make, but for row numbers: those are trusted.

func checkTotals(j *kernel.TotalsJob) *totalsJob {
	_, _ = j.Gradient[:j.Stride], j.Hessian[:j.Stride]
	return (*totalsJob)(j)
}

func checkCross(j *kernel.CrossJob) *crossJob {
	if m := len(j.First); m == 0 || m > kernel.MaxPairs {
		panic("kernel: 1 to 8 first classes")
	}
	for _, r := range j.First {
		if uint(r) >= uint(j.Stride) {
			panic("kernel: a class past the stride")
		}
	}
	clear(j.Cross[:len(j.First)*j.Stride])
	return (*crossJob)(j)
}

func checkGradients(j *kernel.GradientsJob) *gradientsJob {
	m := len(j.Pairs)
	if m != 1 && (m%2 != 0 || m == 0 || m > kernel.MaxPairs) {
		panic("kernel: 1, 2, 4 or 8 pairs")
	}
	for _, p := range j.Pairs {
		if uint(p.R) >= uint(j.Stride) || uint(p.S) >= uint(j.Stride) {
			panic("kernel: a class past the stride")
		}
	}
	_ = j.Gradients[:len(j.Rows)*m*2]
	return (*gradientsJob)(j)
}

func checkQuantize(j *kernel.QuantizeJob) *quantizeJob {
	switch m := j.Pairs; m {
	case 1, 2, 4, 8:
		n := len(j.Rows)
		_, _, _ = j.Gradients[:n*m*2], j.Cells[:n*m], j.KeptRows[:n]
		if n > 0 && j.Weights != nil {
			_ = j.Weights[j.Rows[n-1]]
		}
	default:
		panic("kernel: 1, 2, 4 or 8 pairs")
	}
	return (*quantizeJob)(j)
}

func checkPartition(j *kernel.PartitionJob) *partitionJob {
	n := len(j.Rows)
	_, _ = j.Left[:n], j.Right[:n]
	return (*partitionJob)(j)
}

func checkUpdate(j *kernel.UpdateJob) *updateJob {
	_ = j.Factors[:j.Stride]
	if n := len(j.Rows); n > 0 {
		_ = j.Own[j.Rows[n-1]]
	}
	return (*updateJob)(j)
}

func mustHaveClass(ok bool) {
	if !ok {
		panic("kernel: a residual row without a class")
	}
}

// histogramArgs is what the histogram loops read.
type histogramArgs struct {
	columns [kernel.TileLanes]*uint8 // code of row 0, or of the first row without a row list
	bins    [kernel.TileLanes]*int64 // bin 0
	rows    *uint32                  // nil: rows follow one another
	cells   *int64
	n       int // rows, at least 1
	count   int // columns
	fetch   bool
	sparse  bool
}

// histogramTile fills eight neighbouring lanes with one pair.
//
//go:noescape
func histogramTile(args *histogramArgs)

// histogramQuad1 and its kin fill one to four columns with 1, 2, 4 or 8 pairs.
//
//go:noescape
func histogramQuad1(args *histogramArgs)

//go:noescape
func histogramQuad2(args *histogramArgs)

//go:noescape
func histogramQuad4(args *histogramArgs)

//go:noescape
func histogramQuad8(args *histogramArgs)

// quadColumns is the most columns that the histogramQuad loops take.
const quadColumns = 4

// Rows are prefetched unless they span so few that their columns are in the
// cache anyway. What is best depends on their mean distance: histogramQuad
// prefetches from fetchGap on, histogramTile takes most rows to lie in cache
// lines of their own from sparseGap on.
const (
	nearRows  = 1 << 16
	fetchGap  = 4
	sparseGap = 16
)

// histogram serves AVX-512 as well: an add of 512 bits to memory was measured
// to be slower than two of 256 bits.
func histogram(j *kernel.HistogramJob) {
	m := j.Pairs
	n := len(j.Cells) / m
	if n == 0 {
		return
	}
	args := histogramArgs{cells: &j.Cells[0], n: n}
	if j.Rows != nil {
		rows := j.Rows[:n]
		args.rows = &rows[0]
		if span := int(rows[n-1] - rows[0]); span > nearRows {
			args.fetch, args.sparse = span > fetchGap*n, span > sparseGap*n
		}
	}
	for c := 0; c < j.Count; c += args.count {
		tile := m == 1 && isTile(j, c)
		args.count = min(j.Count-c, quadColumns)
		if tile {
			args.count = kernel.TileLanes
		}
		for k := range args.columns {
			from := c + min(k, args.count-1) // repeated: may be prefetched
			column := j.Columns[from]
			if j.Rows == nil {
				column = column[j.First : j.First+n]
			}
			args.columns[k], args.bins[k] = &column[0], &j.Histograms[from][0]
		}
		// Called by name, lest the arguments become garbage.
		switch {
		case tile:
			histogramTile(&args)
		case m == 1:
			histogramQuad1(&args)
		case m == 2:
			histogramQuad2(&args)
		case m == 4:
			histogramQuad4(&args)
		case m == 8:
			histogramQuad8(&args)
		default:
			panic("kernel: 1, 2, 4 or 8 pairs")
		}
	}
}

// isTile tells whether the histograms of the columns from c on are the lanes
// of one tile.
func isTile(j *kernel.HistogramJob, c int) bool {
	if j.Count-c < kernel.TileLanes {
		return false
	}
	first := uintptr(unsafe.Pointer(&j.Histograms[c][0]))
	for k := range kernel.TileLanes {
		if uintptr(unsafe.Pointer(&j.Histograms[c+k][0])) != first+8*uintptr(k) {
			return false
		}
	}
	return true
}

// scanArgs is what the scan loops read and write, by lane of the tile. All
// sums are whole numbers below 2⁵³, so float64 adds them exactly.
type scanArgs struct {
	cells  *int64 // bin 1: packed cells, or sums of g
	wideH  *int64 // bin 1: sums of h; nil: cells are packed
	stride int    // bytes from one bin to the next
	cuts   int    // bins from bin 1 on, at least 1
	pairs  int

	totalG, totalH     [kernel.TileLanes]float64
	l2, unitH, scale   [kernel.TileLanes]float64
	missingG, missingH [kernel.TileLanes]float64
	missing            [kernel.TileLanes]int64 // −1 in features with missing values
	anyMissing         bool
	minHessian         float64

	score [kernel.TileLanes]float64 // out
	cut   [kernel.TileLanes]int64   // out: the bin, plus cutMissingLeft
}

// cutMissingLeft marks a cut that sends missing values left.
const cutMissingLeft = 1 << 32

//go:noescape
func scanTileAVX512(args *scanArgs)

//go:noescape
func scanTileAVX2(args *scanArgs)

func scanAVX512(j *kernel.ScanJob) {
	var args scanArgs
	if args.load(j) {
		scanTileAVX512(&args)
		args.store(j)
	} else {
		kernel.Scan(j)
	}
}

func scanAVX2(j *kernel.ScanJob) {
	var args scanArgs
	if args.load(j) {
		scanTileAVX2(&args)
		args.store(j)
	} else {
		kernel.Scan(j)
	}
}

// load tells whether there is a bin to scan.
func (a *scanArgs) load(j *kernel.ScanJob) bool {
	m := j.Pairs
	stride := max(j.Stride, kernel.TileLanes)
	if j.Bins < 2 || m&(m-1) != 0 {
		return false
	}
	end := (j.Bins-1)*stride + kernel.TileLanes
	if j.Tile != nil {
		a.cells = &j.Tile[:end][stride]
	} else {
		a.cells, a.wideH = &j.WideG[:end][stride], &j.WideH[:end][stride]
	}
	a.stride = stride * int(unsafe.Sizeof(*a.cells))
	a.cuts, a.pairs, a.minHessian = j.Bins-1, m, j.MinHessian
	for i := range kernel.TileLanes {
		p := i & (m - 1) & (kernel.MaxPairs - 1)
		a.totalG[i], a.totalH[i] = float64(j.TotalG[p]), float64(j.TotalH[p])
		a.l2[i], a.unitH[i], a.scale[i] = j.L2[p], j.UnitH[p], j.Scale[p]

		var g, h int64
		if j.Tile != nil {
			g, h = j.Tile[i]>>32, j.Tile[i]&(1<<32-1)
		} else {
			g, h = j.WideG[i], j.WideH[i]
		}
		if g|h != 0 {
			a.missingG[i], a.missingH[i] = float64(g), float64(h)
			a.anyMissing = true
			for k := range m {
				a.missing[i&^(m-1)+k] = -1
			}
		}
	}
	return true
}

func (a *scanArgs) store(j *kernel.ScanJob) {
	for f := range kernel.TileLanes / j.Pairs {
		lane := f * j.Pairs
		j.Score[f] = a.score[lane]
		j.Bin[f] = int32(a.cut[lane])
		j.MissingLeft[f] = a.cut[lane] >= cutMissingLeft
	}
}

// The vector loops take whole blocks of blockCells, the reference the rest.
const blockCells = 8

//go:noescape
func spillBlocks(wideG, wideH, narrow *int64, blocks int)

//go:noescape
func subtractBlocks(dst, minuend, subtrahend *int64, blocks int)

func spill(wideG, wideH, narrow []int64) {
	n := len(narrow) / blockCells * blockCells
	if n > 0 {
		spillBlocks(&wideG[:n][0], &wideH[:n][0], &narrow[0], n/blockCells)
	}
	kernel.Spill(wideG[n:], wideH[n:], narrow[n:])
}

func subtract(dst, minuend, subtrahend []int64) {
	n := len(dst) / blockCells * blockCells
	if n > 0 {
		subtractBlocks(&dst[0], &minuend[:n][0], &subtrahend[:n][0], n/blockCells)
	}
	kernel.Subtract(dst[n:], minuend[n:], subtrahend[n:])
}

type sparseJob kernel.SparseJob

//go:noescape
func sparse1(args *sparseJob)

//go:noescape
func sparse2(args *sparseJob)

//go:noescape
func sparse4(args *sparseJob)

//go:noescape
func sparse8(args *sparseJob)

func sparse(j *kernel.SparseJob) {
	_ = j.Cells[:len(j.Rows)*j.Pairs]
	switch j.Pairs {
	case 1:
		sparse1((*sparseJob)(j))
	case 2:
		sparse2((*sparseJob)(j))
	case 4:
		sparse4((*sparseJob)(j))
	case 8:
		sparse8((*sparseJob)(j))
	}
}

//go:noescape
func sumEight(sums, cells *int64, stride, bins int)

func sumBins(sums, cells []int64) {
	bins := len(cells) / max(len(sums), 1)
	if len(sums)%8 != 0 || bins == 0 {
		kernel.SumBins(sums, cells)
		return
	}
	for i := 0; i < len(sums); i += 8 {
		sumEight(&sums[i], &cells[i], len(sums), bins)
	}
}

//lint:ignore U1000 for go_asm.h
type cut kernel.Cut

//go:noescape
func compareAVX512(a *compareArgs)

//go:noescape
func leavesAVX512(a *leavesArgs)

//go:noescape
func addStepsAVX512(a *addStepsArgs)

//go:noescape
func compareAVX2(a *compareArgs)

//go:noescape
func leavesAVX2(a *leavesArgs)

//go:noescape
func addStepsAVX2(a *addStepsArgs)

// lastLanes is masks: read from n before its first 0 on, that of n lanes.
//
//lint:ignore U1000 the assembly reads it
var lastLanes = [16]int64{-1, -1, -1, -1, -1, -1, -1, -1}

// expAVX512 makes x e to x, or zero below SoftmaxLeast, as expAVX2 does.
//
//go:noescape
func expAVX512(x *float64, n int)

//go:noescape
func expAVX2(x *float64, n int)
