//go:build !purego

package aoso

import (
	"unsafe"

	"github.com/klauspost/cpuid/v2"

	"github.com/libaoso/aoso/kernel"
)

func cpuLevels() (levels []*kernel.Funcs) {
	if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL, cpuid.BMI2) {
		levels = append(levels, newLevel("avx512", true))
	}
	if cpuid.CPU.Supports(cpuid.AVX2, cpuid.BMI2, cpuid.FMA3) {
		levels = append(levels, newLevel("avx2", false))
	}
	return levels
}

func newLevel(name string, wide bool) *kernel.Funcs {
	return completed(wide, kernel.Funcs{
		Level:     name,
		Totals:    totals(wide),
		Cross:     cross(wide),
		Gradients: either(wide, gradientsAVX512, gradientsAVX2),
		Quantize:  either(wide, quantizeAVX512, quantizeAVX2),
		Histogram: histogram,
		Scan: func(j *kernel.ScanJob) {
			if a := new(scanArgs); a.load(j) {
				scanLevel(wide, a)
				a.store(j)
			}
		},
		AddCuts: func(j *kernel.AddCutsJob) {
			a := new(scanArgs)
			if j.Bins == 1 || !a.load(&j.ScanJob) {
				return
			}
			first := a.stride / int(unsafe.Sizeof(*a.right))
			a.right = &j.Right[first]
			if a.left = a.right; j.Left != nil {
				a.left = &j.Left[first]
			}
			addCutsLevel(wide, a)
		},
		Partition: partition(either(wide, partitionAVX512, partitionAVX2)),
		Update:    update(either(wide, updateAVX512, updateAVX2)),
		Best:      best,
		Products:  products,
		Softmax:   softmax(either(wide, softmaxExpAVX512, softmaxExpAVX2), either(wide, softmaxRowsAVX512, softmaxRowsAVX2)),
	})
}

// shortClasses is the number of sums of AddShort that the registers hold.
const shortClasses = 128

// either returns one of two values.
func either[T any](wide bool, avx512, avx2 T) T {
	if wide {
		return avx512
	}
	return avx2
}

// AVX2 suffices for fewLanes lanes of a row.
const fewLanes = 4

// totals returns a kernel that calls a routine which adds to the sums. It goes over all rows several times, a few classes
// at a time. That is faster than to load and store the sums more often, but not where rows are so long that it would jump
// from page to page.
func totals(wide bool) func(*kernel.TotalsJob) {
	return func(j *kernel.TotalsJob) {
		const longRow, rowsAtOnce = 256, 16
		startTotals(j)
		most := len(j.Rows)
		if j.Stride >= longRow {
			most = rowsAtOnce
		}
		run := *j
		forRuns(j.Rows, most, func(rows []uint32) {
			if run.Rows = rows; wide && j.Stride > fewLanes {
				totalsAVX512(&run)
			} else {
				totalsAVX2(&run)
			}
		})
	}
}

// cross returns a kernel that calls a routine which writes nothing without rows.
func cross(wide bool) func(*kernel.CrossJob) {
	return func(j *kernel.CrossJob) {
		clear(j.Cross[:len(j.First)*j.Stride])
		either(wide && j.Stride > fewLanes, crossAVX512, crossAVX2)(j)
	}
}

// partition returns a kernel that calls a routine for jobs without a set. Jobs with
// a set take as long with AVX2 as with AVX-512: gathering codes takes most of the time.
func partition(routine func(*partitionJob)) func(*kernel.PartitionJob) {
	return func(j *kernel.PartitionJob) {
		if j.Set != nil {
			partitionSet(j)
		} else {
			routine(j)
		}
	}
}

// update returns a kernel that calls a routine which reports whether every row has a
// class.
func update(routine func(*updateJob) bool) func(*kernel.UpdateJob) {
	return func(j *kernel.UpdateJob) {
		if !routine(j) {
			panic(kernel.ErrNoClass)
		}
	}
}

// AVX-512 compresses vectors by masks, AVX2 permutes them by tables. Byte l of an
// entry is the lane that 32-bit lane l of the result comes from.
var (
	permute8 [256][8]uint8 // the lanes of a mask, lowest first
	permute4 [16][8]uint8  // the pairs of lanes of a mask

	// foldCells is what to keep of eight cells, by log2 of the pairs of a row
	// and by a mask of the cells below their bounds: all cells of a row, unless
	// all of them are. The low byte is a mask of cells; the top bits of the high
	// byte, as many as there are rows, are one of rows.
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

// histogramArgs holds what the histogram loops read.
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

// quadColumns is the most columns that the histogramQuad loops take.
const quadColumns = 4

// Rows are prefetched unless they lie so near that their columns are in the
// cache anyway. What is best depends on their mean distance: histogramQuad
// prefetches from fetchGap on. From sparseGap on, histogramTile assumes that
// most rows lie in cache lines of their own.
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
		}
	}
}

// isTile reports whether the histograms of the columns from c on are the lanes
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

// scanArgs holds what the scan loops read and write, by lane of the tile. All
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
	right, left        *float64 // in and out, of AddCuts: scores at bin 1; left is right if it is not needed

	score [kernel.TileLanes]float64 // out
	cut   [kernel.TileLanes]int64   // out: the bin, plus cutMissingLeft
}

// cutMissingLeft marks a cut that sends missing values left.
const cutMissingLeft = 1 << 32

// load reads a job and reports whether there is a bin to scan. If not, the reference
// has done the job.
func (a *scanArgs) load(j *kernel.ScanJob) bool {
	m := j.Pairs
	stride := max(j.Stride, kernel.TileLanes)
	if j.Bins == 1 {
		kernel.Scan(j)
		return false
	}
	if j.Tile != nil {
		a.cells = &j.Tile[stride]
	} else {
		a.cells, a.wideH = &j.WideG[stride], &j.WideH[stride]
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

// lastLanes holds masks: the mask of n lanes begins n before the first 0.
//
//lint:ignore U1000 the assembly reads it
var lastLanes = [16]int64{-1, -1, -1, -1, -1, -1, -1, -1}

// bestArgs holds the rows of a job.
type bestArgs struct {
	sums    *int32
	stride  int // in bytes
	classes int // at least 8
	best    *int
	rows    int // at least 1
}

func best(j *kernel.BestJob) {
	if j.Classes < 8 || len(j.Best) == 0 {
		kernel.Best(j)
		return
	}
	bestRows(&bestArgs{&j.Sums[0], 4 * j.Stride, j.Classes, &j.Best[0], len(j.Best)})
}

// productsArgs holds a feature of a job.
type productsArgs struct {
	feature, others *int16 // ProductRows each; the others are the first features
	fours           int    // of others, at least 1
	sums            *int64 // in and out
}

func products(j *kernel.ProductsJob) {
	for f := range j.Features {
		productsFours(&productsArgs{&j.Places[f*kernel.ProductRows], &j.Places[0], f/4 + 1, &j.Sums[f*j.Features]})
	}
}
