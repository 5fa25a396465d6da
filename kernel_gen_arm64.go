// Code generated from kernel_arm64.s by make asm. DO NOT EDIT.

//go:build !purego

package aoso

import "github.com/libaoso/aoso/kernel"

//lint:file-ignore U1000 go_asm.h has the offsets of fields under these names

type (
	pairStats = kernel.PairStats
	sparseJob = kernel.SparseJob
)

//go:noescape
func totals8(a *totalsArgs)

//go:noescape
func totals4(a *totalsArgs)

//go:noescape
func cross4x8(a *crossArgs)

//go:noescape
func cross1x8(a *crossArgs)

//go:noescape
func cross1x4(a *crossArgs)

//go:noescape
func gradients4(a *gradientsArgs)

//go:noescape
func quantize1(a *quantizeArgs)

//go:noescape
func quantize2(a *quantizeArgs)

//go:noescape
func histogram1x8(a *histogramArgs)

//go:noescape
func histogram1x4(a *histogramArgs)

//go:noescape
func histogram1x1(a *histogramArgs)

//go:noescape
func histogram2x4(a *histogramArgs)

//go:noescape
func histogram2x1(a *histogramArgs)

//go:noescape
func histogram4x2(a *histogramArgs)

//go:noescape
func histogram4x1(a *histogramArgs)

//go:noescape
func histogram8x1(a *histogramArgs)

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
func scanVector(a *scanArgs)

//go:noescape
func scanVectors(a *scanArgs)

//go:noescape
func addCutsVector(a *scanArgs)

//go:noescape
func updateRows(a *updateArgs)

//go:noescape
func compareNEON(a *compareArgs)

//go:noescape
func compare32NEON(a *compareArgs)

//go:noescape
func membersWords(a *membersArgs)

//go:noescape
func leavesNEON(a *leavesArgs)

//go:noescape
func addStepsNEON(a *addStepsArgs)

//go:noescape
func addPairsRows(a *addPairsArgs)

//go:noescape
func addShortNEON(a *addShortArgs)

//go:noescape
func scoresRows(a *scoresArgs)

//go:noescape
func linearNEON(a *linearArgs)

//go:noescape
func softmaxDivide(scores *float64, n int, by float64)

//go:noescape
func softmaxTops(a *softmaxArgs)

//go:noescape
func softmaxSums(a *softmaxArgs)

//go:noescape
func softmaxExpNEON(x *float64, n int)

//go:noescape
func walkTrees(a *walkArgs)

func compareLevel(wide bool, a *compareArgs) {
	compareNEON(a)
}

func compare32Level(wide bool, a *compareArgs) {
	compare32NEON(a)
}

func leavesLevel(wide bool, a *leavesArgs) {
	leavesNEON(a)
}

func addStepsLevel(wide bool, a *addStepsArgs) {
	addStepsNEON(a)
}

func addShortLevel(wide bool, a *addShortArgs) {
	addShortNEON(a)
}

func linearLevel(wide bool, a *linearArgs) {
	linearNEON(a)
}
