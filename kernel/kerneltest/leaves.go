package kerneltest

import (
	"math"

	"github.com/libaoso/aoso/kernel"
)

// compareShapes use rows for words of rows, classes for thresholds or sets.
func compareShapes() (shapes []shape) {
	for words := 0; words <= kernel.PredictWords; words++ {
		for _, thresholds := range []int{0, 1, 2, 3, 7, 8, 9, 255, 300} {
			for range 6 {
				shapes = append(shapes, shape{rows: words, classes: thresholds})
			}
		}
	}
	return shapes
}

func compare(d dice, s shape) call {
	return compareNumbers(d, s, d.numbers, func(f *kernel.Funcs) func(*kernel.CompareJob[float64]) { return f.Compare })
}

func compare32(d dice, s shape) call {
	return compareNumbers(d, s, d.numbers32, func(f *kernel.Funcs) func(*kernel.CompareJob[float32]) { return f.Compare32 })
}

func compareNumbers[T float32 | float64](
	d dice, s shape, numbers func(n int) []T, compare func(*kernel.Funcs) func(*kernel.CompareJob[T]),
) call {
	values, thresholds := numbers(s.rows%(kernel.PredictWords+1)*64), numbers(s.classes)
	for i, x := range thresholds {
		if x != x {
			thresholds[i] = 0
		}
		if len(values) > 0 && d.yes() { // equal: just not below
			if x := values[d.IntN(len(values))]; x == x {
				thresholds[i] = x
			}
		}
	}
	missingLeft := pick(d, 0, len(thresholds), d.IntN(len(thresholds)+1))
	size := max(0, (len(thresholds)-1)*kernel.PredictWords+len(values)/64)
	return func(f *kernel.Funcs, m *memory) {
		compare(f)(&kernel.CompareJob[T]{
			Values:      input(m, "Values", values),
			Thresholds:  input(m, "Thresholds", thresholds),
			MissingLeft: missingLeft,
			Right:       output[uint64](m, "Right", size),
		})
	}
}

func members(d dice, s shape) call {
	codes, sets := d.codes(s.rows%(kernel.PredictWords+1)*64, kernel.MaxBins), make([][4]uint64, s.classes)
	for i := range sets {
		sets[i] = d.set()
	}
	size := max(0, (len(sets)-1)*kernel.PredictWords+len(codes)/64)
	return func(f *kernel.Funcs, m *memory) {
		f.Members(&kernel.MembersJob{
			Codes: input(m, "Codes", codes),
			Sets:  input(m, "Sets", sets),
			Right: output[uint64](m, "Right", size),
		})
	}
}

// numbers returns numbers of every kind, missing ones among them.
func (d dice) numbers(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		switch d.IntN(8) {
		case 0:
			v[i] = pick(d, math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, math.SmallestNonzeroFloat64)
		case 1:
			v[i] = math.Float64frombits(d.Uint64())
		case 2:
			v[i] = d.NormFloat64()
		default:
			v[i] = float64(d.IntN(9) - 4)
		}
	}
	return v
}

func (d dice) numbers32(n int) []float32 {
	v := make([]float32, n)
	for i, x := range d.numbers(n) {
		if v[i] = float32(x); d.IntN(8) == 0 {
			v[i] = math.Float32frombits(d.Uint32())
		}
	}
	return v
}

// leavesShapes use rows for words of rows, classes for leaves, pairs for trees.
func leavesShapes() (shapes []shape) {
	for words := 1; words <= kernel.PredictWords; words++ {
		for leaves := 1; leaves <= 64; leaves++ {
			shapes = append(shapes, shape{rows: words, classes: leaves, pairs: 1 + leaves%3})
		}
		for _, leaves := range []int{65, 127, 128, 129, 255, 256, 257, 1000, 4097} {
			shapes = append(shapes, shape{rows: words, classes: leaves, pairs: 2})
		}
	}
	return append(shapes, shape{rows: 3, classes: 1<<16 - 1, pairs: 1}, shape{rows: 8, classes: 1 << 16, pairs: 1}, shape{rows: 1})
}

func leaves(d dice, s shape) call {
	words := min(max(s.rows, 1), kernel.PredictWords)
	tests := 1 + d.IntN(40)
	right := make([]uint64, tests*kernel.PredictWords)
	for t := range tests {
		sparse, dense := d.IntN(3) == 0, d.IntN(3) == 0
		for w := range kernel.PredictWords {
			bits := d.Uint64()
			if sparse {
				bits &= d.Uint64() & d.Uint64()
			}
			if dense {
				bits |= d.Uint64() | d.Uint64()
			}
			right[t*kernel.PredictWords+w] = bits
		}
	}
	before := d.IntN(3) // cuts that are not of these trees
	cuts, firstCut, most := make([]kernel.Cut, before), []uint32{uint32(before)}, 1
	for t := range s.pairs {
		n := s.classes
		if t > 0 {
			n = 1 + d.IntN(n)
		}
		cuts = d.cuts(cuts, n, tests)
		firstCut = append(firstCut, uint32(len(cuts)))
		most = max(most, n)
	}
	leafStride := kernel.PredictRows + pick(d, 0, 1, 32)
	size := max(0, s.pairs-1)*leafStride + kernel.PredictRows
	return func(f *kernel.Funcs, m *memory) {
		job := kernel.LeavesJob{
			Right:      input(m, "Right", right),
			Words:      words,
			Cuts:       input(m, "Cuts", cuts),
			FirstCut:   input(m, "FirstCut", firstCut),
			AtLeast:    output[uint64](m, "AtLeast", (most+1)*kernel.PredictWords),
			LeafStride: leafStride,
			Leaves:     output[uint16](m, "Leaves", size),
		}
		f.Leaves(&job)
		m.define("AtLeast", 0)
		m.define("Leaves", 0)
		for t := range s.pairs {
			result(m, "Leaves", job.Leaves[t*leafStride:][:words*64]...)
			if t > 0 { // between trees, nothing
				result(m, "gap of Leaves", append(job.Leaves[(t-1)*leafStride+kernel.PredictRows:t*leafStride:t*leafStride], 0)...)
			}
		}
	}
}

// cuts adds those of a tree of n leaves, in one of the orders that have parents
// before children.
func (d dice) cuts(cuts []kernel.Cut, n, tests int) []kernel.Cut {
	type span struct{ low, high int }
	open, deep := []span{{0, n}}, d.yes()
	for len(open) > 0 {
		i := len(open) - 1
		if !deep {
			i = d.IntN(len(open))
		}
		s := open[i]
		open[i] = open[len(open)-1]
		open = open[:len(open)-1]
		if s.high-s.low < 2 {
			continue
		}
		middle := s.low + 1 + d.IntN(s.high-s.low-1)
		cuts = append(cuts, kernel.Cut{
			Test: uint32(d.IntN(tests)), Low: uint32(s.low), Middle: uint32(middle), High: uint32(s.high),
		})
		open = append(open, span{s.low, middle}, span{middle, s.high})
	}
	return cuts
}

// walkShapes use rows for lanes of walks, classes for leaves, pairs for slots.
func walkShapes() (shapes []shape) {
	for _, lanes := range []int{0, 1, 2, 8} {
		for _, leaves := range []int{1, 2, 3, 7, 20, 64, 300} {
			for _, slots := range []int{1, 2, 33} {
				shapes = append(shapes, shape{rows: lanes, classes: leaves, pairs: slots})
			}
		}
	}
	return append(shapes, shape{rows: 1, classes: 1 << 16, pairs: 5})
}

func walk(d dice, s shape) call {
	leaves := max(s.classes, 1)
	keys := make([]uint64, max(leaves, s.pairs))
	for i := range keys {
		keys[i] = d.key()
	}
	var branches []kernel.Branch
	walks := make([]kernel.Walk, s.rows*kernel.WalkLanes)
	depths := make([]uint32, s.rows)
	for i := range walks {
		if i > 0 && i%kernel.WalkLanes != 0 && (d.IntN(8) == 0 || leaves > 1000) { // the same tree again
			walks[i] = walks[i-1]
			continue
		}
		walks[i] = kernel.Walk{Root: uint32(len(branches)), Tree: uint32(i)}
		var depth uint32
		branches, depth = d.branches(branches, 1+d.IntN(leaves), max(s.pairs, 1))
		depths[i/kernel.WalkLanes] = max(depths[i/kernel.WalkLanes], depth+uint32(d.IntN(2)))
	}
	return func(f *kernel.Funcs, m *memory) {
		f.Walk(&kernel.WalkJob{
			Branches: input(m, "Branches", branches),
			Keys:     input(m, "Keys", keys),
			Walks:    input(m, "Walks", walks),
			Depths:   input(m, "Depths", depths),
			Leaves:   output[uint16](m, "Leaves", len(walks)),
		})
	}
}

// key returns one of a few keys, or any key.
func (d dice) key() uint64 {
	return pick(d, 0, 1, 5, math.MaxUint64, 1<<63, 1<<63-1, d.Uint64(), d.Uint64())
}

// branches adds a tree of n leaves, in one of the orders that have parents
// before children.
func (d dice) branches(branches []kernel.Branch, n, slots int) (_ []kernel.Branch, depth uint32) {
	type span struct {
		at        int
		low, high int
		depth     uint32
	}
	open := []span{{len(branches), 0, n, 0}}
	branches = append(branches, kernel.Branch{})
	for len(open) > 0 {
		i := d.IntN(len(open))
		s := open[i]
		open[i] = open[len(open)-1]
		open = open[:len(open)-1]
		depth = max(depth, s.depth)
		if s.high-s.low == 1 {
			branches[s.at] = kernel.Branch{Slot: uint32(s.low), Right: uint32(s.at)}
			continue
		}
		middle, left := s.low+1+d.IntN(s.high-s.low-1), len(branches)
		branches[s.at] = kernel.Branch{Key: d.key(), Slot: uint32(d.IntN(slots)), Right: uint32(left + 1)}
		branches = append(branches, kernel.Branch{}, kernel.Branch{})
		open = append(open, span{left, s.low, middle, s.depth + 1}, span{left + 1, middle, s.high, s.depth + 1})
	}
	return branches, depth
}
