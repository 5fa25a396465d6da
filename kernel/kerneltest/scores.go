package kerneltest

import (
	"math"

	"github.com/libaoso/aoso/kernel"
)

// reached is what leaves of which trees rows reach.
type reached struct {
	leaves     []uint16
	leafStride int
	firstLeaf  []uint32
	lead       int // leaves before those of the trees
	total      int // leaves of the trees
}

func (d dice) reached(rows, leafBytes int) (r reached) {
	trees := pick(d, 0, 1, 2, 3, 16, d.IntN(24))
	r.leafStride = rows + d.IntN(4)
	r.leaves = make([]uint16, max(0, (trees-1)*r.leafStride+rows))
	for t := range trees {
		n := 1 + d.IntN(pick(d, 1, 3, 20, 64))
		r.firstLeaf = append(r.firstLeaf, uint32(r.total))
		for i := 0; i < rows && t*r.leafStride+i < len(r.leaves); i++ {
			r.leaves[t*r.leafStride+i] = uint16(d.IntN(n))
		}
		if rows > 0 && d.yes() {
			r.leaves[t*r.leafStride+d.IntN(rows)] = uint16(n - 1)
		}
		r.total += n
	}
	r.lead = d.lead(r.total, leafBytes)
	shifted(r.firstLeaf, r.lead)
	return r
}

func (d dice) step() float32 {
	switch d.IntN(8) {
	case 0:
		return pick(d, 0, float32(math.Copysign(0, -1)), math.MaxFloat32, math.SmallestNonzeroFloat32)
	case 1:
		return d.tiny()
	}
	return float32(d.NormFloat64())
}

func (d dice) scores(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		switch d.IntN(16) {
		case 0:
			v[i] = pick(d, 0, math.Copysign(0, -1), math.Inf(1), 1e300, -1e300)
		default:
			v[i] = 10 * d.NormFloat64()
		}
	}
	return v
}

func addSteps(d dice, s shape) call {
	r := d.reached(s.rows, 4*s.classes)
	steps := make([]float32, r.total*s.classes)
	for i := range steps {
		steps[i] = d.step()
	}
	stride := s.classes + pick(d, 0, 0, 1, d.IntN(10))
	scores := d.scores(s.rows * stride)
	return func(f *kernel.Funcs, m *memory) {
		f.AddSteps(&kernel.AddStepsJob{
			Leaves:     input(m, "Leaves", r.leaves),
			LeafStride: r.leafStride,
			FirstLeaf:  input(m, "FirstLeaf", r.firstLeaf),
			Steps:      inputAfter(m, "Steps", r.lead*s.classes, steps),
			Classes:    s.classes,
			Rows:       s.rows,
			Scores:     inout(m, "Scores", scores),
			Stride:     stride,
		})
	}
}

func addPairs(d dice, s shape) call {
	r := d.reached(s.rows, 8*s.pairs)
	stride := s.classes + 1
	steps := make([]kernel.PairStep, r.total*s.pairs)
	for i := range steps {
		steps[i] = kernel.PairStep{R: uint16(d.IntN(stride)), S: uint16(d.IntN(stride)), Step: d.step()}
	}
	scores := d.scores(s.rows * stride)
	return func(f *kernel.Funcs, m *memory) {
		f.AddPairs(&kernel.AddPairsJob{
			Leaves:     input(m, "Leaves", r.leaves),
			LeafStride: r.leafStride,
			FirstLeaf:  input(m, "FirstLeaf", r.firstLeaf),
			Steps:      inputAfter(m, "Steps", r.lead*s.pairs, steps),
			Pairs:      s.pairs,
			Rows:       s.rows,
			Scores:     inout(m, "Scores", scores),
			Stride:     stride,
		})
	}
}

func addShort(d dice, s shape) call {
	classes := (s.classes + kernel.ShortLanes - 1) / kernel.ShortLanes * pick(d, 1, 1, 2, 5) * kernel.ShortLanes
	r := d.reached(s.rows, 2*classes)
	steps := make([]int16, r.total*classes)
	for i := range steps {
		switch d.IntN(8) {
		case 0:
			steps[i] = pick[int16](d, 0, math.MaxInt16, math.MinInt16)
		default:
			steps[i] = int16(d.IntN(2000) - 1000)
		}
	}
	stride := classes + pick(d, 0, kernel.ShortLanes, d.IntN(20))
	sums := d.units(max(0, (s.rows-1)*stride+classes))
	return func(f *kernel.Funcs, m *memory) {
		f.AddShort(&kernel.AddShortJob{
			Leaves:     input(m, "Leaves", r.leaves),
			LeafStride: r.leafStride,
			FirstLeaf:  input(m, "FirstLeaf", r.firstLeaf),
			Steps:      inputAfter(m, "Steps", r.lead*classes, steps),
			Classes:    classes,
			Rows:       s.rows,
			Sums:       inout(m, "Sums", sums),
			Stride:     stride,
		})
	}
}

// units returns sums of steps.
func (d dice) units(n int) []int32 {
	sums := make([]int32, n)
	for i := range sums {
		sums[i] = pick(d, 0, math.MinInt32, math.MaxInt32, int32(d.Uint32()), int32(d.IntN(1<<16)-1<<15))
	}
	return sums
}

func scores(d dice, s shape) call {
	stride := s.classes + pick(d, 0, 0, 1, d.IntN(16))
	sums, unit := d.units(s.rows*stride), math.Ldexp(pick(d, 1, 1, d.Float64()), -d.IntN(20))
	temperature := pick(d, 0, 1, 1+d.Float64(), math.Ldexp(1+d.Float64(), d.IntN(9)-4), math.Ldexp(1+d.Float64(), d.IntN(2000)-1000))
	first := make([]float64, s.classes)
	for k := range first {
		first[k] = pick(d, 0, 10*d.NormFloat64(), float64(math.Float32frombits(d.Uint32()&^0x40000000)))
	}
	if s.classes > 0 && d.yes() { // near the middle of two numbers
		for i := range sums {
			sums[i] = pick(d, int32(d.Uint32()), 1<<d.IntN(31)-1, math.MinInt32, 0)
		}
	}
	return func(f *kernel.Funcs, m *memory) {
		f.Scores(&kernel.ScoresJob{
			Sums: input(m, "Sums", sums), Stride: stride, Unit: unit, First: input(m, "First", first), Temperature: temperature, Classes: s.classes,
			Scores: output[float64](m, "Scores", s.rows*s.classes),
		})
	}
}

func best(d dice, s shape) call {
	stride := s.classes + pick(d, 0, 0, 1, d.IntN(16))
	sums := d.units(s.rows * stride)
	if few := int32(pick(d, 0, 1, 3)); few > 0 { // most rows have several of the greatest
		for i := range sums {
			sums[i] = d.Int32N(few) - few/2
		}
	}
	return func(f *kernel.Funcs, m *memory) {
		f.Best(&kernel.BestJob{
			Sums: input(m, "Sums", sums), Stride: stride, Classes: s.classes, Best: output[int](m, "Best", s.rows),
		})
	}
}
