package tree

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// splitter finds a node's best split: it fills the histograms of a group of
// columns, scans them while they are in cache, and keeps each column's best.
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
	job     kernel.ScanJob // what the scans of all tiles have in common
	best    []candidate    // by position in layout.columns
	workers []worker
	parts   []part
	looks   []int   // of unsettled
	all     scratch // on several machines: of all columns
	column  scratch // of one column, in all its bins
	merged  scratch

	monotone monotoneSearch
}

// worker is what a worker of the team has to itself. Its jobs are here rather
// than on the stack, from where a kernel's job would become garbage.
type worker struct {
	memory  scratch
	joint   []int64 // histograms of joint columns
	columns kernel.HistogramJob
	sparse  kernel.SparseJob
	scan    kernel.ScanJob
	subsets subsetSearch
}

// candidate is the best cut of one column.
type candidate struct {
	score       float64
	bin         int // value bins up to it go left
	next        int // the first bin after it that holds rows, if exact
	missingLeft bool
	exact       bool // the best of all bins that leave min samples on both sides
	subset      bool // set goes left, in place of what bin and missingLeft say
	set         model.Set
	boxes       *[2]*loss.Box // of the children; nil: the node's
}

// use makes the columns of a layout those that are searched.
func (s *splitter) use(l *layout) {
	s.layout = l
	s.best = slices.Grow(s.best[:0], len(l.columns))[:len(l.columns)]
}

// find returns the best split of a node, whose gradients were last quantized. With a
// histogram of its own, its histograms go there; with sibling, that is its parent's,
// and what sibling leaves of it is the node's.
func (s *splitter) find(n *node, sibling *Histogram, team *par.Team) SplitInfo {
	h, wide := n.histogram, n.count > kernel.SpillRows
	s.setJob()
	parts := 1
	if sibling == nil {
		parts = s.fillParts(wide, team)
	}
	team.Do(len(s.groups), func(number, i int) {
		g, w := &s.groups[i], &s.workers[number]
		first, end := s.tiles[g.firstTile].firstCell, s.tiles[g.endTile-1].endCell()
		var part Histogram
		if h != nil {
			part = h.tile(first, end)
		} else {
			part = w.memory.histogram(end-first, wide)
		}
		if sibling != nil {
			share := sibling.tile(first, end)
			part.subtract(s.kernels, &share)
		} else {
			s.fillGroup(g, &part, w, parts)
		}
		w.scan = s.job
		for t := g.firstTile; t < g.endTile; t++ {
			s.scan(n, &s.tiles[t], &part, first, w)
		}
	})
	return s.choose(n)
}

// setJob sets the job for the gradients that were last quantized.
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

// whole is the score of the node as it is.
func (s *splitter) whole(n *node) float64 {
	if n.bounded {
		return s.scoreWithin(n, &s.job.TotalG, &s.job.TotalH)
	}
	return unsplit(&s.job)
}

// unsplit is whole without bounds.
func unsplit(j *kernel.ScanJob) float64 {
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
		job.Tile, job.WideG, job.WideH = cells.cells, cells.wideG, cells.wideH
		if cells.wide() {
			job.Tile = nil
		}
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
				best.next = cells.nextFilled(best.bin, t, f*m, m)
			}
			s.best[c] = best
			c++
		}
	}
}

// scanSubsets finds the best set of bins of a categorical column, which has so many.
func (s *splitter) scanSubsets(cells *Histogram, t *tile, bins, lane int, w *worker) candidate {
	w.subsets.Subsets = s.subsets
	w.subsets.load(cells, bins, t.stride, lane, s.job.Pairs)
	return w.subsets.find(s.kernels, &s.job, nil, s.minSamples)
}

// nextFilled is the first bin of a tile after b in which some lane is not zero.
func (h *Histogram) nextFilled(b int, t *tile, lane, lanes int) int {
	for b++; b < t.bins; b++ {
		for i := b*t.stride + lane; i < b*t.stride+lane+lanes; i++ {
			if h.wide() && h.wideG[i]|h.wideH[i] != 0 || !h.wide() && h.cells[i] != 0 {
				return b
			}
		}
	}
	return b
}

func (s *splitter) categorical(column int) bool { return s.Mapper.Features[column].Categorical }

// coarse tells whether the column has fewer bins here than where it is split.
func (s *splitter) coarse(column int) bool {
	return s.CoarseMapper != s.Mapper && s.CoarseMapper.Features[column].Codes() < s.Mapper.Features[column].Codes()
}

// choose takes the best candidate. Only the columns that come first are looked at in
// all their bins, and their cuts counted out, a pass over one column each.
func (s *splitter) choose(n *node) SplitInfo {
	for {
		columns := s.unsettled(n)
		if len(columns) == 0 {
			return s.split(n)
		}
		for _, c := range columns {
			s.best[c] = s.exact(n, s.columns[c])
		}
	}
}

// unsettled is the candidates that must become exact before the best is known. It is
// good until the next call.
func (s *splitter) unsettled(n *node) []int {
	s.looks = s.looks[:0]
	if !slices.ContainsFunc(s.best, func(c candidate) bool { return !math.IsInf(c.score, -1) }) {
		// What is in one coarse bin may be in several of the others.
		for c, column := range s.columns {
			if !s.best[c].exact && s.coarse(column) {
				s.looks = append(s.looks, c)
			}
		}
		return s.looks
	}
	if best := s.first(n); best >= 0 && !s.best[best].exact {
		s.looks = append(s.looks, best)
	}
	return s.looks
}

// first is the best candidate; −1: none is better than no split. The lowest feature
// wins a tie.
func (s *splitter) first(n *node) int {
	best := -1
	for c := range s.best {
		if best < 0 || s.best[c].score > s.best[best].score ||
			s.best[c].score == s.best[best].score && s.columns[c] < s.columns[best] {
			best = c
		}
	}
	// Rounding alone makes gains of some 1e-16 of the score.
	whole := s.whole(n)
	if best < 0 || !(s.best[best].score-whole > max(s.minGain, 1e-12*math.Abs(whole))) {
		return -1
	}
	return best
}

// split is the split of the best candidate.
func (s *splitter) split(n *node) SplitInfo {
	best := s.first(n)
	if best < 0 {
		return SplitInfo{}
	}
	b := &s.best[best]
	i := SplitInfo{Feature: s.columns[best], MissingLeft: b.missingLeft, Gain: b.score - s.whole(n), boxes: b.boxes}
	if b.subset {
		set := b.set
		i.Set = &set
	} else {
		i.Bin = uint8(s.Mapper.Features[i.Feature].CutBetween(b.bin, b.next))
	}
	return i
}
