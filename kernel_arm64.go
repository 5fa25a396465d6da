//go:build !purego

package aoso

import (
	"math"
	"unsafe"

	"github.com/libaoso/aoso/kernel"
)

// Every AArch64 processor has NEON.
func cpuLevels() []*kernel.Funcs {
	return []*kernel.Funcs{completed(false, kernel.Funcs{
		Level:     "neon",
		Totals:    totals,
		Cross:     cross,
		Gradients: gradients,
		Quantize:  quantize,
		Histogram: histogram,
		Scan:      scan,
		AddCuts:   addCuts,
		// NEON can neither gather bin codes by row number nor store the lanes of a
		// mask one behind the other.
		Partition: kernel.Partition,
		Update:    update,
		Best:      kernel.Best,
		Products:  kernel.Products,
		Softmax:   softmax(softmaxExpNEON, nil),
	})}
}

// shortClasses is the number of sums of AddShort that the registers hold.
const shortClasses = 64

// Routines take a few classes of a job. Strides of residuals, factors and sums
// are in bytes.

type totalsArgs struct {
	residuals         *float32 // the first of eight classes
	stride            int
	rows              *uint32
	n                 int
	weights           *float32 // nil: none
	shift             float64
	gradient, hessian *int64 // in and out, of the eight classes
}

func totals(j *kernel.TotalsJob) {
	a := totalsArgs{stride: 4 * j.Stride, weights: unsafe.SliceData(j.Weights), shift: startTotals(j)}
	forRuns(j.Rows, residualsInCache(j.Stride), func(rows []uint32) {
		a.rows, a.n = &rows[0], len(rows)
		for k := 0; k < j.Stride; k += 8 {
			a.residuals, a.gradient, a.hessian = &j.Residuals[k], &j.Gradient[k], &j.Hessian[k]
			if j.Stride == 4 {
				totals4(&a)
			} else {
				totals8(&a)
			}
		}
	})
}

// residualsInCache returns the number of rows whose residuals stay in the first-level cache while a
// kernel goes over them several times, a few classes at a time.
func residualsInCache(stride int) int { return rowsInCache(4*stride, 16) }

type crossArgs struct {
	residuals   *float32
	stride      int
	rows        *uint32
	n           int
	weights     *float32 // nil: none
	class       int      // offset in a row of the first of eight classes, in bytes
	first       [4]int   // the same of the classes r
	shift       float32
	cross       *uint32 // in and out, of the first r and the eight classes
	crossStride int
}

func cross(j *kernel.CrossJob) {
	cross := j.Cross[:len(j.First)*j.Stride]
	shift := j.Unit * (1 << 23) // as in unitSums
	start := -uint32(len(j.Rows)) * math.Float32bits(shift)
	for k := range cross {
		cross[k] = start
	}
	a := crossArgs{
		residuals:   unsafe.SliceData(j.Residuals),
		stride:      4 * j.Stride,
		weights:     unsafe.SliceData(j.Weights),
		shift:       shift,
		crossStride: 4 * j.Stride,
	}
	forRuns(j.Rows, residualsInCache(j.Stride), func(rows []uint32) {
		a.rows, a.n = &rows[0], len(rows)
		for i := 0; i < len(j.First); {
			first := j.First[i:min(i+4, len(j.First))]
			if len(first) < 4 || j.Stride == 4 {
				first = first[:1]
			}
			for l, r := range first {
				a.first[l] = 4 * int(r)
			}
			for k := 0; k < j.Stride; k += 8 {
				a.class, a.cross = 4*k, &cross[i*j.Stride+k]
				switch {
				case j.Stride == 4:
					cross1x4(&a)
				case len(first) == 4:
					cross4x8(&a)
				default:
					cross1x8(&a)
				}
			}
			i += len(first)
		}
	})
}

type gradientsArgs struct {
	residuals *float32
	stride    int
	rows      *uint32
	n         int      // a multiple of 4, above zero
	weights   *float32 // nil: none
	r, s      int      // offsets of the pair's classes in a row, in bytes
	gradients *float32 // out: (h, g) of the pair in the first row
	pairs     int
	shift     float64
	stats     *pairStats // in and out
}

func gradients(j *kernel.GradientsJob) {
	m, whole := len(j.Pairs), len(j.Rows)&^3
	rest := *j // the last rows, less than four
	rest.Rows, rest.Gradients = j.Rows[whole:], j.Gradients[2*m*whole:]
	kernel.Gradients(&rest)
	j.Stats = rest.Stats
	if whole == 0 {
		return
	}
	shift, start := unitSums(j.Unit, whole)
	for p, pair := range j.Pairs {
		s := &j.Stats[p]
		s.SumG += start
		s.SumH += start
		s.SumAbsG += start
		gradients4(&gradientsArgs{
			residuals: unsafe.SliceData(j.Residuals),
			stride:    4 * j.Stride,
			rows:      &j.Rows[0],
			n:         whole,
			weights:   unsafe.SliceData(j.Weights),
			r:         4 * int(pair.R),
			s:         4 * int(pair.S),
			gradients: &j.Gradients[2*p],
			pairs:     m,
			shift:     shift,
			stats:     s,
		})
	}
}

type quantizeArgs struct {
	rows        *uint32
	gradients   *float32
	weights     *float32 // nil: all one
	n           int
	pairs       int
	scale, trim [2 * kernel.MaxPairs]float32 // (h, g) by pair
	cells       *int64
	keptRows    *uint32
	kept        int                    // out
	sum         [kernel.MaxPairs]int64 // out: of the cells, by pair
}

func quantize(j *kernel.QuantizeJob) {
	m, n := j.Pairs, len(j.Rows)
	a := quantizeArgs{pairs: m, weights: unsafe.SliceData(j.Weights)}
	for p := range m {
		a.scale[2*p], a.scale[2*p+1] = j.ScaleH[p], j.ScaleG[p]
		a.trim[2*p], a.trim[2*p+1] = j.TrimH[p], j.TrimG[p]
	}
	j.SumG, j.SumH = [kernel.MaxPairs]int64{}, [kernel.MaxPairs]int64{}
	j.Kept = 0
	for i := 0; i < n; i += a.n {
		a.n = min(n-i, kernel.RowBlock)
		a.rows, a.gradients = &j.Rows[i], &j.Gradients[i*m*2]
		a.cells, a.keptRows = &j.Cells[j.Kept*m], &j.KeptRows[j.Kept]
		a.sum = [kernel.MaxPairs]int64{}
		if m == 1 {
			quantize1(&a)
		} else {
			quantize2(&a)
		}
		for p, sum := range a.sum[:m] {
			j.SumG[p] += sum >> 32
			j.SumH[p] += sum & math.MaxUint32
		}
		j.Kept += a.kept
	}
}

type histogramArgs struct {
	columns    [kernel.TileLanes]*uint8
	histograms [kernel.TileLanes]*int64
	rows       *uint32 // nil: first, first + 1, …
	first      int
	cells      *int64
	n          int // rows
}

func histogram(j *kernel.HistogramJob) {
	n := len(j.Cells) / j.Pairs
	if n == 0 {
		return
	}
	a := histogramArgs{first: j.First, cells: &j.Cells[0], n: n}
	if j.Rows != nil {
		a.rows = &j.Rows[0]
	}
	for c := 0; c < j.Count; {
		rest := j.Count - c
		for i := range rest {
			a.columns[i] = unsafe.SliceData(j.Columns[c+i])
			a.histograms[i] = unsafe.SliceData(j.Histograms[c+i])
		}
		switch {
		case j.Pairs == 1 && rest >= 8:
			histogram1x8(&a)
			c += 8
		case j.Pairs == 1 && rest >= 4:
			histogram1x4(&a)
			c += 4
		case j.Pairs == 1:
			histogram1x1(&a)
			c++
		case j.Pairs == 2 && rest >= 4:
			histogram2x4(&a)
			c += 4
		case j.Pairs == 2:
			histogram2x1(&a)
			c++
		case j.Pairs == 4 && rest >= 2:
			histogram4x2(&a)
			c += 2
		case j.Pairs == 4:
			histogram4x1(&a)
			c++
		case j.Pairs == 8:
			histogram8x1(&a)
			c++
		}
	}
}

type scanArgs struct {
	tile           *int64 // the first bin's first lane; nil: wide
	wideG, wideH   *int64
	bins           int
	stride         int // of bins, in bytes
	pairs          int
	totalG, totalH [kernel.MaxPairs]int64 // by lane
	scale, l2      [kernel.MaxPairs]float64
	unitH          [kernel.MaxPairs]float64
	minHessian     float64
	score          [2]float64 // in: −Inf; out, by lane
	code           [2]int64   // in: 0; out: 2·bin + (missing go left)

	// What scanVectors keeps of its vectors.
	leftG, leftH [kernel.MaxPairs]int64
	//lint:ignore U1000 the assembly uses them
	missingG, missingH [kernel.MaxPairs]int64
	//lint:ignore U1000 the assembly uses them
	lightL, lightR, scores [kernel.MaxPairs]float64

	right, left *float64 // in and out, of AddCuts: scores of the second bin; nil: not needed
}

func scan(j *kernel.ScanJob) {
	m := j.Pairs
	stride := max(j.Stride, kernel.TileLanes)
	a := scanArgs{
		bins: j.Bins, stride: 8 * stride, pairs: m,
		totalG: j.TotalG, totalH: j.TotalH,
		scale: j.Scale, l2: j.L2, unitH: j.UnitH,
		minHessian: j.MinHessian,
	}
	if m == 1 { // two features side by side
		a.totalG[1], a.totalH[1] = a.totalG[0], a.totalH[0]
		a.scale[1], a.l2[1], a.unitH[1] = a.scale[0], a.l2[0], a.unitH[0]
	}
	width := max(m, 2) // lanes at once
	for lane := 0; lane < kernel.TileLanes; lane += width {
		if j.Tile != nil {
			a.tile = &j.Tile[lane]
		} else {
			a.wideG, a.wideH = &j.WideG[lane], &j.WideH[lane]
		}
		a.score, a.code = [2]float64{math.Inf(-1), math.Inf(-1)}, [2]int64{}
		if m <= 2 {
			scanVector(&a)
		} else {
			a.leftG, a.leftH = [kernel.MaxPairs]int64{}, [kernel.MaxPairs]int64{}
			scanVectors(&a)
		}
		for f := range width / m {
			feature := lane/m + f
			j.Score[feature] = a.score[f]
			j.Bin[feature] = int32(a.code[f] >> 1)
			j.MissingLeft[feature] = a.code[f]&1 != 0
		}
	}
}

func addCuts(j *kernel.AddCutsJob) {
	stride := max(j.Stride, kernel.TileLanes)
	a := scanArgs{bins: j.Bins - 1, stride: 8 * stride}
	for lane := 0; lane < kernel.TileLanes && j.Bins > 1; lane += 2 {
		if j.Tile != nil {
			a.tile = &j.Tile[lane]
		} else {
			a.wideG, a.wideH = &j.WideG[lane], &j.WideH[lane]
		}
		a.right = &j.Right[stride+lane]
		if j.Left != nil {
			a.left = &j.Left[stride+lane]
		}
		for i := range 2 {
			p := (lane + i) & (j.Pairs - 1)
			a.totalG[i], a.totalH[i], a.scale[i], a.l2[i] = j.TotalG[p], j.TotalH[p], j.Scale[p], j.L2[p]
		}
		addCutsVector(&a)
	}
}

type updateArgs struct {
	residuals   *float32
	own         *float32
	stride      int
	rows        *uint32
	n           int // out: of rows that a row without a class kept from being updated
	factors     *float32
	flushBelow  float32
	ownFloor    float32
	sumResidual float64 // in and out
	maxResidual float32 // in and out
}

func update(j *kernel.UpdateJob) {
	a := updateArgs{
		residuals:  unsafe.SliceData(j.Residuals),
		own:        unsafe.SliceData(j.Own),
		stride:     4 * j.Stride,
		rows:       unsafe.SliceData(j.Rows),
		n:          len(j.Rows),
		factors:    unsafe.SliceData(j.Factors),
		flushBelow: kernel.FlushBelow,
		ownFloor:   kernel.OwnFloor,
	}
	updateRows(&a)
	if a.n > 0 {
		panic(kernel.ErrNoClass)
	}
	j.SumResidual, j.MaxResidual = a.sumResidual, a.maxResidual
}
