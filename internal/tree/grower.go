package tree

import (
	"container/heap"
	"math/rand/v2"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Params are the bounds and choices of growth.
type Params struct {
	Leaves      int // J
	MaxDepth    int // 0: no bound
	MinSamples  int // rows in a leaf
	MinHessian  float64
	MinGain     float64
	Newton      loss.Newton
	Trim        float64
	Pairs       int // class pairs a node splits on: 1, 2, 4 or 8
	Selection   loss.Selection
	FullLeaf    bool // a leaf steps along every class, not along its pairs
	NodeColumns int  // columns drawn for each node; 0: all
	CacheBytes  int  // histograms filled at once; the tree is the same
}

// Bins are the features that trees are grown on. Splits are first looked for in
// coarse ones, which may be the same: those of the best feature are then looked
// at one by one.
type Bins struct {
	Matrix       *bin.Matrix
	Mapper       *bin.Mapper
	Coarse       *bin.Matrix
	CoarseMapper *bin.Mapper
}

// Grower grows one tree after another on the same data.
type Grower struct {
	Params
	Bins
	kernels   *kernel.Funcs
	residuals *loss.Residuals
	team      *par.Team

	partition *Partition
	cells     []int64       // pairs a row: the gradients of a node lie where its rows do
	kept      []uint32      // likewise the rows that were not trimmed
	memory    [2]*mem.Block // of cells and kept
	evaluator *evaluator    // works with the whole team
	aside     []*evaluator  // by worker: each works alone
	pool      HistogramPool
	totals    []*loss.Totals // to use again
	nodes     []*node        // likewise

	// of the tree being grown
	tree    *Tree
	open    nodeHeap
	ahead   []*node // expanded side by side
	waiting int     // nodes that have been, and are not split yet
	columns []int
	layout  *layout
	fixed   []kernel.Pair
	draws   *rand.Rand
}

// node is a node that is a leaf so far.
type node struct {
	start, end int      // of the partition
	list       []uint32 // the rows: that run, or a copy until the parent is split
	depth      int
	order      int   // of birth
	parent     int32 // number in tree.Nodes; −1: none
	isRight    bool

	left, right *node // its children, if it has been expanded
	apart       bool  // whose lists are copies

	totals *loss.Totals
	layout *layout // the columns that it may be split on; nil: it is a leaf for good
	pairs  []kernel.Pair
	stats  [kernel.MaxPairs]kernel.PairStats // ΣG and ΣH are a pair leaf's
	split  SplitInfo

	// What the larger child can take over, less the smaller one's share.
	cross      []float64  // Σ p_r·p_k for the class r of its only pair; nil: not kept
	histogram  *Histogram // nil: not kept
	quanta     quanta
	sumG, sumH [kernel.MaxPairs]int64
}

// NewGrower prepares for growing on the rows of a partition.
func NewGrower(k *kernel.Funcs, b Bins, r *loss.Residuals, p Params, rows *Partition, team *par.Team) *Grower {
	g := &Grower{
		Params: p, Bins: b, kernels: k, residuals: r, team: team,
		partition: rows,
		memory:    [2]*mem.Block{mem.New(8 * b.Matrix.Rows * p.Pairs), mem.New(4 * b.Matrix.Rows)},
	}
	g.cells, g.kept = mem.View[int64](g.memory[0]), mem.View[uint32](g.memory[1])
	g.evaluator = newEvaluator(g, team)
	for range team.Workers() {
		g.aside = append(g.aside, newEvaluator(g, alone))
	}
	return g
}

// Free gives the memory back; nothing may use it any more.
func (g *Grower) Free() {
	g.cells, g.kept = nil, nil
	for _, m := range g.memory {
		m.Free()
	}
	g.pool.Free()
}

// Grow grows a tree on the partition's rows, using the given columns. With
// fixed pairs every node uses those; else each chooses its own. The segments
// tell which rows reached which leaf.
func (g *Grower) Grow(columns []int, fixed []kernel.Pair, draws *rand.Rand) (*Tree, []Segment) {
	if g.layout == nil || !slices.Equal(columns, g.columns) {
		g.pool.Free()
		g.columns, g.layout = columns, newLayout(g.Coarse, g.CoarseMapper, columns, g.Pairs, g.CacheBytes)
		g.pool = NewHistogramPool(g.layout.cells, g.Coarse)
	}
	g.tree, g.fixed, g.draws, g.waiting = &Tree{}, fixed, draws, 0

	root := g.newNode(node{end: len(g.partition.Rows), list: g.partition.Rows, parent: -1})
	g.admit(root, false)
	if g.needsTotals() {
		root.totals = g.newTotals()
		g.evaluator.count(root.totals, root.list)
	}
	g.keepHistogram(root)
	g.evaluator.evaluate(root)
	g.open = append(g.open[:0], root)
	for len(g.open) < g.Leaves && g.open[0].split.Gain > 0 {
		n := heap.Pop(&g.open).(*node)
		if n.left == nil {
			g.expand(n)
		}
		g.split(n)
		heap.Push(&g.open, n.left)
		heap.Push(&g.open, n.right)
	}
	return g.tree, g.finish(g.open)
}

// admit gives a new node the columns that it may be split on, unless it is to
// stay a leaf.
func (g *Grower) admit(n *node, last bool) {
	if last || n.rows() < 2*g.MinSamples || n.rows() < 2 || g.MaxDepth > 0 && n.depth >= g.MaxDepth || len(g.columns) == 0 {
		return
	}
	n.layout = g.layout
	if g.drawsColumns() {
		n.layout = newLayout(g.Coarse, g.CoarseMapper, draw(g.draws, g.columns, g.NodeColumns), g.Pairs, g.CacheBytes)
	}
}

// drawsColumns tells whether every node draws columns of its own.
func (g *Grower) drawsColumns() bool { return g.NodeColumns > 0 && g.NodeColumns < len(g.columns) }

func (g *Grower) needsTotals() bool { return g.FullLeaf || g.fixed == nil }

// expand makes and evaluates the children of n. One small node does not occupy
// a team, so the nodes that will probably be split next are expanded beside it.
func (g *Grower) expand(n *node) {
	g.ahead = g.nodesAhead(append(g.ahead[:0], n))
	for _, n := range g.ahead {
		n.left, n.right = g.newNode(node{depth: n.depth + 1}), g.newNode(node{depth: n.depth + 1, isRight: true})
		if n.totals != nil {
			n.left.totals, n.right.totals = g.newTotals(), g.newTotals()
		}
	}
	if len(g.ahead) > 1 {
		g.waiting += len(g.ahead)
		g.team.Do(len(g.ahead), func(worker, i int) {
			n, e := g.ahead[i], g.aside[worker]
			rows, left := g.partition.SplitApart(g.kernels, g.Matrix, n.split, n.start, n.end, &e.job)
			n.apart = true
			e.expand(n, rows, left, false)
		})
		return
	}
	middle := g.partition.Split(g.kernels, g.Matrix, n.split, n.start, n.end, g.evaluator.teamFor(n.rows()))
	g.evaluator.expand(n, g.rowsOf(n), middle-n.start, len(g.open)+2 >= g.Leaves)
}

// nodesAhead adds the nodes whose turn comes next to the one whose turn it is.
// It adds none where a node's children depend on the nodes before it: on the
// columns that these draw, or on the room that they leave for histograms.
func (g *Grower) nodesAhead(ahead []*node) []*node {
	const mostWork = 1 << 18 // a team shares the work on a larger node well
	workers := g.team.Workers()
	mostWaiting := 4 * workers
	fewHistograms := g.keepsHistograms() && g.pool.most < g.Leaves+2*mostWaiting+workers // an open node has one, one that waits its children's
	if workers == 1 || fewHistograms || g.drawsColumns() || g.evaluator.work(ahead[0].rows()) > mostWork {
		return ahead
	}
	splits := g.Leaves - 1 - len(g.open) // left to make: the last of them may never come to a node ahead
	most := min(2*workers, splits/4, 1+mostWaiting-g.waiting)
	for len(ahead) < most {
		var next *node
		for _, n := range g.open {
			if n.left == nil && n.split.Gain > 0 && (next == nil || n.before(next)) && !slices.Contains(ahead, n) && g.evaluator.work(n.rows()) <= mostWork {
				next = n
			}
		}
		if next == nil {
			break
		}
		ahead = append(ahead, next)
	}
	return ahead
}

// split makes an inner node of n, which has been expanded.
func (g *Grower) split(n *node) {
	if n.apart {
		g.waiting--
		copy(g.rowsOf(n.left), n.left.list)
		copy(g.rowsOf(n.right), n.right.list)
		n.left.list, n.right.list = g.rowsOf(n.left), g.rowsOf(n.right)
	}
	number := int32(len(g.tree.Nodes))
	g.link(n, number)
	g.tree.Nodes = append(g.tree.Nodes, Node{
		Feature:     int32(n.split.Feature),
		Bin:         n.split.Bin,
		MissingLeft: n.split.MissingLeft,
		Threshold:   g.Mapper.Features[n.split.Feature].Threshold(int(n.split.Bin)),
		Gain:        n.split.Gain,
		Rows:        n.rows(),
		Pairs:       n.pairs,
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

// recycle keeps the memory of a node that is not needed any more.
func (g *Grower) recycle(n *node) {
	if n.totals != nil {
		g.totals = append(g.totals, n.totals)
	}
	g.nodes = append(g.nodes, n)
}

// keepsHistograms tells whether nodes may take their parents' histograms over:
// several pairs of their own choice are hardly ever all the same.
func (g *Grower) keepsHistograms() bool { return g.Pairs == 1 || g.fixed != nil }

// keepHistogram finds room for a node's histogram if its larger child might
// take it over. Where there is none, the node least likely to be split loses
// its own.
func (g *Grower) keepHistogram(n *node) {
	if n.layout != g.layout || !g.keepsHistograms() {
		return
	}
	n.histogram = g.pool.Get(n.rows())
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
		n.histogram = g.pool.Get(n.rows())
	}
}

// release gives back the histogram of a node that does not need it any more.
func (g *Grower) release(n *node) {
	g.pool.Put(n.histogram)
	n.histogram = nil
}

// placeMissing sends missing values, where the node has none to learn from,
// the way that more rows go. Of the rows, the first left go left.
func (g *Grower) placeMissing(n *node, rows []uint32, left int) {
	if n.split.MissingLeft || left <= len(rows)-left {
		return
	}
	if g.Mapper.Features[n.split.Feature].Missing {
		codes := g.Matrix.Columns[n.split.Feature]
		for _, row := range rows[left:] {
			if codes[row] == 0 {
				return
			}
		}
	}
	n.split.MissingLeft = true
}

// finish makes leaves of the open nodes, from left to right.
func (g *Grower) finish(open []*node) []Segment {
	slices.SortFunc(open, func(a, b *node) int { return a.start - b.start })
	segments := make([]Segment, len(open))
	for i, n := range open {
		leaf := Leaf{Rows: n.rows()}
		if g.FullLeaf {
			leaf.Steps = make([]float32, g.residuals.Classes)
			g.Newton.Full(leaf.Steps, n.totals)
		} else {
			leaf.Pairs = n.pairs
			leaf.Steps = make([]float32, len(n.pairs))
			for p, pair := range n.pairs {
				leaf.Steps[p] = g.Newton.PairStep(n.stats[p].SumG, n.stats[p].SumH, pair, g.residuals.Classes)
			}
		}
		g.link(n, int32(^i))
		g.tree.Leaves = append(g.tree.Leaves, leaf)
		segments[i] = Segment{i, g.rowsOf(n)}
		g.release(n)
		g.recycle(n)
		if n.left != nil { // expanded ahead in vain
			for _, child := range []*node{n.left, n.right} {
				g.release(child)
				g.recycle(child)
			}
		}
	}
	return segments
}

// link makes a node's parent point at what became of it.
func (g *Grower) link(n *node, child int32) {
	switch {
	case n.parent < 0:
	case n.isRight:
		g.tree.Nodes[n.parent].Right = child
	default:
		g.tree.Nodes[n.parent].Left = child
	}
}

// newNode puts n where a node lay that is no longer needed, if there is one.
func (g *Grower) newNode(n node) *node {
	var place *node
	if last := len(g.nodes) - 1; last >= 0 {
		place, g.nodes = g.nodes[last], g.nodes[:last]
	} else {
		place = new(node)
	}
	*place = n
	return place
}

func (g *Grower) newTotals() *loss.Totals {
	if n := len(g.totals); n > 0 {
		t := g.totals[n-1]
		g.totals = g.totals[:n-1]
		return t
	}
	stride := g.residuals.Stride
	memory := make([]float64, 2*stride)
	return &loss.Totals{Gradient: memory[:stride], Hessian: memory[stride:]}
}

func (g *Grower) rowsOf(n *node) []uint32 { return g.partition.Rows[n.start:n.end] }

func (n *node) rows() int { return n.end - n.start }

var alone = new(par.Team)

// draw picks n of the columns at random, in order.
func draw(r *rand.Rand, columns []int, n int) []int {
	chosen := slices.Clone(columns)
	for i := range n {
		j := i + r.IntN(len(chosen)-i)
		chosen[i], chosen[j] = chosen[j], chosen[i]
	}
	slices.Sort(chosen[:n])
	return chosen[:n]
}

// nodeHeap orders open nodes by gain, the first-born first where they tie.
type nodeHeap []*node

func (h nodeHeap) Len() int { return len(h) }
func (h nodeHeap) Less(i, j int) bool {
	return h[i].before(h[j])
}

// before tells whether a node is split before another.
func (n *node) before(o *node) bool {
	return n.split.Gain > o.split.Gain || n.split.Gain == o.split.Gain && n.order < o.order
}

func (h nodeHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *nodeHeap) Push(n any)   { *h = append(*h, n.(*node)) }
func (h *nodeHeap) Pop() any {
	old := *h
	n := old[len(old)-1]
	*h = old[:len(old)-1]
	return n
}
