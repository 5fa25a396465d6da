package kerneltest

import (
	"math"
	"unsafe"

	"github.com/libaoso/aoso/kernel"
)

func gradients(d dice, s shape) call {
	x, unit := newMatrix(d, s), d.unit(50)
	pairs := d.pairs(s)
	return func(f *kernel.Funcs, m *memory) {
		job := kernel.GradientsJob{
			Residuals: inputAfter(m, "Residuals", x.lead*x.stride, x.residuals),
			Stride:    x.stride,
			Rows:      input(m, "Rows", x.rows),
			Weights:   inputAfter(m, "Weights", x.lead, x.weights),
			Pairs:     input(m, "Pairs", pairs),
			Unit:      unit,
			Gradients: output[float32](m, "Gradients", len(x.rows)*len(pairs)*2),
		}
		f.Gradients(&job)
		result(m, "Stats", job.Stats[:len(pairs)]...)
	}
}

// pairs returns disjoint class pairs and, where classes run out or chance has it,
// pairs with the padding class, if there is one.
func (d dice) pairs(s shape) []kernel.Pair {
	pairs := make([]kernel.Pair, s.pairs)
	classes := d.Perm(s.classes)
	padding := int32(s.classes)
	for i := range pairs {
		r, t := int32(classes[2*i%s.classes]), int32(classes[(2*i+1)%s.classes])
		if s.padding {
			switch {
			case 2*i+1 >= s.classes:
				r, t = padding, padding
			case d.IntN(4) == 0:
				t = padding
			}
		}
		pairs[i] = kernel.Pair{R: r, S: t}
	}
	return pairs
}

func quantizeShapes() (shapes []shape) {
	for _, rows := range rowCounts {
		for pairs := 1; pairs <= kernel.MaxPairs; pairs *= 2 {
			for range min(12, 1+20000/(rows+1)) {
				shapes = append(shapes, shape{rows: rows, pairs: pairs, weighted: len(shapes)%2 == 0})
			}
		}
	}
	return shapes
}

func quantize(d dice, s shape) call {
	m := s.pairs
	job := kernel.QuantizeJob{Pairs: m}
	for p := range kernel.MaxPairs {
		job.ScaleG[p], job.ScaleH[p] = d.scale(), d.scale()
	}
	gradients := make([]float32, s.rows*m*2)
	for i := range gradients {
		p := i / 2 % m
		if i%2 == 0 {
			gradients[i] = d.quanta(65535) / orOne(job.ScaleH[p])
		} else {
			gradients[i] = d.quanta(32767) / orOne(job.ScaleG[p]) * pick[float32](d, -1, 1)
		}
	}
	trim := d.IntN(4)
	for p := range kernel.MaxPairs {
		switch trim {
		case 0: // none
		case 1: // all
			job.TrimG[p], job.TrimH[p] = float32(math.Inf(1)), math.MaxFloat32
		case 2: // exactly what some row has
			if s.rows > 0 {
				i := d.IntN(s.rows)*m + p%m
				job.TrimH[p], job.TrimG[p] = gradients[2*i], float32(math.Abs(float64(gradients[2*i+1])))
			}
		case 3: // most
			job.TrimG[p] = 0.95 * 32767 / orOne(job.ScaleG[p])
			job.TrimH[p] = 0.95 * 65535 / orOne(job.ScaleH[p])
		}
	}
	rows, total := d.rows(s.rows)
	lead := d.lead(total, 4)
	var weights []float32
	if s.weighted {
		weights = d.weights(total)
		d.weightBounds(&job, gradients, rows, weights)
	}
	shifted(rows, lead)
	inPlace, sameRows := d.yes(), d.yes()
	return func(f *kernel.Funcs, mem *memory) {
		job := job
		job.Weights = inputAfter(mem, "Weights", lead, weights)
		if inPlace {
			cells := inout(mem, "Cells", toCells(gradients))
			job.Cells = cells
			job.Gradients = unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(cells))), len(gradients))
		} else {
			job.Gradients = input(mem, "Gradients", gradients)
			job.Cells = output[int64](mem, "Cells", len(rows)*m)
		}
		if sameRows {
			job.Rows = inout(mem, "KeptRows", rows)
			job.KeptRows = job.Rows
		} else {
			job.Rows = input(mem, "Rows", rows)
			job.KeptRows = output[uint32](mem, "KeptRows", len(rows))
		}
		f.Quantize(&job)
		mem.define("Cells", job.Kept*m)
		mem.define("KeptRows", job.Kept)
		result(mem, "Kept", job.Kept)
		result(mem, "SumG", job.SumG[:m]...)
		result(mem, "SumH", job.SumH[:m]...)
	}
}

// weightBounds makes some gradients just what their rows are trimmed below, or
// what comes before that.
func (d dice) weightBounds(job *kernel.QuantizeJob, gradients []float32, rows []uint32, weights []float32) {
	for i := range gradients {
		p, bound, scale, most := i/2%job.Pairs, float32(0), float32(0), float32(0)
		if i%2 == 0 {
			bound, scale, most = job.TrimH[p], job.ScaleH[p], 65535
		} else {
			bound, scale, most = job.TrimG[p], job.ScaleG[p], 32767
		}
		bound *= weights[rows[i/2/job.Pairs]]
		if d.yes() {
			bound = math.Nextafter32(bound, 0)
		}
		if d.IntN(3) > 0 && bound >= 0 && bound*orOne(scale) <= most {
			gradients[i] = bound
		}
	}
}

// scale returns a power of two; now and then zero.
func (d dice) scale() float32 {
	if d.IntN(8) == 0 {
		return 0
	}
	return float32(math.Ldexp(1, d.IntN(100)-10))
}

func orOne(scale float32) float32 {
	if scale == 0 {
		return 1
	}
	return scale
}

// quanta returns 0 … most; whole, half, or in between.
func (d dice) quanta(most float32) float32 {
	switch d.IntN(8) {
	case 0:
		return 0
	case 1:
		return most
	case 2:
		return d.tiny()
	case 3, 4:
		return float32(d.IntN(int(most)-1)) + 0.5
	case 5:
		return float32(d.IntN(8)) + 0.5
	default:
		return most * d.Float32()
	}
}

func toCells(gradients []float32) []int64 {
	cells := make([]int64, len(gradients)/2)
	copy(view(cells), view(gradients))
	return cells
}
