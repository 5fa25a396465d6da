package predict

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/kernel"
)

// blocks holds trees of a forest in the form that predicts blocks of rows. It does not change.
type blocks struct {
	values     *values
	columns    []column
	thresholds []float64   // by test
	narrow     []float32   // by test; the least float32 that is not below the threshold
	sets       [][4]uint64 // by test of a categorical column
	cuts       []kernel.Cut
	firstCut   []uint32 // by tree, and one past the last
	group      int      // trees that are worked on at once
}

// column is a feature and its tests: first those that send missing values left, from middle on
// those that send them right.
type column struct {
	feature, first, middle, end int
	categorical                 bool
}

// newBlocks prepares the trees from first on, whose values are given. They are worked on in
// groups with cacheBytes of values, or four times that if they are short: the sums of a group
// are added to memory, which takes longer than reading values again.
func newBlocks(f *model.Forest, first int, v *values, cacheBytes int) *blocks {
	const most = 64 // trees whose leaf numbers are kept
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
	bytes := int(v.firstLeaf[trees]) * v.leafBytes()
	if v.short != nil {
		cacheBytes *= 4
	}
	p.group = min(max(1, cacheBytes*trees/max(1, bytes)), most)
	return p
}

// makeTests collects the different splits of the trees from first on, by feature.
func (p *blocks) makeTests(f *model.Forest, first int) {
	type asked struct {
		model.Split
		cut int
	}
	all := make([]asked, len(p.cuts))
	for t, begin := range p.firstCut[:p.values.trees()] {
		for i, n := range f.Tree(first + t).Nodes() {
			cut := int(begin) + int(i)
			all[cut] = asked{n.Split(), cut}
		}
	}
	slices.SortFunc(all, func(a, b asked) int { return a.Compare(b.Split) })
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

// block predicts blocks of rows, one after the other. Only one goroutine may use it at a time.
type block struct {
	*blocks
	adder
	rows    int
	column  []float64 // values of a feature
	narrow  []float32 // the same as float32s, if they all are
	codes   []uint8   // codes, if the feature is categorical
	right   []uint64  // answers to the tests
	atLeast []uint64
	leaves  []uint16 // of a group of trees
	scores  []float64
	sums    []int32       // in place of scores, of short values
	found   int           // trees whose leaves are found, but not added up; 0: none
	sparse  *sparseScores // for the most likely classes, with sparse leaves
	linear  linear        // initial scores
	scratch []float64     // scratch for scores that are not kept
}

// leafStride keeps the leaf numbers of different trees in different cache sets.
const leafStride = kernel.PredictRows + 32

// newBlock returns a block of rows that kernels predict.
func (p *blocks) newBlock(k *kernel.Funcs) *block {
	return &block{
		blocks:  p,
		adder:   p.values.newAdder(k),
		column:  make([]float64, kernel.PredictRows),
		narrow:  make([]float32, kernel.PredictRows),
		codes:   make([]uint8, kernel.PredictRows),
		right:   make([]uint64, len(p.thresholds)*kernel.PredictWords),
		atLeast: make([]uint64, (p.values.most+1)*kernel.PredictWords),
		leaves:  make([]uint16, p.group*leafStride),
		linear:  newLinear(p.values),
	}
}

// initScores sets the scores or sums of the first rows to the initial scores.
func (b *block) initScores(rows int) {
	if b.short != nil {
		b.sums = resized(b.sums, rows*b.short.classes)
		clear(b.sums)
	} else {
		b.scores = resized(b.scores, rows*b.stride())
		b.linear.write(b.scores, rows, b.kernels)
	}
}

func (b *block) words() int { return (b.rows + 63) / 64 }

// load evaluates all tests for at most PredictRows rows of x, from first on.
func (b *block) load(x bin.Source, first, rows int) {
	b.rows = rows
	if b.linear.Linear != nil {
		b.linear.load(x, first, rows)
	}
	for _, c := range b.columns {
		bin.ReadColumn(x, c.feature, first, b.column[:rows])
		if c.categorical {
			for i, x := range b.column[:rows] {
				if b.codes[i] = 0; x == x {
					b.codes[i] = uint8(x)
				}
			}
			b.kernels.Members(&kernel.MembersJob{
				Codes: b.codes[:64*b.words()],
				Sets:  b.sets[c.first:c.end],
				Right: b.right[c.first*kernel.PredictWords:],
			})
			continue
		}
		right := b.right[c.first*kernel.PredictWords:]
		if c.end-c.first >= narrowTests && narrow(b.narrow, b.column[:rows]) {
			b.kernels.Compare32(&kernel.CompareJob[float32]{
				Values:      b.narrow[:64*b.words()],
				Thresholds:  b.blocks.narrow[c.first:c.end],
				MissingLeft: c.middle - c.first,
				Right:       right,
			})
			continue
		}
		b.kernels.Compare(&kernel.CompareJob[float64]{
			Values:      b.column[:64*b.words()],
			Thresholds:  b.thresholds[c.first:c.end],
			MissingLeft: c.middle - c.first,
			Right:       right,
		})
	}
}

// narrowTests is the number of tests of a feature from which float32s save more time than
// converting its values takes.
const narrowTests = 8

// narrow converts numbers to float32s and reports whether none of them changes.
func narrow(to []float32, from []float64) bool {
	for i, x := range from {
		to[i] = float32(x)
		if float64(to[i]) != x && x == x {
			return false
		}
	}
	return true
}

// narrowThreshold returns the least float32 that is not below a threshold. The same float32s are
// below both.
func narrowThreshold(threshold float64) float32 {
	narrow := float32(threshold)
	if float64(narrow) < threshold {
		narrow = math.Nextafter32(narrow, float32(math.Inf(1)))
	}
	return narrow
}

// total adds up the values of the first trees. For short values of a single group, shortSums
// does it later: then the sums of a few rows stay in the first-level cache.
func (b *block) total(trees int) {
	b.found = 0
	if b.short != nil && 0 < trees && trees <= b.group {
		b.findLeaves(0, trees)
		b.found = trees
		return
	}
	b.initScores(b.rows)
	b.addTrees(trees)
}

// shortSums returns the sums of rows from first on, valid until the next call.
func (b *block) shortSums(first, rows int) []int32 {
	if b.found == 0 {
		return b.sums[first*b.short.classes:][:rows*b.short.classes]
	}
	b.initScores(rows)
	b.addShort(b.sums, rows, 0, b.found, b.leaves[first:], leafStride)
	return b.sums
}

// parts yields ranges of rows whose scores stay in the cache while they are used.
func (b *block) parts(yield func(first, rows int) bool) {
	most := max(1, usedBytes/(8*b.classes))
	for first := 0; first < b.rows; first += most {
		if !yield(first, min(most, b.rows-first)) {
			return
		}
	}
}

// addTo adds the values of the first trees to the scores of the rows, rows ×
// classes.
func (b *block) addTo(scores []float64, trees int) {
	if b.short != nil {
		b.total(trees)
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
	b.addTrees(trees)
	b.write(scores[:b.rows*b.classes], 0, 0)
}

// write writes the scores of rows from the first on, rows × classes. Short ones are
// divided by the temperature, unless that is 0.
func (b *block) write(scores []float64, first int, temperature float64) {
	if b.short != nil {
		b.kernels.Scores(&kernel.ScoresJob{
			Sums: b.shortSums(first, len(scores)/b.classes), Stride: b.short.classes, Unit: b.short.unit,
			Temperature: temperature, Classes: b.classes, Scores: scores,
		})
		return
	}
	for i := range len(scores) / b.classes {
		copy(scores[i*b.classes:][:b.classes], b.scores[(first+i)*b.stride():])
	}
}

// addTrees adds the values of the first trees to the block's own scores or sums.
func (b *block) addTrees(trees int) {
	for first := 0; first < trees; first += b.group {
		last := min(first+b.group, trees)
		b.findLeaves(first, last)
		if b.short != nil {
			b.addShort(b.sums, b.rows, first, last, b.leaves, leafStride)
		} else {
			b.add(b.scores, b.rows, first, last, b.leaves, leafStride)
		}
	}
}

func (b *block) findLeaves(first, last int) {
	b.kernels.Leaves(&kernel.LeavesJob{
		Right: b.right, Words: b.words(),
		Cuts: b.cuts, FirstCut: b.firstCut[first : last+1], AtLeast: b.atLeast,
		Leaves: b.leaves, LeafStride: leafStride,
	})
}

// writeLeaves writes the leaves of the first trees, rows × trees.
func (b *block) writeLeaves(leaves []int32, trees int) {
	for first := 0; first < trees; first += b.group {
		last := min(first+b.group, trees)
		b.findLeaves(first, last)
		for i := range b.rows {
			for t := range last - first {
				leaves[i*trees+first+t] = int32(b.leaves[t*leafStride+i])
			}
		}
	}
}
