package tree

import (
	"container/heap"
	"slices"
)

// local is the reducer of a machine that has all rows.
type local struct{ *Grower }

// leastAlone is the work on a node that takes one worker about as long as a team.
const leastAlone = 1 << 16

// ahead appends nodes that will probably be split next: where each occupies a worker and none much longer than the others, their children
// are evaluated at the same time. It follows the order of splits, through nodes whose children are known from an earlier look-ahead. It
// appends none where the result would depend on the order of expansion: where memory for histograms is short.
func (g local) ahead(batch []*node) []*node {
	workers := g.team.Workers()
	mostWaiting := 4 * workers
	fewHistograms := g.keepsHistograms() && g.pool.most < g.Leaves+2*mostWaiting+workers // an open node has one histogram, an expanded one those of its children
	if workers == 1 || fewHistograms {
		return batch
	}
	work := func(n *node) int { return g.evaluator.work(n.rows()) }
	total := work(batch[0])
	splits := g.Leaves - 1 - len(g.open) // splits left; the last of them may never reach a look-ahead node
	most := min(2*workers, splits/4, 1+mostWaiting-g.waiting)
	g.future = append(g.future[:0], g.open...)
	for ; splits > 1 && len(batch) < most && len(g.future) > 0 && g.future[0].split.Gain > 0; splits-- {
		if n := heap.Pop(&g.future).(*node); n.left != nil {
			heap.Push(&g.future, n.left)
			heap.Push(&g.future, n.right)
		} else {
			batch = append(batch, n)
			total += work(n)
		}
	}
	large := func(n *node) bool { return work(n) > max(leastAlone, total/workers) } // the others would wait for it
	if large(batch[0]) {
		return batch[:1]
	}
	return slices.DeleteFunc(batch, large)
}

func (g local) count(e *evaluator, families []family) {
	for i := range families {
		f := &families[i]
		n := f.parent
		if n == nil {
			if f.large.totals != nil {
				e.form.lend(f.large, 0)
				e.form.count(f.large.totals, f.large.list)
			}
			continue
		}
		if n.left.totals != nil {
			e.form.lend(n.left, 0)
			e.form.lend(n.right, 1)
		}
		n.left.count, n.right.count = n.left.rows(), n.right.rows()
		f.small, f.large = n.bySize(g.missingGoRight(n))
		switch {
		case n.dropped:
			e.form.count(f.small.totals, f.small.list)
			e.form.count(f.large.totals, f.large.list)
		case f.small.totals != nil:
			// Not in the partition pass: that would read the residuals of all rows, not only of the
			// smaller child's; it takes 3 to 7 % of the time.
			e.form.count(f.small.totals, f.small.list)
			f.large.totals.Sub(n.totals, f.small.totals)
		}
	}
}

// choosePairs chooses pairs that follow from the parents'. findSplits chooses the others, as it
// comes to their nodes.
func (g local) choosePairs(e *evaluator, families []family) {
	for i := range families {
		if f := &families[i]; f.parent != nil {
			e.form.inheritPairs(f.parent, f.small, f.large)
		}
	}
}

func (g local) findSplits(e *evaluator, families []family) {
	for i := range families {
		if f := &families[i]; !f.inherits() || !g.inherit(e, f) {
			g.evaluateAll(e, f)
		}
	}
}

// leastBeside is the least work on the smaller of two nodes, each too small for a team, for
// which they are evaluated concurrently.
const leastBeside = leastShared / 8

// evaluateAll evaluates the children of a family that inherits nothing: concurrently if both are
// small, else one after the other, each with the whole team.
func (g local) evaluateAll(e *evaluator, f *family) {
	for _, n := range f.children() {
		g.keepHistogram(n)
	}
	if e.team != alone && f.small != nil && e.teamFor(f.large.rows()) == alone && e.work(f.small.rows()) >= leastBeside {
		both := f.children()
		e.team.Do(2, func(worker, i int) { g.perWorker[worker].evaluate(both[i]) })
		return
	}
	for _, n := range f.children() {
		e.evaluate(n)
	}
}

// inherit evaluates both children of a family, of which the larger has its parent's pairs: its
// sums are the parent's less the smaller child's, so its rows are hardly touched. It returns
// false if that would not be precise enough.
func (g local) inherit(e *evaluator, f *family) bool {
	n, large, share := f.parent, f.large, f.shareOfParent()
	share.histogram = g.pool.GetUnbounded(share.count)
	e.evaluateShare(n, share)
	if !large.subtract(n, share) {
		g.release(share)
		return false
	}
	large.histogram, n.histogram = n.histogram, nil
	e.evaluateRest(n, large, share)
	if share != f.small {
		g.release(share)
		g.keepHistogram(f.small)
		e.evaluate(f.small)
	}
	return true
}

func (g local) shareStats(tasks []*task) []*task { return tasks }

func (g local) sum(*Histogram, *layout, *gradients) {}
