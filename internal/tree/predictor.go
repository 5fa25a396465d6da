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
	classes    int
	columns    []column
	thresholds []float64 // by test
	cuts       []kernel.Cut
	firstCut   []uint32 // by tree, and one past the last
	firstLeaf  []uint32 // likewise

	steps   []float32         // of leaves with one for every class
	pairs   []kernel.PairStep // of the others, perLeaf each
	perLeaf int

	leaves int // of the largest tree
	group  int // trees that are worked on at once
}

// column is a feature and its tests: those that send missing values left, from
// middle on those that send them right.
type column struct{ feature, first, middle, end int }

// NewPredictor prepares the trees from first up to last. Trees are worked on in
// groups with cacheBytes of steps.
func NewPredictor(f *Forest, first, last, cacheBytes int) *Predictor {
	p := &Predictor{
		classes:   f.Classes,
		firstCut:  rebased(f.FirstNode[first : last+1]),
		firstLeaf: rebased(f.FirstLeaf[first : last+1]),
		leaves:    1,
	}
	for t := range last - first {
		p.leaves = max(p.leaves, int(p.firstLeaf[t+1]-p.firstLeaf[t]))
	}
	p.cuts = make([]kernel.Cut, p.firstCut[last-first])
	for t := range last - first {
		f.cut(first+t, p.cuts[p.firstCut[t]:p.firstCut[t+1]])
	}
	p.makeTests(f, int(f.FirstNode[first]))
	p.makeSteps(f, int(f.FirstLeaf[first]))
	p.makeGroup(cacheBytes)
	return p
}

// rebased is numbers less the first of them.
func rebased(numbers []uint32) []uint32 {
	r := make([]uint32, len(numbers))
	for i, n := range numbers {
		r[i] = n - numbers[0]
	}
	return r
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

// denseClasses is how many classes' steps are added up in the time of one
// pair's.
const denseClasses = 16

// makeSteps takes the steps of the forest's leaves from base on.
func (p *Predictor) makeSteps(f *Forest, base int) {
	perLeaf := f.StepsPerLeaf()
	steps := f.Steps[base*perLeaf:][:int(p.firstLeaf[len(p.firstLeaf)-1])*perLeaf]
	if f.Full {
		p.steps = steps
		return
	}
	p.pairs, p.perLeaf = make([]kernel.PairStep, len(steps)), perLeaf
	for i, step := range steps {
		pair := f.LeafPairs[2*(base*perLeaf+i):][:2]
		impossible := uint16(f.Classes)
		p.pairs[i] = kernel.PairStep{R: min(pair[0], impossible), S: min(pair[1], impossible), Step: step}
	}
	if f.Classes <= denseClasses*perLeaf {
		if steps, ok := spread(p.pairs, perLeaf, f.Classes); ok {
			p.steps, p.pairs = steps, nil
		}
	}
}

// spread returns the steps of leaves of pairs by class, unless a class is twice
// in a leaf: one step is not rounded as two are.
func spread(pairs []kernel.PairStep, perLeaf, classes int) (steps []float32, ok bool) {
	steps = make([]float32, len(pairs)/perLeaf*classes)
	last := make([]int, classes) // leaf in which a class was met, counted from one
	put := func(leaf int, k uint16, step float32) {
		switch {
		case int(k) == classes: // impossible
		case last[k] > leaf:
			ok = false
		default:
			last[k], steps[leaf*classes+int(k)] = leaf+1, step
		}
	}
	ok = true
	for i, p := range pairs {
		put(i/perLeaf, p.R, p.Step)
		put(i/perLeaf, p.S, -p.Step)
	}
	return steps, ok
}

// makeGroup chooses how many trees are worked on at once: so many that their
// steps for the classes that a kernel adds up at a time fit the cache.
func (p *Predictor) makeGroup(cacheBytes int) {
	const (
		most    = 64 // so many leaf numbers are kept of each row
		classes = 32
	)
	trees, leaves := len(p.firstLeaf)-1, int(p.firstLeaf[len(p.firstLeaf)-1])
	bytes := 4 * min(p.classes, classes)
	if p.pairs != nil {
		bytes = 8 * p.perLeaf
	}
	p.group = min(max(1, cacheBytes*trees/max(1, leaves*bytes)), most)
}

// Block predicts blocks of rows, one after the other. No two goroutines may use
// one at once.
type Block struct {
	*Predictor
	kernels *kernel.Funcs
	rows    int
	values  []float64
	right   []uint64 // answers to the tests
	atLeast []uint64
	leaves  []uint16 // of a group of trees
	scores  []float64
	stride  int // of scores
}

// leafStride keeps the leaf numbers of different trees in different cache sets.
const leafStride = kernel.PredictRows + 32

// NewBlock is a block of rows that kernels predict.
func (p *Predictor) NewBlock(k *kernel.Funcs) *Block {
	// Room for the impossible class, and whole vectors: one row's stores do not
	// touch what the next row loads.
	stride := (p.classes + 8) &^ 7
	return &Block{
		Predictor: p,
		kernels:   k,
		values:    make([]float64, kernel.PredictRows),
		right:     make([]uint64, len(p.thresholds)*kernel.PredictWords),
		atLeast:   make([]uint64, (p.leaves+1)*kernel.PredictWords),
		leaves:    make([]uint16, p.group*leafStride),
		scores:    make([]float64, kernel.PredictRows*stride),
		stride:    stride,
	}
}

// Rows is the number of rows that are loaded.
func (b *Block) Rows() int { return b.rows }

func (b *Block) words() int { return (b.rows + 63) / 64 }

// Load asks at most PredictRows rows, from the first on, all tests.
func (b *Block) Load(x bin.Source, first, rows int) {
	b.rows = rows
	for _, c := range b.columns {
		x.Column(c.feature, first, b.values[:rows])
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
	for i := range b.rows {
		copy(b.scores[i*b.stride:], scores[i*b.classes:][:b.classes])
	}
	for first := 0; first < trees; first += b.group {
		last := min(first+b.group, trees)
		b.findLeaves(first, last)
		if b.pairs == nil {
			b.kernels.AddSteps(&kernel.AddStepsJob{
				Leaves: b.leaves, LeafStride: leafStride,
				FirstLeaf: b.firstLeaf[first:last], Steps: b.steps, Classes: b.classes,
				Rows: b.rows, Scores: b.scores, Stride: b.stride,
			})
		} else {
			b.kernels.AddPairs(&kernel.AddPairsJob{
				Leaves: b.leaves, LeafStride: leafStride,
				FirstLeaf: b.firstLeaf[first:last], Steps: b.pairs, Pairs: b.perLeaf,
				Rows: b.rows, Scores: b.scores, Stride: b.stride,
			})
		}
	}
	for i := range b.rows {
		copy(scores[i*b.classes:][:b.classes], b.scores[i*b.stride:])
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
