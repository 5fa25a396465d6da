package boost

import (
	"math"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/linear"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// Shape is the size of a training. aoso.Shape documents the fields.
type Shape struct {
	Rows, Features, Classes int
	ValidRows               int
	MaxBins                 int
	Rated, Categories       int
	Dense                   bool
	Mapped                  bool
}

// Memory is an upper bound of the bytes that a training takes at once, split by
// purpose. aoso.Estimate documents the formulas.
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
	Files      int64 // not in the total
}

// The sizes of what training keeps, in bytes.
const (
	targetBytes    = 8        // a row of a dataset: label, weight
	listBytes      = 16       // a training row: the lists of a partition, kept rows
	sampledBytes   = 13       // the same if trees are grown on a sample
	drawnBytes     = 24       // a row of that sample
	trimmedBytes   = 1        // a training row, in addition, if rows are trimmed
	validBytes     = 16       // a validation row, without its scores
	segmentBytes   = 48       // a leaf, for each segmentRows rows
	segmentRows    = 8192     //
	jobBytes       = 2048     // the kernels' jobs, for each block of rows
	sortedBytes    = 44       // a row that bins are fitted to, for each thread
	drawBytes      = 96       // a row that is drawn for that
	featureBytes   = 256      // a feature without its bins: its name, its column and where it is looked up
	binBytes       = 28.      // a bin: its edge, its least and greatest value
	leastBinBytes  = 19.      // the same if they are equal
	foundBytes     = 80       // the best split of a feature, by evaluator
	laidBytes      = 2 * 40   // a feature in a list of columns, which grows
	laneBytes      = 2 * 5    // the same for each pair
	categoryBytes  = 80       // a category of a feature with rates, without these: its name, and where it is looked up
	nodeBytes      = 29       // a node of a forest, without its pairs
	workerBytes    = 1 << 18  // the caches of Go's allocator, for each thread
	collectorBytes = 14 << 20 // Go's garbage collector, which is late on a busy machine
	copiesOfTrees  = 3        // while an array grows: the old one, the new one, and its spare room
	collected      = 2        // the Go heap at most, by what of it is in use, before garbage is collected
)

// estimate holds what the bounds of all parts depend on.
type estimate struct {
	*Params
	Shape
	rows, columns, classes, valid, threads float64
	stride                                 float64 // lanes of a row of residuals
	drawn                                  int     // rows that a tree is grown on
}

func newEstimate(s Shape, p *Params) *estimate {
	e := &estimate{
		Params: p, Shape: s,
		rows: float64(s.Rows), columns: s.columns(), classes: float64(s.Classes), valid: float64(s.ValidRows),
		threads: float64(par.NewTeam(p.Threads).Workers()),
		stride:  float64(loss.Stride(s.Classes, p.impossible(s.Classes))),
		drawn:   s.Rows,
	}
	if p.Subsample < 1 {
		e.drawn = share(p.Subsample, s.Rows)
	}
	return e
}

// columns is the number of columns that the features become.
func (s *Shape) columns() float64 {
	return float64(s.Features) + float64(s.Rated)*float64(category.RateColumns(s.Classes))
}

// bins is the most value bins that a feature has: each holds a value of some row.
func (s *Shape) bins() int { return min(s.MaxBins, s.Rows) }

// DatasetMemory bounds the memory of a dataset of so many rows.
func DatasetMemory(s Shape, rows int) (m Memory) {
	if rows == 0 {
		return m
	}
	codes := s.columns() * float64(bin.ColumnBytes(rows))
	if s.Mapped {
		m.Files = wholeBytes(codes + targetBytes*float64(rows))
	} else {
		m.Matrix, m.Rows = wholeBytes(codes), wholeBytes(targetBytes*float64(rows))
	}
	return m.Plus(s.forms(float64(rows)))
}

// forms is the other forms of features.
func (s *Shape) forms(rows float64) (m Memory) {
	if !s.Dense {
		m.Sparse = wholeBytes((s.columns() + 8*math.Ceil(s.columns()/256)) * rows)
	}
	return m
}

// copied is the codes of rows that are copied, which lie in files where the dataset
// does, if they are many.
func (s *Shape) copied(rows int) (m Memory) {
	codes := s.columns() * float64(bin.ColumnBytes(rows))
	if s.Mapped && codes >= float64(mem.FileMin) {
		m.Files = wholeBytes(codes)
	} else {
		m.Matrix = wholeBytes(codes)
	}
	return m.Plus(s.forms(float64(rows)))
}

// SubsetMemory bounds the memory of rows that are copied from a dataset, with their
// ids; ready to train on, if asked.
func SubsetMemory(s Shape, rows int, train bool) Memory {
	s.Dense = s.Dense || !train
	m := s.copied(rows)
	target := float64(targetBytes+8) * float64(rows)
	if s.Mapped && target >= float64(mem.FileMin) {
		m.Files += wholeBytes(target)
	} else {
		m.Rows += wholeBytes(target)
	}
	return m
}

// BuildingMemory bounds the memory of building the datasets of a training, these
// included, without RuntimeMemory. Bins are fitted to at most sampleRows rows.
func BuildingMemory(s Shape, p Params, sampleRows int) int64 {
	e := newEstimate(s, &p)
	sample, rows := min(e.rows, float64(sampleRows)), max(e.rows, e.valid)
	sorters := min(e.threads, math.Ceil(e.columns/4))
	work := sortedBytes * sorters * sample
	if e.rows > sample { // rows are drawn before columns are sorted
		work = max(work, drawBytes*sample)
	}
	work += bin.CoderBytes(s.bins()) * e.columns
	if s.Rated > 0 { // rates, categories, and the order that rates are taken in
		work += (4*(e.columns-float64(s.Features)) + 2*4 + 4) * rows
	}
	if s.Mapped { // what is kept between the passes over the rows, and buffers
		work += (targetBytes+1)*rows + 3*8*sample*e.columns + 64<<20
	}
	sets := DatasetMemory(s, s.Rows).Plus(DatasetMemory(s, s.ValidRows))
	return sets.Total + wholeBytes(work)
}

// TrainingMemory bounds the memory of training on a dataset, without the dataset and
// RuntimeMemory.
func TrainingMemory(s Shape, p Params) (m Memory) {
	e := newEstimate(s, &p)
	if e.coarse() {
		m = s.copied(s.Rows)
	}
	if p.Subsample < 1 {
		m = m.Plus(s.copied(e.drawn))
		m.Sparse += s.forms(float64(e.drawn)).Sparse // entries grow
	}
	if p.Start == "linear" {
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

// linearMemory is what linear scores take: the model, its weights once more by class for each
// set, the places of bins, the greatest score of a row, and what fitting it takes.
func (e *estimate) linearMemory() Memory {
	const place, weight, score = 4 * 256, 4, 8
	terms, sets := min(e.columns, linear.MostFeatures), 1.0
	if e.ValidRows > 0 {
		sets = 2
	}
	rooms := e.threads * score * e.classes
	if e.named() == 0 {
		rooms *= 2 * kernel.RowBlock
	}
	rows := 0.0
	if e.named() > 0 {
		rows = score * (e.rows + e.valid)
	}
	return Memory{
		Rows:    wholeBytes(rows + rooms),
		Trees:   wholeBytes(weight*(copiesOfTrees+sets)*terms*e.classes + (sets+copiesOfTrees)*place*terms),
		Runtime: wholeBytes(linear.FitBytes(e.rows, e.columns, float64(e.bins()), e.classes, e.threads)),
	}
}

// totalsBytes is the class totals of nodes.
func (e *estimate) totalsBytes() float64 {
	if e.named() > 0 {
		return 0 // sparseBytes has them
	}
	return 32 * e.stride * (e.leaves() + 2)
}

// RuntimeMemory bounds what is there once, however many trainings there are side by side:
// the Go heap of the features, and what its collector needs.
func RuntimeMemory(s Shape, p Params) Memory {
	e := newEstimate(s, &p)
	bin := leastBinBytes
	if s.bins() < s.Rows {
		bin = binBytes
	}
	features := (featureBytes + bin*float64(s.bins())) * e.columns
	rates := 4 * float64(category.RateColumns(s.Classes))
	categories := float64(s.Categories) * (rates + categoryBytes)
	return Memory{Runtime: wholeBytes(collectorBytes + workerBytes*e.threads + categories + collected*features)}.summed()
}

// FeaturesBytes is the Go heap of features that have so many bins in all.
func FeaturesBytes(features, bins int) float64 {
	return featureBytes*float64(features) + binBytes*float64(bins)
}

// columnsBytes is what training has of columns: lists of them and of where their histograms
// lie, the best split of each, and coarse bins.
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
		column += featureBytes + binBytes*float64(e.searchBins())
	}
	return collected * column * e.columns
}

// Plus is what two things take that are there at once.
func (m Memory) Plus(o Memory) Memory {
	sum := func(a, b int64) int64 { return wholeBytes(float64(a) + float64(b)) }
	return Memory{
		Matrix: sum(m.Matrix, o.Matrix), Sparse: sum(m.Sparse, o.Sparse), Residuals: sum(m.Residuals, o.Residuals),
		Rows: sum(m.Rows, o.Rows), Histograms: sum(m.Histograms, o.Histograms), Quantizing: sum(m.Quantizing, o.Quantizing),
		Trees: sum(m.Trees, o.Trees), Runtime: sum(m.Runtime, o.Runtime), Files: sum(m.Files, o.Files),
	}.summed()
}

// Greater is the greater of two.
func (m Memory) Greater(o Memory) Memory {
	if o.Total > m.Total {
		return o
	}
	return m
}

// WithBuilding is the memory with what building the datasets takes beyond it.
func (m Memory) WithBuilding(bytes int64) Memory {
	m.Quantizing = max(0, bytes-m.Total)
	return m.summed()
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
func (e *estimate) coarse() bool { return e.bins() > e.searchBins() }

// residualBytes is the residuals and the scores.
func (e *estimate) residualBytes() float64 {
	residuals, scores := 4*(e.stride+1), 8*e.classes // of a row
	if n := e.named(); n > 0 {
		const sums, entry = 48, 8 // of a row: its sums, an entry
		return (sums+entry*float64(e.likely(e.Shape.Classes))+e.trailBytes())*e.rows + e.sparseBytes(float64(n))
	}
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

// trailBytes is the leaves that a row reaches, in the form for many classes.
func (e *estimate) trailBytes() float64 {
	return 4 * math.Ceil(float64(e.Trees)/loss.SpanTrees) * loss.SpanTrees
}

// scoreBytes is the raw scores of a validation row, or what is in their place.
func (e *estimate) scoreBytes() float64 {
	if e.Wide(e.ValidRows, e.Shape.Classes) {
		return e.trailBytes()
	}
	return 8 * e.classes
}

// sparseBytes is what the form for many classes takes beside rows: what leaves do to their
// classes, with indexes by class; for each thread room for sums by class, twice, and for
// odds; the class totals of nodes; what is known of the rows of a node.
func (e *estimate) sparseBytes(named float64) float64 {
	const sums, listed, garbage, odds, change = 16 + 2, 20, 2, 1 + 8 + 8, 8 + 8 + 16
	kept := min(e.leaves()*e.classes, tree.ListedOfRow*float64(e.drawn)+tree.ListedBytes/listed)
	lists := listed * (4*(e.threads+1)*e.classes + garbage*kept)
	known := 4 * float64(e.Pairs*(e.Pairs+8)) * float64(e.drawn)
	changes := change * named * (e.leaves() + 1) * float64(e.Trees)
	indexes := 4 * (e.classes + 2) * math.Ceil(float64(e.Trees)/loss.SpanTrees)
	recalled := e.threads * loss.RecallBytes(named, e.leaves())
	return changes + indexes + (e.threads+1)*(2*sums+odds)*e.classes + lists + known + recalled
}

// rowBytes is what there is of rows beside that.
func (e *estimate) rowBytes() float64 {
	gradients := 8 * float64(e.Pairs) // of a row
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
	if e.named() > 0 {
		sums = 0
	}
	bytes += float64(kernel.Blocks(e.Rows)) * (sums + jobBytes)
	return bytes + math.Ceil(e.rows/segmentRows)*segmentBytes*e.leaves()
}

// histogramBytes is the histograms being filled, by group of columns, and those of whole
// nodes: the parts that threads fill of one, and those that are kept.
func (e *estimate) histogramBytes() float64 {
	bins, pairs := min(e.bins(), e.searchBins()), float64(e.Pairs)
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
	if e.fixedPairs() || e.PairSelection == "root" || e.Pairs == 1 && e.named() == 0 {
		kept := tree.MostHistograms(int(cells), int(e.columns)*bin.ColumnBytes(e.drawn))
		if kept > 0 {
			bytes += wide * one * (float64(min(kept, e.Leaves)) + 1 + e.threads)
		}
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
	if n := e.named(); n > 0 {
		leaf += 8 * float64(n)
	} else if e.fullLeaf() {
		leaf += 4 * e.classes
	} else {
		leaf += 8 * pairs
	}
	node := nodeBytes + 4*pairs
	return copiesOfTrees * float64(e.Trees) * (float64(leaves)*(leaf+node) + 8)
}
