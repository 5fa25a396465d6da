package tree

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/kernel"
)

// Monotone constraints hold in each tree, and so in the model: on a split of a constrained
// column, the leaf values of both sides must be in the required order, and all leaves below stay
// on their side of the middle between the two (method "basic" of LightGBM; XGBoost does the
// same).
//
// The kernels search for splits without constraints, so their scores are upper bounds. Where the
// best column is constrained, or the node's leaf values are bounded, the column is searched
// again, cut by cut.

// Monotone constrains leaf values.
type Monotone struct {
	Signs  [][]int8 // by column and class: 1: the value may not fall as the column rises; −1: it may not rise; nil: unconstrained
	Middle bool     // every leaf has a value for each constrained class; else a leaf without one, which counts as 0, may follow, so the bound is 0
}

func (m *Monotone) on(column int) bool { return m != nil && m.Signs[column] != nil }

// monotoneSearch finds the best cut of one column among those that the constraints allow. It
// reuses its memory.
type monotoneSearch struct {
	cuts         []cut
	wideG, wideH []int64
	rows         []uint32
	totals       []int64 // by code: class totals of the rows with codes from 1 to it
	side         []int64
	left, right  []float64
	job          kernel.TotalsJob
}

// cut divides a column in two.
type cut struct {
	bin         int // value bins up to it go left
	missingLeft bool
	g, h        [kernel.MaxPairs]int64 // of the left side
	score       float64
}

// searchesCuts reports whether a column of a node is searched cut by cut.
func (s *splitter) searchesCuts(n *node, column int) bool {
	return n.box != nil && !s.categorical(column) && (s.params.Monotone.on(column) || n.bounded)
}

// needsTotals reports whether a node's column needs class totals by code, from which the leaf
// values of all classes are computed.
func (s *splitter) needsTotals(n *node, column int) bool {
	return s.params.FullLeaf && n.box != nil && s.params.Monotone.on(column)
}

// allowedCut returns the best cut of a column's histogram that the constraints and minSamples
// allow.
func (s *splitter) allowedCut(n *node, column int, h *Histogram) candidate {
	m := &s.monotone
	bins := s.Mapper.Features[column].Codes()
	s.listCuts(n, h, bins)
	s.scoreCuts(n)
	best := candidate{score: math.Inf(-1), exact: true}
	c := m.highest()
	if s.params.Monotone.on(column) && c != nil {
		if s.params.FullLeaf {
			s.accumulate(bins)
		}
		for ; c != nil; c = m.highest() {
			if best.boxes = s.boxes(n, c, s.params.Monotone.Signs[column]); best.boxes != nil {
				break
			}
			c.score = math.Inf(-1)
		}
	}
	if c == nil {
		return best
	}
	best.score, best.bin, best.missingLeft = c.score, c.bin, c.missingLeft
	best.next = s.nextCounted(best.bin, bins)
	return best
}

// highest returns the cut with the highest score, the first of them in a tie; nil: none is left.
func (m *monotoneSearch) highest() *cut {
	var best *cut
	for i := range m.cuts {
		if c := &m.cuts[i]; !math.IsInf(c.score, -1) && (best == nil || c.score > best.score) {
			best = c
		}
	}
	return best
}

// listCuts lists the cuts of a column that leave minSamples rows on either side.
func (s *splitter) listCuts(n *node, h *Histogram, bins int) {
	m, pairs := &s.monotone, s.job.Pairs
	m.cuts = m.cuts[:0]
	sides := []bool{false, true}
	if s.counts[0] == 0 {
		sides = sides[:1]
	}
	cell := func(b, p int) (g, hessian int64) {
		i := b*kernel.TileLanes + p
		if h.wide() {
			return h.wideG[i], h.wideH[i]
		}
		return h.cells[i] >> 32, h.cells[i] & (1<<32 - 1)
	}
	var now cut
	rows := int64(0)
	for b := 1; b < bins; b++ {
		if s.counts[b] == 0 {
			continue
		}
		now.bin, rows = b, rows+s.counts[b]
		for p := range pairs {
			g, hessian := cell(b, p)
			now.g[p] += g
			now.h[p] += hessian
		}
		for _, missingLeft := range sides {
			c, left := now, rows
			if c.missingLeft = missingLeft; missingLeft {
				left += s.counts[0]
				for p := range pairs {
					g, hessian := cell(0, p)
					c.g[p] += g
					c.h[p] += hessian
				}
			}
			if left >= int64(s.minSamples) && int64(n.count)-left >= int64(s.minSamples) {
				m.cuts = append(m.cuts, c)
			}
		}
	}
}

// scoreCuts scores the cuts as the kernels do and, where leaf values are bounded, by the gain of
// steps within the bounds.
func (s *splitter) scoreCuts(n *node) {
	m, pairs := &s.monotone, s.job.Pairs
	const cells = 2 * kernel.TileLanes // no missing values, and one bin of values
	m.wideG, m.wideH = slices.Grow(m.wideG[:0], cells)[:cells], slices.Grow(m.wideH[:0], cells)[:cells]
	scan := s.job
	scan.Bins, scan.Stride, scan.Tile, scan.WideG, scan.WideH = 2, kernel.TileLanes, nil, m.wideG, m.wideH
	for cuts := range slices.Chunk(m.cuts, kernel.TileLanes/pairs) {
		clear(m.wideG)
		clear(m.wideH)
		for f := range cuts {
			copy(m.wideG[kernel.TileLanes+f*pairs:], cuts[f].g[:pairs])
			copy(m.wideH[kernel.TileLanes+f*pairs:], cuts[f].h[:pairs])
		}
		s.kernels.Scan(&scan)
		for f := range cuts {
			cuts[f].score = scan.Score[f]
		}
	}
	if !n.bounded {
		return
	}
	for i := range m.cuts {
		if c := &m.cuts[i]; !math.IsInf(c.score, -1) {
			var g, h [kernel.MaxPairs]int64
			for p := range pairs {
				g[p], h[p] = s.job.TotalG[p]-c.g[p], s.job.TotalH[p]-c.h[p]
			}
			c.score = min(c.score, s.scoreWithin(n, &c.g, &c.h)+s.scoreWithin(n, &g, &h))
		}
	}
}

// scoreWithin returns the gain of steps along the pairs of a node, within its bounds, from the
// sums of some of its rows.
func (s *splitter) scoreWithin(n *node, g, h *[kernel.MaxPairs]int64) (score float64) {
	for p := range s.job.Pairs {
		gradient, hessian := s.sums(p, g[p], h[p])
		t := s.params.Newton.PairWithin(gradient, hessian, n.pairs[p], n.box)
		curved := float64(float64(hessian+s.params.Newton.L2)*t) / 2
		score += float64(t * (gradient - curved))
	}
	return score
}

// sums converts the gradient and the Hessian of a pair from quanta.
func (s *splitter) sums(p int, g, h int64) (gradient, hessian float64) {
	return float64(g) * unit(s.gradients.scaleG[p]), float64(h) * s.job.UnitH[p]
}

// sumCodes sums up the class totals of the rows here by their codes in a column.
func (s *splitter) sumCodes(rows []uint32, column int) []int64 {
	m, r := &s.monotone, s.gradients.residuals
	bins := s.Mapper.Features[column].Codes()
	codes := s.Matrix.Columns[column]
	var ends [kernel.MaxBins]int // where the next row of a code goes
	for _, row := range rows {
		ends[codes[row]]++
	}
	end := 0
	for c, n := range ends {
		ends[c], end = end, end+n
	}
	m.rows = slices.Grow(m.rows[:0], len(rows))[:len(rows)]
	for _, row := range rows {
		m.rows[ends[codes[row]]] = row
		ends[codes[row]]++
	}
	width := 2 * r.Stride
	totals := s.codeTotals(bins)
	clear(totals)
	m.side = slices.Grow(m.side[:0], width)[:width]
	dense, first := r.Form.(*loss.Dense), 0
	for b := range bins {
		sums := totals[b*width:][:width]
		for rows := range slices.Chunk(m.rows[first:ends[b]], kernel.RowBlock) {
			m.job = dense.TotalsJob(rows, m.side)
			dense.Totals(s.kernels, &m.job)
			for i, v := range m.side {
				sums[i] += v
			}
		}
		first = ends[b]
	}
	return totals
}

// codeTotals returns memory for the class totals by code, not cleared.
func (s *splitter) codeTotals(bins int) []int64 {
	m, n := &s.monotone, bins*2*s.gradients.residuals.Stride
	m.totals = slices.Grow(m.totals[:0], n)[:n]
	return m.totals
}

// accumulate makes the class totals by code cumulative, from code 1 on.
func (s *splitter) accumulate(bins int) {
	m, width := &s.monotone, 2*s.gradients.residuals.Stride
	for b := 2; b < bins; b++ {
		for i, v := range m.totals[(b-1)*width : b*width] {
			m.totals[b*width+i] += v
		}
	}
}

// boxes returns the bounds of a node's children after a cut; nil: the cut would break the order
// of their leaf values.
func (s *splitter) boxes(n *node, c *cut, signs []int8) *[2]*loss.Box {
	m, classes := &s.monotone, len(signs)
	m.left, m.right = slices.Grow(m.left[:0], classes)[:classes], slices.Grow(m.right[:0], classes)[:classes]
	if s.params.FullLeaf {
		s.fullValues(n, c)
	} else {
		s.pairValues(n, c)
	}
	for k, sign := range signs {
		if float64(sign)*(m.right[k]-m.left[k]) < 0 {
			return nil
		}
	}
	boxes := [2]*loss.Box{n.box.Clone(), n.box.Clone()}
	for k, sign := range signs {
		if sign == 0 {
			continue
		}
		low, high := boxes[0], boxes[1] // the sides where class k has the lower values and the higher ones
		if sign < 0 {
			low, high = high, low
		}
		middle := 0.0
		if s.params.Monotone.Middle {
			middle = (m.left[k] + m.right[k]) / 2
		}
		low.High[k] = min(low.High[k], middle)
		high.Low[k] = max(high.Low[k], middle)
	}
	return &boxes
}

// fullValues computes the leaf values of all classes on both sides of a cut.
func (s *splitter) fullValues(n *node, c *cut) {
	m, r := &s.monotone, s.gradients.residuals
	width := 2 * r.Stride
	m.side = append(m.side[:0], m.totals[c.bin*width:][:width]...)
	left := m.side
	if c.missingLeft {
		for i, v := range m.totals[:width] {
			left[i] += v
		}
	}
	t := loss.Totals{Gradient: left[:r.Stride], Hessian: left[r.Stride:]}
	s.params.Newton.FullLeafWithin(m.left, &t, r.Units.Sums, n.box)
	t.Sub(n.totals, &t)
	s.params.Newton.FullLeafWithin(m.right, &t, r.Units.Sums, n.box)
}

// pairValues computes the leaf values on both sides of a cut if each side steps along the node's
// pairs.
func (s *splitter) pairValues(n *node, c *cut) {
	m := &s.monotone
	clear(m.left)
	clear(m.right)
	for p, pair := range n.pairs {
		for side, values := range [][]float64{m.left, m.right} {
			g, h := c.g[p], c.h[p]
			if side == 1 {
				g, h = s.job.TotalG[p]-g, s.job.TotalH[p]-h
			}
			gradient, hessian := s.sums(p, g, h)
			t := s.params.Newton.PairWithin(gradient, hessian, pair, n.box)
			if int(pair.R) < len(values) {
				values[pair.R] = t
			}
			if int(pair.S) < len(values) {
				values[pair.S] = -t
			}
		}
	}
}
