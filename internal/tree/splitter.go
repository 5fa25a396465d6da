package tree

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// splitter finds a node's best split: it fills the histograms of a group of columns, scans them
// while they are in cache, and keeps each column's best cut.
type splitter struct {
	Bins
	kernels    *kernel.Funcs
	gradients  *gradients
	minSamples int
	minHessian float64
	minGain    float64
	l2         float64
	subsets    Subsets
	params     *Params

	*layout
	job     kernel.ScanJob // common to the scans of all tiles
	best    []candidate    // by position in layout.columns
	workers []worker
	parts   []part
	open    []int                 // result of unresolved
	all     scratch               // on several machines: histogram of all columns
	merged  scratch               // histogram of the bins of one column that hold rows
	cuts    []int                 // by bin of merged: the last bin in it, after which a cut is allowed
	counts  [kernel.MaxBins]int64 // by code of a column: number of rows

	monotone monotoneSearch
}

// worker is the scratch memory of one worker. Its jobs are here as a job on the stack would
// escape to the heap at each call of a kernel.
type worker struct {
	memory  scratch
	joint   []int64 // histograms of joint columns
	columns kernel.HistogramJob
	sparse  kernel.SparseJob
	sums    [bin.SparseWidth * kernel.MaxPairs]int64 // of complete
	scan    kernel.ScanJob
	cuts    kernel.AddCutsJob
	subsets subsetSearch
}

// candidate is the best cut of one column.
type candidate struct {
	score       float64
	bin         int // value bins up to it go left
	next        int // if exact: the first bin after it that holds rows
	missingLeft bool
	exact       bool // the best of all bins that leaves minSamples rows on both sides
	subset      bool // set goes left; bin and missingLeft do not count
	set         model.Set
	boxes       *[2]*loss.Box // bounds of the children; nil: the node's
}

// useLayout sets the columns that are searched.
func (s *splitter) useLayout(l *layout) {
	s.layout = l
	s.best = slices.Grow(s.best[:0], len(l.columns))[:len(l.columns)]
}

// findSplit returns the best split of a node, whose gradients were quantized last. The
// histograms go to n.histogram if it is not nil. With sibling, n.histogram is the parent's, and
// the node's is that less sibling.
func (s *splitter) findSplit(n *node, sibling *Histogram, team *par.Team) SplitInfo {
	s.setJob()
	parts := 1
	if sibling == nil {
		parts = s.fillParts(n.count > kernel.SpillRows, team)
	}
	par.Run(team, len(s.groups), groupSearch{s, n, sibling, parts})
	return s.choose(n, team)
}

// groupSearch finds the best cut of each column of a group.
type groupSearch struct {
	*splitter
	node    *node
	sibling *Histogram
	shares  int // parts of the rows with histograms of their own
}

func (s groupSearch) Do(worker, i int) {
	g, w := &s.groups[i], &s.workers[worker]
	first, end := s.tiles[g.firstTile].firstCell, s.tiles[g.endTile-1].endCell()
	var part Histogram
	if h := s.node.histogram; h != nil {
		part = h.tile(first, end)
	} else {
		part = w.memory.histogram(end-first, s.node.count > kernel.SpillRows)
	}
	if s.sibling != nil {
		share := s.sibling.tile(first, end)
		part.subtract(s.kernels, &share)
	} else {
		s.fillGroup(g, &part, w, s.shares)
	}
	w.scan = s.job
	for t := g.firstTile; t < g.endTile; t++ {
		s.scan(s.node, &s.tiles[t], &part, first, w)
	}
}

// setJob prepares scans for the gradients that were quantized last.
func (s *splitter) setJob() {
	g, job := s.gradients, &s.job
	*job = kernel.ScanJob{Pairs: g.pairs}
	job.TotalG, job.TotalH = g.sumG, g.sumH
	job.MinHessian = max(s.minHessian, 1e-200)
	for p := range g.pairs {
		unitG, unitH := unit(g.scaleG[p]), unit(g.scaleH[p])
		job.UnitH[p] = unitH
		if unitH > 0 {
			job.Scale[p] = 0.5 * unitG * unitG / unitH
			job.L2[p] = s.l2 / unitH
		}
	}
}

// unsplitScore returns the score of the node without a split.
func (s *splitter) unsplitScore(n *node) float64 {
	if n.bounded {
		return s.scoreWithin(n, &s.job.TotalG, &s.job.TotalH)
	}
	return unboundedScore(&s.job)
}

// unboundedScore is unsplitScore without bounds.
func unboundedScore(j *kernel.ScanJob) float64 {
	score := 0.0
	for p := range j.Pairs {
		g := float64(j.TotalG[p])
		h := max(float64(j.TotalH[p])+j.L2[p], 1)
		score += float64(float64(g*g) / h * j.Scale[p])
	}
	return score
}

// scan finds the best cut of each column of a tile.
func (s *splitter) scan(n *node, t *tile, part *Histogram, base int, w *worker) {
	job := &w.scan
	m := job.Pairs
	job.Bins, job.Stride = t.bins, t.stride
	for c := t.firstColumn; c < t.endColumn; {
		// One scan covers TileLanes cells of a bin.
		lane := (c - t.firstColumn) * m
		cells := part.tile(t.firstCell-base+lane, t.endCell()-base)
		cells.lend(job)
		end := min(c+kernel.TileLanes/m, t.endColumn)
		if slices.ContainsFunc(s.columns[c:end], func(column int) bool { return !s.categorical(column) }) {
			s.kernels.Scan(job)
		}
		for f := 0; c < end; f++ {
			if s.categorical(s.columns[c]) {
				bins := s.CoarseMapper.Features[s.columns[c]].Codes()
				s.best[c] = s.scanSubsets(&cells, t, bins, f*m, w)
				c++
				continue
			}
			best := candidate{score: job.Score[f], bin: int(job.Bin[f]), missingLeft: job.MissingLeft[f]}
			best.exact = s.minSamples == 1 && !s.coarse(s.columns[c]) && !s.searchesCuts(n, s.columns[c])
			if best.exact && !math.IsInf(best.score, -1) {
				best.next = cells.nextFilled(best.bin, t.bins, t.stride, f*m, m)
			}
			s.best[c] = best
			c++
		}
	}
}

// scanSubsets returns the best set of the bins of a categorical column.
func (s *splitter) scanSubsets(cells *Histogram, t *tile, bins, lane int, w *worker) candidate {
	w.subsets.Subsets = s.subsets
	w.subsets.load(cells, bins, t.stride, lane, s.job.Pairs)
	return w.subsets.findSet(s.kernels, &s.job, nil, s.minSamples)
}

// nextFilled returns the first bin after b in which one of the lanes is not zero.
func (h *Histogram) nextFilled(b, bins, stride, lane, lanes int) int {
	for b++; b < bins; b++ {
		for i := b*stride + lane; i < b*stride+lane+lanes; i++ {
			if h.wide() && h.wideG[i]|h.wideH[i] != 0 || !h.wide() && h.cells[i] != 0 {
				return b
			}
		}
	}
	return b
}

func (s *splitter) categorical(column int) bool { return s.Mapper.Features[column].Categorical }

// coarse reports whether the column has fewer bins here than where it is split.
func (s *splitter) coarse(column int) bool {
	return s.CoarseMapper != s.Mapper && s.CoarseMapper.Features[column].Codes() < s.Mapper.Features[column].Codes()
}

// choose returns the best split. Only columns that come first are searched in all their bins,
// with numbers of rows: a pass over one column each.
func (s *splitter) choose(n *node, team *par.Team) SplitInfo {
	for {
		columns := s.unresolved(n)
		if len(columns) == 0 {
			return s.split(n)
		}
		for _, c := range columns {
			s.best[c] = s.exactCut(n, s.columns[c], team)
		}
	}
}

// unresolved returns the candidates that must become exact before the best is known. The result
// is valid until the next call.
func (s *splitter) unresolved(n *node) []int {
	s.open = s.open[:0]
	if !slices.ContainsFunc(s.best, func(c candidate) bool { return !math.IsInf(c.score, -1) }) {
		// One coarse bin may join several that differ.
		for c, column := range s.columns {
			if !s.best[c].exact && s.coarse(column) {
				s.open = append(s.open, c)
			}
		}
		return s.open
	}
	if best := s.first(n); best >= 0 && !s.best[best].exact {
		s.open = append(s.open, best)
	}
	return s.open
}

// first returns the best candidate; −1: none is better than no split. The lowest feature wins a
// tie.
func (s *splitter) first(n *node) int {
	best := -1
	for c := range s.best {
		if best < 0 || s.best[c].score > s.best[best].score ||
			s.best[c].score == s.best[best].score && s.columns[c] < s.columns[best] {
			best = c
		}
	}
	// Rounding alone can produce gains of about 1e-16 of the score.
	whole := s.unsplitScore(n)
	if best < 0 || !(s.best[best].score-whole > max(s.minGain, 1e-12*math.Abs(whole))) {
		return -1
	}
	return best
}

// split returns the split of the best candidate.
func (s *splitter) split(n *node) SplitInfo {
	best := s.first(n)
	if best < 0 {
		return SplitInfo{}
	}
	b := &s.best[best]
	i := SplitInfo{Feature: s.columns[best], MissingLeft: b.missingLeft, Gain: b.score - s.unsplitScore(n), boxes: b.boxes}
	if b.subset {
		set := b.set
		i.Set = &set
	} else {
		i.Bin = uint8(s.Mapper.Features[i.Feature].CutBetween(b.bin, b.next))
	}
	return i
}
