package tree

import "github.com/libaoso/aoso/kernel"

// Steps is what the leaves of trees add to the scores of rows, as kernels add
// it. It does not change.
type Steps struct {
	Classes   int
	firstLeaf []uint32 // by tree, and one past the last
	most      int      // leaves of a tree

	full    []float32         // of leaves with a step for every class
	pairs   []kernel.PairStep // of the others, perLeaf each
	perLeaf int
}

// NewSteps takes the steps of the trees from first up to last.
func NewSteps(f *Forest, first, last int) *Steps {
	s := &Steps{Classes: f.Classes, firstLeaf: rebased(f.FirstLeaf[first : last+1]), perLeaf: f.StepsPerLeaf(), most: 1}
	for t := range last - first {
		s.most = max(s.most, int(s.firstLeaf[t+1]-s.firstLeaf[t]))
	}
	base := int(f.FirstLeaf[first]) * s.perLeaf
	steps := f.Steps[base:][:int(s.firstLeaf[last-first])*s.perLeaf]
	if f.Full {
		s.full = steps
	} else {
		s.takePairs(steps, f.LeafPairs[2*base:])
	}
	return s
}

// rebased is numbers less the first of them.
func rebased(numbers []uint32) []uint32 {
	r := make([]uint32, len(numbers))
	for i, n := range numbers {
		r[i] = n - numbers[0]
	}
	return r
}

// fullClasses is how many classes' steps are added up in the time of one
// pair's.
const fullClasses = 16

// takePairs makes pairs, or full leaves where they take less time. All
// impossible classes become the one past the last.
func (s *Steps) takePairs(steps []float32, classes []uint16) {
	impossible := uint16(s.Classes)
	s.pairs = make([]kernel.PairStep, len(steps))
	for i, step := range steps {
		s.pairs[i] = kernel.PairStep{R: min(classes[2*i], impossible), S: min(classes[2*i+1], impossible), Step: step}
	}
	if s.Classes <= fullClasses*s.perLeaf {
		if full, ok := spread(s.pairs, s.perLeaf, s.Classes); ok {
			s.full, s.pairs = full, nil
		}
	}
}

// spread returns the steps of leaves of pairs by class, unless a class is twice
// in a leaf: one step is not rounded as two are.
func spread(pairs []kernel.PairStep, perLeaf, classes int) (steps []float32, ok bool) {
	steps = make([]float32, len(pairs)/perLeaf*classes)
	last := make([]int, classes) // leaf in which a class was met, counted from one
	ok = true
	put := func(leaf int, k uint16, step float32) {
		switch {
		case int(k) == classes: // impossible
		case last[k] > leaf:
			ok = false
		default:
			last[k], steps[leaf*classes+int(k)] = leaf+1, step
		}
	}
	for i, p := range pairs {
		put(i/perLeaf, p.R, p.Step)
		put(i/perLeaf, p.S, -p.Step)
	}
	return steps, ok
}

// trees is the number of trees.
func (s *Steps) trees() int { return len(s.firstLeaf) - 1 }

// stride is the distance of the scores of rows. There is room for the
// impossible class; in whole vectors the stores of one row do not touch what
// the next row loads.
func (s *Steps) stride() int { return (s.Classes + 8) &^ 7 }

// leafBytes is the room of a leaf's steps for as many classes as a kernel adds
// up at a time.
func (s *Steps) leafBytes() int {
	if s.pairs != nil {
		return 8 * s.perLeaf
	}
	return 4 * min(s.Classes, 32)
}

// adder adds steps to the scores of rows. Its jobs are kept: each would
// otherwise be allocated anew.
type adder struct {
	*Steps
	kernels *kernel.Funcs
	ofFull  kernel.AddStepsJob
	ofPairs kernel.AddPairsJob
}

func (s *Steps) newAdder(k *kernel.Funcs) adder {
	return adder{
		Steps:   s,
		kernels: k,
		ofFull:  kernel.AddStepsJob{Steps: s.full, Classes: s.Classes, Stride: s.stride()},
		ofPairs: kernel.AddPairsJob{Steps: s.pairs, Pairs: s.perLeaf, Stride: s.stride()},
	}
}

// add adds the steps of the trees from first up to last, whose leaves are given.
func (a *adder) add(scores []float64, rows, first, last int, leaves []uint16, leafStride int) {
	if a.pairs != nil {
		j := &a.ofPairs
		j.Scores, j.Rows = scores, rows
		j.FirstLeaf, j.Leaves, j.LeafStride = a.firstLeaf[first:last], leaves, leafStride
		a.kernels.AddPairs(j)
	} else {
		j := &a.ofFull
		j.Scores, j.Rows = scores, rows
		j.FirstLeaf, j.Leaves, j.LeafStride = a.firstLeaf[first:last], leaves, leafStride
		a.kernels.AddSteps(j)
	}
}
