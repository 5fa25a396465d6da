// Code generated from kernel_amd64.s by make asm. DO NOT EDIT.

//go:build !purego

package aoso

import "github.com/libaoso/aoso/kernel"

//lint:file-ignore U1000 go_asm.h has the offsets of fields under these names

type (
	crossJob     = kernel.CrossJob
	cut          = kernel.Cut
	gradientsJob = kernel.GradientsJob
	pair         = kernel.Pair
	pairStats    = kernel.PairStats
	partitionJob = kernel.PartitionJob
	quantizeJob  = kernel.QuantizeJob
	sparseJob    = kernel.SparseJob
	totalsJob    = kernel.TotalsJob
	updateJob    = kernel.UpdateJob
)

//go:noescape
func totalsAVX512(j *totalsJob)

//go:noescape
func totalsAVX2(j *totalsJob)

//go:noescape
func crossAVX512(j *crossJob)

//go:noescape
func crossAVX2(j *crossJob)

//go:noescape
func gradientsAVX512(j *gradientsJob)

//go:noescape
func gradientsAVX2(j *gradientsJob)

//go:noescape
func quantizeAVX512(j *quantizeJob)

//go:noescape
func quantizeAVX2(j *quantizeJob)

//go:noescape
func histogramTile(a *histogramArgs)

//go:noescape
func histogramQuad1(a *histogramArgs)

//go:noescape
func histogramQuad2(a *histogramArgs)

//go:noescape
func histogramQuad4(a *histogramArgs)

//go:noescape
func histogramQuad8(a *histogramArgs)

//go:noescape
func sparse1(j *sparseJob)

//go:noescape
func sparse2(j *sparseJob)

//go:noescape
func sparse4(j *sparseJob)

//go:noescape
func sparse8(j *sparseJob)

//go:noescape
func sumBins8(sums, cells *int64, stride, bins int)

//go:noescape
func spill8(wideG, wideH, narrow *int64, blocks int)

//go:noescape
func subtract8(dst, minuend, subtrahend *int64, blocks int)

//go:noescape
func scanAVX512(a *scanArgs)

//go:noescape
func scanAVX2(a *scanArgs)

//go:noescape
func addCutsAVX512(a *scanArgs)

//go:noescape
func addCutsAVX2(a *scanArgs)

//go:noescape
func partitionAVX512(j *partitionJob)

//go:noescape
func partitionAVX2(j *partitionJob)

//go:noescape
func partitionSet(j *partitionJob)

//go:noescape
func updateAVX512(j *updateJob) bool

//go:noescape
func updateAVX2(j *updateJob) bool

//go:noescape
func compareAVX512(a *compareArgs)

//go:noescape
func compareAVX2(a *compareArgs)

//go:noescape
func compare32AVX512(a *compareArgs)

//go:noescape
func compare32AVX2(a *compareArgs)

//go:noescape
func membersWords(a *membersArgs)

//go:noescape
func leavesAVX512(a *leavesArgs)

//go:noescape
func leavesAVX2(a *leavesArgs)

//go:noescape
func addStepsAVX512(a *addStepsArgs)

//go:noescape
func addStepsAVX2(a *addStepsArgs)

//go:noescape
func addPairsRows(a *addPairsArgs)

//go:noescape
func addShortAVX512(a *addShortArgs)

//go:noescape
func addShortAVX2(a *addShortArgs)

//go:noescape
func scoresRows(a *scoresArgs)

//go:noescape
func bestRows(a *bestArgs)

//go:noescape
func linearAVX2(a *linearArgs)

//go:noescape
func linearAVX512(a *linearArgs)

//go:noescape
func productsFours(a *productsArgs)

//go:noescape
func softmaxDivide(scores *float64, n int, by float64)

//go:noescape
func softmaxTops(a *softmaxArgs)

//go:noescape
func softmaxSums(a *softmaxArgs)

//go:noescape
func softmaxExpAVX512(x *float64, n int)

//go:noescape
func softmaxExpAVX2(x *float64, n int)

//go:noescape
func softmaxRowsAVX2(scores *float64, rows, classes int)

//go:noescape
func softmaxRowsAVX512(scores *float64, rows, classes int)

//go:noescape
func walkTrees(a *walkArgs)

func scanLevel(wide bool, a *scanArgs) {
	if wide {
		scanAVX512(a)
	} else {
		scanAVX2(a)
	}
}

func addCutsLevel(wide bool, a *scanArgs) {
	if wide {
		addCutsAVX512(a)
	} else {
		addCutsAVX2(a)
	}
}

func compareLevel(wide bool, a *compareArgs) {
	if wide {
		compareAVX512(a)
	} else {
		compareAVX2(a)
	}
}

func compare32Level(wide bool, a *compareArgs) {
	if wide {
		compare32AVX512(a)
	} else {
		compare32AVX2(a)
	}
}

func leavesLevel(wide bool, a *leavesArgs) {
	if wide {
		leavesAVX512(a)
	} else {
		leavesAVX2(a)
	}
}

func addStepsLevel(wide bool, a *addStepsArgs) {
	if wide {
		addStepsAVX512(a)
	} else {
		addStepsAVX2(a)
	}
}

func addShortLevel(wide bool, a *addShortArgs) {
	if wide {
		addShortAVX512(a)
	} else {
		addShortAVX2(a)
	}
}

func linearLevel(wide bool, a *linearArgs) {
	if wide {
		linearAVX512(a)
	} else {
		linearAVX2(a)
	}
}
