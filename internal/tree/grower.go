package tree

import (
	"container/heap"
	"math/rand/v2"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/loss"
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
}

// Grower grows one tree after another on the same data.
type Grower struct {
	Params
	kernels   *kernel.Funcs
	matrix    *bin.Matrix
	mapper    *bin.Mapper
	residuals *loss.Residuals
	team      *par.Team

	partition *Partition
	gradients *gradients
	splitter  *splitter
	pool      HistogramPool
	partials  []float64      // of sums by block
	totals    []*loss.Totals // to use again

	// of the tree being grown
	tree    *Tree
	columns []int
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
	pairs  []kernel.Pair
	stats  [kernel.MaxPairs]kernel.PairStats // ΣG and ΣH are a pair leaf's
	split  SplitInfo

	// What a child on the same pairs takes over; nil where none can.
	histogram  *Histogram
	quanta     quanta
	sumG, sumH [kernel.MaxPairs]int64
}

// NewGrower prepares for growing on the rows of a partition.
func NewGrower(k *kernel.Funcs, x *bin.Matrix, m *bin.Mapper, r *loss.Residuals, p Params, rows *Partition, team *par.Team) *Grower {
	g := &Grower{
		Params: p, kernels: k, matrix: x, mapper: m, residuals: r, team: team,
		partition: rows,
		gradients: newGradients(k, r, p.Pairs, x.Rows),
		partials:  make([]float64, blocks(x.Rows)*max(2, p.Pairs)*r.Stride),
	}
	g.splitter = &splitter{
		kernels: k, matrix: x, mapper: m, gradients: g.gradients,
		minSamples: p.MinSamples, minHessian: p.MinHessian, minGain: p.MinGain, l2: p.Newton.L2,
		scratch: make([][]int64, team.Workers()),
	}
	return g
}

// Grow grows a tree on the partition's rows, using the given columns. With
// fixed pairs every node uses those; else each chooses its own. The segments
// tell which rows reached which leaf.
func (g *Grower) Grow(columns []int, fixed []kernel.Pair, draws *rand.Rand) (*Tree, []Segment) {
	g.tree, g.columns, g.fixed, g.draws = &Tree{}, columns, fixed, draws
	g.splitter.use(columns)
	if g.pool.cells != g.splitter.cells {
		g.pool = HistogramPool{cells: g.splitter.cells}
	}

	root := &node{end: len(g.partition.Rows), parent: -1}
	if g.needsTotals() {
		root.totals = g.newTotals()
		g.count(root.totals, g.partition.Rows)
	}
	g.evaluate(root, 1)
	open := nodeHeap{root}
	for len(open) < g.Leaves && open[0].split.Gain > 0 {
		n := heap.Pop(&open).(*node)
		last := len(open)+2 >= g.Leaves
		left, right := g.split(n, last)
		heap.Push(&open, left)
		heap.Push(&open, right)
	}
	return g.tree, g.finish(open)
}

func (g *Grower) needsTotals() bool { return g.FullLeaf || g.fixed == nil }

// split makes an inner node of n and evaluates its children.
func (g *Grower) split(n *node, last bool) (left, right *node) {
	middle := g.partition.Split(g.kernels, g.matrix, n.split, n.start, n.end, g.teamFor(n.rows()))
	feature := &g.mapper.Features[n.split.Feature]
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
	left = &node{start: n.start, end: middle, depth: n.depth + 1, order: 2 * int(number), parent: number}
	right = &node{start: middle, end: n.end, depth: n.depth + 1, order: 2*int(number) + 1, parent: number, isRight: true}
	small, large := left, right
	if small.rows() > large.rows() {
		small, large = right, left
	}
	if n.totals != nil {
		small.totals, large.totals = g.newTotals(), n.totals
		g.count(small.totals, g.rowsOf(small))
		large.totals.Sub(n.totals, small.totals)
	}
	leaves := 0
	if last {
		leaves = g.Leaves
	}
	if n.histogram != nil && leaves == 0 {
		g.inherit(n, small, large)
		return left, right
	}
	g.pool.Put(n.histogram)
	g.evaluate(left, leaves)
	g.evaluate(right, leaves)
	return left, right
}

// placeMissing sends missing values, where the node has none to learn from,
// the way that more rows go. It returns where the right rows begin.
func (g *Grower) placeMissing(n *node, middle int) int {
	if n.split.MissingLeft || middle-n.start <= n.end-middle {
		return middle
	}
	if g.mapper.Features[n.split.Feature].Missing {
		codes := g.matrix.Columns[n.split.Feature]
		for _, row := range g.partition.Rows[middle:n.end] {
			if codes[row] == 0 {
				return middle
			}
		}
	}
	n.split.MissingLeft = true
	return middle
}

// evaluate finds a node's pairs and, unless leaves says that the tree will
// have no room for its children, its best split.
func (g *Grower) evaluate(n *node, leaves int) {
	rows := g.rowsOf(n)
	team := g.teamFor(len(rows))
	splittable := leaves < g.Leaves && len(rows) >= 2*g.MinSamples && len(rows) > 1 &&
		(g.MaxDepth == 0 || n.depth < g.MaxDepth) && len(g.columns) > 0
	if !splittable && g.FullLeaf {
		return
	}
	g.choosePairs(n, rows, team)
	n.stats = g.gradients.compute(rows, n.pairs, team)
	if !splittable {
		return
	}
	q := newQuanta(&n.stats, g.Pairs, len(rows), g.Trim)
	g.gradients.quantize(rows, q, team)
	if g.NodeColumns > 0 && g.NodeColumns < len(g.columns) {
		g.splitter.use(draw(g.draws, g.columns, g.NodeColumns))
	}
	if g.keepsHistograms() {
		n.histogram = g.pool.Get(len(rows))
		n.quanta, n.sumG, n.sumH = g.gradients.quanta, g.gradients.sumG, g.gradients.sumH
	}
	n.split = g.splitter.find(rows, n.histogram, false, team)
	g.forget(n)
}

// keepsHistograms tells whether children can take over their parent's
// histogram: they split on the same pairs and columns.
func (g *Grower) keepsHistograms() bool {
	return (g.fixed != nil || g.residuals.Classes == 2) && g.NodeColumns == 0
}

// inherit evaluates both children of n on its pairs: the smaller child's
// histogram is filled, the larger child's is what that leaves of n's.
func (g *Grower) inherit(n, small, large *node) {
	g.gradients.quanta = n.quanta
	for _, child := range []*node{small, large} {
		rows := g.rowsOf(child)
		team := g.teamFor(len(rows))
		child.pairs, child.quanta = n.pairs, n.quanta
		child.stats = g.gradients.compute(rows, child.pairs, team)
		if child == small || g.MinSamples > 1 { // which counts cuts out anew
			g.gradients.quantize(rows, n.quanta, team)
		}
		if child == small {
			child.sumG, child.sumH = g.gradients.sumG, g.gradients.sumH
			child.histogram = g.pool.Get(len(rows))
			g.splitter.fillOnly(child.histogram, team)
		} else {
			for p := range child.sumG {
				child.sumG[p], child.sumH[p] = n.sumG[p]-small.sumG[p], n.sumH[p]-small.sumH[p]
			}
			child.histogram, n.histogram = n.histogram, nil
			child.histogram.subtract(g.kernels, small.histogram)
		}
		g.gradients.sumG, g.gradients.sumH = child.sumG, child.sumH
		if len(rows) >= 2*g.MinSamples && len(rows) > 1 && (g.MaxDepth == 0 || child.depth < g.MaxDepth) {
			child.split = g.splitter.find(rows, child.histogram, true, team)
		}
	}
	g.forget(small)
	g.forget(large)
}

// forget gives back the histogram of a node that will not be split.
func (g *Grower) forget(n *node) {
	if n.split.Gain == 0 {
		g.pool.Put(n.histogram)
		n.histogram = nil
	}
}

// choosePairs chooses the class pairs of a node from its totals.
func (g *Grower) choosePairs(n *node, rows []uint32, team *par.Team) {
	r := g.residuals
	if g.fixed == nil {
		// Disjoint pairs need two classes each; the rest are of the
		// impossible class with itself, which adds nothing.
		m := min(g.Pairs, r.Classes/2)
		first := loss.FirstClasses(make([]int32, 0, m), n.totals.Gradient, r.Classes, m)
		var cross []float64
		if g.Selection != loss.FirstOrder {
			cross = g.cross(rows, first, team)
		}
		n.pairs = loss.SecondClasses(make([]kernel.Pair, 0, g.Pairs), first, n.totals, cross, r.Classes, r.Stride, g.Selection)
	} else {
		n.pairs = g.fixed
	}
	for len(n.pairs) < g.Pairs {
		impossible := int32(r.Classes)
		n.pairs = append(n.pairs, kernel.Pair{R: impossible, S: impossible})
	}
	if g.Selection == loss.Root {
		g.fixed = n.pairs
	}
}

// count sums up the class totals of rows.
func (g *Grower) count(t *loss.Totals, rows []uint32) {
	r := g.residuals
	g.sumBlocks(rows, 2*r.Stride, g.teamFor(len(rows)), func(rows []uint32, sums []float64) {
		g.kernels.Totals(&kernel.TotalsJob{
			Residuals: r.Data, Stride: r.Stride, Rows: rows, Weights: r.Weights,
			Gradient: sums[:r.Stride], Hessian: sums[r.Stride:],
		})
	})
	copy(t.Gradient, g.partials[:r.Stride])
	copy(t.Hessian, g.partials[r.Stride:])
}

// cross sums up the probability products of rows with each of the classes
// first. The result is good until the next count or cross.
func (g *Grower) cross(rows []uint32, first []int32, team *par.Team) []float64 {
	r := g.residuals
	g.sumBlocks(rows, len(first)*r.Stride, team, func(rows []uint32, sums []float64) {
		g.kernels.Cross(&kernel.CrossJob{
			Residuals: r.Data, Stride: r.Stride, Rows: rows, Weights: r.Weights,
			First: first, Cross: sums,
		})
	})
	return g.partials[:len(first)*r.Stride]
}

// sumBlocks adds up a job's sums over the blocks of rows, in their order,
// into the first partial sums.
func (g *Grower) sumBlocks(rows []uint32, width int, team *par.Team, job func(rows []uint32, sums []float64)) {
	n := blocks(len(rows))
	team.Do(n, func(_, b int) {
		first, last := block(b, len(rows))
		job(rows[first:last], g.partials[b*width:(b+1)*width])
	})
	sum := g.partials[:width]
	for b := 1; b < n; b++ {
		for i, v := range g.partials[b*width : (b+1)*width] {
			sum[i] += v
		}
	}
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
				sumG := n.stats[p].SumG
				if int(pair.S) >= g.residuals.Classes { // a class by itself: LogitBoost allows for the others
					k := float64(g.residuals.Classes)
					sumG = float64((k - 1) / k * sumG)
				}
				leaf.Steps[p] = g.Newton.Step(sumG, n.stats[p].SumH)
			}
		}
		g.link(n, int32(^i))
		g.tree.Leaves = append(g.tree.Leaves, leaf)
		segments[i] = Segment{i, n.start, n.end}
		g.pool.Put(n.histogram)
		if n.totals != nil {
			g.totals = append(g.totals, n.totals)
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
	if rows*(len(g.columns)+g.residuals.Stride) < 1<<17 {
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
