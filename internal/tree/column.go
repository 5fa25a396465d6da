package tree

import (
	"math"

	"github.com/libaoso/aoso/kernel"
)

// exactCut returns the best cut of a column in all its bins that leaves minSamples rows on
// either side.
func (s *splitter) exactCut(n *node, column int) candidate {
	h := s.fillColumn(n, column)
	var counts [kernel.MaxBins]int64
	if s.countsRows(n, column) {
		counts = s.count(n.list, column)
	}
	if s.needsTotals(n, column) {
		s.sumCodes(n.list, column)
	}
	return s.bestCut(n, column, &h, &counts)
}

// fillColumn returns the histogram of a column in all its bins.
func (s *splitter) fillColumn(n *node, column int) Histogram {
	one := splitter{kernels: s.kernels, gradients: s.gradients}
	one.Coarse, one.layout = s.Matrix, s.layoutOf(column)
	h := s.columnHistogram(n, column)
	one.fillGroup(&group{0, 1, nil, nil}, &h, &s.workers[0], 1)
	return h
}

// columnHistogram returns a histogram, not cleared, that can hold all bins of a column.
func (s *splitter) columnHistogram(n *node, column int) Histogram {
	return s.column.histogram(s.Mapper.Features[column].Codes()*kernel.TileLanes, n.count > kernel.SpillRows)
}

// layoutOf returns the layout of a column in all its bins.
func (s *splitter) layoutOf(column int) *layout {
	t := tile{0, 1, 0, s.Mapper.Features[column].Codes(), kernel.TileLanes, nil}
	return &layout{columns: []int{column}, tiles: []tile{t}}
}

// countsRows reports whether the number of rows in each bin is needed to find the cuts of a
// node's column.
func (s *splitter) countsRows(n *node, column int) bool {
	return s.minSamples > 1 || s.categorical(column) || s.searchesCuts(n, column)
}

// bestCut returns the best cut from the column's histogram, its numbers of rows by code (if
// countsRows) and its class totals by code (if needsTotals).
func (s *splitter) bestCut(n *node, column int, h *Histogram, counts *[kernel.MaxBins]int64) candidate {
	w := &s.workers[0]
	l := s.layoutOf(column)
	t := &l.tiles[0]
	switch {
	case s.categorical(column):
		w.subsets.Subsets = s.subsets
		w.subsets.load(h, t.bins, t.stride, 0, s.job.Pairs)
		return w.subsets.findSet(s.kernels, &s.job, counts, s.minSamples)
	case s.searchesCuts(n, column):
		return s.allowedCut(n, column, h, counts)
	case s.minSamples > 1:
		return s.bestCounted(n, column, h, counts)
	}
	one := splitter{kernels: s.kernels, gradients: s.gradients, minSamples: 1, params: s.params, best: make([]candidate, 1)}
	one.CoarseMapper, one.Mapper, one.layout = s.Mapper, s.Mapper, l
	w.scan = s.job
	one.scan(n, t, h, 0, w)
	return one.best[0]
}

// count counts rows by their codes in a column.
func (s *splitter) count(rows []uint32, column int) (counts [kernel.MaxBins]int64) {
	codes := s.Matrix.Columns[column]
	for _, row := range rows {
		counts[codes[row]]++
	}
	return counts
}

// bestCounted returns the best cut of a column's histogram among those that leave minSamples
// rows on either side.
func (s *splitter) bestCounted(n *node, column int, all *Histogram, counts *[kernel.MaxBins]int64) candidate {
	least := int64(s.minSamples)
	bins := s.Mapper.Features[column].Codes()
	best := candidate{score: math.Inf(-1), exact: true}
	for _, missingLeft := range []bool{false, true} {
		if missingLeft && counts[0] == 0 {
			break
		}
		left := int64(0)
		if missingLeft {
			left = counts[0]
		}
		low, high := 0, 0 // allowed cuts: low ≤ bin ≤ high
		for b := 1; b < bins; b++ {
			left += counts[b]
			if left >= least && int64(n.count)-left >= least {
				if low == 0 {
					low = b
				}
				high = b
			}
		}
		if low == 0 {
			continue
		}
		// Bins that must stay together become one; missing values join the end on their side. So
		// only the allowed cuts have rows on both sides.
		merged := s.merged.histogram((bins+1)*kernel.TileLanes, all.wide())
		merged.clear()
		for b := range bins {
			to := min(max(b, low), high+1)
			if b == 0 && !missingLeft {
				to = high + 1
			}
			merged.addBin(to, all, b)
		}
		scan := s.job
		scan.Bins = bins + 1
		if all.wide() {
			scan.WideG, scan.WideH = merged.wideG, merged.wideH
		} else {
			scan.Tile = merged.cells
		}
		s.kernels.Scan(&scan)
		if scan.Score[0] > best.score {
			best.score, best.bin, best.missingLeft = scan.Score[0], int(scan.Bin[0]), missingLeft
		}
	}
	for best.next = best.bin + 1; best.next < bins && counts[best.next] == 0; best.next++ {
	}
	return best
}

// addBin adds bin from of a one-tile histogram to bin to of h.
func (h *Histogram) addBin(to int, o *Histogram, from int) {
	add := func(dst, src []int64) {
		if dst == nil {
			return
		}
		for i := range kernel.TileLanes {
			dst[to*kernel.TileLanes+i] += src[from*kernel.TileLanes+i]
		}
	}
	add(h.cells, o.cells)
	add(h.wideG, o.wideG)
	add(h.wideH, o.wideH)
}
