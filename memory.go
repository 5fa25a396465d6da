package aoso

import (
	"cmp"

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

// MemoryEstimate is an upper bound of the memory, in bytes, that building a
// dataset and training on it adds to that of the features and labels given,
// which are not copied.
type MemoryEstimate struct {
	Matrix     int64 // bin codes by column, of training and validation rows
	Sparse     int64 // the same again, row by row if every feature is sparse, or two to a column if every one is small
	Residuals  int64 // residuals by row and class, and scores where training keeps them
	Rows       int64 // labels, weights, row lists, gradients, validation scores, sums by block
	Histograms int64
	Quantizing int64 // one column of float64 a thread while a dataset is built
	Trees      int64 // of the model, if it has all trees with all their leaves
	Runtime    int64 // what Go's garbage collector and its caches need on top
	Total      int64
}

// Estimate bounds the peak memory of building a dataset of a shape and
// training on it, before anything is allocated. With N rows, V validation
// rows, D features, K classes in S lanes (K rounded up to 8 or a multiple of
// 16), m pairs, B bins, J leaves and T trees the parts are
//
//	Matrix      (N + V)·D
//	Sparse      (D + 8·⌈D/256⌉)·N at most
//	Residuals   4·(S + 1)·N, and 8·K·N of scores with abc, logitboost or large
//	            steps, twice that with an exhaustive abc
//	Rows        (24 + 4 + 8·m)·N, 17·N more with trim or subsample, S·max(m, 2)/64
//	            for sums, (8·K + 24)·V
//	Histograms  8·m·(B+1)·D for each thread, once more for all but the first; kept
//	            ones, with one pair a node or fixed pairs, at most 6 MiB or an
//	            eighth of the matrix, and two more; all threefold above 65,536 rows
//	Quantizing  24·N a thread
//	Trees       some 4·J·K·T, or 12·J·m·T if leaves have pairs, three times over
//	            while arrays grow
//	Runtime     some MiB, and Trees again
//
// and Total is their sum. One case is left out: a training of small steps that
// a row's own class leaves at odds of e⁻⁶⁹ keeps scores from then on, 8·K·N more.
func Estimate(s Shape, p Params) (MemoryEstimate, error) {
	for _, v := range []struct {
		name         string
		value, least int
	}{{"rows", s.Rows, 1}, {"features", s.Features, 1}, {"classes", s.Classes, 1}, {"valid_rows", s.ValidRows, 0}, {"max_bins", s.MaxBins, 0}} {
		if v.value < v.least {
			return MemoryEstimate{}, badArgument(v.name, v.value, "at least %d", v.least)
		}
	}
	p, err := p.resolve(s.Classes)
	if err != nil {
		return MemoryEstimate{}, err
	}
	s.MaxBins = cmp.Or(s.MaxBins, bin.MaxValueBins)
	threads := int64(par.NewTeam(p.Threads).Workers())
	n, d, k, valid := int64(s.Rows), int64(s.Features), int64(s.Classes), int64(s.ValidRows)

	var e MemoryEstimate
	e.Matrix = d * int64(bin.ColumnBytes(s.Rows))
	if valid > 0 {
		e.Matrix += d * int64(bin.ColumnBytes(s.ValidRows))
	}
	e.Sparse = (d + 8*((d+255)/256)) * n
	e.Residuals = residualBytes(&s, &p)
	stride := int64(loss.Stride(s.Classes, p.needsImpossible(s.Classes)))
	e.Rows = (24+4+8*int64(p.Pairs))*n + (8*k+24)*valid
	if p.Trim > 0 || p.Subsample < 1 {
		e.Rows += 17 * n
	}
	blocks := int64(kernel.Blocks(s.Rows))
	e.Rows += blocks * (8*stride*int64(max(p.Pairs, 2)) + 2048) // sums and jobs
	e.Histograms = histogramBytes(&s, &p, threads)
	e.Quantizing = threads * (8*max(n, valid) + 16*min(n, defaultSampleRows))
	e.Trees = treeBytes(&s, &p)
	e.Runtime = 10<<20 + threads<<18 + 32*stride*int64(min(p.Leaves, s.Rows)+2) + e.Trees
	for _, part := range []int64{e.Matrix, e.Sparse, e.Residuals, e.Rows, e.Histograms, e.Quantizing, e.Trees, e.Runtime} {
		e.Total += part
	}
	return e, nil
}

func residualBytes(s *Shape, p *Params) int64 {
	n, k := int64(s.Rows), int64(s.Classes)
	bytes := 4 * int64(loss.Stride(s.Classes, p.needsImpossible(s.Classes))+1) * n
	if p.keepsScores() {
		bytes += 8 * k * n
		if p.Method == ABC && p.BaseClass == "exhaustive" {
			bytes += 8 * k * n
		}
	}
	return bytes
}

func histogramBytes(s *Shape, p *Params, threads int64) int64 {
	cells := p.Pairs * (s.MaxBins + 1) * ((s.Features + 7) / 8 * 8)
	one := 8 * int64(cells)
	if s.Rows > kernel.SpillRows {
		one *= 3
	}
	bytes := one * (2*threads + 1)
	if p.Method != AOSO || p.PairSelection == "root" || p.Pairs == 1 {
		kept := int64(tree.MostHistograms(cells, s.Features*bin.ColumnBytes(s.Rows)))
		bytes += one * min(kept+2, int64(p.Leaves)+2)
	}
	return bytes
}

// treeBytes is the memory of all trees in arrays that grow: the old one, the
// new one, and its room to spare.
func treeBytes(s *Shape, p *Params) int64 {
	leaves := int64(min(p.Leaves, s.Rows/p.MinSamples+1))
	if p.MaxDepth > 0 && p.MaxDepth < 16 {
		leaves = min(leaves, 1<<p.MaxDepth)
	}
	leaf, pairs := int64(4), int64(p.Pairs)
	if p.Leaf == "full" {
		leaf += 4 * int64(s.Classes)
	} else {
		leaf += 8 * pairs
	}
	node := 29 + 4*pairs
	return 3 * int64(p.Trees) * (leaves*(leaf+node) + 8)
}
