package model

import (
	"slices"

	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/kernel"
)

// Widened returns the model with further classes, to which no tree gives scores. classes has those of the model, in the
// order that they have there, and the new ones among them. No scores for prediction sets were fitted to it.
func (m *Model) Widened(classes []string) *Model {
	place := make([]uint32, len(m.Classes))
	for k, class := range m.Classes {
		place[k] = uint32(slices.Index(classes, class))
	}
	wide := *m
	wide.Classes, wide.Forest, wide.Scores = classes, m.Forest.widened(place, len(classes)), nil
	wide.TreesPerIteration = TreesPerIteration(m.Method, len(classes))
	if e := m.Encoder; e != nil {
		wide.Encoder = &category.Encoder{Features: slices.Clone(e.Features), Crosses: e.Crosses}
		for j := range wide.Encoder.Features {
			weights := slices.Clone(wide.Encoder.Features[j].Weights)
			for i := range weights {
				weights[i] = spread(weights[i], place, len(classes))
			}
			wide.Encoder.Features[j].Weights = weights
		}
	}
	return &wide
}

// widened returns the forest with this many classes, of which class k is the one at place[k].
func (f *Forest) widened(place []uint32, classes int) *Forest {
	w := f.Clone()
	w.classes, w.linear = classes, f.linear.widened(place, classes)
	for _, ends := range [][]uint32{w.nodePairs, w.leafPairs} {
		for i, k := range ends {
			if ends[i] = uint32(classes); int(k) < f.classes {
				ends[i] = place[k]
			}
		}
	}
	if f.full {
		w.values = spread(f.values, place, classes)
	}
	return w
}

// widened is the linear scores with a score of zero for each further class.
func (l *Linear) widened(place []uint32, classes int) *Linear {
	if l == nil {
		return nil
	}
	w := *l
	w.classes, w.weights, w.bias = classes, spread(l.weights, place, classes), spread(l.bias, place, classes)
	return &w
}

// spread returns groups of values by class, each with this many classes. Column k moves to place[k]; the others are zero.
func spread(values []float32, place []uint32, classes int) []float32 {
	wide := make([]float32, len(values)/len(place)*classes)
	for group := range len(values) / len(place) {
		for k, to := range place {
			wide[group*classes+int(to)] = values[group*len(place)+k]
		}
	}
	return wide
}

// WithPairs returns a forest of full leaves whose nodes have this many pairs, at least as many as before. The further
// pairs are of no classes.
func (f *Forest) WithPairs(pairs int) *Forest {
	if pairs == f.pairs {
		return f
	}
	w := f.Clone()
	w.pairs, w.nodePairs = pairs, make([]uint32, 0, 2*pairs*f.Nodes())
	for node := range slices.Chunk(f.nodePairs, 2*f.pairs) {
		w.nodePairs = append(w.nodePairs, node...)
		for range 2 * (pairs - f.pairs) {
			w.nodePairs = append(w.nodePairs, uint32(f.classes))
		}
	}
	return w
}

// AddConstants adds trees of one leaf, which all rows reach, with constant scores of the given classes: one tree, or
// several if a leaf does not have values for all.
func (f *Forest) AddConstants(classes []int, scores []float32, rows int) {
	if f.full {
		values := make([]float32, f.classes)
		for i, k := range classes {
			values[k] = scores[i]
		}
		f.AddLeaf(values, nil, rows)
		f.EndTree()
		return
	}
	each, none := f.pairsPerLeaf(), int32(f.classes)
	for len(classes) > 0 {
		values, pairs := make([]float32, each), make([]kernel.Pair, each)
		n := min(each, len(classes))
		for i := range pairs {
			if pairs[i] = (kernel.Pair{R: none, S: none}); i < n {
				pairs[i].R, values[i] = int32(classes[i]), scores[i]
			}
		}
		f.AddLeaf(values, pairs, rows)
		f.EndTree()
		classes, scores = classes[n:], scores[n:]
	}
}

// FirstTrees returns, by class, the number of the first tree that gives it scores; −1: none does. Linear scores do not count.
func (f *Forest) FirstTrees() []int {
	first := make([]int, f.classes)
	for k := range first {
		first[k] = -1
	}
	for t := f.Trees() - 1; t >= 0; t-- {
		for _, leaf := range f.Tree(t).Leaves() {
			for k, score := range leaf.Scores() {
				if score != 0 {
					first[k] = t
				}
			}
		}
	}
	return first
}
