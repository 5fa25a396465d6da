package model

import (
	"iter"

	"github.com/libaoso/aoso/kernel"
)

// Leaf is a leaf of a tree: what it adds to the scores of the rows that reach
// it.
type Leaf struct {
	forest *Forest
	index  int // in the forest
}

// Rows returns the number of training rows that reached the leaf.
func (l Leaf) Rows() int { return int(l.forest.leafRows[l.index]) }

// Values returns the leaf's values, by class if the forest's leaves are full, else by pair. They
// belong to the forest and must not be changed.
func (l Leaf) Values() []float32 {
	n := l.forest.ValuesPerLeaf()
	return l.forest.values[l.index*n:][:n]
}

// Pairs returns the class pairs (r, s) of a leaf that is not full, else nil: value i is added to
// the score of r and subtracted from the score of s. A number that is no class is
// [Forest.Classes].
func (l Leaf) Pairs() []kernel.Pair {
	f := l.forest
	if f.full {
		return nil
	}
	class := func(k uint32) int32 { return int32(min(int(k), f.classes)) }
	pairs, ends := make([]kernel.Pair, f.pairsPerLeaf()), l.ends()
	for i := range pairs {
		pairs[i] = kernel.Pair{R: class(ends[2*i]), S: class(ends[2*i+1])}
	}
	return pairs
}

func (l Leaf) ends() []uint32 {
	n := 2 * l.forest.pairsPerLeaf()
	return l.forest.leafPairs[l.index*n:][:n]
}

// Scores yields classes and what the leaf adds to their scores. A class that
// is in several pairs comes several times.
func (l Leaf) Scores() iter.Seq2[int, float64] {
	f, values := l.forest, l.Values()
	return func(yield func(int, float64) bool) {
		if f.full {
			for k, v := range values {
				if !yield(k, float64(v)) {
					return
				}
			}
			return
		}
		ends := l.ends()
		for i, v := range values {
			if r := int(ends[2*i]); r < f.classes && !yield(r, float64(v)) {
				return
			}
			if s := int(ends[2*i+1]); s < f.classes && !yield(s, -float64(v)) {
				return
			}
		}
	}
}

// AddTo adds to the scores of a row, by class.
func (l Leaf) AddTo(scores []float64) {
	if l.forest.full { // without a call for each class
		for k, v := range l.Values() {
			scores[k] += float64(v)
		}
		return
	}
	for k, v := range l.Scores() {
		scores[k] += v
	}
}
