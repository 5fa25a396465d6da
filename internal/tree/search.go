package tree

import (
	"fmt"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// search is the search for the best split of a node over all machines.
type search struct {
	node       *node
	gradients  gradients
	quantized  bool        // gradients are quantized for the rows here
	candidates []candidate // by position in sharding.columns
}

// fillTask fills and packs this machine's histogram for a task.
func (g shared) fillTask(t *task, l *layout) {
	s := &g.evaluator.splitter
	s.gradients = &t.gradients
	s.useLayout(l)
	wide := t.node.count > kernel.SpillRows
	h := s.all.histogram(l.cells, wide)
	s.fillOnly(&h, g.evaluator.teamFor(t.node.rows()))
	n := 0
	for rank := range l.sharding.codes {
		n += t.numbers(l, rank)
	}
	t.filled = h.pack(slices.Grow(take(&g.packed)[:0], n), l.sharding.places, g.Pairs, wide)
}

// layoutOf returns the layout of a task's histogram; nil: it needs none.
func (t *task) layoutOf(whole *layout) *layout {
	if t.share {
		return whole
	}
	return t.node.layout
}

// numbers returns how many numbers a rank receives of a task for the histograms of its columns.
func (t *task) numbers(l *layout, rank int) int {
	n := l.sharding.codes[rank] * l.pairs
	if t.node.count > kernel.SpillRows {
		n *= 2
	}
	return n
}

// searchShared fills the histograms of tasks and finds the splits of all nodes that may be
// split.
func (g shared) searchShared(families []family, tasks []*task) {
	for _, t := range tasks {
		if n := t.node; !t.share && n.layout != nil {
			t.gradients.quantize(n.list, t.gradients.newQuanta(&n.stats, g.Trim, n.weight), g.evaluator.teamFor(n.rows()))
			g.fillTask(t, n.layout)
		}
	}
	tasks = slices.DeleteFunc(tasks, func(t *task) bool { return t.layoutOf(g.layout) == nil })
	if len(tasks) == 0 {
		return
	}
	sums := g.reduceScatter(tasks)
	var searches []*search
	for i := range families {
		searches = append(searches, g.scanFamily(&families[i], tasks, sums)...)
	}
	g.shareCandidates(searches)
	if g.group.Err() != nil {
		return // no splits
	}
	g.chooseSplits(searches)
	for _, s := range searches {
		s.node.quanta, s.node.sumG, s.node.sumH = s.gradients.quanta, s.gradients.sumG, s.gradients.sumH
	}
}

// reduceScatter returns by task the sums over all ranks: of the gradients, then of this rank's
// columns.
func (g shared) reduceScatter(tasks []*task) map[*task][]int64 {
	counts := make([]int, g.group.Size())
	n := 0
	for _, t := range tasks {
		n += 2*g.Pairs*len(counts) + len(t.filled)
	}
	v := slices.Grow(g.sent[:0], n)
	at := make([]int, len(tasks)) // by task: where the part of the next rank starts
	for rank := range counts {
		before := len(v)
		for i, t := range tasks {
			v = append(append(v, t.gradients.sumG[:g.Pairs]...), t.gradients.sumH[:g.Pairs]...)
			n := t.numbers(t.layoutOf(g.layout), rank)
			v, at[i] = append(v, t.filled[at[i]:][:n]...), at[i]+n
		}
		counts[rank] = len(v) - before
	}
	for _, t := range tasks {
		g.packed = append(g.packed, t.filled)
	}
	g.sent = v
	part := g.group.SumPart(v, counts)
	sums := make(map[*task][]int64)
	for _, t := range tasks {
		n := 2*g.Pairs + t.numbers(t.layoutOf(g.layout), g.group.Rank())
		sums[t], part = part[:n], part[n:]
	}
	return sums
}

// scanFamily finds the best cut of each of this rank's columns in the children of a family.
func (g shared) scanFamily(f *family, tasks []*task, sums map[*task][]int64) (searches []*search) {
	own := func(n *node) {
		for _, t := range tasks {
			if t.node == n && !t.share && n.layout != nil {
				g.keepHistogram(n)
				searches = append(searches, g.scanTask(t, sums[t], n.histogram))
			}
		}
	}
	if f.share == nil {
		for _, n := range f.children() {
			own(n)
		}
		return searches
	}
	n, large, small, share := f.parent, f.large, f.small, f.share.node
	share.histogram = g.pool.GetUnbounded(share.count)
	rest := search{node: large, gradients: g.evaluator.gradients}
	f.share.receive(sums[f.share], share.histogram, g.layout)
	large.histogram, n.histogram = n.histogram, nil
	if len(share.histogram.cells) > 0 {
		large.histogram.subtract(g.kernels, share.histogram)
	}
	large.quanta = n.quanta
	rest.gradients.quanta, rest.gradients.sumG, rest.gradients.sumH = n.quanta, large.sumG, large.sumH
	g.scan(&rest, large.histogram)
	searches = append(searches, &rest)
	switch {
	case share != small:
		g.release(share)
		own(small)
	case small.layout != nil:
		s := &search{node: small, gradients: f.share.gradients, quantized: true}
		g.scan(s, small.histogram)
		searches = append(searches, s)
	}
	return searches
}

// scanTask finds the best cuts of a task's node in the sums of all ranks.
func (g shared) scanTask(t *task, sums []int64, h *Histogram) *search {
	l := t.node.layout
	if h == nil {
		own := g.evaluator.splitter.all.histogram(l.sharding.own.cells, t.node.count > kernel.SpillRows)
		h = &own
	}
	t.receive(sums, h, l)
	s := &search{node: t.node, gradients: t.gradients, quantized: true}
	g.scan(s, h)
	return s
}

// receive unpacks what reduceScatter returned for a task.
func (t *task) receive(sums []int64, h *Histogram, l *layout) {
	m := l.pairs
	copy(t.gradients.sumG[:m], sums[:m])
	copy(t.gradients.sumH[:m], sums[m:2*m])
	h.unpack(sums[2*m:], l.sharding.ownPlace, m, t.node.count > kernel.SpillRows)
}

// scan finds the best cut of each of this rank's columns.
func (g shared) scan(s *search, h *Histogram) {
	splitter, d := &g.evaluator.splitter, s.node.layout.sharding
	splitter.gradients = &s.gradients
	splitter.useLayout(d.own)
	splitter.setJob()
	g.evaluator.teamFor(s.node.rows()).Do(len(d.own.tiles), func(worker, i int) {
		w := &splitter.workers[worker]
		w.scan = splitter.job
		t := &d.own.tiles[i]
		cells := h.tile(t.firstCell, t.endCell())
		splitter.scan(s.node, t, &cells, t.firstCell, w)
	})
	s.candidates = make([]candidate, len(d.columns))
	of := make(map[int]candidate, len(d.own.columns))
	for i, c := range d.own.columns {
		of[c] = splitter.best[i]
	}
	first := len(d.columns[:d.ends[g.group.Rank()]]) - len(of)
	for i, c := range d.columnsOf(g.group.Rank()) {
		s.candidates[first+i] = of[c]
	}
}

// shareCandidates sends all ranks the best cuts of all columns.
func (g shared) shareCandidates(searches []*search) {
	if len(searches) == 0 {
		return
	}
	var mine []uint64
	each := func(rank int, do func(c *candidate, categorical bool)) {
		for _, s := range searches {
			d := s.node.layout.sharding
			first := d.ends[rank] - len(d.columnsOf(rank))
			for i, c := range d.columnsOf(rank) {
				do(&s.candidates[first+i], g.Mapper.Features[c].Categorical)
			}
		}
	}
	each(g.group.Rank(), func(c *candidate, categorical bool) { mine = c.pack(mine, categorical) })
	all := g.group.Gather(collective.Pack(mine), 8)
	for rank := range all {
		theirs, need := collective.Unpack(all[rank]), 0
		each(rank, func(_ *candidate, categorical bool) { need += candidateWords(categorical) })
		if len(theirs) != need {
			g.group.Abort(fmt.Errorf("rank %d has given %d numbers for its candidates, must give %d", rank, len(theirs), need))
			break
		}
		each(rank, func(c *candidate, categorical bool) { theirs = c.unpack(theirs, categorical) })
	}
}

// candidateWords returns the length of a packed candidate.
func candidateWords(categorical bool) int {
	if categorical {
		return 2 + len(model.Set{})
	}
	return 2
}

// pack appends a candidate to v.
func (c *candidate) pack(v []uint64, categorical bool) []uint64 {
	flags := uint64(c.bin) | uint64(c.next)<<16
	for i, flag := range []bool{c.missingLeft, c.exact, c.subset} {
		if flag {
			flags |= 1 << (32 + i)
		}
	}
	v = append(v, math.Float64bits(c.score), flags)
	if categorical {
		v = append(v, c.set[:]...)
	}
	return v
}

// unpack sets c to the first candidate of v, and returns the rest of v.
func (c *candidate) unpack(v []uint64, categorical bool) []uint64 {
	flags := v[1]
	*c = candidate{
		score: math.Float64frombits(v[0]), bin: int(flags & 0xffff), next: int(flags >> 16 & 0xffff),
		missingLeft: flags>>32&1 > 0, exact: flags>>33&1 > 0, subset: flags>>34&1 > 0,
	}
	if categorical {
		copy(c.set[:], v[2:])
	}
	return v[candidateWords(categorical):]
}

// chooseSplits chooses the best splits. While a column that may be the best is known in coarse
// bins only, or without the numbers of rows, all ranks refine it together.
func (g shared) chooseSplits(searches []*search) {
	for len(searches) > 0 {
		var v []int64
		var refined [][]int // by open search: positions of the columns to refine
		open := searches[:0:0]
		for _, s := range searches {
			splitter := g.splitterOf(s)
			columns := slices.Clone(splitter.unresolved(s.node))
			if len(columns) == 0 {
				s.node.split = splitter.split(s.node)
				continue
			}
			open, refined = append(open, s), append(refined, columns)
			for _, c := range columns {
				g.quantizeRest(s)
				v = splitter.packColumn(v, s.node, splitter.columns[c], g.evaluator.teamFor(s.node.rows()))
			}
		}
		g.group.Sum(v)
		for i, s := range open {
			splitter := g.splitterOf(s)
			for _, c := range refined[i] {
				v = splitter.unpackColumn(v, s.node, c)
			}
		}
		searches = open
	}
}

// splitterOf returns the splitter, set to a node's candidates.
func (g shared) splitterOf(s *search) *splitter {
	splitter := &g.evaluator.splitter
	splitter.gradients, splitter.best = &s.gradients, s.candidates
	splitter.layout = &layout{columns: s.node.layout.sharding.columns}
	splitter.setJob()
	return splitter
}

// quantizeRest quantizes the gradients of the rows here of a node that inherited its histogram.
func (g shared) quantizeRest(s *search) {
	if s.quantized {
		return
	}
	s.quantized = true
	n, team := s.node, g.evaluator.teamFor(s.node.rows())
	s.gradients.bind(n.start, n.end)
	s.gradients.compute(n.list, n.pairs, team)
	s.gradients.quantize(n.list, s.gradients.quanta, team)
	s.gradients.sumG, s.gradients.sumH = n.sumG, n.sumH
}

// packColumn appends the sums over the rows here of a column: its histogram in all bins and,
// where needed, the numbers of rows and the class totals by code.
func (s *splitter) packColumn(v []int64, n *node, column int, team *par.Team) []int64 {
	h := s.fillColumn(n, column, team)
	codes, m := s.Mapper.Features[column].Codes(), s.gradients.pairs
	v = h.pack(v, [][3]int{{0, kernel.TileLanes, codes}}, m, h.wide())
	if s.countsRows(n, column) {
		v = append(v, s.counts[:codes]...)
	}
	if s.needsTotals(n, column) {
		v = append(v, s.sumCodes(n.list, column)...)
	}
	return v
}

// unpackColumn makes a candidate exact with the sums of packColumn over all machines. It returns
// the rest of v.
func (s *splitter) unpackColumn(v []int64, n *node, c int) []int64 {
	column := s.columns[c]
	s.growParts(1)
	h := s.columnHistogram(&s.parts[0], n, column)
	codes, m := s.Mapper.Features[column].Codes(), s.gradients.pairs
	v = h.unpack(v, [][3]int{{0, kernel.TileLanes, codes}}, m, h.wide())
	if s.countsRows(n, column) {
		clear(s.counts[copy(s.counts[:], v[:codes]):])
		v = v[codes:]
	}
	if s.needsTotals(n, column) {
		v = v[copy(s.codeTotals(codes), v):]
	}
	s.best[c] = s.bestCut(n, column, &h)
	return v
}
