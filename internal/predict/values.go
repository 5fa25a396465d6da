package predict

import (
	"math"

	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/kernel"
)

// values has the leaf values of trees in the form in which kernels add them to scores. It does not change.
type values struct {
	classes   int
	firstLeaf []uint32 // by tree: the number of its first leaf; last, that of the leaf after its last
	most      int      // the largest number of leaves of a tree
	linear    *model.Linear
	scorer    *model.Scorer

	full    []float32         // of full leaves: a value for each class
	short   *shortValues      // used instead of full; nil: the values are not short
	pairs   []kernel.PairStep // of other leaves, perLeaf for each leaf
	wide    []widePair        // instead of pairs, if class numbers need more than 16 bits
	perLeaf int
}

// widePair is a kernel.PairStep with 32-bit classes.
type widePair struct {
	r, s uint32
	step float64
}

// newValues collects the leaf values of all trees.
func newValues(f *model.Forest, cacheBytes int) *values {
	trees := f.Trees()
	v := &values{classes: f.Classes(), firstLeaf: make([]uint32, trees+1), perLeaf: f.ValuesPerLeaf(), most: 1, linear: f.Linear()}
	for t := range trees {
		leaves := f.Tree(t).NumLeaves()
		v.firstLeaf[t+1], v.most = v.firstLeaf[t]+uint32(leaves), max(v.most, leaves)
	}
	if v.linear != nil {
		v.scorer = v.linear.Scorer()
	}
	all, pairs := f.LeafValues(0, trees)
	if f.Full() {
		v.full = all
		// Sums of multiples of kernel.LinearUnit are exact, so it does not matter when linear scores are added.
		if s := newShortValues(all, f.Classes(), trees, cacheBytes); s != nil && (v.linear == nil || s.unit >= kernel.LinearUnit) {
			v.short = s
		}
	} else {
		v.setPairs(all, pairs)
	}
	return v
}

// slice returns the values of the trees from first up to last.
func (v *values) slice(first, last int) *values {
	part := *v
	part.firstLeaf = v.firstLeaf[first : last+1]
	return &part
}

// fullClasses is the number of values of a full leaf that are added in the time of one pair.
const fullClasses = 16

// setPairs sets v.pairs or v.wide, or v.full if full leaves take less time. ends has the two classes of each value. All padding classes become
// the class v.classes.
func (v *values) setPairs(all []float32, ends []uint32) {
	padding := uint32(v.classes)
	if padding > math.MaxUint16 {
		v.wide = make([]widePair, len(all))
		for i, value := range all {
			v.wide[i] = widePair{min(ends[2*i], padding), min(ends[2*i+1], padding), float64(value)}
		}
		return
	}
	v.pairs = make([]kernel.PairStep, len(all))
	for i, value := range all {
		v.pairs[i] = kernel.PairStep{R: uint16(min(ends[2*i], padding)), S: uint16(min(ends[2*i+1], padding)), Step: value}
	}
	if v.classes <= fullClasses*v.perLeaf {
		if full, ok := spread(v.pairs, v.perLeaf, v.classes); ok {
			v.full, v.pairs = full, nil
		}
	}
}

// spread returns the values of pairs as full leaves, leaves × classes. ok is false if a leaf has a class twice: adding one value rounds
// differently from adding two.
func spread(pairs []kernel.PairStep, perLeaf, classes int) (full []float32, ok bool) {
	full = make([]float32, len(pairs)/perLeaf*classes)
	last := make([]int, classes) // by class: the last leaf that has it, counted from 1
	ok = true
	set := func(leaf int, k uint16, value float32) {
		switch {
		case int(k) == classes: // padding class
		case last[k] > leaf:
			ok = false
		default:
			last[k], full[leaf*classes+int(k)] = leaf+1, value
		}
	}
	for i, p := range pairs {
		set(i/perLeaf, p.R, p.Step)
		set(i/perLeaf, p.S, -p.Step)
	}
	return full, ok
}

func (v *values) trees() int { return len(v.firstLeaf) - 1 }

// stride returns the distance between the scores of two rows. It includes the padding class, and is a multiple of 8, so that stores to one
// row do not overlap loads from the next.
func (v *values) stride() int { return (v.classes + 8) &^ 7 }

// leafBytes returns the size in bytes of a leaf's values, which are not short, of the classes that a kernel adds up at a time.
func (v *values) leafBytes() int {
	if v.wide != nil {
		return 16 * v.perLeaf
	}
	if v.pairs != nil {
		return 8 * v.perLeaf
	}
	return 4 * min(v.classes, 32)
}

// adder adds leaf values to the scores of rows. It has the kernels' jobs, so that calls do not allocate them.
type adder struct {
	*values
	kernels  *kernel.Funcs
	fullJob  kernel.AddStepsJob
	pairsJob kernel.AddPairsJob
	shortJob kernel.AddShortJob
	fetched  int16 // keeps the compiler from leaving out reads
}

func (v *values) newAdder(k *kernel.Funcs) adder {
	return adder{
		values:   v,
		kernels:  k,
		fullJob:  kernel.AddStepsJob{Steps: v.full, Classes: v.classes, Stride: v.stride()},
		pairsJob: kernel.AddPairsJob{Steps: v.pairs, Pairs: v.perLeaf, Stride: v.stride()},
	}
}

// add adds the values of the trees from first up to last to the scores of rows. leaves has the leaf of each row in each tree; trees are
// leafStride apart. addShort adds short values.
func (a *adder) add(scores []float64, rows, first, last int, leaves []uint16, leafStride int) {
	if a.wide != nil {
		a.addWide(scores, rows, first, last, leaves, leafStride)
	} else if a.pairs != nil {
		j := &a.pairsJob
		j.Scores, j.Rows = scores, rows
		j.FirstLeaf, j.Leaves, j.LeafStride = a.firstLeaf[first:last], leaves, leafStride
		a.kernels.AddPairs(j)
	} else {
		j := &a.fullJob
		j.Scores, j.Rows = scores, rows
		j.FirstLeaf, j.Leaves, j.LeafStride = a.firstLeaf[first:last], leaves, leafStride
		a.kernels.AddSteps(j)
	}
}

func (a *adder) addWide(scores []float64, rows, first, last int, leaves []uint16, leafStride int) {
	stride := a.stride()
	for t, begin := range a.firstLeaf[first:last] {
		for row := range rows {
			leaf, rowScores := int(begin)+int(leaves[t*leafStride+row]), scores[row*stride:][:stride]
			for _, p := range a.wide[leaf*a.perLeaf:][:a.perLeaf] {
				rowScores[p.r] += p.step
				rowScores[p.s] -= p.step
			}
		}
	}
}
