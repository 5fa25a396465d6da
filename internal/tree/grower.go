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

	partition  *Partition
	cells      []int64       // pairs a row: the gradients of a node lie where its rows do
	kept       []uint32      // likewise the rows that were not trimmed
	memory     [2]*mem.Block // of cells and kept
	evaluators [2]*evaluator
	pool       HistogramPool
	totals     []*loss.Totals // to use again
	nodes      []*node        // likewise

	// of the tree being grown
	tree    *Tree
	open    nodeHeap
	columns []int
	layout  *layout
	fixed   []kernel.Pair
	draws   *rand.Rand
}

// node is a node that is a leaf so far.
type node struct {
	start, end int // of the partition
	depth      int
	order      int   // of birth
	parent     int32 // number in tree.Nodes; −1: none
	isRight    bool

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
	for i := range g.evaluators {
		e := &evaluator{Grower: g, gradients: gradients{kernels: k, residuals: r, pairs: p.Pairs}}
		e.splitter = splitter{
			Bins: b, kernels: k, gradients: &e.gradients,
			minSamples: p.MinSamples, minHessian: p.MinHessian, minGain: p.MinGain, l2: p.Newton.L2,
			workers: make([]worker, team.Workers()),
		}
		g.evaluators[i] = e
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
	g.tree, g.fixed, g.draws = &Tree{}, fixed, draws

	root := g.newNode(node{end: len(g.partition.Rows), parent: -1})
	g.admit(root, false)
	if g.needsTotals() {
		root.totals = g.newTotals()
		g.evaluators[0].count(root.totals, g.partition.Rows)
	}
	g.keepHistogram(root)
	g.evaluators[0].evaluate(root, g.teamFor(root.rows()))
	g.open = append(g.open[:0], root)
	for len(g.open) < g.Leaves && g.open[0].split.Gain > 0 {
		n := heap.Pop(&g.open).(*node)
		left, right := g.split(n, len(g.open)+2 >= g.Leaves)
		heap.Push(&g.open, left)
		heap.Push(&g.open, right)
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
	if g.NodeColumns > 0 && g.NodeColumns < len(g.columns) {
		n.layout = newLayout(g.Coarse, g.CoarseMapper, draw(g.draws, g.columns, g.NodeColumns), g.Pairs, g.CacheBytes)
	}
}

func (g *Grower) needsTotals() bool { return g.FullLeaf || g.fixed == nil }

// split makes an inner node of n and evaluates its children.
func (g *Grower) split(n *node, last bool) (left, right *node) {
	middle := g.partition.Split(g.kernels, g.Matrix, n.split, n.start, n.end, g.teamFor(n.rows()))
	feature := &g.Mapper.Features[n.split.Feature]
	middle = g.placeMissing(n, middle)

	number := int32(len(g.tree.Nodes))
	g.link(n, number)
	g.tree.Nodes = append(g.tree.Nodes, Node{
		Feature:     int32(n.split.Feature),
		Bin:         n.split.Bin,
		MissingLeft: n.split.MissingLeft,
		Threshold:   feature.Threshold(int(n.split.Bin)),
		Gain:        n.split.Gain,
		Rows:        n.rows(),
		Pairs:       n.pairs,
	})
	left = g.newNode(node{start: n.start, end: middle, depth: n.depth + 1, order: 2 * int(number), parent: number})
	right = g.newNode(node{start: middle, end: n.end, depth: n.depth + 1, order: 2*int(number) + 1, parent: number, isRight: true})
	g.admit(left, last)
	g.admit(right, last)
	small, large := left, right
	if small.rows() > large.rows() {
		small, large = right, left
	}
	if n.totals != nil {
		// Not in the partition pass: that would read the residuals of all rows,
		// not of the smaller child's only, for what takes 3 to 7 % of the time.
		small.totals, large.totals = g.newTotals(), n.totals
		g.evaluators[0].count(small.totals, g.rowsOf(small))
		large.totals.Sub(n.totals, small.totals)
	}
	g.evaluators[0].inheritPairs(n, small, large)
	if n.histogram == nil || large.layout == nil || !slices.Equal(large.pairs, n.pairs) {
		g.evaluateBoth(small, large)
	} else {
		g.evaluators[0].inherit(n, small, large)
	}
	g.release(n)
	g.nodes = append(g.nodes, n)
	for _, child := range []*node{left, right} {
		if child.split.Gain == 0 {
			g.release(child)
		}
	}
	return left, right
}

// evaluateBoth evaluates the children of a node: two small ones side by side,
// one after the other where each can occupy the whole team.
func (g *Grower) evaluateBoth(small, large *node) {
	g.keepHistogram(large)
	g.keepHistogram(small)
	if g.teamFor(large.rows()) == alone && g.teamFor(8*small.rows()) == g.team {
		g.team.Do(2, func(_, i int) {
			g.evaluators[i].evaluate([]*node{large, small}[i], alone)
		})
		return
	}
	g.evaluators[0].evaluate(large, g.teamFor(large.rows()))
	g.evaluators[0].evaluate(small, g.teamFor(small.rows()))
}

// keepHistogram finds room for a node's histogram if its larger child might
// take it over. Where there is none, the node least likely to be split loses
// its own.
func (g *Grower) keepHistogram(n *node) {
	if n.layout != g.layout || g.Pairs > 1 && g.fixed == nil {
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
// the way that more rows go. It returns where the right rows begin.
func (g *Grower) placeMissing(n *node, middle int) int {
	if n.split.MissingLeft || middle-n.start <= n.end-middle {
		return middle
	}
	if g.Mapper.Features[n.split.Feature].Missing {
		codes := g.Matrix.Columns[n.split.Feature]
		for _, row := range g.partition.Rows[middle:n.end] {
			if codes[row] == 0 {
				return middle
			}
		}
	}
	n.split.MissingLeft = true
	return middle
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
		segments[i] = Segment{i, n.start, n.end}
		g.release(n)
		if n.totals != nil {
			g.totals = append(g.totals, n.totals)
		}
		g.nodes = append(g.nodes, n)
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

// teamFor is the team for work on so many rows: starting goroutines costs
// more than they save on few.
func (g *Grower) teamFor(rows int) *par.Team {
	if rows*(len(g.columns)+g.residuals.Stride) < 1<<14 {
		return alone
	}
	return g.team
}

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
	return h[i].split.Gain > h[j].split.Gain ||
		h[i].split.Gain == h[j].split.Gain && h[i].order < h[j].order
}
func (h nodeHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *nodeHeap) Push(n any)   { *h = append(*h, n.(*node)) }
func (h *nodeHeap) Pop() any {
	old := *h
	n := old[len(old)-1]
	*h = old[:len(old)-1]
	return n
}
