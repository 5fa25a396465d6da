package boost

import (
	"math"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// Shape is the size of a training.
type Shape struct {
	Rows, Features, Classes int
	ValidRows               int
	MaxBins                 int
}

// Memory is an upper bound of the bytes that a training takes, split by purpose.
// aoso.Estimate documents the formulas.
type Memory struct {
	Matrix     int64
	Sparse     int64
	Residuals  int64
	Rows       int64
	Histograms int64
	Quantizing int64
	Trees      int64
	Runtime    int64
	Total      int64
}

// The sizes of what training keeps, in bytes.
const (
	rowBytes       = 28       // a training row: label, weight, the lists of a partition, kept rows
	sampledBytes   = 25       // a training row if trees are grown on a sample
	drawnBytes     = 24       // a row of that sample
	trimmedBytes   = 1        // a training row, in addition, if rows are trimmed
	validBytes     = 24       // a validation row, without its scores
	segmentBytes   = 48       // a leaf, for each segmentRows rows
	segmentRows    = 8192     //
	jobBytes       = 2048     // the kernels' jobs, for each block of rows
	sortedBytes    = 56       // a row that bins are fitted to, for each thread
	readBytes      = 24       // a row that is sorted into bins
	binBytes       = 4 * 8    // the edges of a bin
	nodeBytes      = 29       // a node of a forest, without its pairs
	workerBytes    = 1 << 18  // the caches of Go's allocator, for each thread
	collectorBytes = 10 << 20 // Go's garbage collector
	copiesOfTrees  = 3        // while an array grows: the old one, the new one, and its spare room
)

// estimate holds what the bounds of all parts depend on.
type estimate struct {
	*Params
	Shape
	rows, features, classes, valid, threads float64
	stride                                  float64 // lanes of a row of residuals
	drawn                                   int     // rows that a tree is grown on
}

// EstimateMemory bounds the memory of building a dataset and training on it.
// Bins are fitted to at most sampleRows rows.
func EstimateMemory(s Shape, p Params, sampleRows int) (m Memory) {
	e := &estimate{
		Params: &p, Shape: s,
		rows: float64(s.Rows), features: float64(s.Features), classes: float64(s.Classes), valid: float64(s.ValidRows),
		threads: float64(par.NewTeam(p.Threads).Workers()),
		stride:  float64(loss.Stride(s.Classes, p.impossible(s.Classes))),
		drawn:   s.Rows,
	}
	if p.Subsample < 1 {
		e.drawn = share(p.Subsample, s.Rows)
	}
	trees := e.treeBytes()
	m = Memory{
		Matrix:     wholeBytes(e.matrixBytes()),
		Sparse:     wholeBytes(e.sparseBytes()),
		Residuals:  wholeBytes(e.residualBytes()),
		Rows:       wholeBytes(e.rowBytes()),
		Histograms: wholeBytes(e.histogramBytes()),
		Quantizing: wholeBytes(readBytes*max(e.rows, e.valid) + sortedBytes*e.threads*min(e.rows, float64(sampleRows)) + binBytes*float64(s.MaxBins+1)*e.features),
		Trees:      wholeBytes(trees),
		Runtime:    wholeBytes(collectorBytes + workerBytes*e.threads + 32*e.stride*(e.leaves()+2) + trees),
	}
	return m.summed()
}

// Max is the greater of each part.
func (m Memory) Max(o Memory) Memory {
	return Memory{
		Matrix: max(m.Matrix, o.Matrix), Sparse: max(m.Sparse, o.Sparse), Residuals: max(m.Residuals, o.Residuals),
		Rows: max(m.Rows, o.Rows), Histograms: max(m.Histograms, o.Histograms), Quantizing: max(m.Quantizing, o.Quantizing),
		Trees: max(m.Trees, o.Trees), Runtime: max(m.Runtime, o.Runtime),
	}.summed()
}

// summed is the parts with their sum.
func (m Memory) summed() Memory {
	m.Total = m.Matrix + m.Sparse + m.Residuals + m.Rows + m.Histograms + m.Quantizing + m.Trees + m.Runtime
	return m
}

// wholeBytes caps a number of bytes at 2⁵⁶, so that no sum of parts overflows.
func wholeBytes(n float64) int64 { return int64(min(n, 1<<56)) }

// leaves is the most leaves that a tree can have.
func (e *estimate) leaves() float64 { return float64(min(e.Leaves, e.Rows)) }

// coarse tells whether the features are kept in coarse bins as well.
func (e *estimate) coarse() bool { return e.MaxBins > e.searchBins() }

// matrixBytes is the codes by column.
func (e *estimate) matrixBytes() float64 {
	columns := func(rows int) float64 { return e.features * float64(bin.ColumnBytes(rows)) }
	bytes := columns(e.Rows)
	if e.ValidRows > 0 {
		bytes += columns(e.ValidRows)
	}
	if e.coarse() {
		bytes += columns(e.Rows)
	}
	if e.Subsample < 1 {
		bytes += columns(e.drawn)
	}
	return bytes
}

// sparseBytes is the other forms of features.
func (e *estimate) sparseBytes() float64 {
	row := e.features + 8*math.Ceil(e.features/256)
	bytes := row * e.rows
	if e.coarse() {
		bytes *= 2
	}
	if e.Subsample < 1 {
		bytes += 2 * row * float64(e.drawn) // entries grow
	}
	return bytes
}

// residualBytes is the residuals and the scores.
func (e *estimate) residualBytes() float64 {
	residuals, scores := 4*(e.stride+1), 8*e.classes // of a row
	bytes := residuals * e.rows
	if e.period() > 0 {
		bytes += scores*e.rows + e.threads*scores*kernel.RowBlock
		if e.Method == model.ABC && e.BaseClass == "exhaustive" {
			bytes += scores * e.rows
		}
	}
	if e.Subsample < 1 {
		bytes += residuals * float64(e.drawn)
	}
	return bytes
}

// rowBytes is what there is of rows beside that.
func (e *estimate) rowBytes() float64 {
	gradients := 8 * float64(e.Pairs) // of a row
	bytes := (8*e.classes + validBytes) * e.valid
	if e.Subsample < 1 {
		bytes += sampledBytes*e.rows + (drawnBytes+gradients)*float64(e.drawn)
	} else {
		bytes += (rowBytes + gradients) * e.rows
		if e.Trim > 0 {
			bytes += trimmedBytes * e.rows
		}
	}
	sums := 8 * e.stride * max(float64(e.Pairs), 2)
	bytes += float64(kernel.Blocks(e.Rows)) * (sums + jobBytes)
	return bytes + math.Ceil(e.rows/segmentRows)*segmentBytes*e.leaves()
}

// histogramBytes is the histograms being filled and those that are kept.
func (e *estimate) histogramBytes() float64 {
	bins := min(e.MaxBins, e.searchBins())
	columns := (e.Features + kernel.TileLanes - 1) / kernel.TileLanes * kernel.TileLanes
	cells := float64(e.Pairs)*float64(bins+1)*float64(columns) + 2*kernel.MaxBins*kernel.TileLanes
	one := 8 * cells
	if e.Rows > kernel.SpillRows {
		one *= 3
	}
	bytes := one * (2*e.threads + 1)
	if e.fixedPairs() || e.PairSelection == "root" || e.Pairs == 1 {
		kept := tree.MostHistograms(int(cells), e.Features*bin.ColumnBytes(e.Rows))
		bytes += one * float64(min(kept, e.Leaves)+2)
	}
	return bytes
}

// treeBytes is all trees.
func (e *estimate) treeBytes() float64 {
	leaves := min(e.Leaves, e.Rows/e.MinSamples+1)
	if e.MaxDepth > 0 && e.MaxDepth < 16 {
		leaves = min(leaves, 1<<e.MaxDepth)
	}
	leaf, pairs := 4.0, float64(e.Pairs)
	if e.fullLeaf() {
		leaf += 4 * e.classes
	} else {
		leaf += 8 * pairs
	}
	node := nodeBytes + 4*pairs
	return copiesOfTrees * float64(e.Trees) * (float64(leaves)*(leaf+node) + 8)
}
