package tree

import (
	"cmp"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
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

	*layout
	job     kernel.ScanJob // what the scans of all tiles have in common
	best    []candidate    // by position in layout.columns
	workers []worker
	parts   []part
	column  scratch // of one column, in all its bins
	merged  scratch
}

// worker is what a worker of the team has to itself. Its jobs are here rather
// than on the stack, from where a kernel's job would become garbage.
type worker struct {
	memory  scratch
	joint   []int64 // histograms of joint columns
	columns kernel.HistogramJob
	sparse  kernel.SparseJob
	scan    kernel.ScanJob
}

// part is the histogram of a part of a node's rows.
type part struct {
	Histogram
	memory scratch
}

// candidate is the best cut of one column.
type candidate struct {
	score       float64
	bin         int // value bins up to it go left
	next        int // the first bin after it that holds rows, if exact
	missingLeft bool
	exact       bool // the best of all bins that leave min samples on both sides
}

// layout says where the histograms of a set of columns lie: a tile holds those
// of a few columns side by side, bin by bin, and a group of tiles is filled
// at once.
type layout struct {
	columns []int
	tiles   []tile
	groups  []group
	cells   int
}

type tile struct {
	firstColumn, endColumn int
	firstCell, bins        int
	stride                 int     // cells from bin to bin
	defaults               []uint8 // of a sparse tile: codes that filling leaves out
}

// group is tiles that are filled at once: those of a sparse group, of joint
// columns (one tile of first features, then one of second ones, and so on), or
// of plain columns.
type group struct {
	firstTile, endTile int
	sparse             *bin.Sparse
	joint              []*bin.Joint
}

func (t *tile) endCell() int { return t.firstCell + t.bins*t.stride }

// newLayout puts sparse groups first, if all their features are among the
// columns, then joint columns likewise, then columns of alike numbers of bins
// into common tiles.
func newLayout(x *bin.Matrix, m *bin.Mapper, columns []int, pairs, cacheBytes int) *layout {
	l := &layout{}
	left := make([]bool, len(x.Columns)) // columns not yet laid out
	for _, c := range columns {
		left[c] = true
	}
	for _, s := range x.Sparse {
		if slices.ContainsFunc(s.Columns, func(c int) bool { return !left[c] }) {
			continue
		}
		for _, c := range s.Columns {
			left[c] = false
		}
		l.groups = append(l.groups, group{len(l.tiles), len(l.tiles), s, nil})
		for i, bins := range s.Bins {
			c := i * bin.SparseWidth
			end := min(c+bin.SparseWidth, len(s.Columns))
			first := len(l.columns)
			l.columns = append(l.columns, s.Columns[c:end]...)
			l.addTile(tile{first, len(l.columns), l.cells, bins, bin.SparseWidth * pairs, s.Default[c:end]})
		}
	}
	l.addJoint(x, left, pairs, cacheBytes)
	dense := slices.DeleteFunc(slices.Clone(columns), func(c int) bool { return !left[c] })
	codes := func(c int) int { return m.Features[c].Codes() }
	slices.SortStableFunc(dense, func(a, b int) int { return cmp.Compare(codes(b), codes(a)) })
	for len(dense) > 0 {
		n := min(kernel.TileLanes/pairs, len(dense))
		first := len(l.columns)
		l.columns = append(l.columns, dense[:n]...)
		t := tile{first, first + n, l.cells, codes(dense[0]), kernel.TileLanes, nil}
		if last := len(l.groups) - 1; last < 0 || !l.groups[last].takes(l, &t, cacheBytes) {
			l.groups = append(l.groups, group{len(l.tiles), len(l.tiles), nil, nil})
		}
		l.addTile(t)
		dense = dense[n:]
	}
	return l
}

// addJoint lays out the joint columns whose features are both still left.
func (l *layout) addJoint(x *bin.Matrix, left []bool, pairs, cacheBytes int) {
	width := kernel.TileLanes / pairs
	most := max(width, min(kernel.TileLanes, cacheBytes/(8*jointCells)*width))
	var joint []*bin.Joint
	for _, c := range x.Joint {
		if left[c.First] && left[c.Second] {
			left[c.First], left[c.Second] = false, false
			joint = append(joint, c)
		}
	}
	for together := range slices.Chunk(joint, most) {
		l.groups = append(l.groups, group{len(l.tiles), len(l.tiles), nil, together})
		for side := range slices.Chunk(together, width) {
			n := len(side)
			first := len(l.columns)
			for _, c := range side {
				l.columns = append(l.columns, c.First)
			}
			for _, c := range side {
				l.columns = append(l.columns, c.Second)
			}
			l.addTile(tile{first, first + n, l.cells, bin.JointBins + 1, kernel.TileLanes, nil})
			l.addTile(tile{first + n, first + 2*n, l.cells, bin.JointBins + 1, kernel.TileLanes, nil})
		}
	}
}

// jointCells is the cells of a tile of joint columns.
const jointCells = bin.JointBins * bin.JointBins * kernel.TileLanes

// addTile adds a tile to the last group.
func (l *layout) addTile(t tile) {
	g := &l.groups[len(l.groups)-1]
	l.tiles = append(l.tiles, t)
	g.endTile++
	l.cells = t.endCell()
}

// takes tells whether a tile can be filled along with the group: its columns
// fit one job, and the histograms the cache.
func (g *group) takes(l *layout, t *tile, cacheBytes int) bool {
	first := &l.tiles[g.firstTile]
	return g.sparse == nil && g.joint == nil && t.endColumn-first.firstColumn <= kernel.TileLanes && (t.endCell()-first.firstCell)*8 <= cacheBytes
}

// use makes the columns of a layout those that are searched.
func (s *splitter) use(l *layout) {
	s.layout = l
	s.best = slices.Grow(s.best[:0], len(l.columns))[:len(l.columns)]
}

// find returns the best split of the node whose gradients were last
// quantized. With h, its histograms go there; with sibling, h is its parent's,
// and what sibling leaves of it is the node's.
func (s *splitter) find(rows []uint32, h, sibling *Histogram, team *par.Team) SplitInfo {
	s.setJob()
	wide := len(rows) > kernel.SpillRows
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
			s.scan(&s.tiles[t], &part, first, &w.scan)
		}
	})
	return s.choose(rows)
}

// fillOnly fills h without looking for a split.
func (s *splitter) fillOnly(h *Histogram, team *par.Team) {
	parts := s.fillParts(h.wide(), team)
	team.Do(len(s.groups), func(number, i int) {
		g := &s.groups[i]
		part := h.tile(s.tiles[g.firstTile].firstCell, s.tiles[g.endTile-1].endCell())
		s.fillGroup(g, &part, &s.workers[number], parts)
	})
}

// fillParts fills, where there are too few groups to occupy the team, a
// histogram for each of several parts of the rows. It returns their number; 1:
// nothing was done.
func (s *splitter) fillParts(wide bool, team *par.Team) int {
	parts := team.Workers()
	rows, cells := s.gradients.packed()
	if parts == 1 || len(s.groups) >= 2*parts || len(rows)*len(s.columns) < 4*parts*s.cells {
		return 1
	}
	for len(s.parts) < parts {
		s.parts = append(s.parts, part{})
	}
	for i := range s.parts[:parts] {
		s.parts[i].Histogram = s.parts[i].memory.histogram(s.cells, wide)
	}
	m := s.gradients.pairs
	team.Do(parts*len(s.groups), func(number, i int) {
		g, k := &s.groups[i%len(s.groups)], i/len(s.groups)
		part := s.parts[k].tile(s.tiles[g.firstTile].firstCell, s.tiles[g.endTile-1].endCell())
		part.clear()
		first, end := len(rows)*k/parts, len(rows)*(k+1)/parts
		s.fill(g, &part, &s.workers[number], rows[first:end], cells[first*m:end*m])
	})
	return parts
}

// fillGroup fills the histograms of a group, from the parts if there are any.
func (s *splitter) fillGroup(g *group, part *Histogram, w *worker, parts int) {
	part.clear()
	if parts > 1 {
		for i := range s.parts[:parts] {
			share := s.parts[i].tile(s.tiles[g.firstTile].firstCell, s.tiles[g.endTile-1].endCell())
			part.add(&share)
		}
	} else {
		rows, cells := s.gradients.packed()
		s.fill(g, part, w, rows, cells)
	}
	if g.sparse != nil {
		s.complete(g, part)
	}
}

// fill adds packed gradients to the histograms of a group, of which a sparse
// one is then to be completed.
func (s *splitter) fill(g *group, part *Histogram, w *worker, rows []uint32, cells []int64) {
	m := s.gradients.pairs
	joint := g.joint != nil && len(rows) >= leastJoint*m
	for len(rows) > 0 {
		n := min(len(rows), kernel.SpillRows)
		switch {
		case g.sparse != nil:
			w.sparse = kernel.SparseJob{
				First: g.sparse.First, Entries: g.sparse.Entries, Histogram: part.cells,
				Rows: rows[:n], Cells: cells[:n*m], Pairs: m,
			}
			s.kernels.Sparse(&w.sparse)
		case joint:
			s.fillJoint(g, part, w, rows[:n], cells[:n*m])
		default:
			s.fillColumns(g, part, w, rows[:n], cells[:n*m])
		}
		rows, cells = rows[n:], cells[n*m:]
		if part.wide() {
			s.kernels.Spill(part.wideG, part.wideH, part.cells)
		}
	}
}

// fillColumns fills the tiles of a group column by column, as many at once as
// one job holds.
func (s *splitter) fillColumns(g *group, part *Histogram, w *worker, rows []uint32, cells []int64) {
	m := s.gradients.pairs
	base := s.tiles[g.firstTile].firstCell
	job := &w.columns
	*job = kernel.HistogramJob{Pairs: m, Rows: rows, Cells: cells}
	for i := g.firstTile; i < g.endTile; i++ {
		t := &s.tiles[i]
		for c := t.firstColumn; c < t.endColumn; c++ {
			job.Columns[job.Count] = s.Coarse.Columns[s.columns[c]]
			job.Histograms[job.Count] = part.cells[t.firstCell-base+(c-t.firstColumn)*m:]
			job.Count++
		}
		if i+1 == g.endTile || job.Count+s.tiles[i+1].endColumn-s.tiles[i+1].firstColumn > kernel.TileLanes {
			s.kernels.Histogram(job)
			job.Count = 0
		}
	}
}

// leastJoint times the pairs is the number of rows from which the updates that
// joint columns save pay for summing their histograms up. Measured on Letter: a tree
// takes 9 % less time with one pair and 13 % less with four, alike from 32 to
// 256.
const leastJoint = 128

// fillJoint fills the histograms of joint columns and sums them up into those
// of their features, whose former contents are lost.
func (s *splitter) fillJoint(g *group, part *Histogram, w *worker, rows []uint32, cells []int64) {
	m := s.gradients.pairs
	width := kernel.TileLanes / m
	tiles := (g.endTile - g.firstTile) / 2
	w.joint = slices.Grow(w.joint[:0], tiles*jointCells)[:tiles*jointCells]
	clear(w.joint)
	job := &w.columns
	*job = kernel.HistogramJob{Pairs: m, Rows: rows, Cells: cells, Count: len(g.joint)}
	for i, c := range g.joint {
		job.Columns[i], job.Histograms[i] = c.Codes, w.joint[i/width*jointCells+i%width*m:]
	}
	s.kernels.Histogram(job)
	base := s.tiles[g.firstTile].firstCell
	const row = bin.JointBins * kernel.TileLanes // the cells of one bin of the first feature
	for i := range tiles {
		both := w.joint[i*jointCells:][:jointCells]
		bins := func(t *tile) []int64 {
			return part.cells[t.firstCell-base+kernel.TileLanes : t.endCell()-base]
		}
		first, second := bins(&s.tiles[g.firstTile+2*i]), bins(&s.tiles[g.firstTile+2*i+1])
		for a := range bin.JointBins {
			s.kernels.SumBins(first[a*kernel.TileLanes:][:kernel.TileLanes], both[a*row:][:row])
		}
		s.kernels.SumBins(second, both)
	}
}

// complete fills in the bins that sparse groups leave out: they hold what the
// others leave of the node's total.
func (s *splitter) complete(g *group, part *Histogram) {
	m := s.gradients.pairs
	var sums [bin.SparseWidth * kernel.MaxPairs]int64
	base := s.tiles[g.firstTile].firstCell
	for i := g.firstTile; i < g.endTile; i++ {
		t := &s.tiles[i]
		rest := func(cells []int64, total func(p int) int64) {
			cells = cells[t.firstCell-base : t.endCell()-base]
			s.kernels.SumBins(sums[:t.stride], cells)
			for f, code := range t.defaults {
				for p := range m {
					cells[int(code)*t.stride+f*m+p] = total(p) - sums[f*m+p]
				}
			}
		}
		if part.wide() {
			rest(part.wideG, func(p int) int64 { return s.gradients.sumG[p] })
			rest(part.wideH, func(p int) int64 { return s.gradients.sumH[p] })
		} else {
			rest(part.cells, func(p int) int64 { return s.gradients.sumG[p]<<32 + s.gradients.sumH[p] })
		}
	}
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

// unsplit is the score of the node as it is.
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
func (s *splitter) scan(t *tile, part *Histogram, base int, job *kernel.ScanJob) {
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
		s.kernels.Scan(job)
		for f := 0; f < kernel.TileLanes/m && c < t.endColumn; f++ {
			best := candidate{score: job.Score[f], bin: int(job.Bin[f]), missingLeft: job.MissingLeft[f]}
			best.exact = s.minSamples == 1 && !s.coarse(s.columns[c])
			if best.exact && !math.IsInf(best.score, -1) {
				best.next = cells.nextFilled(best.bin, t, f*m, m)
			}
			s.best[c] = best
			c++
		}
	}
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

// coarse tells whether the column has fewer bins here than where it is split.
func (s *splitter) coarse(column int) bool {
	return s.CoarseMapper != s.Mapper && s.CoarseMapper.Features[column].Codes() < s.Mapper.Features[column].Codes()
}

// choose takes the best candidate; the lowest feature wins a tie. Only the
// columns that come first are looked at in all their bins, and their cuts
// counted out, a pass over one column each.
func (s *splitter) choose(rows []uint32) SplitInfo {
	whole := unsplit(&s.job)
	if !slices.ContainsFunc(s.best, func(c candidate) bool { return !math.IsInf(c.score, -1) }) {
		// What is in one coarse bin may be in several of the others.
		for c, column := range s.columns {
			if s.coarse(column) {
				s.best[c] = s.exact(rows, column)
			}
		}
	}
	for {
		best := -1
		for c := range s.best {
			if best < 0 || s.best[c].score > s.best[best].score ||
				s.best[c].score == s.best[best].score && s.columns[c] < s.columns[best] {
				best = c
			}
		}
		// Rounding alone makes gains of some 1e-16 of the score.
		if best < 0 || !(s.best[best].score-whole > max(s.minGain, 1e-12*whole)) {
			return SplitInfo{}
		}
		if !s.best[best].exact {
			s.best[best] = s.exact(rows, s.columns[best])
			continue
		}
		b := &s.best[best]
		feature := &s.Mapper.Features[s.columns[best]]
		return SplitInfo{
			Feature:     s.columns[best],
			Bin:         uint8(feature.CutBetween(b.bin, b.next)),
			MissingLeft: b.missingLeft,
			Gain:        b.score - whole,
		}
	}
}

// exact is a column's best cut of all its bins that leaves minSamples rows on
// either side.
func (s *splitter) exact(rows []uint32, column int) candidate {
	t := tile{0, 1, 0, s.Mapper.Features[column].Codes(), kernel.TileLanes, nil}
	one := splitter{kernels: s.kernels, gradients: s.gradients, minSamples: 1, best: make([]candidate, 1)}
	one.Coarse, one.layout = s.Matrix, &layout{columns: []int{column}, tiles: []tile{t}}
	h := s.column.histogram(t.bins*kernel.TileLanes, len(rows) > kernel.SpillRows)
	one.fillGroup(&group{0, 1, nil, nil}, &h, &s.workers[0], 1)
	if s.minSamples > 1 {
		return s.recount(rows, column, &h)
	}
	job := s.job
	one.scan(&t, &h, 0, &job)
	return one.best[0]
}

// recount finds, in a column's histogram, the best cut among those that leave
// minSamples rows on either side.
func (s *splitter) recount(rows []uint32, column int, all *Histogram) candidate {
	codes := s.Matrix.Columns[column]
	var counts [kernel.MaxBins]int
	for _, row := range rows {
		counts[codes[row]]++
	}
	bins := s.Mapper.Features[column].Codes()
	best := candidate{score: math.Inf(-1), exact: true}
	for _, missingLeft := range []bool{false, true} {
		if missingLeft && counts[0] == 0 {
			break
		}
		left := 0
		if missingLeft {
			left = counts[0]
		}
		low, high := 0, 0 // the cuts allowed: low ≤ bin ≤ high
		for b := 1; b < bins; b++ {
			left += counts[b]
			if left >= s.minSamples && len(rows)-left >= s.minSamples {
				if low == 0 {
					low = b
				}
				high = b
			}
		}
		if low == 0 {
			continue
		}
		// Bins that must stay together become one; missing values join the
		// end on their side; so no cut but the allowed ones has two sides.
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
