package kerneltest

import (
	"math"

	"github.com/libaoso/aoso/kernel"
)

// scanShapes use rows for bins.
func scanShapes() (shapes []shape) {
	for _, bins := range []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 64, 65, 128, 255, 256, 257} {
		for pairs := 1; pairs <= kernel.MaxPairs; pairs *= 2 {
			for range 24 {
				shapes = append(shapes, shape{rows: bins, pairs: pairs})
			}
		}
	}
	return shapes
}

// scanJob returns a maker of a job whose tile is in the given memory.
func (d dice) scanJob(s shape) func(*memory) kernel.ScanJob {
	m := s.pairs
	job := kernel.ScanJob{Bins: s.rows, Pairs: m}
	wide := d.yes()
	stride := kernel.TileLanes
	if d.IntN(3) == 0 { // the tile is one of several side by side
		stride *= 1 + d.IntN(4)
		job.Stride = stride
	}
	size := (s.rows-1)*stride + kernel.TileLanes
	tileG, tileH := d.wide(size), d.wide(size)
	for b := range s.rows {
		clear(tileG[b*stride:][:kernel.TileLanes])
		clear(tileH[b*stride:][:kernel.TileLanes])
	}

	// A node of some kinds of rows, as many of each kind as fit.
	kinds := pick(d, 0, 1, 2, 3, 10, 50, 256)
	most := kernel.SpillRows / max(kinds, 1)
	if wide {
		most = 1 << 32 / max(kinds, 1)
	}
	rows := int64(pick(d, 1, 1+d.IntN(most), most))
	node := d.cells(kinds, m)
	d.spoil(node, m)
	for i, cell := range node {
		job.TotalG[i%m] += rows * (cell >> 32)
		job.TotalH[i%m] += rows * (cell & math.MaxUint32)
	}
	for f := range kernel.TileLanes / m {
		if d.IntN(8) == 0 {
			continue // a lane without a feature
		}
		codes := d.codes(kinds, s.rows-s.rows/257)
		missing := pick(d, 0, 0, 1, 2, 10) // none, the first kind, one kind in some
		for i, code := range codes {
			if code == 0 && s.rows > 1 {
				code = 1
			}
			if missing == 1 && i == 0 || missing > 1 && d.IntN(missing) == 0 {
				code = 0
			}
			for p, cell := range node[i*m:][:m] {
				at := int(code)*stride + f*m + p
				tileG[at] += rows * (cell >> 32)
				tileH[at] += rows * (cell & math.MaxUint32)
			}
		}
	}

	d.scanUnits(&job)
	return func(mem *memory) kernel.ScanJob {
		job := job
		if wide {
			job.WideG, job.WideH = input(mem, "WideG", tileG), input(mem, "WideH", tileH)
		} else {
			tile := make([]int64, len(tileG))
			for i := range tile {
				tile[i] = tileG[i]<<32 + tileH[i]
			}
			job.Tile = input(mem, "Tile", tile)
		}
		return job
	}
}

func scan(d dice, s shape) call {
	newJob := d.scanJob(s)
	return func(f *kernel.Funcs, mem *memory) {
		job := newJob(mem)
		for f := range kernel.TileLanes {
			job.Score[f], job.Bin[f], job.MissingLeft[f] = math.NaN(), -7, true
		}
		f.Scan(&job)
		features := kernel.TileLanes / s.pairs
		result(mem, "Score", job.Score[:features]...)
		result(mem, "Bin", job.Bin[:features]...)
		result(mem, "MissingLeft", job.MissingLeft[:features]...)
	}
}

func addCuts(d dice, s shape) call {
	newJob, left := d.scanJob(s), d.yes()
	return func(f *kernel.Funcs, mem *memory) {
		job := kernel.AddCutsJob{ScanJob: newJob(mem)}
		sums := make([]float64, (job.Bins-1)*max(job.Stride, kernel.TileLanes)+kernel.TileLanes)
		for i := range sums {
			sums[i] = float64(i)
		}
		job.Right = inout(mem, "Right", sums)
		if left {
			job.Left = inout(mem, "Left", sums)
		}
		f.AddCuts(&job)
	}
}

// spoil sometimes gives the rows of a node few different gradients, so that many
// cuts tie, and the first one a curvature that rounds to zero.
func (d dice) spoil(node []int64, pairs int) {
	if d.IntN(3) == 0 {
		for i := range node {
			node[i] = pick[int64](d, -5, 0, 5)<<32 + 9
		}
	}
	if len(node) > 0 && d.IntN(4) == 0 {
		for p := range pairs {
			node[p] &^= math.MaxUint32
		}
	}
}

// scanUnits chooses what quanta are worth, and the least weight of a side.
func (d dice) scanUnits(job *kernel.ScanJob) {
	lightest := 0.0
	for p := range kernel.MaxPairs {
		job.UnitH[p] = math.Ldexp(1, -d.IntN(50))
		job.Scale[p] = math.Ldexp(d.Float64(), -d.IntN(60))
		if d.IntN(8) == 0 {
			job.UnitH[p], job.Scale[p] = 0, 0
		}
		job.L2[p] = pick(d, 0, 0, d.Float64(), 1e6*d.Float64())
		if p < job.Pairs {
			lightest += job.UnitH[p] * float64(job.TotalH[p])
		}
	}
	// A half and a quarter of the weight are what some cuts have exactly.
	job.MinHessian = max(1e-200, lightest*pick(d, 0, 0, 1e-3, 0.25, 0.5, 2))
}
