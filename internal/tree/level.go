package tree

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/hash"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/kernel"
)

// A symmetric tree grows level by level: one test splits all nodes of a level (R. Kohavi and C. Li, Oblivious decision
// trees, graphs, and top-down pruning, 1995). Every node has class pairs of its own; the test is the one with the largest
// sum of gains over all nodes. Only coarse bins are searched: finer ones fit noise. A node of which the test would leave too
// few rows on one side is not split at that level.

// growLevels grows a symmetric tree and returns its leaves.
func (g *Grower) growLevels(root *node) []*node {
	level, families := []*node{root}, []family{{large: root}}
	g.reducer.count(g.evaluator, families)
	for depth := 1; 1<<depth <= g.Leaves && (g.MaxDepth == 0 || depth <= g.MaxDepth) && len(families) > 0; depth++ {
		passes := g.startLevel(level, families)
		split := g.findTest(passes)
		g.tasks = append(g.tasks, passes...)
		if split.Gain == 0 {
			break
		}
		level, families = g.splitLevel(level, split, passes[0].node.pairs)
	}
	return level
}

// voters is the least weight of a node that votes, times the number of nodes, as a share of the weight of a level. Nodes of less weight, which
// the model predicts nearly right, take much of the time and would hardly change the test.
const voters = 0.02

// startLevel sets the columns of the nodes of a level that vote on its test and the pairs of the new ones among them, and quantizes
// their gradients.
func (g *Grower) startLevel(level []*node, families []family) (passes []*task) {
	e := g.evaluator
	whole := 0.0
	for _, n := range level {
		whole += n.totals.Size()
	}
	var columns *layout
	for _, n := range level {
		n.layout = nil
		if g.maySplit(n) && n.totals.Size()*float64(len(level)) >= voters*whole {
			if columns == nil {
				columns = g.layoutFor(n, &e.drawn[0])
			}
			n.layout = columns
		}
	}
	for i := range families {
		for _, n := range families[i].children() {
			n.pairs = g.fixed
		}
	}
	if g.fixed == nil {
		g.reducer.choosePairs(e, families)
	}
	for _, n := range level {
		if n.layout == nil {
			continue
		}
		if n.pairs == nil {
			e.form.choosePairs(n, e.teamFor(n.rows()))
		}
		passes = append(passes, g.newTask(n))
	}
	if g.Selection == loss.Root {
		g.fixed = level[0].pairs
	}
	for _, t := range g.reducer.shareStats(passes) {
		n := t.node
		if g.group == nil {
			n.weight = e.weight(n)
		}
		t.gradients.quantize(n.list, t.gradients.newQuanta(&n.stats, g.Trim, n.weight), e.teamFor(n.rows()))
	}
	return passes
}

// newTask computes the gradients of a node's rows along its pairs.
func (g *Grower) newTask(n *node) *task {
	t := take(&g.tasks)
	if t == nil {
		t = new(task)
	}
	*t = task{node: n, gradients: g.evaluator.gradients}
	t.gradients.bind(n.start, n.end)
	n.stats = t.gradients.compute(n.list, n.pairs, g.evaluator.teamFor(n.rows()))
	g.evaluator.gradients.blocks = t.gradients.blocks // all tasks share this memory
	return t
}

// levelScores sums up the scores of the cuts of all nodes of a level, by cell of their histograms.
type levelScores struct {
	right, left []float64 // of cuts with missing values going right, left
	codes       []float64 // of one code against all others, for categorical columns; moved up by TileLanes
	whole       float64   // of the nodes without a split
}

// clear prepares for histograms of a number of cells.
func (s *levelScores) clear(cells int) {
	for _, v := range []*[]float64{&s.right, &s.left, &s.codes} {
		*v = slices.Grow((*v)[:0], cells+kernel.TileLanes)[:cells+kernel.TileLanes]
		clear(*v)
	}
	s.whole = 0
}

// findTest returns the best test for the nodes of all passes. Gain 0: there is none.
func (g *Grower) findTest(passes []*task) (best SplitInfo) {
	if len(passes) == 0 {
		return best
	}
	s, l := &g.evaluator.splitter, passes[0].node.layout
	s.useLayout(l)
	g.scores.clear(l.cells)
	var h Histogram
	addTile := func(worker, i int) { s.addCuts(&g.scores, &h, &l.tiles[i], &s.workers[worker]) }
	for _, t := range passes {
		team := g.evaluator.teamFor(t.node.rows())
		h, s.gradients = s.all.histogram(l.cells, t.node.count > kernel.SpillRows), &t.gradients
		s.fillOnly(&h, team)
		g.reducer.sum(&h, l, &t.gradients)
		s.setJob()
		g.scores.whole += unboundedScore(&s.job)
		team.Do(len(l.tiles), addTile)
	}
	for i := range l.tiles {
		t := &l.tiles[i]
		for c := t.firstColumn; c < t.endColumn; c++ {
			at, column := t.firstCell+(c-t.firstColumn)*g.Pairs, l.columns[c]
			o := g.bestTest(column, at, t.stride)
			if o.Gain > best.Gain || o.Gain == best.Gain && o.Feature < best.Feature {
				best = o
			}
		}
	}
	if best.Gain > 0 {
		best.Bin = g.Mapper.Features[best.Feature].Fine(&g.CoarseMapper.Features[best.Feature], best.Bin)
	}
	return best
}

// addCuts adds the scores of the cuts of a tile of a node's histogram.
func (s *splitter) addCuts(to *levelScores, h *Histogram, t *tile, w *worker) {
	columns := s.columns[t.firstColumn:t.endColumn]
	missing := slices.ContainsFunc(columns, func(c int) bool { return s.Mapper.Features[c].Missing })
	categorical := slices.ContainsFunc(columns, s.categorical)
	for first := t.firstCell; first < t.firstCell+t.stride; first += kernel.TileLanes {
		last := first + (t.bins-1)*t.stride + kernel.TileLanes
		part := h.tile(first, last)
		job := &w.cuts
		*job = kernel.AddCutsJob{ScanJob: s.job, Right: to.right[first:last]}
		if missing {
			job.Left = to.left[first:last]
		}
		job.Bins, job.Stride = t.bins, t.stride
		part.lend(&job.ScanJob)
		s.kernels.AddCuts(job)
		if categorical {
			s.addCodes(to.codes[first:], &part, w)
		}
	}
}

// addCodes adds the scores of each code of a tile against all others. The job of w is that of the tile's cuts.
func (s *splitter) addCodes(to []float64, h *Histogram, w *worker) {
	job, bins, stride := &w.cuts, w.cuts.Bins, w.cuts.Stride
	for p := range job.Pairs {
		if job.UnitH[p] > 0 {
			job.L2[p] += s.subsets.L2 / job.UnitH[p]
		}
	}
	one := w.memory.histogram(2*kernel.TileLanes, h.wide())
	one.clear()
	one.lend(&job.ScanJob)
	job.Bins, job.Stride, job.Left = 2, kernel.TileLanes, nil
	for b := range bins {
		from := h.tile(b*stride, b*stride+kernel.TileLanes)
		copy(one.cells[kernel.TileLanes:], from.cells)
		if one.wide() {
			copy(one.wideG[kernel.TileLanes:], from.wideG)
			copy(one.wideH[kernel.TileLanes:], from.wideH)
		}
		job.Right = to[b*stride:]
		s.kernels.AddCuts(job)
	}
}

// bestTest returns the best test of a column, whose scores begin at a cell. Gain 0: none is better than no split.
func (g *Grower) bestTest(column, at, stride int) SplitInfo {
	best, s, f := SplitInfo{Feature: column}, &g.scores, &g.CoarseMapper.Features[column]
	codes := f.Codes()
	least := s.whole + max(g.MinGain, 1e-12*math.Abs(s.whole)) // rounding alone can produce smaller gains
	better := func(scores []float64, b int) bool {
		score := 0.0
		for _, v := range scores[at+b*stride:][:g.Pairs] {
			score += v
		}
		if score <= least {
			return false
		}
		least, best.Gain, best.Bin = score, score-s.whole, uint8(b)
		return true
	}
	if f.Categorical {
		for b := range codes {
			if better(s.codes[kernel.TileLanes:], b) {
				best.Set = new(model.Set)
				best.Set.Add(b)
				best.MissingLeft = b == 0
			}
		}
		return best
	}
	for b := 1; b < codes; b++ {
		if better(s.right, b) {
			best.MissingLeft = false
		}
		if f.Missing && better(s.left, b) {
			best.MissingLeft = true
		}
	}
	return best
}

// splitLevel splits the nodes of a level, and returns those of the next with the families that are new. Nodes that did not vote get the
// pairs of one that did.
func (g *Grower) splitLevel(level []*node, split SplitInfo, voter []kernel.Pair) (next []*node, families []family) {
	e := g.evaluator
	families = e.families[:0]
	seed := hash.Seed(level[0].seed, hash.NodeColumns, 0)
	for _, n := range level {
		n.seed = seed
		if !g.maySplit(n) {
			continue
		}
		if n.pairs == nil { // it did not vote
			n.pairs = voter
		}
		n.split = split
		n.left = g.newNode(node{depth: n.depth + 1, seed: seed})
		n.right = g.newNode(node{depth: n.depth + 1, seed: seed, isRight: true})
		middle := g.partition.Split(g.kernels, g.Matrix, split, n.start, n.end, e.teamFor(n.rows()))
		n.assignRows(g.rowsOf(n), middle-n.start)
		families = append(families, family{parent: n})
	}
	g.reducer.count(e, families)
	e.families = families
	families = slices.DeleteFunc(families, func(f family) bool {
		if f.small.count >= max(1, g.MinSamples) {
			return false
		}
		g.joinRows(f.parent)
		g.discard(f.small)
		g.discard(f.large)
		f.parent.left, f.parent.right = nil, nil
		return true
	})
	for _, n := range level {
		if n.left == nil {
			next = append(next, n)
			continue
		}
		n.split.Gain = split.Gain / float64(len(families))
		next = append(next, n.left, n.right)
		g.split(n)
	}
	return next, families
}
