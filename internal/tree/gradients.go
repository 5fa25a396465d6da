package tree

import (
	"math"
	"slices"
	"unsafe"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/loss/odds"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// quanta are the fixed-point scales of a node's gradients. A child with the same pairs may take
// over its parent's, so that histograms can be subtracted.
type quanta struct {
	scaleG, scaleH [kernel.MaxPairs]float32 // powers of two
	trimG, trimH   [kernel.MaxPairs]float32
	byWeight       bool // the trim bounds are those of a row of weight 1
}

// gradients are the pair gradients of one node at a time: first as float32,
// then, in the same memory, packed and without the trimmed rows.
type gradients struct {
	kernels   *kernel.Funcs
	residuals *loss.Residuals
	form      form
	pairs     int // cells per row
	buffer    *gradientBuffer

	cells  []int64  // rows × pairs; block b starts at b·RowBlock·pairs
	rows   []uint32 // of the kept cells
	blocks []gradientBlock
	kept   int // rows kept by the last quantize

	known *odds.PairCache // of the oddsForm: residuals known since the node's pairs were chosen; nil: none

	quanta
	sumG, sumH [kernel.MaxPairs]int64
}

// gradientBuffer is memory for the gradients of all rows. Those of a node lie where its rows do,
// so several nodes can be worked on at once.
type gradientBuffer struct {
	cells  []int64 // pairs per row
	kept   []uint32
	memory [2]*mem.Block
}

func newGradientBuffer(rows, pairs int) *gradientBuffer {
	memory := [2]*mem.Block{mem.New(8 * rows * pairs), mem.New(4 * rows)}
	return &gradientBuffer{mem.View[int64](memory[0]), mem.View[uint32](memory[1]), memory}
}

func (r *gradientBuffer) free() {
	r.cells, r.kept = nil, nil
	for _, m := range r.memory {
		m.Free()
	}
}

// bind points g at the memory of the node whose rows lie from start to end.
func (g *gradients) bind(start, end int) {
	g.cells = g.buffer.cells[start*g.pairs : end*g.pairs]
	g.rows = g.buffer.kept[start:end]
	g.known = nil
}

// gradientBlock holds the jobs of a block of rows. A job on the stack would escape to the heap
// at each call of a kernel.
type gradientBlock struct {
	compute  kernel.GradientsJob
	quantize kernel.QuantizeJob
}

// compute computes the gradients of rows along pairs and sums them up.
func (g *gradients) compute(rows []uint32, pairs []kernel.Pair, team *par.Team) (sum [kernel.MaxPairs]kernel.PairStats) {
	n := kernel.Blocks(len(rows))
	g.blocks = slices.Grow(g.blocks[:0], n)[:n]
	par.Run(team, n, computeBlock{g, rows, pairs})
	for b := range g.blocks {
		for p := range pairs {
			s, t := &sum[p], &g.blocks[b].compute.Stats[p]
			s.SumG += t.SumG
			s.SumH += t.SumH
			s.SumAbsG += t.SumAbsG
			s.MaxAbsG = max(s.MaxAbsG, t.MaxAbsG)
			s.MaxH = max(s.MaxH, t.MaxH)
		}
	}
	return sum
}

// computeBlock computes the gradients of a block of rows.
type computeBlock struct {
	*gradients
	list  []uint32
	along []kernel.Pair
}

func (t computeBlock) Do(_, b int) {
	first, last := kernel.Block(b, len(t.list))
	t.form.compute(t.gradients, &t.blocks[b].compute, t.list[first:last], t.along, first, last)
}

// quantize packs the gradients that compute computed for the same rows.
func (g *gradients) quantize(rows []uint32, q quanta, team *par.Team) {
	g.quanta = q
	n := kernel.Blocks(len(rows))
	g.blocks = slices.Grow(g.blocks[:0], n)[:n]
	par.Run(team, n, quantizeBlock{g, rows})
	clear(g.sumG[:])
	clear(g.sumH[:])
	g.kept = 0
	for b := range g.blocks {
		block := &g.blocks[b].quantize
		for p := range g.pairs {
			g.sumG[p] += block.SumG[p]
			g.sumH[p] += block.SumH[p]
		}
		// Trimming leaves gaps between the blocks; close them.
		if first := b * kernel.RowBlock; first != g.kept {
			copy(g.rows[g.kept:], g.rows[first:first+block.Kept])
			copy(g.cells[g.kept*g.pairs:], g.cells[first*g.pairs:(first+block.Kept)*g.pairs])
		}
		g.kept += block.Kept
	}
}

// quantizeBlock packs the gradients of a block of rows.
type quantizeBlock struct {
	*gradients
	list []uint32
}

func (t quantizeBlock) Do(_, b int) {
	first, last := kernel.Block(b, len(t.list))
	job := &t.blocks[b].quantize
	*job = kernel.QuantizeJob{
		Rows:      t.list[first:last],
		Gradients: t.floats(first, last),
		Pairs:     t.pairs,
		ScaleG:    t.scaleG,
		ScaleH:    t.scaleH,
		TrimG:     t.trimG,
		TrimH:     t.trimH,
		Cells:     t.cells[first*t.pairs : last*t.pairs],
		KeptRows:  t.rows[first:last],
	}
	if t.byWeight {
		job.Weights = t.residuals.Weights
	}
	t.kernels.Quantize(job)
}

// packed returns the rows that quantize kept, and their cells.
func (g *gradients) packed() (rows []uint32, cells []int64) {
	return g.rows[:g.kept], g.cells[:g.kept*g.pairs]
}

// floats views the cells of some rows as (h, g) pairs of float32.
func (g *gradients) floats(first, last int) []float32 {
	cells := g.cells[first*g.pairs : last*g.pairs]
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(cells))), 2*len(cells))
}

// newQuanta returns the greatest power-of-two scales that keep |g| within 15 bits and h within
// 16, and trim bounds of trim × the node's means; without trim, of half a quantum, below which
// cells are zero and need not be added. weight is the weight of the node's rows in units; only
// trim needs it.
func (g *gradients) newQuanta(stats *[kernel.MaxPairs]kernel.PairStats, trim float64, weight int64) (q quanta) {
	mean := func(sum int64) float32 {
		return float32(float64(trim*(float64(sum)*g.residuals.Units.Sums)) / (float64(weight) * g.residuals.Units.Weights))
	}
	q.byWeight = trim > 0
	for p := range g.pairs {
		s := &stats[p]
		q.scaleG[p] = powerOfTwoScale(s.MaxAbsG, 15)
		q.scaleH[p] = powerOfTwoScale(s.MaxH, 16)
		if trim > 0 {
			q.trimG[p], q.trimH[p] = mean(s.SumAbsG), mean(s.SumH)
		} else {
			q.trimG[p], q.trimH[p] = 0.5/q.scaleG[p], 0.5/q.scaleH[p]
		}
	}
	return q
}

// powerOfTwoScale returns the greatest 2ᵉ with most·2ᵉ ≤ 2^bits − 1. Numbers near the subnormal
// range count as zero.
func powerOfTwoScale(most float32, bits int) float32 {
	if most < 0x1p-100 {
		return 0
	}
	fraction, exponent := math.Frexp(float64(most))
	scale := math.Ldexp(1, bits-exponent)
	if fraction*float64(int(1)<<bits) > float64(int(1)<<bits-1) {
		scale /= 2
	}
	return float32(scale)
}

// unit returns the value of one quantum.
func unit(scale float32) float64 {
	if scale == 0 {
		return 0
	}
	return 1 / float64(scale)
}
