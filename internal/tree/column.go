package tree

import (
	"math"

	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// exactCut returns the best cut of a column in all its bins that leaves minSamples rows on
// either side.
func (s *splitter) exactCut(n *node, column int, team *par.Team) candidate {
	h := s.fillColumn(n, column, team)
	if s.needsTotals(n, column) {
		s.sumCodes(n.list, column)
	}
	return s.bestCut(n, column, &h)
}

// leastColumn is the number of rows from which another worker pays for a column.
const leastColumn = 1 << 13

// fillColumn returns the histogram of a column in all its bins. If countsRows, it also counts the
// rows by code.
func (s *splitter) fillColumn(n *node, column int, team *par.Team) Histogram {
	f := columnFill{s, n, column, max(1, min(team.Workers(), len(n.list)/leastColumn))}
	s.growParts(f.shares)
	par.Run(team, f.shares, f)
	parts := s.parts[:f.shares]
	for i := range parts[1:] {
		parts[0].add(&parts[1+i].Histogram)
	}
	if s.countsRows(n, column) {
		s.counts = parts[0].counts
		for i := range parts[1:] {
			for code, rows := range parts[1+i].counts {
				s.counts[code] += rows
			}
		}
	}
	return parts[0].Histogram
}

// columnFill fills the histogram of a column with one of several parts of the rows.
type columnFill struct {
	*splitter
	node   *node
	column int
	shares int
}

func (f columnFill) Do(worker, i int) {
	p := &f.parts[i]
	p.Histogram = f.columnHistogram(p, f.node, f.column)
	p.clear()
	share := func(n int) (first, end int) { return n * i / f.shares, n * (i + 1) / f.shares }
	rows, cells := f.gradients.packed()
	first, end := share(len(rows))
	m := f.gradients.pairs
	f.addRows(&p.Histogram, rows[first:end], cells[first*m:end*m], func(rows []uint32, cells []int64) {
		job := &f.workers[worker].columns
		*job = kernel.HistogramJob{Pairs: m, Rows: rows, Cells: cells, Count: 1}
		job.Columns[0], job.Histograms[0] = f.Matrix.Columns[f.column], p.cells
		f.kernels.Histogram(job)
	})
	if f.countsRows(f.node, f.column) {
		first, end := share(len(f.node.list))
		p.count(f.node.list[first:end], f.Matrix.Columns[f.column])
	}
}

// columnHistogram returns a histogram, not cleared, that can hold all bins of a column.
func (s *splitter) columnHistogram(p *part, n *node, column int) Histogram {
	return p.memory.histogram(s.Mapper.Features[column].Codes()*kernel.TileLanes, n.count > kernel.SpillRows)
}

// countsRows reports whether the number of rows in each bin is needed to find the cuts of a
// node's column.
func (s *splitter) countsRows(n *node, column int) bool {
	return s.minSamples > 1 || s.categorical(column) || s.searchesCuts(n, column)
}

// count counts rows by their codes.
func (p *part) count(rows []uint32, codes []uint8) {
	clear(p.counts[:])
	for _, row := range rows {
		p.counts[codes[row]]++
	}
}

// bestCut returns the best cut from the column's histogram, its numbers of rows by code (if
// countsRows) and its class totals by code (if needsTotals).
func (s *splitter) bestCut(n *node, column int, h *Histogram) candidate {
	bins := s.Mapper.Features[column].Codes()
	best := candidate{score: math.Inf(-1), exact: true}
	switch {
	case s.categorical(column):
		w := &s.workers[0]
		w.subsets.Subsets = s.subsets
		w.subsets.load(h, bins, kernel.TileLanes, 0, s.job.Pairs)
		return w.subsets.findSet(s.kernels, &s.job, &s.counts, s.minSamples)
	case s.searchesCuts(n, column):
		return s.allowedCut(n, column, h)
	case s.minSamples > 1:
		s.scanCounted(n, h, bins, false, &best)
		if s.counts[0] > 0 {
			s.scanCounted(n, h, bins, true, &best)
		}
		best.next = s.nextCounted(best.bin, bins)
		return best
	}
	if job := s.scanColumn(h, bins); job.Score[0] > best.score {
		best.score, best.bin, best.missingLeft = job.Score[0], int(job.Bin[0]), job.MissingLeft[0]
	}
	best.next = h.nextFilled(best.bin, bins, kernel.TileLanes, 0, s.job.Pairs)
	return best
}

// scanColumn scans the first bins of a one-tile histogram of one column.
func (s *splitter) scanColumn(h *Histogram, bins int) *kernel.ScanJob {
	job := &s.workers[0].scan
	*job = s.job
	job.Bins = bins
	h.lend(job)
	s.kernels.Scan(job)
	return job
}

// scanCounted replaces best by a better cut of a column's histogram that leaves minSamples rows on
// either side, missing values on one. It scans only the bins that hold rows. Bins between which
// no cut is allowed become one.
func (s *splitter) scanCounted(n *node, h *Histogram, bins int, missingLeft bool, best *candidate) {
	least, left := int64(s.minSamples), int64(0)
	merged := s.merged.histogram((bins+1)*kernel.TileLanes, h.wide())
	clearing := merged.tile(0, 2*kernel.TileLanes)
	clearing.clear()
	if missingLeft {
		merged.addBin(1, h, 0)
		left = s.counts[0]
	}
	s.cuts = append(s.cuts[:0], 0)
	for b := 1; b < bins; b++ {
		if s.counts[b] == 0 && b > 1 { // a cut after bin 1 may divide missing values from all others
			continue
		}
		merged.addBin(len(s.cuts), h, b)
		left += s.counts[b]
		if left >= least && int64(n.count)-left >= least {
			s.cuts = append(s.cuts, b)
			clearing = merged.tile(len(s.cuts)*kernel.TileLanes, (len(s.cuts)+1)*kernel.TileLanes)
			clearing.clear()
		}
	}
	if len(s.cuts) == 1 {
		return
	}
	if !missingLeft {
		merged.addBin(len(s.cuts), h, 0)
	}
	s.cuts = append(s.cuts, bins-1) // no cut, unless another machine was lost and the sums are wrong
	if job := s.scanColumn(&merged, len(s.cuts)); job.Score[0] > best.score {
		best.score, best.bin, best.missingLeft = job.Score[0], s.cuts[job.Bin[0]], missingLeft
	}
}

// nextCounted returns the first bin after b that holds rows.
func (s *splitter) nextCounted(b, bins int) int {
	for b++; b < bins && s.counts[b] == 0; b++ {
	}
	return b
}

// addBin adds bin from of a one-tile histogram to bin to of h.
func (h *Histogram) addBin(to int, o *Histogram, from int) {
	to, from = to*kernel.TileLanes, from*kernel.TileLanes
	if h.wide() {
		addCells(h.wideG[to:], o.wideG[from:])
		addCells(h.wideH[to:], o.wideH[from:])
	} else {
		addCells(h.cells[to:], o.cells[from:])
	}
}

func addCells(dst, src []int64) {
	to, from := (*[kernel.TileLanes]int64)(dst), (*[kernel.TileLanes]int64)(src)
	for i := range to {
		to[i] += from[i]
	}
}
