package tree

import (
	"container/heap"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/constraint"
	"github.com/libaoso/aoso/internal/hash"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Params limit and control growth.
type Params struct {
	Leaves      int // the most leaves (J)
	MaxDepth    int // 0: no limit
	MinSamples  int // rows in a leaf
	MinHessian  float64
	MinGain     float64
	Subsets     Subsets
	Newton      loss.Newton
	Trim        float64
	Pairs       int // class pairs of a node: 1, 2, 4 or 8
	Selection   loss.Selection
	FullLeaf    bool // a leaf has a step for every class, or for its best classes, not for its pairs
	Symmetric   bool // all nodes of a level are split by the same test
	NodeColumns int  // number of columns drawn for each node; 0: all
	CacheBytes  int  // size of the histograms that are filled at once; does not change the tree

	Monotone     *Monotone                // nil: no constraints
	Interactions *constraint.Interactions // nil: no constraints
}

// Bins are the features that trees are grown on. Splits are first searched in coarse bins (which
// may be all bins), then in all bins of the best feature.
type Bins struct {
	Matrix       *bin.Matrix
	Mapper       *bin.Mapper
	Coarse       *bin.Matrix
	CoarseMapper *bin.Mapper
	Bytes        int // of the coarse matrices of all machines; bounds the memory of histograms
}

// Grower grows one tree after another on the same data.
type Grower struct {
	Params
	Bins
	kernels   *kernel.Funcs
	residuals *loss.Residuals
	team      *par.Team
	group     *collective.Group // nil: this machine has all rows
	reducer   reducer

	partition *Partition
	gradients *gradientBuffer
	evaluator *evaluator   // works with the whole team
	perWorker []*evaluator // by worker: a per-worker evaluator
	pool      HistogramPool
	order     []int      // all columns, those with the most codes first
	nodes     []*node    // free list
	spare     []*Tree    // free list
	tasks     []*task    // free list
	segments  []Segment  // of the last tree
	values    LeafValues // sets the leaves whose totals were dropped
	packed    [][]int64  // free list, on several machines: packed histograms
	sent      []int64    // send buffer of reduceScatter

	// of the tree being grown
	tree    *Tree
	open    nodeHeap
	batch   []*node  // nodes that are expanded at once
	future  nodeHeap // scratch of ahead
	waiting int      // nodes expanded by look-ahead and not split yet
	columns []int
	layout  *layout
	fixed   []kernel.Pair
	scores  levelScores // of a symmetric tree
}

// family is the children of a node, which are evaluated together. The root's has only large, the
// root.
type family struct {
	parent, small, large *node
	share                *task // on several machines, if large inherits from parent: the pass over the rows of small that it needs
}

// children returns the nodes of the family, the larger first.
func (f *family) children() []*node {
	if f.small == nil {
		return []*node{f.large}
	}
	return []*node{f.large, f.small}
}

// inherits reports whether the larger child may take over its parent's histogram: the parent has
// one, of the same pairs.
func (f *family) inherits() bool {
	n := f.parent
	return n != nil && n.histogram != nil && f.large.layout != nil && slices.Equal(f.large.pairs, n.pairs)
}

// shareOfParent returns the node of the smaller child's rows along the parent's pairs: the
// smaller child itself, if it has those pairs.
func (f *family) shareOfParent() *node {
	n, small := f.parent, f.small
	if slices.Equal(small.pairs, n.pairs) {
		return small
	}
	return &node{start: small.start, end: small.end, list: small.list, count: small.count, pairs: n.pairs}
}

// reducer takes the steps of growth that need sums over all rows of nodes. A local one has all
// rows, a shared one adds up what each machine of a group finds in its rows.
type reducer interface {
	// ahead appends to a batch, which holds the node to expand, the nodes to expand with it, at
	// most mostAhead in all.
	ahead(batch []*node) []*node
	// count sets which child of a family is the smaller, and the numbers of rows and class totals
	// of both.
	count(e *evaluator, families []family)
	// choosePairs chooses the class pairs of children. It may leave the choice to findSplits.
	choosePairs(e *evaluator, families []family)
	// findSplits finds the best splits of children.
	findSplits(e *evaluator, families []family)
	// shareStats combines the sums and ranges of the gradients of tasks over all machines.
	shareStats(tasks []*task) []*task
	// sum adds up a histogram with a layout, and the sums of its gradients, over all machines.
	sum(h *Histogram, l *layout, of *gradients)
}

// NewGrower returns a grower for the rows of a partition, and for those of the other machines of
// the group.
func NewGrower(k *kernel.Funcs, b Bins, r *loss.Residuals, p Params, rows *Partition, team *par.Team, group *collective.Group) *Grower {
	g := &Grower{
		Params: p, Bins: b, kernels: k, residuals: r, team: team, group: group,
		partition: rows, order: byCodes(b.CoarseMapper),
		gradients: newGradientBuffer(b.Matrix.Rows, p.Pairs),
	}
	if g.reducer = (local{g}); group != nil {
		g.reducer = shared{g}
	}
	g.values = LeafValues{Residuals: r, Newton: p.Newton, Team: team, Group: group}
	g.evaluator = newEvaluator(k, b, r, &g.Params, g.gradients, team)
	for range team.Workers() {
		g.perWorker = append(g.perWorker, newEvaluator(k, b, r, &g.Params, g.gradients, alone))
	}
	return g
}

// SetShrinkage changes the shrinkage of later trees.
func (g *Grower) SetShrinkage(shrinkage float64) {
	g.Newton.Shrinkage, g.values.Newton.Shrinkage = shrinkage, shrinkage
}

// Free releases the memory; the grower must not be used afterwards.
func (g *Grower) Free() {
	g.gradients.free()
	g.pool.Free()
}

// Reuse lets later trees have the memory of some that are no longer used.
func (g *Grower) Reuse(trees []*Tree) { g.spare = append(g.spare, trees...) }

// newTree returns a tree without nodes.
func (g *Grower) newTree() *Tree {
	t := take(&g.spare)
	if t == nil {
		return new(Tree)
	}
	t.Nodes = t.Nodes[:0]
	return t
}

// Grow grows a tree on the partition's rows and the given columns. With fixed pairs every node
// uses those; else each chooses its own. seed decides which columns nodes draw. The segments
// list the rows of each leaf, until the next tree is grown.
func (g *Grower) Grow(columns []int, fixed []kernel.Pair, seed uint64) (*Tree, []Segment) {
	if g.layout == nil || !slices.Equal(columns, g.columns) {
		g.pool.Free()
		g.columns, g.layout = columns, &layout{}
		g.layOut(g.layout, columns)
		g.pool = NewHistogramPool(g.layout.cells, g.Bytes)
		if d := g.layout.sharding; d != nil {
			g.pool.cells = d.own.cells
		}
	}
	if fixed == nil && g.residuals.Classes == 2 {
		fixed = onlyPair
	}
	g.tree, g.fixed, g.waiting = g.newTree(), fixed, 0
	g.evaluator.columns = len(columns)
	if fixed != nil {
		g.fixed = g.evaluator.padded(slices.Clip(fixed))
	}

	rows := g.partition.Rows
	root := g.newNode(node{end: len(rows), list: rows, count: len(rows), parent: -1, seed: seed})
	if g.Monotone != nil {
		root.box = loss.NewBox(g.residuals.Classes)
	}
	if g.Symmetric {
		return g.tree, g.finish(g.growLevels(root))
	}
	g.evaluate(g.evaluator, []family{{large: root}}, false)
	if g.Selection == loss.Root && g.fixed == nil {
		g.fixed = root.pairs
	}
	g.open = append(g.open[:0], root)
	for len(g.open) < g.Leaves && g.open[0].split.Gain > 0 {
		n := heap.Pop(&g.open).(*node)
		if n.left == nil {
			g.expand(n)
		} else {
			g.waiting--
		}
		g.split(n)
		heap.Push(&g.open, n.left)
		heap.Push(&g.open, n.right)
	}
	return g.tree, g.finish(g.open)
}

// onlyPair is the pair of two classes. Chosen by each node, it could be the other way round, and then a
// child could not take over its parent's histogram.
var onlyPair = []kernel.Pair{{R: 0, S: 1}}

// layOut lays out columns and shards them over the ranks.
func (g *Grower) layOut(l *layout, columns []int) {
	l.order = g.order
	l.layOut(g.Coarse, g.CoarseMapper, columns, g.Pairs, g.CacheBytes)
	if g.group != nil {
		l.sharding = newSharding(l, columns, g.Coarse, g.CoarseMapper, g.CacheBytes, g.group)
	}
}

// setColumns gives a new node the columns that it may be split on, unless it must stay a leaf.
func (g *Grower) setColumns(n *node, last bool, memory *layout) {
	if !last && g.maySplit(n) {
		n.layout = g.layoutFor(n, memory)
	}
}

// maySplit reports whether a node has the rows for two leaves, and whether they may be that deep.
func (g *Grower) maySplit(n *node) bool {
	return n.count >= max(2, 2*g.MinSamples) && (g.MaxDepth == 0 || n.depth < g.MaxDepth) && len(g.columns) > 0
}

// layoutFor returns the layout of the columns that a node may be split on. If they are not all columns, it uses memory, and is
// valid until memory is used again.
func (g *Grower) layoutFor(n *node, memory *layout) *layout {
	columns := g.columns
	if g.Interactions != nil {
		columns = g.Interactions.Allowed(n.path, columns)
	}
	if g.drawsColumns() {
		share := float64(g.NodeColumns) / float64(len(g.columns))
		columns = hash.Choose(n.seed, columns, max(1, int(math.Round(share*float64(len(columns))))), &memory.hashes)
	}
	if len(columns) == len(g.columns) {
		return g.layout
	}
	g.layOut(memory, columns)
	return memory
}

// drawsColumns reports whether every node draws its own columns.
func (g *Grower) drawsColumns() bool { return g.NodeColumns > 0 && g.NodeColumns < len(g.columns) }

func (g *Grower) needsTotals() bool { return g.FullLeaf || g.fixed == nil }

// expand creates and evaluates the children of n, and of the nodes that are expanded with it.
func (g *Grower) expand(n *node) {
	g.batch = g.reducer.ahead(append(g.batch[:0], n))
	for _, n := range g.batch {
		n.left = g.newNode(node{depth: n.depth + 1, seed: hash.Seed(n.seed, hash.NodeColumns, 0)})
		n.right = g.newNode(node{depth: n.depth + 1, seed: hash.Seed(n.seed, hash.NodeColumns, 1), isRight: true})
	}
	if g.group == nil && len(g.batch) > 1 {
		g.waiting += len(g.batch) - 1
		g.team.Do(len(g.batch), func(worker, i int) {
			n, e := g.batch[i], g.perWorker[worker]
			middle := g.partition.SplitAlone(&e.partition, g.kernels, g.Matrix.Columns[n.split.Feature], n.split.test(), n.start, n.end)
			n.assignRows(g.rowsOf(n), middle-n.start)
			e.families = append(e.families[:0], family{parent: n})
			g.evaluate(e, e.families, false)
		})
		return
	}
	e := g.evaluator
	e.families = e.families[:0]
	for _, n := range g.batch {
		middle := g.partition.Split(g.kernels, g.Matrix, n.split, n.start, n.end, e.teamFor(n.rows()))
		n.assignRows(g.rowsOf(n), middle-n.start)
		e.families = append(e.families, family{parent: n})
	}
	g.evaluate(e, e.families, len(g.open)+2 >= g.Leaves)
}

// evaluate evaluates the children of families. The last children of a tree stay leaves.
func (g *Grower) evaluate(e *evaluator, families []family, last bool) {
	g.reducer.count(e, families)
	for i := range families {
		f := &families[i]
		if f.parent != nil {
			g.constrain(f.parent)
		}
		for k, n := range f.children() {
			g.setColumns(n, last, &e.drawn[2*i+k])
			n.pairs = g.fixed
		}
	}
	if g.fixed == nil {
		g.reducer.choosePairs(e, families)
	}
	g.reducer.findSplits(e, families)
	for i := range families {
		for _, n := range families[i].children() {
			n.keepTotals(g.maxSparse())
		}
	}
}

// constrain passes the constraints of a node on to its children.
func (g *Grower) constrain(n *node) {
	for i, child := range []*node{n.left, n.right} {
		child.box, child.bounded = n.box, n.bounded
		if n.split.boxes != nil {
			child.box, child.bounded = n.split.boxes[i], true
		}
		if g.Interactions != nil {
			child.path = g.Interactions.Extend(n.path, n.split.Feature)
		}
	}
}

// missingGoRight reports whether missing values of the split feature go right.
func (g *Grower) missingGoRight(n *node) bool {
	if n.split.Set != nil || n.split.MissingLeft || !g.Mapper.Features[n.split.Feature].Missing {
		return false
	}
	codes := g.Matrix.Columns[n.split.Feature]
	return slices.ContainsFunc(n.right.list, func(row uint32) bool { return codes[row] == 0 })
}

// split makes an inner node of n, whose children are evaluated.
func (g *Grower) split(n *node) {
	number := int32(len(g.tree.Nodes))
	g.link(n, number)
	g.tree.Nodes = append(g.tree.Nodes, Node{
		Split: g.testOf(&n.split),
		Bin:   n.split.Bin,
		Gain:  n.split.Gain,
		Pairs: n.pairs,
	})
	for i, child := range []*node{n.left, n.right} {
		child.parent, child.order = number, 2*int(number)+i
		if child.split.Gain == 0 {
			g.release(child)
		}
	}
	g.release(n)
	g.recycle(n)
}

// testOf returns a split as a test of feature values.
func (g *Grower) testOf(s *SplitInfo) model.Split {
	if s.Set != nil {
		return model.CategoricalSplit(s.Feature, *s.Set)
	}
	return model.NumericSplit(s.Feature, g.Mapper.Features[s.Feature].Threshold(int(s.Bin)), s.MissingLeft)
}

// recycle puts a node and its totals on the free lists.
func (g *Grower) recycle(n *node) {
	for _, t := range []*loss.Totals{n.totals, n.own} {
		if t != nil {
			g.evaluator.form.recycle(t)
		}
	}
	n.totals, n.own = nil, nil
	g.nodes = append(g.nodes, n)
}

// keepsHistograms reports whether children may take over their parents' histograms. Several
// pairs chosen by each node are hardly ever all the same, nor is one pair of many classes, and
// drawn columns differ.
func (g *Grower) keepsHistograms() bool {
	return (g.Pairs == 1 && g.evaluator.form.keepsPairs() || g.fixed != nil) && !g.drawsColumns() && g.Interactions == nil
}

// keepHistogram allocates a node's histogram if its larger child might take it over. If the pool
// is exhausted, the open node of the least gain loses its own.
func (g *Grower) keepHistogram(n *node) {
	if n.layout != g.layout || !g.keepsHistograms() {
		return
	}
	n.histogram = g.pool.Get(n.count)
	if n.histogram != nil {
		return
	}
	var last *node
	for _, o := range g.open {
		if o.histogram != nil && (last == nil || o.split.Gain < last.split.Gain) {
			last = o
		}
	}
	if last != nil {
		g.release(last)
		n.histogram = g.pool.Get(n.count)
	}
}

// release returns a node's histogram to the pool.
func (g *Grower) release(n *node) {
	g.pool.Put(n.histogram)
	n.histogram = nil
}

// finish makes leaves of the open nodes, from left to right.
func (g *Grower) finish(open []*node) []Segment {
	width := g.Pairs
	switch {
	case g.Newton.Named > 0:
		width = g.Newton.Named
	case g.FullLeaf:
		width = g.residuals.Classes
	}
	t := g.tree
	t.Leaves, g.segments = slices.Grow(t.Leaves[:0], len(open))[:len(open)], g.segments[:0]
	t.NewSteps(width)
	var dropped []Segment
	open = g.leftToRight(open)
	g.team.Do(len(open), func(_, i int) { g.joinRows(open[i]) })
	for i, n := range open {
		leaf := &t.Leaves[i]
		*leaf = Leaf{Rows: n.count, box: n.box, Steps: leaf.Steps}
		switch {
		case g.Newton.Named > 0:
			leaf.Pairs = make([]kernel.Pair, width)
		case !g.FullLeaf:
			leaf.Pairs = n.pairs
		}
		segment := Segment{i, g.rowsOf(n)}
		g.segments = append(g.segments, segment)
		if n.dropped {
			leaf.Rows = 0 // setBest counts them
			dropped = append(dropped, segment)
		} else {
			leaf.setSteps(&g.Newton, n.totals, &n.stats, g.residuals)
		}
		g.link(n, int32(^i))
		g.discard(n)
	}
	g.values.setBest(t.Leaves, dropped)
	return g.segments
}

// joinRows puts the rows of a leaf that look-ahead split back in order.
func (g *Grower) joinRows(n *node) {
	if n.left == nil {
		return
	}
	g.joinRows(n.left)
	g.joinRows(n.right)
	rows := g.rowsOf(n)
	left := g.partition.Scratch()[n.start:n.left.end]
	copy(left, rows)
	right := rows[len(left):]
	for i := range rows {
		if len(right) == 0 || len(left) > 0 && left[0] < right[0] {
			rows[i], left = left[0], left[1:]
		} else {
			rows[i], right = right[0], right[1:]
		}
	}
}

// discard recycles a leaf and the descendants that look-ahead gave it.
func (g *Grower) discard(n *node) {
	g.release(n)
	g.recycle(n)
	if n.left != nil {
		g.discard(n.left)
		g.discard(n.right)
	}
}

// leftToRight returns the open nodes in the order of the leaves.
func (g *Grower) leftToRight(open []*node) []*node {
	if len(open) == 1 {
		return open
	}
	children := make([][2]*node, len(g.tree.Nodes)) // open children by parent
	for _, n := range open {
		side := 0
		if n.isRight {
			side = 1
		}
		children[n.parent][side] = n
	}
	ordered := make([]*node, 0, len(open))
	var walk func(number int32)
	walk = func(number int32) {
		inner := &g.tree.Nodes[number]
		for side, child := range []int32{inner.Left, inner.Right} {
			if open := children[number][side]; open != nil {
				ordered = append(ordered, open)
			} else {
				walk(child)
			}
		}
	}
	walk(0)
	return ordered
}

// link sets the child that a node's parent points to.
func (g *Grower) link(n *node, child int32) {
	switch {
	case n.parent < 0:
	case n.isRight:
		g.tree.Nodes[n.parent].Right = child
	default:
		g.tree.Nodes[n.parent].Left = child
	}
}

// newNode stores n in a node of the free list, or a new one, and gives it class totals.
func (g *Grower) newNode(n node) *node {
	place := take(&g.nodes)
	if place == nil {
		place = new(node)
	}
	*place = n
	if g.needsTotals() {
		place.totals = g.evaluator.form.newTotals()
		if g.group != nil {
			place.own = g.evaluator.form.newTotals()
		}
	}
	return place
}

// Limits of the class totals that open nodes keep as lists: SparsePerRow classes for each row, or
// SparseBytes bytes in all.
const SparsePerRow, SparseBytes = 16, 64 << 20

// maxSparse returns how many classes the totals of a node may list. On several machines a node
// has a second list, of the rows here.
func (g *Grower) maxSparse() int {
	most := SparseBytes / (20 * max(g.Leaves, 1))
	if g.group != nil {
		most /= 2
	}
	return most
}

func (g *Grower) rowsOf(n *node) []uint32 { return g.partition.Rows[n.start:n.end] }
