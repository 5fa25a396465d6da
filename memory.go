package aoso

import (
	"cmp"
	"math"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/fit"
)

// Shape is the size of a training: what memory depends on.
type Shape struct {
	Rows, Features, Classes int
	ValidRows               int
	MaxBins                 int // 0: 255
}

// MemoryEstimate is an upper bound of the memory, in bytes, that building a
// dataset and training on it adds to that of the features and labels given,
// which are not copied.
type MemoryEstimate struct {
	Matrix     int64 // bin codes by column, of training and validation rows
	Sparse     int64 // the same again, row by row if every feature is sparse, or two to a column if every one is small
	Residuals  int64 // residuals by row and class, and scores where training keeps them
	Rows       int64 // labels, weights, row lists, gradients, validation scores, sums by block
	Histograms int64
	Quantizing int64 // some columns of float64 a thread while a dataset is built
	Trees      int64 // of the model, if it has all trees with all their leaves
	Runtime    int64 // what Go's garbage collector and its caches need on top
	Total      int64
}

// Estimate bounds the peak memory of building a dataset of a shape and
// training on it, before anything is allocated. With N rows, V validation
// rows, D features, K classes in S lanes (K rounded up to 8 or a multiple of
// 16), m pairs, B bins, J leaves and T trees the parts are
//
//	Matrix      (N + V)·D, and N·D more with several pairs and B above 32, or
//	            with subsample and B above 64
//	Sparse      (D + 8·⌈D/256⌉)·N at most, or twice that likewise
//	Residuals   4·(S + 1)·N, and 8·K·N of scores with abc, logitboost or a
//	            shrinkage · max_step above 1, twice that with an exhaustive abc
//	Rows        (28 + 8·m)·N, 17·N more with trim, 8·S·max(m, 2) a thousand rows
//	            for sums, 48 a leaf and 8192 rows, (8·K + 24)·V
//	Histograms  8·m·(B+1)·D for each thread, B being that bound at most, once more for all but the first; kept ones, with one pair a
//	            node or fixed pairs, at most 6 MiB or an eighth of the matrix, and
//	            two more; all threefold above 65,536 rows
//	Quantizing  56 a thread and row that bins are fitted to, 24·N, and 32·(B + 1)·D
//	            for the edges of bins
//	Trees       some 4·J·K·T, or 12·J·m·T if leaves have pairs, three times over
//	            while arrays grow
//	Runtime     some MiB, and Trees again
//
// and Total is their sum. With subsample the n rows drawn are copied: Matrix and
// Sparse are those of N + n rows, the entries of sparse features counted twice,
// Residuals 4·(S + 1)·n more, and of Rows 25·N + (24 + 8·m)·n is in place of the
// first two terms. While rows are held out, the training set is there once more
// in two parts, or with five folds five times; the terms of training are then those
// of the parts, with 8 a row more for row ids. Two cases are left out: row ids that
// are given, 8·N more, or 16·N if they do not rise; and a training of small steps
// that a row's own class leaves at odds of e⁻⁶⁹, which keeps scores from then on,
// 8·K·N more.
func Estimate(s Shape, p Params) (MemoryEstimate, error) {
	for _, v := range []struct {
		name               string
		value, least, most int
	}{
		{"rows", s.Rows, 1, math.MaxUint32},
		{"features", s.Features, 1, math.MaxInt32},
		{"classes", s.Classes, 1, MaxClasses},
		{"valid_rows", s.ValidRows, 0, math.MaxUint32},
		{"max_bins", s.MaxBins, 0, bin.MaxValueBins},
	} {
		if v.value < v.least || v.value > v.most {
			return MemoryEstimate{}, badArgument(v.name, v.value, "%d to %d", v.least, v.most)
		}
	}
	s.MaxBins = cmp.Or(s.MaxBins, bin.MaxValueBins)
	settings, err := p.resolve(s)
	if err != nil {
		return MemoryEstimate{}, err
	}
	most := boost.Memory{}
	for _, setting := range settings {
		most = most.Max(fit.EstimateMemory(boost.Shape(s), boost.Params(setting), p.plan(s, false).folds, defaultSampleRows))
	}
	return MemoryEstimate(most), nil
}
