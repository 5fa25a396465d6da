package tree

import (
	"cmp"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/kernel"
)

// Predictor is trees of a forest in the form in which blocks of rows are
// predicted. It does not change.
type Predictor struct {
	steps      *Steps
	columns    []column
	thresholds []float64 // by test
	cuts       []kernel.Cut
	firstCut   []uint32 // by tree, and one past the last
	group      int      // trees that are worked on at once
}

// column is a feature and its tests: those that send missing values left, from
// middle on those that send them right.
type column struct{ feature, first, middle, end int }

// NewPredictor prepares the trees from first on whose steps are given. They are
// worked on in groups with cacheBytes of steps.
func NewPredictor(f *Forest, first int, steps *Steps, cacheBytes int) *Predictor {
	const most = 64 // trees whose leaf numbers are kept
	trees := steps.trees()
	p := &Predictor{steps: steps, firstCut: rebased(f.FirstNode[first:][:trees+1])}
	p.cuts = make([]kernel.Cut, p.firstCut[trees])
	for t := range trees {
		f.cut(first+t, p.cuts[p.firstCut[t]:p.firstCut[t+1]])
	}
	p.makeTests(f, int(f.FirstNode[first]))
	bytes := int(steps.firstLeaf[trees]) * steps.leafBytes()
	p.group = min(max(1, cacheBytes*trees/max(1, bytes)), most)
	return p
}

// makeTests collects the different tests of the nodes, by feature.
func (p *Predictor) makeTests(f *Forest, base int) {
	type test struct {
		feature      int32
		missingRight bool
		threshold    float64
	}
	type asked struct {
		test
		node int
	}
	all := make([]asked, len(p.cuts))
	for i := range all {
		n := base + i
		all[i] = asked{test{f.Feature[n], f.MissingLeft[n] == 0, f.Threshold[n]}, i}
	}
	slices.SortFunc(all, func(a, b asked) int {
		switch {
		case a.feature != b.feature:
			return cmp.Compare(a.feature, b.feature)
		case a.missingRight == b.missingRight:
			return cmp.Compare(a.threshold, b.threshold)
		case a.missingRight:
			return 1
		}
		return -1
	})
	for i, a := range all {
		if i == 0 || a.test != all[i-1].test {
			n := len(p.thresholds)
			if i == 0 || a.feature != all[i-1].feature {
				p.columns = append(p.columns, column{int(a.feature), n, n, n})
			}
			p.thresholds = append(p.thresholds, a.threshold)
			c := &p.columns[len(p.columns)-1]
			c.end++
			if !a.missingRight {
				c.middle++
			}
		}
		p.cuts[a.node].Test = uint32(len(p.thresholds) - 1)
	}
}

// Block predicts blocks of rows, one after the other. No two goroutines may use
// one at once.
type Block struct {
	*Predictor
	adder
	rows    int
	values  []float64
	right   []uint64 // answers to the tests
	atLeast []uint64
	leaves  []uint16 // of a group of trees
	scores  []float64
}

// leafStride keeps the leaf numbers of different trees in different cache sets.
const leafStride = kernel.PredictRows + 32

// NewBlock is a block of rows that kernels predict.
func (p *Predictor) NewBlock(k *kernel.Funcs) *Block {
	return &Block{
		Predictor: p,
		adder:     p.steps.newAdder(k),
		values:    make([]float64, kernel.PredictRows),
		right:     make([]uint64, len(p.thresholds)*kernel.PredictWords),
		atLeast:   make([]uint64, (p.steps.most+1)*kernel.PredictWords),
		leaves:    make([]uint16, p.group*leafStride),
		scores:    make([]float64, kernel.PredictRows*p.steps.stride()),
	}
}

// Rows is the number of rows that are loaded.
func (b *Block) Rows() int { return b.rows }

func (b *Block) words() int { return (b.rows + 63) / 64 }

// Load asks at most PredictRows rows, from the first on, all tests.
func (b *Block) Load(x bin.Source, first, rows int) {
	b.rows = rows
	for _, c := range b.columns {
		bin.ReadColumn(x, c.feature, first, b.values[:rows])
		b.kernels.Compare(&kernel.CompareJob{
			Values:      b.values[:64*b.words()],
			Thresholds:  b.thresholds[c.first:c.end],
			MissingLeft: c.middle - c.first,
			Right:       b.right[c.first*kernel.PredictWords:],
		})
	}
}

// AddTo adds the steps of the first trees to the scores of the rows, rows ×
// classes.
func (b *Block) AddTo(scores []float64, trees int) {
	stride := b.stride()
	for i := range b.rows {
		copy(b.scores[i*stride:], scores[i*b.Classes:][:b.Classes])
	}
	for first := 0; first < trees; first += b.group {
		last := min(first+b.group, trees)
		b.findLeaves(first, last)
		b.add(b.scores, b.rows, first, last, b.leaves, leafStride)
	}
	for i := range b.rows {
		copy(scores[i*b.Classes:][:b.Classes], b.scores[i*stride:])
	}
}

func (b *Block) findLeaves(first, last int) {
	b.kernels.Leaves(&kernel.LeavesJob{
		Right: b.right, Words: b.words(),
		Cuts: b.cuts, FirstCut: b.firstCut[first : last+1], AtLeast: b.atLeast,
		Leaves: b.leaves, LeafStride: leafStride,
	})
}

// Leaves writes the leaves of the first trees, rows × trees.
func (b *Block) Leaves(leaves []int32, trees int) {
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
