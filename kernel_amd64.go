//go:build !purego

package aoso

import (
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
	avx512.Quantize = quantize
	avx512.Partition = func(j *kernel.PartitionJob) { partitionAVX512(checkPartition(j)) }
	avx512.Update = func(j *kernel.UpdateJob) { mustHaveClass(updateAVX512(checkUpdate(j))) }
	avx2.Totals = func(j *kernel.TotalsJob) { totalsAVX2(checkTotals(j)) }
	avx2.Cross = func(j *kernel.CrossJob) { crossAVX2(checkCross(j)) }
	avx2.Gradients = func(j *kernel.GradientsJob) { gradientsAVX2(checkGradients(j)) }
	avx2.Quantize = func(j *kernel.QuantizeJob) { quantizeAVX2(checkQuantize(j)) }
	avx2.Partition = func(j *kernel.PartitionJob) { partitionAVX2(checkPartition(j)) }
	avx2.Update = func(j *kernel.UpdateJob) { mustHaveClass(updateAVX2(checkUpdate(j))) }
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
	pair         kernel.Pair
	pairStats    kernel.PairStats
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
	default:
		panic("kernel: 1, 2, 4 or 8 pairs")
	}
	return (*quantizeJob)(j)
}

// quantize takes eight rows at a time where AVX-512 would take two or one.
func quantize(j *kernel.QuantizeJob) {
	if j.Pairs >= 4 {
		quantizeAVX2(checkQuantize(j))
	} else {
		quantizeAVX512(checkQuantize(j))
	}
}

func checkPartition(j *kernel.PartitionJob) *partitionJob {
	n := len(j.Rows)
	_, _ = j.Left[:n], j.Right[:n]
	return (*partitionJob)(j)
}

func checkUpdate(j *kernel.UpdateJob) *updateJob {
	_ = j.Factors[:j.Stride]
	return (*updateJob)(j)
}

func mustHaveClass(ok bool) {
	if !ok {
		panic("kernel: a residual row without a class")
	}
}
