package aoso

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/libaoso/aoso/kernel"
)

// BenchmarkKernels measures every kernel at every level, kernel/level/shape,
// and the floors that no kernel gets under.
func BenchmarkKernels(b *testing.B) {
	benchFloors(b)
	for _, l := range levels {
		benchTotals(b, l)
		benchGradients(b, l)
		benchHistogram(b, l)
		benchSparse(b, l)
		benchScan(b, l)
		benchPartition(b, l)
		benchUpdate(b, l)
		benchPredict(b, l)
	}
}

// bench reports the nanoseconds that f takes for each of its units of work.
func bench(b *testing.B, name string, units int, unit string, f func()) {
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			f()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(units), "ns/"+unit)
		b.ReportMetric(0, "ns/op")
	})
}

// benchFloors measures a read-modify-write of 8 bytes in the first-level cache,
// the floor of histograms, and reads of rows of 128 bytes, the floor of all else.
func benchFloors(b *testing.B) {
	const n = 1 << 16
	var cells [64 * kernel.TileLanes]int64
	bench(b, "Floor/ReadModifyWrite", n, "row*feature", func() {
		for i := 0; i < n; i += 4 {
			bins := (*[4 * kernel.TileLanes]int64)(cells[i&63*kernel.TileLanes:])
			bins[0] += 3<<32 + 5
			bins[kernel.TileLanes] += 3<<32 + 5
			bins[2*kernel.TileLanes] += 3<<32 + 5
			bins[3*kernel.TileLanes] += 3<<32 + 5
		}
	})
	for _, size := range []int{16 << 10, 512 << 10, 256 << 20} {
		memory := make([]byte, size)
		bench(b, fmt.Sprintf("Floor/Read/%dKiB", size>>10), size/128, "row", func() {
			if bytes.IndexByte(memory, 1) >= 0 { // a vector loop of loads
				b.Fatal("not zero")
			}
		})
	}
}

func benchTotals(b *testing.B, f *kernel.Funcs) {
	for _, classes := range []int{10, 26, 300, 2000} {
		residuals, stride := benchResiduals(classes)
		totals := kernel.TotalsJob{
			Residuals: residuals, Stride: stride, Rows: benchRows(kernel.RowBlock, 1),
			Unit: 0x1p-40, Gradient: make([]int64, stride), Hessian: make([]int64, stride),
		}
		bench(b, fmt.Sprintf("Totals/%s/K%d", f.Level, classes), kernel.RowBlock, "row", func() { f.Totals(&totals) })
	}
	for _, classes := range []int{10, 26, 300, 2000} {
		residuals, stride := benchResiduals(classes)
		for _, m := range []int{1, 4} {
			cross := kernel.CrossJob{
				Residuals: residuals, Stride: stride, Rows: benchRows(kernel.RowBlock, 1),
				First: []int32{3, 8, 7, 5}[:m], Unit: 0x1p-21, Cross: make([]uint32, m*stride),
			}
			bench(b, fmt.Sprintf("Cross/%s/K%d/first%d", f.Level, classes, m), kernel.RowBlock, "row", func() { f.Cross(&cross) })
		}
	}
}

func benchGradients(b *testing.B, f *kernel.Funcs) {
	residuals, stride := benchResiduals(26)
	rows := benchRows(kernel.RowBlock, 1)
	for _, m := range []int{1, 4} {
		gradients := kernel.GradientsJob{
			Residuals: residuals, Stride: stride, Rows: rows, Unit: 0x1p-40,
			Pairs:     []kernel.Pair{{R: 3, S: 4}, {R: 20, S: 0}, {R: 7, S: 8}, {R: 25, S: 24}}[:m],
			Gradients: make([]float32, 2*m*len(rows)),
		}
		bench(b, fmt.Sprintf("Gradients/%s/K26/pairs%d", f.Level, m), len(rows), "row", func() { f.Gradients(&gradients) })

		quantize := kernel.QuantizeJob{
			Rows: rows, Gradients: gradients.Gradients, Pairs: m,
			Cells: make([]int64, m*len(rows)), KeptRows: make([]uint32, len(rows)),
		}
		for p := range m {
			quantize.ScaleG[p], quantize.ScaleH[p] = 1<<14, 1<<14
		}
		for _, trim := range []float32{0, 0.05} {
			for p := range m {
				quantize.TrimG[p], quantize.TrimH[p] = trim, trim
			}
			bench(b, fmt.Sprintf("Quantize/%s/pairs%d/trim%v", f.Level, m, trim), len(rows), "row", func() { f.Quantize(&quantize) })
		}
	}
}

func benchHistogram(b *testing.B, f *kernel.Funcs) {
	for _, shape := range []struct {
		name                       string
		rows, every, columns, bins int
	}{
		{"290kx54x64", 290_000, 1, 54, 64},
		{"1Mx32x255/tenth", 1_000_000, 10, 32, 255},
	} {
		columns := make([][]uint8, shape.columns)
		for c := range columns {
			columns[c] = benchCodes(shape.rows, shape.bins)
		}
		rows := benchRows(shape.rows/shape.every, shape.every)
		for _, m := range []int{1, 4} {
			cells := benchCells(len(rows) * m)
			histograms := make([]int64, kernel.TileLanes*m*shape.bins)
			// Groups of columns, and rows until a cell is full, as a node has it.
			fill := func(list bool) {
				for group := range (shape.columns + kernel.TileLanes - 1) / kernel.TileLanes {
					job := kernel.HistogramJob{Pairs: m}
					for c, column := range columns[group*kernel.TileLanes : min((group+1)*kernel.TileLanes, len(columns))] {
						width := kernel.TileLanes / m
						job.Columns[c] = column
						job.Histograms[c] = histograms[c/width*kernel.TileLanes*shape.bins+c%width*m:]
						job.Count++
					}
					for first := 0; first < len(rows); first += kernel.SpillRows {
						last := min(first+kernel.SpillRows, len(rows))
						job.First, job.Cells = first, cells[first*m:last*m]
						if list {
							job.Rows = rows[first:last]
						}
						f.Histogram(&job)
					}
				}
			}
			name := fmt.Sprintf("Histogram/%s/%s/pairs%d", f.Level, shape.name, m)
			if shape.every == 1 {
				bench(b, name+"/all", len(rows)*shape.columns, "row*feature", func() { fill(false) })
			}
			bench(b, name+"/list", len(rows)*shape.columns, "row*feature", func() { fill(true) })
		}
	}
	const n = 54 * 64 * kernel.TileLanes
	wideG, wideH, cells := make([]int64, n), make([]int64, n), make([]int64, n)
	bench(b, fmt.Sprintf("Spill/%s", f.Level), n, "bin", func() { f.Spill(wideG, wideH, cells) })
	bench(b, fmt.Sprintf("Subtract/%s", f.Level), n, "bin", func() { f.Subtract(wideG, wideH, cells) })
	sums := make([]int64, 16)
	bench(b, fmt.Sprintf("SumBins/%s", f.Level), n, "bin", func() { f.SumBins(sums, cells) })
}

// benchSparse has 20 entries a row among 5,000 bins.
func benchSparse(b *testing.B, f *kernel.Funcs) {
	const n, entries, bins = 1 << 16, 20, 5000
	r := rand.New(rand.NewPCG(1, 1))
	job := kernel.SparseJob{Rows: benchRows(n, 1), First: make([]uint32, n+1)}
	for i := range n {
		for e := range entries {
			job.Entries = append(job.Entries, uint16(e*(bins/entries)+r.IntN(bins/entries)))
		}
		job.First[i+1] = uint32(len(job.Entries))
	}
	for _, m := range []int{1, 4} {
		job.Pairs, job.Cells, job.Histogram = m, benchCells(n*m), make([]int64, bins*m)
		bench(b, fmt.Sprintf("Sparse/%s/pairs%d", f.Level, m), n*entries, "entry", func() { f.Sparse(&job) })
	}
}

// benchScan scans 784 features of 256 bins, their tiles narrow and wide.
func benchScan(b *testing.B, f *kernel.Funcs) {
	const features, bins = 784, 256
	for _, m := range []int{1, 4} {
		tiles := features * m / kernel.TileLanes
		const size = bins * kernel.TileLanes
		cells := benchCells(tiles * size)
		wideG, wideH := make([]int64, len(cells)), make([]int64, len(cells))
		f.Spill(wideG, wideH, append([]int64(nil), cells...))
		for _, form := range []string{"/missing", "/wide", ""} {
			wide := form == "/wide"
			if wide { // from here on no feature has missing values
				for t := range tiles {
					clear(cells[t*size:][:kernel.TileLanes])
					clear(wideG[t*size:][:kernel.TileLanes])
					clear(wideH[t*size:][:kernel.TileLanes])
				}
			}
			job := kernel.ScanJob{Bins: bins, Pairs: m, MinHessian: 1e-3}
			for p := range m {
				job.Scale[p], job.UnitH[p], job.TotalH[p] = 1e-6, 1e-6, bins<<16
			}
			name := fmt.Sprintf("Scan/%s/784x256/pairs%d%s", f.Level, m, form)
			bench(b, name, features*bins, "bin", func() {
				for t := range tiles {
					if wide {
						job.WideG, job.WideH = wideG[t*size:][:size], wideH[t*size:][:size]
					} else {
						job.Tile = cells[t*size:][:size]
					}
					f.Scan(&job)
				}
			})
			if wide {
				continue
			}
			cuts := kernel.AddCutsJob{ScanJob: job, Right: make([]float64, size)}
			if form == "/missing" {
				cuts.Left = make([]float64, size)
			}
			name = fmt.Sprintf("AddCuts/%s/784x256/pairs%d%s", f.Level, m, form)
			bench(b, name, features*bins, "bin", func() {
				for t := range tiles {
					cuts.Tile = cells[t*size:][:size]
					f.AddCuts(&cuts)
				}
			})
		}
	}
}

func benchPartition(b *testing.B, f *kernel.Funcs) {
	for _, every := range []int{1, 10} {
		job := kernel.PartitionJob{
			Rows: benchRows(kernel.RowBlock, every), Column: benchCodes(kernel.RowBlock*every, 256), Bin: 100,
			Left: make([]uint32, kernel.RowBlock), Right: make([]uint32, kernel.RowBlock),
		}
		name := fmt.Sprintf("Partition/%s/every%d", f.Level, every)
		bench(b, name, kernel.RowBlock, "row", func() { f.Partition(&job) })
		job.Set = &[4]uint64{0x0123456789abcdef, 0xfedcba9876543210, 0x5555555555555555, 0x00ff00ff00ff00ff}
		bench(b, name+"/set", kernel.RowBlock, "row", func() { f.Partition(&job) })
	}
}

func benchUpdate(b *testing.B, f *kernel.Funcs) {
	for _, classes := range []int{10, 26} {
		residuals, stride := benchResiduals(classes)
		job := kernel.UpdateJob{
			Residuals: residuals, Own: make([]float32, kernel.RowBlock), Stride: stride,
			Rows: benchRows(kernel.RowBlock, 1), Factors: make([]float32, stride),
		}
		for i := range job.Own {
			job.Own[i] = 1 / float32(classes)
		}
		for k := range job.Factors {
			job.Factors[k] = 1
		}
		bench(b, fmt.Sprintf("Update/%s/K%d", f.Level, classes), kernel.RowBlock, "row", func() { f.Update(&job) })
	}
}

// benchPredict has trees of 20 leaves, as many as are predicted at once.
func benchPredict(b *testing.B, f *kernel.Funcs) {
	const n, tests, leaves, trees = kernel.PredictRows, 240, 20, 16
	r := rand.New(rand.NewPCG(6, 6))
	compare := kernel.CompareJob[float64]{
		Values: make([]float64, n), Thresholds: make([]float64, tests), MissingLeft: tests / 2,
		Right: make([]uint64, tests*kernel.PredictWords),
	}
	narrow := kernel.CompareJob[float32]{
		Values: make([]float32, n), Thresholds: make([]float32, tests), MissingLeft: tests / 2, Right: compare.Right,
	}
	for i := range compare.Values {
		compare.Values[i] = float64(r.IntN(tests))
		narrow.Values[i] = float32(compare.Values[i])
	}
	for i := range compare.Thresholds {
		compare.Thresholds[i] = float64(r.IntN(tests))
		narrow.Thresholds[i] = float32(compare.Thresholds[i])
	}
	bench(b, fmt.Sprintf("Compare/%s", f.Level), n*tests, "row*test", func() { f.Compare(&compare) })
	bench(b, fmt.Sprintf("Compare32/%s", f.Level), n*tests, "row*test", func() { f.Compare32(&narrow) })
	members := kernel.MembersJob{
		Codes: benchCodes(n, 256), Sets: make([][4]uint64, tests), Right: make([]uint64, tests*kernel.PredictWords),
	}
	for i := range members.Sets {
		members.Sets[i] = [4]uint64{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
	}
	bench(b, fmt.Sprintf("Members/%s", f.Level), n*tests, "row*test", func() { f.Members(&members) })

	find := kernel.LeavesJob{
		Right: compare.Right, Words: kernel.PredictWords,
		FirstCut: []uint32{0}, AtLeast: make([]uint64, (leaves+1)*kernel.PredictWords),
		Leaves: make([]uint16, trees*n), LeafStride: n,
	}
	var cut func(low, high uint32)
	cut = func(low, high uint32) {
		if high-low > 1 {
			middle := low + 1 + r.Uint32N(high-low-1)
			find.Cuts = append(find.Cuts, kernel.Cut{Test: r.Uint32N(tests), Low: low, Middle: middle, High: high})
			cut(low, middle)
			cut(middle, high)
		}
	}
	firstLeaf := make([]uint32, trees)
	for t := range firstLeaf {
		cut(0, leaves)
		find.FirstCut = append(find.FirstCut, uint32(len(find.Cuts)))
		firstLeaf[t] = uint32(t * leaves)
	}
	bench(b, fmt.Sprintf("Leaves/%s", f.Level), n*trees, "row*tree", func() { f.Leaves(&find) })

	for _, classes := range []int{3, 7, 10, 26, 100} {
		job := kernel.AddStepsJob{
			Leaves: find.Leaves, LeafStride: n, FirstLeaf: firstLeaf,
			Steps: make([]float32, trees*leaves*classes), Classes: classes,
			Rows: n, Scores: make([]float64, n*((classes+7)&^7)), Stride: (classes + 7) &^ 7,
		}
		bench(b, fmt.Sprintf("AddSteps/%s/K%d", f.Level, classes), n*trees, "row*tree", func() { f.AddSteps(&job) })
	}
	for _, classes := range []int{112, 304} {
		job := kernel.AddShortJob{
			Leaves: find.Leaves, LeafStride: n, FirstLeaf: firstLeaf,
			Steps: make([]int16, trees*leaves*classes), Classes: classes,
			Rows: n, Sums: make([]int32, n*classes), Stride: classes,
		}
		bench(b, fmt.Sprintf("AddShort/%s/K%d", f.Level, classes), n*trees, "row*tree", func() { f.AddShort(&job) })
		scores := kernel.ScoresJob{Sums: job.Sums, Stride: classes, Unit: 1, First: make([]float64, classes), Classes: classes, Scores: make([]float64, n*classes)}
		bench(b, fmt.Sprintf("Scores/%s/K%d", f.Level, classes), n, "row", func() { f.Scores(&scores) })
		for i := range job.Sums {
			job.Sums[i] = r.Int32N(1 << 16)
		}
		best := kernel.BestJob{Sums: job.Sums, Stride: classes, Classes: classes, Best: make([]int, n)}
		bench(b, fmt.Sprintf("Best/%s/K%d", f.Level, classes), n, "row", func() { f.Best(&best) })
	}
	for _, pairs := range []int{1, 4} {
		job := kernel.AddPairsJob{
			Leaves: find.Leaves, LeafStride: n, FirstLeaf: firstLeaf,
			Steps: make([]kernel.PairStep, trees*leaves*pairs), Pairs: pairs,
			Rows: n, Scores: make([]float64, n*27), Stride: 27,
		}
		for i := range job.Steps {
			job.Steps[i].R, job.Steps[i].S = uint16(r.IntN(26)), uint16(r.IntN(27))
		}
		bench(b, fmt.Sprintf("AddPairs/%s/K26/pairs%d", f.Level, pairs), n*trees, "row*tree", func() { f.AddPairs(&job) })
	}
	benchLinear(b, f)
	benchProducts(b, f)
	benchSoftmax(b, f)
	benchWalk(b, f)
}

// benchLinear has one row, and as many as are predicted at once.
func benchLinear(b *testing.B, f *kernel.Funcs) {
	r := rand.New(rand.NewPCG(9, 9))
	numbers := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		return v
	}
	for _, shape := range []struct{ classes, terms int }{{304, 20}, {1000, 50}} {
		for _, rows := range []int{1, kernel.PredictRows} {
			job := kernel.LinearJob{
				Places: numbers(rows * shape.terms), Terms: shape.terms,
				Weights: numbers(shape.terms * shape.classes), Bias: numbers(shape.classes), Stride: shape.classes,
				Rows: rows, Scores: make([]float64, rows*shape.classes),
			}
			name := fmt.Sprintf("Linear/%s/K%d/terms%d/rows%d", f.Level, shape.classes, shape.terms, rows)
			bench(b, name, rows*shape.terms*shape.classes, "row*term*class", func() { f.Linear(&job) })
		}
	}
}

func benchProducts(b *testing.B, f *kernel.Funcs) {
	for _, features := range []int{16, 512} {
		job := kernel.ProductsJob{
			Places: make([]int16, features*kernel.ProductRows), Features: features, Sums: make([]int64, features*features),
		}
		name := fmt.Sprintf("Products/%s/D%d", f.Level, features)
		bench(b, name, kernel.ProductRows*features*features/2, "row*pair", func() { f.Products(&job) })
	}
}

// benchSoftmax has one row, and as many as are predicted at once.
func benchSoftmax(b *testing.B, f *kernel.Funcs) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, classes := range []int{2, 3, 7, 10, 26, 100, 300} {
		for _, rows := range []int{1, kernel.PredictRows} {
			scores := make([]float64, rows*classes)
			for i := range scores {
				scores[i] = 5 * r.NormFloat64()
			}
			job := kernel.SoftmaxJob{Scores: make([]float64, len(scores)), Classes: classes}
			bench(b, fmt.Sprintf("Softmax/%s/K%d/rows%d", f.Level, classes, rows), len(scores), "class", func() {
				copy(job.Scores, scores)
				f.Softmax(&job)
			})
		}
	}
}

// benchWalk has 64 trees of 32 leaves, each as deep.
func benchWalk(b *testing.B, f *kernel.Funcs) {
	const trees, depth, slots = 64, 5, 32
	r := rand.New(rand.NewPCG(7, 7))
	job := kernel.WalkJob{
		Keys: make([]uint64, slots), Walks: make([]kernel.Walk, trees),
		Depths: make([]uint32, trees/kernel.WalkLanes), Leaves: make([]uint16, trees),
	}
	for i := range job.Depths {
		job.Depths[i] = depth
	}
	for t := range uint32(trees) {
		root := uint32(len(job.Branches))
		job.Walks[t] = kernel.Walk{Root: root, Tree: t}
		for i := range uint32(1<<depth - 1) {
			job.Branches = append(job.Branches, kernel.Branch{Key: r.Uint64(), Slot: r.Uint32N(slots), Right: root + 2*i + 2})
		}
		for leaf := range uint32(1 << depth) {
			job.Branches = append(job.Branches, kernel.Branch{Slot: leaf, Right: root + 1<<depth - 1 + leaf})
		}
	}
	bench(b, fmt.Sprintf("Walk/%s", f.Level), trees*depth, "node", func() {
		for i := range job.Keys {
			job.Keys[i] = r.Uint64()
		}
		f.Walk(&job)
	})
}

// benchResiduals returns the residuals of a block of rows.
func benchResiduals(classes int) (residuals []float32, stride int) {
	r := rand.New(rand.NewPCG(2, 2))
	stride = (classes + 15) / 16 * 16
	residuals = make([]float32, kernel.RowBlock*stride)
	for i := range kernel.RowBlock {
		row, sum := residuals[i*stride:][:classes], float32(0)
		for k := range row {
			row[k] = r.Float32() / float32(classes)
			sum += row[k]
		}
		y := i % classes
		row[y] = -(sum - row[y])
	}
	return residuals, stride
}

// benchRows returns n rows: of every `every` rows, one at random.
func benchRows(n, every int) []uint32 {
	r := rand.New(rand.NewPCG(3, 3))
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = uint32(i*every + r.IntN(every))
	}
	return rows
}

func benchCodes(n, bins int) []uint8 {
	r := rand.New(rand.NewPCG(4, uint64(n)))
	codes := make([]uint8, n)
	for i := range codes {
		codes[i] = uint8(r.IntN(bins))
	}
	return codes
}

func benchCells(n int) []int64 {
	r := rand.New(rand.NewPCG(5, 5))
	cells := make([]int64, n)
	for i := range cells {
		cells[i] = int64(r.IntN(65535)-32767)<<32 + int64(r.IntN(65536))
	}
	return cells
}
