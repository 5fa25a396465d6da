package tree

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/kernel"
)

// On several machines, the children of a node are evaluated in five rounds of messages: the rows
// and class totals of a child; cross terms, by which pairs are chosen; the ranges of the
// gradients along them; the histograms, of which each rank gets the sums of its columns; and the
// best cut of each column. Where these are not exact, further rounds refine columns in all their
// bins. Batched expansion lets the children of several nodes share the messages.

// shared is the reducer of a machine that shares the rows with the others of a group.
type shared struct{ *Grower }

// task is a pass over the rows of a node on this machine: along its pairs, or, if share, along
// its parent's and in its parent's quanta.
type task struct {
	node      *node
	gradients gradients
	share     bool
	filled    []int64 // the histogram of the rows here, packed rank by rank
}

// ahead appends nodes that will probably be split soon and are not expanded yet, if evaluating
// them takes less time than messages of their own.
func (g shared) ahead(batch []*node) []*node {
	most := g.mostBatched()
	splits := g.Leaves - 2 - len(g.open) // splits left after that of the node to expand
	var known, rest []*node              // nodes that may be split, and the ones among them that are not expanded
	var add func(n *node)
	add = func(n *node) {
		if n.split.Gain > 0 {
			known = append(known, n)
			switch {
			case n.left != nil:
				add(n.left)
				add(n.right)
			case n.count/g.group.Size()*(len(g.columns)+g.residuals.MaxWidth()) <= messageWork:
				rest = append(rest, n)
			}
		}
	}
	for _, o := range g.open {
		add(o)
	}
	for len(batch) < most && len(rest) > 0 {
		best := 0
		for i, o := range rest {
			if o.split.Gain > rest[best].split.Gain {
				best = i
			}
		}
		before := 0
		for _, o := range known {
			if o.split.Gain > rest[best].split.Gain {
				before++
			}
		}
		if before >= 3*splits/4 {
			break
		}
		batch = append(batch, rest[best])
		rest = slices.Delete(rest, best, best+1)
	}
	return batch
}

// messageWork is the work on a node that takes about as long as the messages for it.
const messageWork = 1 << 20

// mostAhead is the most nodes that machines expand at once.
const mostAhead = 4

// mostBatched returns how many nodes may be expanded in one batch. Some of them wait to be
// split, or never are.
func (g shared) mostBatched() int {
	const mostBytes = 1 << 22
	if g.keepsHistograms() && g.pool.most < 2*g.Leaves+2*mostAhead { // the result depends on the memory for histograms
		return 1
	}
	return max(1, min(mostAhead, mostBytes/(16*g.layout.cells)))
}

func (g shared) count(_ *evaluator, families []family) {
	var counted []*node
	var missing []int64 // of counted: how many machines send missing values to the right
	for i := range families {
		n := families[i].parent
		if n == nil {
			n = families[i].large
			if n.own != nil {
				g.evaluator.form.count(n.own, n.list)
			}
			counted, missing = append(counted, n), append(missing, 0)
			continue
		}
		flag := int64(0)
		if g.missingGoRight(n) {
			flag = 1
		}
		g.countHere(n)
		counted, missing = append(counted, n.left), append(missing, flag)
	}
	for i := range families {
		if n := families[i].parent; n != nil && n.dropped {
			counted, missing = append(counted, n.right), append(missing, 0)
		}
	}
	g.evaluator.form.sumCounts(g, counted, missing)
	for i := range families {
		f := &families[i]
		n := f.parent
		if n == nil {
			continue
		}
		n.right.count, n.right.weight = n.count-n.left.count, n.weight-n.left.weight
		if n.totals != nil && n.right.totals != nil {
			n.right.totals.Sub(n.totals, n.left.totals)
		}
		f.small, f.large = n.bySize(missing[i] > 0)
	}
}

// countHere sums up the class totals of the children of a node over the rows here.
func (g shared) countHere(n *node) {
	few, many := n.left, n.right
	if few.rows() > many.rows() {
		few, many = many, few
	}
	if few.own == nil {
		return
	}
	g.evaluator.form.count(few.own, few.list)
	if n.dropped {
		g.evaluator.form.count(many.own, many.list)
	} else {
		many.own.Sub(n.own, few.own)
	}
}

func (g shared) findSplits(_ *evaluator, families []family) {
	tasks := g.shareStats(g.tasks(families))
	var again []*task
	for i := range families {
		f := &families[i]
		if f.share != nil && !f.large.subtract(f.parent, f.share.node) {
			tasks = slices.DeleteFunc(tasks, func(t *task) bool { return t == f.share || t.node == f.small })
			f.share = nil
			again = append(again, g.tasksOf(f)...)
		}
	}
	if len(again) > 0 {
		tasks = append(tasks, g.shareStats(again)...)
	}
	g.searchShared(families, tasks)
}

// tasks returns the tasks of families, which inherit where they can.
func (g shared) tasks(families []family) (tasks []*task) {
	for i := range families {
		f := &families[i]
		if !f.inherits() {
			tasks = append(tasks, g.tasksOf(f)...)
			continue
		}
		n, small, share := f.parent, f.small, f.shareOfParent()
		f.share = g.newTask(share)
		f.share.share = true
		f.share.gradients.quantize(share.list, n.quanta, g.evaluator.teamFor(share.rows()))
		share.quanta = n.quanta
		g.fillTask(f.share, n.layout)
		share.sumG, share.sumH = f.share.gradients.sumG, f.share.gradients.sumH
		tasks = append(tasks, f.share)
		if share != small && g.isEvaluated(small) {
			tasks = append(tasks, g.newTask(small))
		}
	}
	return tasks
}

// tasksOf returns the tasks of a family that inherits nothing.
func (g shared) tasksOf(f *family) (tasks []*task) {
	for _, n := range f.children() {
		if g.isEvaluated(n) {
			tasks = append(tasks, g.newTask(n))
		}
	}
	return tasks
}

// isEvaluated reports whether a node needs pairs and the sums along them: to be split, or for
// its leaf value.
func (g shared) isEvaluated(n *node) bool { return n.layout != nil || !g.FullLeaf }

func (g shared) shareStats(tasks []*task) []*task {
	var sums, most []int64 // most: the bits of floats, which order as the floats do
	for _, t := range tasks {
		for p, s := range t.node.stats[:g.Pairs] {
			sums = append(sums, s.SumG, s.SumH, s.SumAbsG)
			most = append(most, int64(math.Float32bits(s.MaxAbsG)), int64(math.Float32bits(s.MaxH)))
			if t.share {
				sums = append(sums, t.node.sumG[p], t.node.sumH[p])
			}
		}
	}
	if len(tasks) > 0 {
		g.group.SumMax(sums, most)
	}
	for _, t := range tasks {
		for p := range g.Pairs {
			t.node.stats[p] = kernel.PairStats{
				SumG: sums[0], SumH: sums[1], SumAbsG: sums[2],
				MaxAbsG: math.Float32frombits(uint32(most[0])), MaxH: math.Float32frombits(uint32(most[1])),
			}
			sums, most = sums[3:], most[2:]
			if t.share {
				t.node.sumG[p], t.node.sumH[p] = sums[0], sums[1]
				sums = sums[2:]
			}
		}
	}
	return tasks
}

func (g shared) choosePairs(e *evaluator, families []family) { e.form.choosePairsShared(g, families) }

func (g shared) sum(h *Histogram, l *layout, of *gradients) {
	m, places := g.Pairs, l.sharding.places
	v := append(append(g.sent[:0], of.sumG[:m]...), of.sumH[:m]...)
	v = h.pack(v, places, m, h.wide())
	g.group.Sum(v)
	copy(of.sumG[:m], v)
	copy(of.sumH[:m], v[m:])
	h.unpack(v[2*m:], places, m, h.wide())
	g.sent = v
}
