package tree

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/hash"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/kernel"
)

// On several machines, the children of a node are evaluated in five rounds of
// messages: the rows and class totals of a child; products of probabilities, to
// choose pairs by; the ranges of the gradients along them; the histograms, of which
// each rank gets the sums of its columns; and the best cut of each column. Where
// these are not exact, further rounds look at columns in all their bins. The children
// of several nodes share the messages.

// family is the children of a node that are evaluated together. That of the root has
// no parent, and the root for its large child.
type family struct {
	parent, small, large *node
	share                *task // what the small child has of its parent's histogram; nil: nothing is inherited
}

// children are those there are, the larger first.
func (f *family) children() []*node {
	if f.small == nil {
		return []*node{f.large}
	}
	return []*node{f.large, f.small}
}

// task is a pass over the rows of a node on this machine: along its pairs, or, for a
// share, along those of its parent, whose quanta it takes over.
type task struct {
	node      *node
	gradients gradients
	share     bool
	filled    []int64 // the histogram of the rows here, rank after rank
}

// plantTogether counts and evaluates the root.
func (g *Grower) plantTogether(root *node) {
	if g.needsTotals() {
		root.totals, root.own = g.newTotals(), g.newTotals()
		g.evaluator.count(root.own, root.list)
	}
	g.countTogether([]*node{root}, []int64{0})
	g.admit(root, false, &layout{})
	g.evaluateTogether([]family{{large: root}})
	root.keep(g.mostListed())
}

// expandTogether makes and evaluates the children of n, and of the nodes that will
// probably be split next where this takes less time than messages for each alone.
func (g *Grower) expandTogether(n *node) {
	parents := g.nextTogether(n)
	counted, missing := make([]*node, len(parents)), make([]int64, len(parents))
	for i, n := range parents {
		n.left = g.newNode(node{depth: n.depth + 1, seed: hash.Seed(n.seed, hash.NodeColumns, 0)})
		n.right = g.newNode(node{depth: n.depth + 1, seed: hash.Seed(n.seed, hash.NodeColumns, 1), isRight: true})
		middle := g.partition.Split(g.kernels, g.Matrix, n.split, n.start, n.end, g.evaluator.teamFor(n.rows()))
		n.place(g.rowsOf(n), middle-n.start)
		if g.missingGoRight(n) {
			missing[i] = 1
		}
		g.countHere(n)
		counted[i] = n.left
	}
	for _, n := range parents {
		if n.forgot {
			counted, missing = append(counted, n.right), append(missing, 0)
		}
	}
	g.countTogether(counted, missing)
	families := make([]family, len(parents))
	last := len(g.open)+2 >= g.Leaves
	for i, n := range parents {
		n.right.count, n.right.weight = n.count-n.left.count, n.weight-n.left.weight
		if n.totals != nil {
			n.right.totals.Sub(n.totals, n.left.totals)
		}
		small, large := n.bySize(missing[i] > 0)
		g.constrain(n)
		g.admit(n.left, last, &layout{})
		g.admit(n.right, last, &layout{})
		families[i] = family{parent: n, small: small, large: large}
	}
	g.evaluateTogether(families)
	for _, n := range parents {
		n.left.keep(g.mostListed())
		n.right.keep(g.mostListed())
	}
}

// nextTogether is n and the nodes that will probably be split soon after it, of those
// whose children are not known yet.
func (g *Grower) nextTogether(n *node) []*node {
	parents := []*node{n}
	most := g.mostTogether()
	splits := g.Leaves - 2 - len(g.open) // to make after that of n
	var known, rest []*node              // nodes that may be split, and those of them whose children are not known
	var add func(n *node)
	add = func(n *node) {
		if n.split.Gain > 0 {
			known = append(known, n)
			switch {
			case n.left != nil:
				add(n.left)
				add(n.right)
			case n.count/g.group.Size()*(len(g.columns)+g.residuals.MostWidth()) <= mostWork:
				rest = append(rest, n)
			}
		}
	}
	for _, o := range g.open {
		add(o)
	}
	for len(parents) < most && len(rest) > 0 {
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
		parents = append(parents, rest[best])
		rest = slices.Delete(rest, best, best+1)
	}
	return parents
}

// mostWork is the work of a node that takes about as long as the messages for it.
const mostWork = 1 << 20

// mostTogether is of how many nodes the children may share their messages. Some of them
// wait to be split, or never are.
func (g *Grower) mostTogether() int {
	const most, mostBytes = 4, 1 << 22
	if g.keepsHistograms() && g.pool.most < 2*g.Leaves+2*most { // the children depend on the room for histograms
		return 1
	}
	return max(1, min(most, mostBytes/(16*g.layout.cells)))
}

// countHere sums up the class totals of the children of a node over the rows here.
func (g *Grower) countHere(n *node) {
	if n.totals == nil && !n.forgot {
		return
	}
	for _, child := range []*node{n.left, n.right} {
		child.totals, child.own = g.newTotals(), g.newTotals()
	}
	few, many := n.left, n.right
	if few.rows() > many.rows() {
		few, many = many, few
	}
	g.evaluator.count(few.own, few.list)
	if n.forgot {
		g.evaluator.count(many.own, many.list)
	} else {
		many.own.Sub(n.own, few.own)
	}
}

// countTogether makes the rows, weights and class totals of nodes those of all
// machines, and sums up flags.
func (g *Grower) countTogether(nodes []*node, flags []int64) {
	if g.residuals.Sparse() {
		g.countListed(nodes, flags)
		return
	}
	classes := g.residuals.Classes
	var v []int64
	for i, n := range nodes {
		v = append(v, int64(n.rows()), flags[i], 0)
		if g.Trim > 0 {
			v[len(v)-1] = g.residuals.SumWeights(n.list)
		}
		if n.totals != nil {
			v = append(append(v, n.own.Gradient[:classes]...), n.own.Hessian[:classes]...)
		}
	}
	g.group.Sum(v)
	for i, n := range nodes {
		n.count, flags[i], n.weight = int(v[0]), v[1], v[2]
		v = v[3:]
		if n.totals != nil {
			clear(n.totals.Gradient)
			clear(n.totals.Hessian)
			copy(n.totals.Gradient, v[:classes])
			copy(n.totals.Hessian, v[classes:2*classes])
			v = v[2*classes:]
		}
	}
}

// evaluateTogether finds the pairs and the best splits of the children of families.
func (g *Grower) evaluateTogether(families []family) {
	g.choosePairsTogether(families)
	tasks := g.shareStats(g.tasks(families))
	var again []*task
	for i := range families {
		f := &families[i]
		if f.share != nil && !f.large.leave(f.parent, f.share.node) {
			tasks = slices.DeleteFunc(tasks, func(t *task) bool { return t == f.share || t.node == f.small })
			f.share = nil
			again = append(again, g.tasksOf(f)...)
		}
	}
	if len(again) > 0 {
		tasks = append(tasks, g.shareStats(again)...)
	}
	g.searchTogether(families, tasks)
}

// tasks are those of families, which inherit where they can.
func (g *Grower) tasks(families []family) (tasks []*task) {
	for i := range families {
		f := &families[i]
		n, large, small := f.parent, f.large, f.small
		if n == nil || n.histogram == nil || large.layout == nil || !slices.Equal(large.pairs, n.pairs) {
			tasks = append(tasks, g.tasksOf(f)...)
			continue
		}
		share := small
		if !slices.Equal(small.pairs, n.pairs) {
			share = &node{start: small.start, end: small.end, list: small.list, count: small.count, pairs: n.pairs}
		}
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

// tasksOf are those of a family that inherits nothing.
func (g *Grower) tasksOf(f *family) (tasks []*task) {
	for _, n := range f.children() {
		if g.isEvaluated(n) {
			tasks = append(tasks, g.newTask(n))
		}
	}
	return tasks
}

// isEvaluated tells whether a node needs pairs and the sums along them: to be split,
// or for its leaf value.
func (g *Grower) isEvaluated(n *node) bool { return n.layout != nil || !g.FullLeaf }

// newTask computes the gradients of a node's rows along its pairs.
func (g *Grower) newTask(n *node) *task {
	t := &task{node: n, gradients: g.evaluator.gradients}
	t.gradients.use(n.start, n.end)
	n.stats = t.gradients.compute(n.list, n.pairs, g.evaluator.teamFor(n.rows()))
	g.evaluator.gradients.blocks = t.gradients.blocks // room that all tasks use in turn
	return t
}

// shareStats makes the sums and ranges of the gradients of tasks those of all
// machines.
func (g *Grower) shareStats(tasks []*task) []*task {
	var sums, most []int64 // of these the bits of floats, which have the order of the floats
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

// crossing is products of probabilities that pairs are chosen by: of the classes
// first with all others, over some rows.
type crossing struct {
	family *family
	node   *node // whose pairs these are; nil: both children's, of which the larger takes over what the smaller leaves
	first  []int32
	sums   []int64
}

// choosePairsTogether chooses the class pairs of the children of families.
func (g *Grower) choosePairsTogether(families []family) {
	if g.fixed == nil && g.residuals.Sparse() {
		g.chooseListed(families)
		return
	}
	e := g.evaluator
	var crossings []crossing
	for i := range families {
		f := &families[i]
		if g.fixed != nil {
			for _, n := range f.children() {
				n.pairs = g.fixed
			}
			continue
		}
		if n := f.parent; n != nil && n.cross != nil && f.large.layout != nil {
			if first := e.firstClasses(nil, f.large); len(first) > 0 && first[0] == n.pairs[0].R {
				crossings = append(crossings, crossing{family: f, first: append(first, e.firstClasses(nil, f.small)...)})
				continue
			}
		}
		for _, n := range f.children() {
			if g.isEvaluated(n) {
				crossings = append(crossings, crossing{family: f, node: n, first: e.firstClasses(nil, n)})
			}
		}
	}
	if g.Selection != loss.FirstOrder {
		g.cross(crossings)
	}
	for i := range crossings {
		g.pairUp(&crossings[i])
	}
}

// cross sums up the products over the rows of all machines.
func (g *Grower) cross(crossings []crossing) {
	e, r := g.evaluator, g.residuals
	var v []int64
	for i := range crossings {
		c := &crossings[i]
		n := c.node
		if n == nil {
			n = c.family.small
		}
		for sums := range slices.Chunk(e.cross(n.list, c.first, e.teamFor(n.rows())), r.Stride) {
			v = append(v, sums[:r.Classes]...)
		}
	}
	g.group.Sum(v)
	for i := range crossings {
		c := &crossings[i]
		c.sums = make([]int64, len(c.first)*r.Stride)
		for k := range c.first {
			copy(c.sums[k*r.Stride:], v[:r.Classes])
			v = v[r.Classes:]
		}
	}
}

// pairUp chooses the pairs by the products.
func (g *Grower) pairUp(c *crossing) {
	e, stride := g.evaluator, g.residuals.Stride
	if n := c.node; n != nil {
		e.pairUp(n, c.first, c.sums)
		if g.Pairs == 1 {
			n.cross = c.sums
		}
		n.pairs = e.padded(n.pairs)
		return
	}
	f := c.family
	f.large.cross, f.small.cross = f.parent.cross, c.sums[stride:]
	for k, sum := range c.sums[:stride] {
		f.large.cross[k] -= sum
	}
	e.pairUp(f.small, c.first[1:], f.small.cross)
	e.pairUp(f.large, c.first[:1], f.large.cross)
}
