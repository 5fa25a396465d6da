package aoso

import (
	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// Shape is the size of a training: what memory depends on.
type Shape struct {
	Rows, Features, Classes int
	ValidRows               int
	MaxBins                 int // 0: 255
}

// MemoryEstimate is an upper bound of the memory, in bytes, that a training
// adds to that of the features it is given, which are not copied.
type MemoryEstimate struct {
	Matrix     int64 // bin codes by column; the larger of training and validation counts in full
	Sparse     int64 // the same again, row by row if every feature is sparse, or two to a column if every one is small
	Residuals  int64 // residuals by row and class
	Rows       int64 // row lists, gradients, validation scores
	Histograms int64
	Quantizing int64 // one column of float64 a thread while a dataset is built
	Total      int64
}

// Estimate bounds the peak memory of building a dataset of a shape and
// training on it, before anything is allocated. With N rows, D features, K
// classes in S lanes (K rounded up to 8 or a multiple of 16), m pairs, B bins
// and J leaves the parts are
//
//	Matrix      N·D (and as much for validation rows)
//	Sparse      (2·0.3·D + 4·⌈D/32⌉)·N at most
//	Residuals   4·S·N (twice for abc and logitboost, four times for an exhaustive abc)
//	Rows        (12 + 4 + 8·m)·N, 17·N more with trim or subsample, 8·K + 12 a validation row
//	Histograms  8·m·(B+1)·D a thread; kept ones, with one pair a node or fixed
//	            pairs, at most 6 MiB or an eighth of the matrix, and one more;
//	            all threefold above 65,536 rows
//	Quantizing  8·N a thread
//
// and Total is their sum.
func Estimate(s Shape, p Params) (MemoryEstimate, error) {
	for _, v := range []struct {
		name  string
		value int
	}{{"rows", s.Rows}, {"features", s.Features}, {"classes", s.Classes}} {
		if v.value < 1 {
			return MemoryEstimate{}, badArgument(v.name, v.value, "at least 1")
		}
	}
	p, err := p.resolve(s.Classes)
	if err != nil {
		return MemoryEstimate{}, err
	}
	if s.MaxBins == 0 {
		s.MaxBins = bin.MaxValueBins
	}
	threads := int64(par.NewTeam(p.Threads).Workers())
	n, d, valid := int64(s.Rows), int64(s.Features), int64(s.ValidRows)
	stride := int64(loss.Stride(s.Classes, p.needsImpossible(s.Classes)))

	var e MemoryEstimate
	e.Matrix = d * int64(bin.ColumnBytes(s.Rows))
	if valid > 0 {
		e.Matrix += d * int64(bin.ColumnBytes(s.ValidRows))
	}
	e.Sparse = int64(2*(1-bin.SparseShare)*float64(d*n)) + 4*((d+31)/32)*n
	copies := int64(1)
	if p.Method != AOSO {
		copies = 2
	}
	if p.Method == ABC && p.BaseClass == "exhaustive" {
		copies = 4
	}
	e.Residuals = 4 * stride * n * copies
	e.Rows = (12+4+8*int64(p.Pairs))*n + (8*int64(s.Classes)+12)*valid
	if p.Trim > 0 || p.Subsample < 1 {
		e.Rows += 17 * n
	}
	cells := p.Pairs * (s.MaxBins + 1) * ((s.Features + 7) / 8 * 8)
	one := 8 * int64(cells)
	if s.Rows > kernel.SpillRows {
		one *= 3
	}
	e.Histograms = one * threads
	if p.Method != AOSO || p.PairSelection == "root" || p.Pairs == 1 {
		kept := int64(tree.MostHistograms(cells, int(d)*bin.ColumnBytes(s.Rows)))
		e.Histograms += one * min(kept+1, int64(p.Leaves)+1)
	}
	e.Quantizing = 8 * max(n, valid) * threads
	e.Total = e.Matrix + e.Sparse + e.Residuals + e.Rows + e.Histograms + e.Quantizing
	return e, nil
}
