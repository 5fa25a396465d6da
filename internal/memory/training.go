package memory

import (
	"math"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/linear"
	"github.com/libaoso/aoso/internal/loss/odds"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// Sizes in bytes of what training keeps.
const (
	targetBytes    = 8        // row of a dataset: label, weight
	listBytes      = 16       // training row: the lists of a partition, kept rows
	sampledBytes   = 13       // the same if trees are grown on a sample
	drawnBytes     = 24       // row of that sample
	trimmedBytes   = 1        // training row, in addition, if rows are trimmed
	validBytes     = 16       // validation row, without its scores
	segmentBytes   = 48       // leaf, for each segmentRows rows
	segmentRows    = 8192     //
	jobBytes       = 2048     // kernel jobs, for each block of rows
	sortedBytes    = 44       // row that bins are fitted to, for each thread
	drawBytes      = 96       // row drawn to fit bins to
	featureBytes   = 256      // feature without its bins: its name, its column and its index entry
	binBytes       = 28.      // bin: its edge, its least and greatest value
	leastBinBytes  = 19.      // the same if they are equal
	foundBytes     = 80       // best split of a feature, for each evaluator
	laidBytes      = 2 * 40   // feature in a list of columns, which grows
	laneBytes      = 2 * 5    // the same for each pair
	categoryBytes  = 80       // category of a target-encoded feature, without the encoding: its name and index entry
	nodeBytes      = 29       // node of a forest, without its pairs
	workerBytes    = 1 << 18  // caches of Go's allocator, for each thread
	collectorBytes = 14 << 20 // Go's garbage collector, which is late on a busy machine
	copiesOfTrees  = 3        // while an array grows: the old one, the new one, and its spare capacity
	collected      = 2        // most size of the Go heap relative to what of it is in use, before garbage is collected
)

// estimate holds what the bounds of all parts depend on.
type estimate struct {
	*boost.Params
	data.Shape
	rows, columns, classes, valid, threads float64
	stride                                 float64 // lanes of a row of residuals
	drawn                                  int     // rows that a tree is grown on
}

func newEstimate(s data.Shape, p *boost.Params) *estimate {
	e := &estimate{
		Params: p, Shape: s,
		rows: float64(s.Rows), columns: float64(s.Columns()), classes: float64(s.Classes), valid: float64(s.ValidRows),
		threads: float64(par.NewTeam(p.NThread).Workers()),
		stride:  float64(kernel.Stride(s.Classes, p.Padding(s.Classes))),
		drawn:   s.Rows,
	}
	if p.Subsample < 1 {
		e.drawn = boost.Share(p.Subsample, s.Rows)
	}
	return e
}

// onePhase bounds the memory of one training on a dataset, without the dataset and
// Runtime.
func onePhase(s data.Shape, p boost.Params) (m Memory) {
	e := newEstimate(s, &p)
	if e.coarse() {
		m = copied(&s, s.Rows)
	}
	if p.Subsample < 1 {
		m = m.Plus(copied(&s, e.drawn))
		m.Sparse += encodings(&s, float64(e.drawn)).Sparse // sparse class scores grow
	}
	if p.Start != "zero" {
		m = m.Plus(e.linearMemory())
	}
	trees := e.treeBytes()
	return m.Plus(Memory{
		Residuals:  wholeBytes(e.residualBytes()),
		Rows:       wholeBytes(e.rowBytes()),
		Histograms: wholeBytes(e.histogramBytes()),
		Trees:      wholeBytes(trees),
		Runtime:    wholeBytes(e.totalsBytes() + trees + e.columnsBytes()),
	})
}

// linearMemory returns the memory of linear scores: the model, its weights once more by class
// for each set, the places of bins, the greatest score of a row, and fitting.
func (e *estimate) linearMemory() Memory {
	const place, weight, score = 4 * 256, 4, 8
	terms, sets := min(e.columns, linear.MostFeatures), 1.0
	if e.ValidRows > 0 {
		sets = 2
	}
	rooms := e.threads * score * e.classes
	if e.NamedClasses() == 0 {
		rooms *= 2 * kernel.RowBlock
	}
	rows := 0.0
	if e.NamedClasses() > 0 {
		rows = score * (e.rows + e.valid)
	}
	return Memory{
		Rows:    wholeBytes(rows + rooms),
		Trees:   wholeBytes(weight*(copiesOfTrees+sets)*terms*e.classes + (sets+copiesOfTrees)*place*terms),
		Runtime: wholeBytes(linear.FitBytes(e.rows, e.columns, float64(e.Bins()), e.classes, e.threads)),
	}
}

// totalsBytes returns the memory of the class totals of nodes.
func (e *estimate) totalsBytes() float64 {
	if e.NamedClasses() > 0 {
		return 0 // included in sparseBytes
	}
	return 32 * e.stride * (e.leaves() + 2)
}

// columnsBytes returns the memory for columns: lists of them and of their histograms, the best
// split of each, and coarse bins.
func (e *estimate) columnsBytes() float64 {
	evaluators, lists := 1.0, 1.0
	if e.threads > 1 {
		evaluators += e.threads
	}
	if e.ColsampleByNode < 1 {
		lists += 2 * evaluators
	}
	column := foundBytes*evaluators + (laidBytes+laneBytes*float64(e.Pairs))*lists
	if e.coarse() {
		column += featureBytes + binBytes*float64(e.SearchBins())
	}
	return collected * column * e.columns
}

// leaves returns the most leaves that a tree can have.
func (e *estimate) leaves() float64 { return float64(min(e.MaxLeaves, e.Rows)) }

// coarse reports whether the features are kept in coarse bins as well.
func (e *estimate) coarse() bool { return e.Bins() > e.SearchBins() }

// residualBytes returns the memory of the residuals and the scores.
func (e *estimate) residualBytes() float64 {
	residuals, scores := 4*(e.stride+1), 8*e.classes // per row
	if n := e.NamedClasses(); n > 0 {
		const sums, entry = 48, 8 // per row: its sums; per class: its score
		return (sums+entry*float64(e.ActiveClasses(e.Shape.Classes))+e.leafPathBytes())*e.rows + e.sparseBytes(float64(n))
	}
	bytes := residuals * e.rows
	if e.Period() > 0 {
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

// leafPathBytes returns the memory of the leaf path of a row, for sparse class scores.
func (e *estimate) leafPathBytes() float64 {
	return 4 * math.Ceil(float64(e.NEstimators)/odds.SpanTrees) * odds.SpanTrees
}

// scoreBytes returns the memory of the scores of a validation row.
func (e *estimate) scoreBytes() float64 {
	if e.Wide(e.ValidRows, e.Shape.Classes) {
		return e.leafPathBytes()
	}
	return 8 * e.classes
}

// sparseBytes returns the memory of sparse class scores apart from rows: the effects of leaves,
// with inverted indexes; sums by class (two) and scores for each thread; the class totals of
// nodes; the leaf caches.
func (e *estimate) sparseBytes(named float64) float64 {
	const sums, listed, garbage, factors, change = 16 + 2, 20, 2, 1 + 8 + 8, 8 + 8 + 16
	kept := min(e.leaves()*e.classes, tree.SparsePerRow*float64(e.drawn)+tree.SparseBytes/listed)
	lists := listed * (4*(e.threads+1)*e.classes + garbage*kept)
	known := 4 * float64(e.Pairs*(e.Pairs+8)) * float64(e.drawn)
	changes := change * named * (e.leaves() + 1) * float64(e.NEstimators)
	indexes := 4 * (e.classes + 2) * math.Ceil(float64(e.NEstimators)/odds.SpanTrees)
	cached := e.threads * odds.LeafCacheBytes(named, e.leaves())
	return changes + indexes + (e.threads+1)*(2*sums+factors)*e.classes + lists + known + cached
}

// rowBytes returns the remaining memory of rows.
func (e *estimate) rowBytes() float64 {
	gradients := 8 * float64(e.Pairs) // per row
	bytes := (e.scoreBytes() + validBytes) * e.valid
	if e.Subsample < 1 {
		bytes += sampledBytes*e.rows + (drawnBytes+gradients)*float64(e.drawn)
	} else {
		bytes += (listBytes + gradients) * e.rows
		if e.Trim > 0 {
			bytes += trimmedBytes * e.rows
		}
	}
	sums := 8 * e.stride * max(float64(e.Pairs), 2)
	if e.NamedClasses() > 0 {
		sums = 0
	}
	bytes += float64(kernel.Blocks(e.Rows)) * (sums + jobBytes)
	return bytes + math.Ceil(e.rows/segmentRows)*segmentBytes*e.leaves()
}

// histogramBytes returns the memory of the histograms being filled, by group of columns, and of
// the histograms of whole nodes: parts filled by threads, and those that are kept.
func (e *estimate) histogramBytes() float64 {
	bins, pairs := min(e.Bins(), e.SearchBins()), float64(e.Pairs)
	columns := (int(e.columns) + kernel.TileLanes - 1) / kernel.TileLanes * kernel.TileLanes
	cells := pairs*float64(bins+1)*float64(columns) + 2*kernel.MaxBins*kernel.TileLanes
	one, group, joint := 8*cells, tree.GroupBytes(e.Pairs, !e.Dense), tree.JointBytes(e.Pairs)
	wide := 1.0
	if e.drawn > kernel.SpillRows {
		wide = 3
	}
	group = min(one, group)
	bytes := (2*e.threads + 1) * (wide*group + joint)
	if e.threads > 1 {
		bytes += wide * e.threads * min(one, 2*e.threads*group)
	}
	if e.GrowsSymmetric() {
		bytes += (wide + 3) * one // of all columns, and the scores of the cuts of a level
	}
	if e.FixedPairs() || e.PairSelection == "root" || e.Pairs == 1 && e.NamedClasses() == 0 {
		kept := tree.MostHistograms(int(cells), int(e.columns)*bin.ColumnBytes(e.drawn))
		if kept > 0 {
			bytes += wide * one * (float64(min(kept, e.MaxLeaves)) + 1 + e.threads)
		}
	}
	return bytes
}

// treeBytes returns the memory of all trees.
func (e *estimate) treeBytes() float64 {
	leaves := min(e.MaxLeaves, e.Rows/e.MinSamplesLeaf+1)
	if e.MaxDepth > 0 && e.MaxDepth < 16 {
		leaves = min(leaves, 1<<e.MaxDepth)
	}
	leaf, pairs := 4.0, float64(e.Pairs)
	if n := e.NamedClasses(); n > 0 {
		leaf += 8 * float64(n)
	} else if e.FullLeaf() {
		leaf += 4 * e.classes
	} else {
		leaf += 8 * pairs
	}
	node := nodeBytes + 4*pairs
	return copiesOfTrees * float64(e.NEstimators) * (float64(leaves)*(leaf+node) + 8)
}
