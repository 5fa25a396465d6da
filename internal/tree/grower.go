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

	partition  *Partition
	cells      []int64  // pairs a row: the gradients of a node lie where its rows do
	kept       []uint32 // likewise the rows that were not trimmed
	evaluators [2]*evaluator
	pool       HistogramPool
	totals     []*loss.Totals // to use again

	// of the tree being grown
	tree    *Tree
	columns []int
	layout  *layout
	fixed   []kernel.Pair
	draws   *rand.Rand
}

// evaluator finds the pairs and the best split of one node at a time. There
// are two, for the two children of a node.
type evaluator struct {
	*Grower
	gradients gradients
	splitter  splitter
	partials  []float64 // sums by block
	jobs      []sumJob  // by block
}

// sumJob is room for a kernel's job, which on the stack would become garbage.
type sumJob struct {
	totals kernel.TotalsJob
	cross  kernel.CrossJob
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
		cells:     make([]int64, x.Rows*p.Pairs),
		kept:      make([]uint32, x.Rows),
	}
	for i := range g.evaluators {
		e := &evaluator{Grower: g, gradients: gradients{kernels: k, residuals: r, pairs: p.Pairs}}
		e.splitter = splitter{
			kernels: k, matrix: x, mapper: m, gradients: &e.gradients,
			minSamples: p.MinSamples, minHessian: p.MinHessian, minGain: p.MinGain, l2: p.Newton.L2,
			workers: make([]worker, team.Workers()),
		}
		g.evaluators[i] = e
	}
	return g
}

// Grow grows a tree on the partition's rows, using the given columns. With
// fixed pairs every node uses those; else each chooses its own. The segments
// tell which rows reached which leaf.
func (g *Grower) Grow(columns []int, fixed []kernel.Pair, draws *rand.Rand) (*Tree, []Segment) {
	if g.layout == nil || !slices.Equal(columns, g.columns) {
		g.columns, g.layout = columns, newLayout(g.matrix, g.mapper, columns, g.Pairs)
		g.pool = HistogramPool{cells: g.layout.cells}
	}
	g.tree, g.fixed, g.draws = &Tree{}, fixed, draws

	root := &node{end: len(g.partition.Rows), parent: -1}
	g.open(root, false)
	if g.needsTotals() {
		root.totals = g.newTotals()
		g.evaluators[0].count(root.totals, g.partition.Rows)
	}
	g.evaluators[0].evaluate(root, g.teamFor(root.rows()))
	open := nodeHeap{root}
	for len(open) < g.Leaves && open[0].split.Gain > 0 {
		n := heap.Pop(&open).(*node)
		left, right := g.split(n, len(open)+2 >= g.Leaves)
		heap.Push(&open, left)
		heap.Push(&open, right)
	}
	return g.tree, g.finish(open)
}

// open gives a new node the columns that it may be split on, unless it is to
// stay a leaf.
func (g *Grower) open(n *node, last bool) {
	if last || n.rows() < 2*g.MinSamples || n.rows() < 2 || g.MaxDepth > 0 && n.depth >= g.MaxDepth || len(g.columns) == 0 {
		return
	}
	n.layout = g.layout
	if g.NodeColumns > 0 && g.NodeColumns < len(g.columns) {
		n.layout = newLayout(g.matrix, g.mapper, draw(g.draws, g.columns, g.NodeColumns), g.Pairs)
	}
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
	g.open(left, last)
	g.open(right, last)
	small, large := left, right
	if small.rows() > large.rows() {
		small, large = right, left
	}
	if n.totals != nil {
		small.totals, large.totals = g.newTotals(), n.totals
		g.evaluators[0].count(small.totals, g.rowsOf(small))
		large.totals.Sub(n.totals, small.totals)
	}
	if n.histogram != nil && !last {
		g.evaluators[0].inherit(n, small, large)
		return left, right
	}
	g.pool.Put(n.histogram)
	g.evaluateBoth(left, right)
	return left, right
}

// evaluateBoth evaluates the children of a node: two small ones side by side,
// one after the other where each can occupy the whole team.
func (g *Grower) evaluateBoth(left, right *node) {
	leftTeam, rightTeam := g.teamFor(left.rows()), g.teamFor(right.rows())
	if leftTeam == alone && rightTeam == alone && g.teamFor(8*min(left.rows(), right.rows())) == g.team {
		g.team.Do(2, func(_, i int) {
			g.evaluators[i].evaluate([]*node{left, right}[i], alone)
		})
		return
	}
	g.evaluators[0].evaluate(left, leftTeam)
	g.evaluators[0].evaluate(right, rightTeam)
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

// evaluate finds a node's pairs and, if it may be split, its best split.
func (e *evaluator) evaluate(n *node, team *par.Team) {
	if n.layout == nil && e.FullLeaf {
		return
	}
	rows := e.take(n)
	e.choosePairs(n, rows, team)
	n.stats = e.gradients.compute(rows, n.pairs, team)
	if n.layout == nil {
		return
	}
	e.gradients.quantize(rows, newQuanta(&n.stats, e.Pairs, len(rows), e.Trim), team)
	if e.keepsHistograms() {
		n.histogram = e.pool.Get(len(rows))
		n.quanta, n.sumG, n.sumH = e.gradients.quanta, e.gradients.sumG, e.gradients.sumH
	}
	e.splitter.use(n.layout)
	n.split = e.splitter.find(rows, n.histogram, false, team)
	e.forget(n)
}

// take makes a node the evaluator's and returns its rows.
func (e *evaluator) take(n *node) []uint32 {
	e.gradients.cells = e.cells[n.start*e.Pairs : n.end*e.Pairs]
	e.gradients.rows = e.kept[n.start:n.end]
	return e.rowsOf(n)
}

// keepsHistograms tells whether children can take over their parent's
// histogram: they split on the same pairs and columns.
func (g *Grower) keepsHistograms() bool {
	return (g.fixed != nil || g.residuals.Classes == 2) && g.NodeColumns == 0
}

// inherit evaluates both children of n on its pairs: the smaller child's
// histogram is filled, the larger child's is what that leaves of n's.
func (e *evaluator) inherit(n, small, large *node) {
	e.splitter.use(e.layout)
	for _, child := range []*node{small, large} {
		rows := e.take(child)
		team := e.teamFor(len(rows))
		child.pairs, child.quanta = n.pairs, n.quanta
		child.stats = e.gradients.compute(rows, child.pairs, team)
		if child == small || e.MinSamples > 1 { // which counts cuts out anew
			e.gradients.quantize(rows, n.quanta, team)
		}
		if child == small {
			child.sumG, child.sumH = e.gradients.sumG, e.gradients.sumH
			child.histogram = e.pool.Get(len(rows))
			e.splitter.fillOnly(child.histogram, team)
		} else {
			for p := range child.sumG {
				child.sumG[p], child.sumH[p] = n.sumG[p]-small.sumG[p], n.sumH[p]-small.sumH[p]
			}
			child.histogram, n.histogram = n.histogram, nil
			child.histogram.subtract(e.kernels, small.histogram)
		}
		e.gradients.quanta, e.gradients.sumG, e.gradients.sumH = n.quanta, child.sumG, child.sumH
		if child.layout != nil {
			child.split = e.splitter.find(rows, child.histogram, true, team)
		}
	}
	e.forget(small)
	e.forget(large)
}

// forget gives back the histogram of a node that will not be split.
func (g *Grower) forget(n *node) {
	if n.split.Gain == 0 {
		g.pool.Put(n.histogram)
		n.histogram = nil
	}
}

// choosePairs chooses the class pairs of a node from its totals.
func (e *evaluator) choosePairs(n *node, rows []uint32, team *par.Team) {
	r := e.residuals
	if e.fixed == nil {
		// Disjoint pairs need two classes each; the rest are of the
		// impossible class with itself, which adds nothing.
		m := min(e.Pairs, r.Classes/2)
		first := loss.FirstClasses(make([]int32, 0, m), n.totals.Gradient, r.Classes, m)
		var cross []float64
		if e.Selection != loss.FirstOrder {
			cross = e.cross(rows, first, team)
		}
		n.pairs = loss.SecondClasses(make([]kernel.Pair, 0, e.Pairs), first, n.totals, cross, r.Classes, r.Stride, e.Selection)
	} else {
		n.pairs = e.fixed
	}
	for len(n.pairs) < e.Pairs {
		impossible := int32(r.Classes)
		n.pairs = append(n.pairs, kernel.Pair{R: impossible, S: impossible})
	}
	if e.Selection == loss.Root && e.fixed == nil {
		e.fixed = n.pairs
	}
}

// count sums up the class totals of rows.
func (e *evaluator) count(t *loss.Totals, rows []uint32) {
	r := e.residuals
	e.sumBlocks(rows, 2*r.Stride, e.teamFor(len(rows)), func(job *sumJob, rows []uint32, sums []float64) {
		job.totals = kernel.TotalsJob{
			Residuals: r.Data, Stride: r.Stride, Rows: rows, Weights: r.Weights,
			Gradient: sums[:r.Stride], Hessian: sums[r.Stride:],
		}
		e.kernels.Totals(&job.totals)
	})
	copy(t.Gradient, e.partials[:r.Stride])
	copy(t.Hessian, e.partials[r.Stride:])
}

// cross sums up the probability products of rows with each of the classes
// first. The result is good until the next count or cross.
func (e *evaluator) cross(rows []uint32, first []int32, team *par.Team) []float64 {
	r := e.residuals
	e.sumBlocks(rows, len(first)*r.Stride, team, func(job *sumJob, rows []uint32, sums []float64) {
		job.cross = kernel.CrossJob{
			Residuals: r.Data, Stride: r.Stride, Rows: rows, Weights: r.Weights,
			First: first, Cross: sums,
		}
		e.kernels.Cross(&job.cross)
	})
	return e.partials[:len(first)*r.Stride]
}

// sumBlocks adds up a job's sums over the blocks of rows, in their order,
// into the first partial sums.
func (e *evaluator) sumBlocks(rows []uint32, width int, team *par.Team, sum func(job *sumJob, rows []uint32, sums []float64)) {
	n := blocks(len(rows))
	e.partials = slices.Grow(e.partials[:0], n*width)[:n*width]
	e.jobs = slices.Grow(e.jobs[:0], n)[:n]
	team.Do(n, func(_, b int) {
		first, last := block(b, len(rows))
		sum(&e.jobs[b], rows[first:last], e.partials[b*width:(b+1)*width])
	})
	for b := 1; b < n; b++ {
		for i, v := range e.partials[b*width : (b+1)*width] {
			e.partials[i] += v
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
