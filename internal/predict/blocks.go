package predict

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/kernel"
)

// blocks has trees of a forest in the form in which kernels predict blocks of rows. A test is a distinct split, which rows are compared with
// once for all nodes that have it. blocks does not change.
type blocks struct {
	values     *values
	columns    []column
	thresholds []float64   // by test
	narrow     []float32   // by test: the smallest float32 that is not below the threshold
	sets       [][4]uint64 // by test of a categorical column
	cuts       []kernel.Cut
	firstCut   []uint32 // by tree; last, the number of cuts
	group      int      // number of trees that are evaluated at once, unless values are short
}

// column is a feature with its tests: the tests from first up to middle send missing values left, the tests from middle up to end right.
type column struct {
	feature, first, middle, end int
	categorical                 bool
}

// newBlocks prepares the trees from first on, with the values v. A group of trees has cacheBytes bytes of values.
func newBlocks(f *model.Forest, first int, v *values, cacheBytes int) *blocks {
	const most = 64 // trees of a group
	trees := v.trees()
	p := &blocks{values: v, firstCut: make([]uint32, trees+1)}
	for t := range trees {
		p.firstCut[t+1] = p.firstCut[t] + uint32(f.Tree(first+t).NumNodes())
	}
	p.cuts = make([]kernel.Cut, p.firstCut[trees])
	for t := range trees {
		f.Tree(first + t).Cuts(p.cuts[p.firstCut[t]:p.firstCut[t+1]])
	}
	p.makeTests(f, first)
	bytes := int(v.firstLeaf[trees]-v.firstLeaf[0]) * v.leafBytes()
	p.group = min(max(1, cacheBytes*trees/max(1, bytes)), most)
	return p
}

// makeTests collects the distinct splits of the trees from first on, by feature.
func (p *blocks) makeTests(f *model.Forest, first int) {
	type cutSplit struct {
		model.Split
		cut int
	}
	all := make([]cutSplit, len(p.cuts))
	for t, begin := range p.firstCut[:p.values.trees()] {
		for i, n := range f.Tree(first + t).Nodes() {
			cut := int(begin) + int(i)
			all[cut] = cutSplit{n.Split(), cut}
		}
	}
	slices.SortFunc(all, func(a, b cutSplit) int { return a.Compare(b.Split) })
	for i, a := range all {
		if i == 0 || a.Compare(all[i-1].Split) != 0 {
			n := len(p.thresholds)
			if i == 0 || a.Feature != all[i-1].Feature {
				p.columns = append(p.columns, column{int(a.Feature), n, n, n, a.Set() != nil})
			}
			p.thresholds = append(p.thresholds, a.Threshold())
			p.narrow = append(p.narrow, narrowThreshold(a.Threshold()))
			if set := a.Set(); set != nil {
				p.sets = append(slices.Grow(p.sets, n+1-len(p.sets))[:n], *set)
			}
			c := &p.columns[len(p.columns)-1]
			c.end++
			if a.MissingLeft {
				c.middle++
			}
		}
		p.cuts[a.cut].Test = uint32(len(p.thresholds) - 1)
	}
}

// block predicts one block of rows after the other. Only one goroutine may use it at a time.
type block struct {
	*blocks
	adder
	trees      int // number of trees to use
	rows       int
	column     []float64 // values of a feature
	narrow     []float32 // the values as float32, if that does not change them
	codes      []uint8   // the values of a categorical feature
	right      []uint64  // by test: a bit for each row, set if the row goes right
	atLeast    []uint64  // workspace of the kernel
	leafStride int       // leaf numbers from one tree to the next
	leaves     []uint16  // by tree of a group and row, leafStride apart; of short values, by tree
	scores     []float64
	sums       []int32       // instead of scores, for short values
	sparse     *sparseScores // for the most likely classes with sparse leaves
	linear     linear        // initial scores
	scratch    []float64     // scores that the caller does not want
}

// newBlock returns a block of at most `rows` rows that the kernels k predict with the first trees.
func (p *blocks) newBlock(k *kernel.Funcs, rows, trees int) *block {
	b := &block{
		blocks:  p,
		adder:   p.values.newAdder(k),
		trees:   trees,
		column:  make([]float64, kernel.PredictRows),
		narrow:  make([]float32, kernel.PredictRows),
		codes:   make([]uint8, kernel.PredictRows),
		right:   make([]uint64, len(p.thresholds)*kernel.PredictWords),
		atLeast: make([]uint64, (p.values.most+1)*kernel.PredictWords),
		linear:  newLinear(p.values, k),
	}
	words := (rows + kernel.PredictRows - 1) / kernel.PredictRows
	b.leafStride = words*kernel.PredictRows + 32 // leaf numbers of different trees are in different cache sets
	most := p.group                              // trees whose leaves are known at a time
	if p.values.short != nil {
		most = trees
	}
	b.leaves = make([]uint16, max(1, most)*b.leafStride)
	return b
}

// wordsOf returns the number of words that have a bit for each row.
func wordsOf(rows int) int { return (rows + 63) / 64 }

// load prepares the rows of x from first on, at most PredictRows unless the values are short. It then finds all leaves, as the tests of more
// rows are not kept.
func (b *block) load(x bin.Source, first, rows int) {
	b.rows = rows
	if varies(b.linear.Linear) {
		b.linear.load(x, first, rows)
	}
	if b.short == nil {
		b.test(x, first, rows)
		return
	}
	for done := 0; done < rows; done += kernel.PredictRows {
		n := min(kernel.PredictRows, rows-done)
		b.test(x, first+done, n)
		b.findLeaves(0, b.trees, n, b.leaves[done:])
	}
}

// test evaluates all tests on rows of x.
func (b *block) test(x bin.Source, first, rows int) {
	words := wordsOf(rows)
	for _, c := range b.columns {
		bin.ReadColumn(x, c.feature, first, b.column[:rows])
		if c.categorical {
			for i, x := range b.column[:rows] {
				if b.codes[i] = 0; x == x {
					b.codes[i] = uint8(x)
				}
			}
			b.kernels.Members(&kernel.MembersJob{
				Codes: b.codes[:64*words],
				Sets:  b.sets[c.first:c.end],
				Right: b.right[c.first*kernel.PredictWords:],
			})
			continue
		}
		right := b.right[c.first*kernel.PredictWords:]
		if c.end-c.first >= narrowTests && narrow(b.narrow, b.column[:rows]) {
			b.kernels.Compare32(&kernel.CompareJob[float32]{
				Values:      b.narrow[:64*words],
				Thresholds:  b.blocks.narrow[c.first:c.end],
				MissingLeft: c.middle - c.first,
				Right:       right,
			})
			continue
		}
		b.kernels.Compare(&kernel.CompareJob[float64]{
			Values:      b.column[:64*words],
			Thresholds:  b.thresholds[c.first:c.end],
			MissingLeft: c.middle - c.first,
			Right:       right,
		})
	}
}

// narrowTests is the number of tests from which a feature is compared faster as float32, including the conversion of its values.
const narrowTests = 8

// narrow converts numbers to float32, and reports whether none of them changed.
func narrow(to []float32, from []float64) bool {
	for i, x := range from {
		to[i] = float32(x)
		if float64(to[i]) != x && x == x {
			return false
		}
	}
	return true
}

// narrowThreshold returns the smallest float32 that is not below the threshold. Any float32 is below both or below neither.
func narrowThreshold(threshold float64) float32 {
	narrow := float32(threshold)
	if float64(narrow) < threshold {
		narrow = math.Nextafter32(narrow, float32(math.Inf(1)))
	}
	return narrow
}

// sumUp adds up the values of the trees, unless they are cached. Then shortSums does, for a few rows at a time, so that their sums stay in the
// first-level cache.
func (b *block) sumUp() {
	switch {
	case b.short == nil:
		b.scores = resized(b.scores, b.rows*b.stride())
		b.linear.write(0, b.scores, b.rows, b.kernels)
		b.addTrees()
	case !b.short.cached:
		b.sums = resized(b.sums, b.rows*b.short.classes)
		leaves := int(b.firstLeaf[b.trees] - b.firstLeaf[0])
		b.addShort(b.sums, b.rows, 0, b.trees, b.leaves, b.leafStride, b.rows*b.trees > leaves)
	}
}

// shortSums returns the sums of short values for rows from first on. They are valid until the next call.
func (b *block) shortSums(first, rows int) []int32 {
	if !b.short.cached {
		return b.sums[first*b.short.classes:][:rows*b.short.classes]
	}
	b.sums = resized(b.sums, rows*b.short.classes)
	b.addShort(b.sums, rows, 0, b.trees, b.leaves[first:], b.leafStride, false)
	return b.sums
}

// parts yields ranges of rows, each so short that the scores of its rows stay in the cache.
func (b *block) parts(yield func(first, rows int) bool) {
	most := max(1, usedBytes/(8*b.classes))
	for first := 0; first < b.rows; first += most {
		if !yield(first, min(most, b.rows-first)) {
			return
		}
	}
}

// addTo adds the values of the trees to scores, rows × classes.
func (b *block) addTo(scores []float64) {
	if b.short != nil {
		b.sumUp()
		for first, rows := range b.parts {
			sums := b.shortSums(first, rows)
			for i := range rows {
				b.short.addScores(scores[(first+i)*b.classes:][:b.classes], sums[i*b.short.classes:])
			}
		}
		return
	}
	b.scores = resized(b.scores, b.rows*b.stride())
	for i := range b.rows {
		clear(b.scores[i*b.stride()+b.classes:][:b.stride()-b.classes])
		copy(b.scores[i*b.stride():], scores[i*b.classes:][:b.classes])
	}
	b.addTrees()
	b.write(scores[:b.rows*b.classes], 0, 0)
}

// write writes the scores of rows from first on to scores, rows × classes. It divides sums of short values by the temperature, unless that
// is 0; if initial scores vary, it must be 0.
func (b *block) write(scores []float64, first int, temperature float64) {
	if b.short != nil {
		b.kernels.Scores(&kernel.ScoresJob{
			Sums: b.shortSums(first, len(scores)/b.classes), Stride: b.short.classes, Unit: b.short.unit, First: b.linear.same,
			Temperature: temperature, Classes: b.classes, Scores: scores,
		})
		if varies(b.linear.Linear) {
			b.addLinear(scores, first)
		}
		return
	}
	for i := range len(scores) / b.classes {
		copy(scores[i*b.classes:][:b.classes], b.scores[(first+i)*b.stride():])
	}
}

// addLinear adds the linear scores of rows from first on to scores, rows × classes.
func (b *block) addLinear(scores []float64, first int) {
	rows, stride := len(scores)/b.classes, b.stride()
	b.scores = resized(b.scores, rows*stride)
	b.linear.write(first, b.scores, rows, b.kernels)
	for i := range rows {
		row := scores[i*b.classes:][:b.classes]
		for k, score := range b.scores[i*stride:][:len(row)] {
			row[k] += score
		}
	}
}

// addTrees adds the values of the trees, which are not short, to b.scores.
func (b *block) addTrees() {
	for first, last := range b.groups {
		b.add(b.scores, b.rows, first, last, b.leaves, b.leafStride)
	}
}

// groups finds the leaves of the rows in one group of trees after the other, and yields the first tree and the end of each group.
func (b *block) groups(yield func(first, last int) bool) {
	for first := 0; first < b.trees; first += b.group {
		last := min(first+b.group, b.trees)
		b.findLeaves(first, last, b.rows, b.leaves)
		if !yield(first, last) {
			return
		}
	}
}

// findLeaves finds the leaves of the tested rows in the trees from first up to last.
func (b *block) findLeaves(first, last, rows int, leaves []uint16) {
	b.kernels.Leaves(&kernel.LeavesJob{
		Right: b.right, Words: wordsOf(rows),
		Cuts: b.cuts, FirstCut: b.firstCut[first : last+1], AtLeast: b.atLeast,
		Leaves: leaves, LeafStride: b.leafStride,
	})
}

// writeLeaves writes the leaves of the rows in the trees to leaves, rows × trees.
func (b *block) writeLeaves(leaves []int32) {
	groups := b.groups
	if b.short != nil {
		groups = func(yield func(first, last int) bool) { yield(0, b.trees) }
	}
	for first, last := range groups {
		for i := range b.rows {
			for t := range last - first {
				leaves[i*b.trees+first+t] = int32(b.leaves[t*b.leafStride+i])
			}
		}
	}
}
