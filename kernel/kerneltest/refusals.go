package kerneltest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/libaoso/aoso/kernel"
)

// refusal is a job that every level must refuse, with one message.
type refusal struct {
	kernel, message string
	call            func(*kernel.Funcs)
}

// fault is what spoils a good job, and what the message says of it.
type fault[J any] struct {
	message string
	spoil   func(*J)
}

// refusals returns the jobs of a kernel with each of the faults, and the good one,
// which has no message.
func refusals[J any](job string, run func(*kernel.Funcs, *J), good func() J, faults ...fault[J]) []refusal {
	name := strings.TrimSuffix(job, "Job")
	list := []refusal{{name, "", func(f *kernel.Funcs) { j := good(); run(f, &j) }}}
	for _, x := range faults {
		list = append(list, refusal{name, "kernel: " + job + ": " + x.message, func(f *kernel.Funcs) {
			j := good()
			x.spoil(&j)
			run(f, &j)
		}})
	}
	return list
}

// refuse tells how a table fails a refusal; "": it does not.
func (r *refusal) refuse(f *kernel.Funcs) (message string) {
	defer func() {
		got := ""
		if p := recover(); p != nil {
			got = fmt.Sprint(p)
		}
		if got != r.message {
			message = fmt.Sprintf("panics with %q, want %q", got, r.message)
		}
	}()
	r.call(f)
	return ""
}

// twoClasses returns the residuals of four rows in two classes, with room for eight.
func twoClasses() []float32 {
	residuals := make([]float32, 4*8)
	for i := range 4 {
		residuals[8*i], residuals[8*i+1] = -0.5, 0.5
	}
	return residuals
}

// allRefusals returns the jobs of every kernel that must be refused.
func allRefusals() []refusal {
	return slices.Concat(rowRefusals(), histogramRefusals(), cellsRefusals(), leavesRefusals(), scoresRefusals(), linearRefusals(), productsRefusals())
}

func rowRefusals() (list []refusal) {
	type (
		totals    = kernel.TotalsJob
		cross     = kernel.CrossJob
		gradients = kernel.GradientsJob
		update    = kernel.UpdateJob
	)
	list = append(list, refusals("TotalsJob", func(f *kernel.Funcs, j *totals) { f.Totals(j) },
		func() totals {
			return totals{
				Residuals: twoClasses(), Stride: 8, Rows: []uint32{1, 3}, Weights: make([]float32, 4),
				Unit: 1, Gradient: make([]int64, 8), Hessian: make([]int64, 8),
			}
		},
		fault[totals]{"Stride is 12, must be 4, 8 or a multiple of 16", func(j *totals) { j.Stride = 12 }},
		fault[totals]{"Stride is 0, must be 4, 8 or a multiple of 16", func(j *totals) { j.Stride = 0 }},
		fault[totals]{"len(Residuals) is 32, must be 40 or more", func(j *totals) { j.Rows = []uint32{1, 4} }},
		fault[totals]{"len(Weights) is 3, must be 4 or more", func(j *totals) { j.Weights = j.Weights[:3] }},
		fault[totals]{"Unit is 0, must be above zero", func(j *totals) { j.Unit = 0 }},
		fault[totals]{"len(Gradient) is 7, must be 8 or more", func(j *totals) { j.Gradient = j.Gradient[:7] }},
		fault[totals]{"len(Hessian) is 0, must be 8 or more", func(j *totals) { j.Hessian = nil }},
	)...)
	list = append(list, refusals("CrossJob", func(f *kernel.Funcs, j *cross) { f.Cross(j) },
		func() cross {
			return cross{
				Residuals: twoClasses(), Stride: 8, Rows: []uint32{1, 3}, Weights: make([]float32, 4),
				First: []int32{0, 7}, Unit: 1, Cross: make([]uint32, 16),
			}
		},
		fault[cross]{"Stride is 24, must be 4, 8 or a multiple of 16", func(j *cross) { j.Stride = 24 }},
		fault[cross]{"len(Residuals) is 31, must be 32 or more", func(j *cross) { j.Residuals = j.Residuals[:31] }},
		fault[cross]{"len(Weights) is 0, must be 4 or more", func(j *cross) { j.Weights = j.Weights[:0] }},
		fault[cross]{"len(First) is 0, must be 1 to 8", func(j *cross) { j.First = nil }},
		fault[cross]{"len(First) is 9, must be 1 to 8", func(j *cross) { j.First = make([]int32, 9) }},
		fault[cross]{"First[1] is 8, must be 0 to 7", func(j *cross) { j.First[1] = 8 }},
		fault[cross]{"First[0] is -1, must be 0 to 7", func(j *cross) { j.First[0] = -1 }},
		fault[cross]{"Unit is NaN, must be above zero", func(j *cross) { j.Unit = float32(math.NaN()) }},
		fault[cross]{"len(Cross) is 15, must be 16 or more", func(j *cross) { j.Cross = j.Cross[:15] }},
	)...)
	list = append(list, refusals("GradientsJob", func(f *kernel.Funcs, j *gradients) { f.Gradients(j) },
		func() gradients {
			return gradients{
				Residuals: twoClasses(), Stride: 8, Rows: []uint32{1, 3}, Weights: make([]float32, 4),
				Pairs: []kernel.Pair{{R: 0, S: 1}, {R: 2, S: 7}}, Unit: 1, Gradients: make([]float32, 8),
			}
		},
		fault[gradients]{"Stride is -8, must be 4, 8 or a multiple of 16", func(j *gradients) { j.Stride = -8 }},
		fault[gradients]{"len(Residuals) is 0, must be 32 or more", func(j *gradients) { j.Residuals = nil }},
		fault[gradients]{"len(Weights) is 3, must be 4 or more", func(j *gradients) { j.Weights = j.Weights[:3] }},
		fault[gradients]{"len(Pairs) is 0, must be 1, 2, 4 or 8", func(j *gradients) { j.Pairs = nil }},
		fault[gradients]{"len(Pairs) is 3, must be 1, 2, 4 or 8", func(j *gradients) { j.Pairs = make([]kernel.Pair, 3) }},
		fault[gradients]{"len(Pairs) is 6, must be 1, 2, 4 or 8", func(j *gradients) {
			j.Pairs, j.Gradients = make([]kernel.Pair, 6), make([]float32, 24)
		}},
		fault[gradients]{"Pairs[0].R is 8, must be 0 to 7", func(j *gradients) { j.Pairs[0].R = 8 }},
		fault[gradients]{"Pairs[1].S is -1, must be 0 to 7", func(j *gradients) { j.Pairs[1].S = -1 }},
		fault[gradients]{"Unit is -1, must be above zero", func(j *gradients) { j.Unit = -1 }},
		fault[gradients]{"len(Gradients) is 7, must be 8 or more", func(j *gradients) { j.Gradients = j.Gradients[:7] }},
	)...)
	return append(list, refusals("UpdateJob", func(f *kernel.Funcs, j *update) { f.Update(j) },
		func() update {
			return update{
				Residuals: twoClasses(), Own: []float32{1, 1, 1, 1}, Stride: 8, Rows: []uint32{1, 3},
				Factors: []float32{1, 1, 1, 1, 1, 1, 1, 1},
			}
		},
		fault[update]{"Stride is 20, must be 4, 8 or a multiple of 16", func(j *update) { j.Stride = 20 }},
		fault[update]{"len(Residuals) is 24, must be 32 or more", func(j *update) { j.Residuals = j.Residuals[:24] }},
		fault[update]{"len(Own) is 3, must be 4 or more", func(j *update) { j.Own = j.Own[:3] }},
		fault[update]{"len(Factors) is 7, must be 8 or more", func(j *update) { j.Factors = j.Factors[:7] }},
		fault[update]{"a row of Residuals has no class of its own, must have one", func(j *update) { j.Residuals[3*8] = 0.5 }},
	)...)
}

func histogramRefusals() (list []refusal) {
	type (
		quantize  = kernel.QuantizeJob
		histogram = kernel.HistogramJob
		sparse    = kernel.SparseJob
		partition = kernel.PartitionJob
	)
	list = append(list, refusals("QuantizeJob", func(f *kernel.Funcs, j *quantize) { f.Quantize(j) },
		func() quantize {
			return quantize{
				Rows: []uint32{1, 3}, Gradients: make([]float32, 8), Pairs: 2, Weights: make([]float32, 4),
				Cells: make([]int64, 4), KeptRows: make([]uint32, 2),
			}
		},
		fault[quantize]{"Pairs is 0, must be 1, 2, 4 or 8", func(j *quantize) { j.Pairs = 0 }},
		fault[quantize]{"Pairs is 16, must be 1, 2, 4 or 8", func(j *quantize) { j.Pairs = 16 }},
		fault[quantize]{"len(Weights) is 3, must be 4 or more", func(j *quantize) { j.Weights = j.Weights[:3] }},
		fault[quantize]{"len(Gradients) is 7, must be 8 or more", func(j *quantize) { j.Gradients = j.Gradients[:7] }},
		fault[quantize]{"len(Cells) is 3, must be 4 or more", func(j *quantize) { j.Cells = j.Cells[:3] }},
		fault[quantize]{"len(KeptRows) is 1, must be 2 or more", func(j *quantize) { j.KeptRows = j.KeptRows[:1] }},
	)...)
	list = append(list, refusals("HistogramJob", func(f *kernel.Funcs, j *histogram) { f.Histogram(j) },
		func() histogram {
			j := histogram{Count: 1, Rows: []uint32{1, 3}, Cells: make([]int64, 4), Pairs: 2}
			j.Columns[0], j.Histograms[0] = make([]uint8, 4), make([]int64, 8)
			return j
		},
		fault[histogram]{"Pairs is 3, must be 1, 2, 4 or 8", func(j *histogram) { j.Pairs = 3 }},
		fault[histogram]{"Count is 9, must be 0 to 8", func(j *histogram) { j.Count = 9 }},
		fault[histogram]{"Count is -1, must be 0 to 8", func(j *histogram) { j.Count = -1 }},
		fault[histogram]{"len(Cells) is 3, must be a multiple of 2, the pairs", func(j *histogram) { j.Cells = j.Cells[:3] }},
		fault[histogram]{"len(Rows) is 1, must be 2, the rows of Cells", func(j *histogram) { j.Rows = j.Rows[:1] }},
		fault[histogram]{"First is -1, must be 0 or more", func(j *histogram) { j.Rows, j.First = nil, -1 }},
		fault[histogram]{"len(Columns[0]) is 4, must be 5 or more", func(j *histogram) { j.Rows, j.First = nil, 3 }},
		fault[histogram]{"len(Columns[1]) is 0, must be 4 or more", func(j *histogram) { j.Count = 2 }},
		fault[histogram]{"len(Histograms[0]) is 1, must be 2 or more", func(j *histogram) { j.Histograms[0] = j.Histograms[0][:1] }},
	)...)
	list = append(list, refusals("SparseJob", func(f *kernel.Funcs, j *sparse) { f.Sparse(j) },
		func() sparse {
			return sparse{
				First: []uint32{0, 0, 1, 1, 2}, Entries: make([]uint16, 2), Histogram: make([]int64, 2),
				Rows: []uint32{1, 3}, Cells: make([]int64, 4), Pairs: 2,
			}
		},
		fault[sparse]{"Pairs is 5, must be 1, 2, 4 or 8", func(j *sparse) { j.Pairs = 5 }},
		fault[sparse]{"len(Cells) is 3, must be 4 or more", func(j *sparse) { j.Cells = j.Cells[:3] }},
		fault[sparse]{"len(First) is 4, must be 5 or more", func(j *sparse) { j.First = j.First[:4] }},
		fault[sparse]{"len(Entries) is 1, must be 2 or more", func(j *sparse) { j.Entries = j.Entries[:1] }},
	)...)
	return append(list, refusals("PartitionJob", func(f *kernel.Funcs, j *partition) { f.Partition(j) },
		func() partition {
			return partition{
				Column: make([]uint8, 4), Rows: []uint32{1, 3}, Left: make([]uint32, 2), Right: make([]uint32, 2),
			}
		},
		fault[partition]{"len(Column) is 3, must be 4 or more", func(j *partition) { j.Column = j.Column[:3] }},
		fault[partition]{"len(Left) is 1, must be 2 or more", func(j *partition) { j.Left = j.Left[:1] }},
		fault[partition]{"len(Right) is 0, must be 2 or more", func(j *partition) { j.Right = nil }},
	)...)
}

func cellsRefusals() (list []refusal) {
	type (
		cells struct{ a, b, c []int64 }
		scan  = kernel.ScanJob
		cuts  = kernel.AddCutsJob
	)
	list = append(list, refusals("SumBins", func(f *kernel.Funcs, j *cells) { f.SumBins(j.a, j.b) },
		func() cells { return cells{a: make([]int64, 2), b: make([]int64, 4)} },
		fault[cells]{"len(sums) is 0, must be 1 or more", func(j *cells) { j.a = nil }},
		fault[cells]{"len(cells) is 3, must be a multiple of 2, the sums", func(j *cells) { j.b = j.b[:3] }},
	)...)
	list = append(list, refusals("Spill", func(f *kernel.Funcs, j *cells) { f.Spill(j.a, j.b, j.c) },
		func() cells { return cells{make([]int64, 9), make([]int64, 9), make([]int64, 9)} },
		fault[cells]{"len(wideG) is 8, must be 9 or more", func(j *cells) { j.a = j.a[:8] }},
		fault[cells]{"len(wideH) is 0, must be 9 or more", func(j *cells) { j.b = nil }},
	)...)
	list = append(list, refusals("Subtract", func(f *kernel.Funcs, j *cells) { f.Subtract(j.a, j.b, j.c) },
		func() cells { return cells{make([]int64, 9), make([]int64, 9), make([]int64, 9)} },
		fault[cells]{"len(minuend) is 8, must be 9 or more", func(j *cells) { j.b = j.b[:8] }},
		fault[cells]{"len(subtrahend) is 0, must be 9 or more", func(j *cells) { j.c = nil }},
	)...)
	list = append(list, refusals("AddCutsJob", func(f *kernel.Funcs, j *cuts) { f.AddCuts(j) },
		func() cuts {
			return cuts{ScanJob: scan{Tile: make([]int64, 24), Bins: 3, Pairs: 2}, Right: make([]float64, 24), Left: make([]float64, 24)}
		},
		fault[cuts]{"len(Right) is 0, must be 24 or more", func(j *cuts) { j.Right = nil }},
		fault[cuts]{"len(Left) is 23, must be 24 or more", func(j *cuts) { j.Left = j.Left[:23] }},
	)...)
	return append(list, refusals("ScanJob", func(f *kernel.Funcs, j *scan) { f.Scan(j) },
		func() scan { return scan{Tile: make([]int64, 24), Bins: 3, Pairs: 2, MinHessian: 1} },
		fault[scan]{"Pairs is 6, must be 1, 2, 4 or 8", func(j *scan) { j.Pairs = 6 }},
		fault[scan]{"Bins is 0, must be 1 to 257", func(j *scan) { j.Bins = 0 }},
		fault[scan]{"Bins is 258, must be 1 to 257", func(j *scan) { j.Bins, j.Tile = 258, make([]int64, 8*258) }},
		fault[scan]{"Stride is 12, must be 0 or a multiple of 8", func(j *scan) { j.Stride = 12 }},
		fault[scan]{"len(Tile) is 24, must be 40 or more", func(j *scan) { j.Stride = 16 }},
		fault[scan]{"len(WideG) is 0, must be 24 or more", func(j *scan) { j.Tile = nil }},
		fault[scan]{"len(WideH) is 23, must be 24 or more", func(j *scan) {
			j.Tile, j.WideG, j.WideH = nil, j.Tile, j.Tile[:23]
		}},
		fault[scan]{"MinHessian is 0, must be above 0", func(j *scan) { j.MinHessian = 0 }},
		fault[scan]{"MinHessian is NaN, must be above 0", func(j *scan) { j.MinHessian = math.NaN() }},
	)...)
}

func compareRefusals[T float32 | float64](name string, run func(*kernel.Funcs, *kernel.CompareJob[T])) []refusal {
	type compare = kernel.CompareJob[T]
	list := refusals("CompareJob", run,
		func() compare {
			return compare{Values: make([]T, 128), Thresholds: make([]T, 2), MissingLeft: 1, Right: make([]uint64, 10)}
		},
		fault[compare]{"len(Values) is 100, must be a multiple of 64, up to 512", func(j *compare) { j.Values = j.Values[:100] }},
		fault[compare]{"len(Values) is 576, must be a multiple of 64, up to 512", func(j *compare) {
			j.Values, j.Right = make([]T, 576), make([]uint64, 100)
		}},
		fault[compare]{"MissingLeft is 3, must be 0 to 2, the thresholds", func(j *compare) { j.MissingLeft = 3 }},
		fault[compare]{"MissingLeft is -1, must be 0 to 2, the thresholds", func(j *compare) { j.MissingLeft = -1 }},
		fault[compare]{"len(Right) is 9, must be 10 or more", func(j *compare) { j.Right = j.Right[:9] }},
	)
	for i := range list {
		list[i].kernel = name
	}
	return list
}

func leavesRefusals() (list []refusal) {
	type (
		members = kernel.MembersJob
		leaves  = kernel.LeavesJob
		walk    = kernel.WalkJob
	)
	list = append(list, compareRefusals("Compare", func(f *kernel.Funcs, j *kernel.CompareJob[float64]) { f.Compare(j) })...)
	list = append(list, compareRefusals("Compare32", func(f *kernel.Funcs, j *kernel.CompareJob[float32]) { f.Compare32(j) })...)
	list = append(list, refusals("MembersJob", func(f *kernel.Funcs, j *members) { f.Members(j) },
		func() members {
			return members{Codes: make([]uint8, 128), Sets: make([][4]uint64, 2), Right: make([]uint64, 10)}
		},
		fault[members]{"len(Codes) is 100, must be a multiple of 64, up to 512", func(j *members) { j.Codes = j.Codes[:100] }},
		fault[members]{"len(Codes) is 576, must be a multiple of 64, up to 512", func(j *members) {
			j.Codes, j.Right = make([]uint8, 576), make([]uint64, 100)
		}},
		fault[members]{"len(Right) is 9, must be 10 or more", func(j *members) { j.Right = j.Right[:9] }},
	)...)
	list = append(list, refusals("LeavesJob", func(f *kernel.Funcs, j *leaves) { f.Leaves(j) },
		func() leaves {
			return leaves{
				Right: make([]uint64, 8), Words: 1,
				Cuts: []kernel.Cut{{Middle: 1, High: 2}}, FirstCut: []uint32{0, 1, 1}, AtLeast: make([]uint64, 24),
				LeafStride: 512, Leaves: make([]uint16, 1024),
			}
		},
		fault[leaves]{"Words is 0, must be 1 to 8", func(j *leaves) { j.Words = 0 }},
		fault[leaves]{"Words is 9, must be 1 to 8", func(j *leaves) { j.Words = 9 }},
		fault[leaves]{"len(FirstCut) is 0, must be 1 or more", func(j *leaves) { j.FirstCut = nil }},
		fault[leaves]{"FirstCut[1] is 0, must be 1 or more, as the one before it", func(j *leaves) { j.FirstCut = []uint32{1, 0, 1} }},
		fault[leaves]{"LeafStride is 511, must be 512 or more", func(j *leaves) { j.LeafStride = 511 }},
		fault[leaves]{"len(Cuts) is 0, must be 1 or more", func(j *leaves) { j.Cuts = nil }},
		fault[leaves]{"len(AtLeast) is 23, must be 24 or more", func(j *leaves) { j.AtLeast = j.AtLeast[:23] }},
		fault[leaves]{"len(Leaves) is 1023, must be 1024 or more", func(j *leaves) { j.Leaves = j.Leaves[:1023] }},
	)...)
	return append(list, refusals("WalkJob", func(f *kernel.Funcs, j *walk) { f.Walk(j) },
		func() walk {
			return walk{
				Branches: make([]kernel.Branch, 1), Keys: make([]uint64, 1), Walks: make([]kernel.Walk, 8),
				Depths: make([]uint32, 1), Leaves: make([]uint16, 1),
			}
		},
		fault[walk]{"len(Walks) is 7, must be 8 or more", func(j *walk) { j.Walks = j.Walks[:7] }},
		fault[walk]{"len(Branches) is 0, must be 1 or more", func(j *walk) { j.Branches = nil }},
		fault[walk]{"len(Keys) is 0, must be 1 or more", func(j *walk) { j.Keys = nil }},
		fault[walk]{"len(Leaves) is 0, must be 1 or more", func(j *walk) { j.Leaves = nil }},
	)...)
}

func scoresRefusals() (list []refusal) {
	type (
		addSteps = kernel.AddStepsJob
		addPairs = kernel.AddPairsJob
		addShort = kernel.AddShortJob
		scores   = kernel.ScoresJob
		best     = kernel.BestJob
		softmax  = kernel.SoftmaxJob
	)
	list = append(list, refusals("AddStepsJob", func(f *kernel.Funcs, j *addSteps) { f.AddSteps(j) },
		func() addSteps {
			return addSteps{
				Leaves: make([]uint16, 5), LeafStride: 3, FirstLeaf: make([]uint32, 2), Steps: make([]float32, 3), Classes: 3,
				Rows: 2, Scores: make([]float64, 7), Stride: 4,
			}
		},
		fault[addSteps]{"Classes is 0, must be 1 or more", func(j *addSteps) { j.Classes = 0 }},
		fault[addSteps]{"Stride is 2, must be 3 or more, the classes", func(j *addSteps) { j.Stride = 2 }},
		fault[addSteps]{"Rows is -1, must be 0 or more", func(j *addSteps) { j.Rows = -1 }},
		fault[addSteps]{"LeafStride is 1, must be 2 or more, the rows", func(j *addSteps) { j.LeafStride = 1 }},
		fault[addSteps]{"len(Leaves) is 4, must be 5 or more", func(j *addSteps) { j.Leaves = j.Leaves[:4] }},
		fault[addSteps]{"len(Steps) is 2, must be 3 or more", func(j *addSteps) { j.Steps = j.Steps[:2] }},
		fault[addSteps]{"len(Scores) is 6, must be 7 or more", func(j *addSteps) { j.Scores = j.Scores[:6] }},
	)...)
	list = append(list, refusals("AddPairsJob", func(f *kernel.Funcs, j *addPairs) { f.AddPairs(j) },
		func() addPairs {
			return addPairs{
				Leaves: make([]uint16, 5), LeafStride: 3, FirstLeaf: make([]uint32, 2), Steps: make([]kernel.PairStep, 2), Pairs: 2,
				Rows: 2, Scores: make([]float64, 8), Stride: 4,
			}
		},
		fault[addPairs]{"Pairs is 0, must be 1 or more", func(j *addPairs) { j.Pairs = 0 }},
		fault[addPairs]{"Stride is 0, must be 1 or more", func(j *addPairs) { j.Stride = 0 }},
		fault[addPairs]{"Rows is -1, must be 0 or more", func(j *addPairs) { j.Rows = -1 }},
		fault[addPairs]{"LeafStride is 1, must be 2 or more, the rows", func(j *addPairs) { j.LeafStride = 1 }},
		fault[addPairs]{"len(Leaves) is 4, must be 5 or more", func(j *addPairs) { j.Leaves = j.Leaves[:4] }},
		fault[addPairs]{"len(Steps) is 1, must be 2 or more", func(j *addPairs) { j.Steps = j.Steps[:1] }},
		fault[addPairs]{"len(Scores) is 7, must be 8 or more", func(j *addPairs) { j.Scores = j.Scores[:7] }},
	)...)
	list = append(list, refusals("AddShortJob", func(f *kernel.Funcs, j *addShort) { f.AddShort(j) },
		func() addShort {
			return addShort{
				Leaves: make([]uint16, 5), LeafStride: 3, FirstLeaf: make([]uint32, 2), Steps: make([]int16, 16), Classes: 16,
				Rows: 2, Sums: make([]int32, 33), Stride: 17,
			}
		},
		fault[addShort]{"Classes is 0, must be a multiple of 16", func(j *addShort) { j.Classes = 0 }},
		fault[addShort]{"Classes is 24, must be a multiple of 16", func(j *addShort) { j.Classes = 24 }},
		fault[addShort]{"Stride is 15, must be 16 or more, the classes", func(j *addShort) { j.Stride = 15 }},
		fault[addShort]{"Rows is -1, must be 0 or more", func(j *addShort) { j.Rows = -1 }},
		fault[addShort]{"LeafStride is 1, must be 2 or more, the rows", func(j *addShort) { j.LeafStride = 1 }},
		fault[addShort]{"len(Leaves) is 4, must be 5 or more", func(j *addShort) { j.Leaves = j.Leaves[:4] }},
		fault[addShort]{"len(Steps) is 15, must be 16 or more", func(j *addShort) { j.Steps = j.Steps[:15] }},
		fault[addShort]{"len(Sums) is 32, must be 33 or more", func(j *addShort) { j.Sums = j.Sums[:32] }},
	)...)
	list = append(list, refusals("ScoresJob", func(f *kernel.Funcs, j *scores) { f.Scores(j) },
		func() scores {
			return scores{Sums: make([]int32, 7), Stride: 4, Unit: 1, First: make([]float64, 3), Classes: 3, Scores: make([]float64, 6)}
		},
		fault[scores]{"Classes is 0, must be 1 or more", func(j *scores) { j.Classes = 0 }},
		fault[scores]{"Stride is 2, must be 3 or more, the classes", func(j *scores) { j.Stride = 2 }},
		fault[scores]{"len(Scores) is 5, must be a multiple of 3, the classes", func(j *scores) { j.Scores = j.Scores[:5] }},
		fault[scores]{"len(First) is 2, must be 3 or more", func(j *scores) { j.First = j.First[:2] }},
		fault[scores]{"len(Sums) is 6, must be 7 or more", func(j *scores) { j.Sums = j.Sums[:6] }},
	)...)
	list = append(list, refusals("BestJob", func(f *kernel.Funcs, j *best) { f.Best(j) },
		func() best { return best{Sums: make([]int32, 7), Stride: 4, Classes: 3, Best: make([]int, 2)} },
		fault[best]{"Classes is 0, must be 1 or more", func(j *best) { j.Classes = 0 }},
		fault[best]{"Stride is 2, must be 3 or more, the classes", func(j *best) { j.Stride = 2 }},
		fault[best]{"len(Sums) is 6, must be 7 or more", func(j *best) { j.Sums = j.Sums[:6] }},
	)...)
	return append(list, refusals("SoftmaxJob", func(f *kernel.Funcs, j *softmax) { f.Softmax(j) },
		func() softmax { return softmax{Scores: make([]float64, 6), Classes: 3, Temperature: 2} },
		fault[softmax]{"Classes is 0, must be 1 or more", func(j *softmax) { j.Classes = 0 }},
		fault[softmax]{"len(Scores) is 5, must be a multiple of 3, the classes", func(j *softmax) { j.Scores = j.Scores[:5] }},
		fault[softmax]{"Temperature is -1, must be above 0, or 0 for none", func(j *softmax) { j.Temperature = -1 }},
		fault[softmax]{"Temperature is NaN, must be above 0, or 0 for none", func(j *softmax) { j.Temperature = math.NaN() }},
	)...)
}
