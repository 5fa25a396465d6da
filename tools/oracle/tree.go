package oracle

import (
	"cmp"
	"math"
	"slices"
)

// pair is the class pair (r, s) of a node: class r gets the value t and class s the value -t. If s < 0, class r stands alone.
type pair struct{ r, s int }

// rowDerivatives returns the negative gradient and the Hessian of one row in the direction of the pair: a term of the sums (17)
// and (18). For a single class, they are its entries of (13) and (14).
func (c pair) rowDerivatives(p []float64, y int) (g, h float64) {
	g, h = gradient(p, y, c.r), variance(p, c.r)
	if c.s >= 0 {
		g -= gradient(p, y, c.s)
		h += variance(p, c.s) + float64(2*p[c.r]*p[c.s])
	}
	return g, h
}

// totals are the entries of the sums (11) and (12) over the rows of a node that are needed.
type totals struct {
	m   []float64 // m_k, the negative gradient
	h   []float64 // h_kk
	hrk []float64 // h_rk of the class r with the largest m
}

// span is a node under construction. Its rows are the elements lo to hi-1 of grower.rows and of every grower.order.
type span struct {
	lo, hi int
	open   bool // the node can be split by the split below
	gain   float64
	at     int // feature
	cut    float32
}

// grower grows trees, one at a time.
type grower struct {
	params  Params
	classes int
	x       [][]float32 // by feature, then row
	y       []int
	p       [][]float64 // by row, then class
	sorted  [][]int32   // for each feature the rows sorted by value; equal values in row order

	// The tree being grown.
	tree   *Tree
	rows   []int32   // the rows of each node, in row order
	order  [][]int32 // for each feature the rows of each node, sorted by value
	nodes  []span    // parallel to tree.Nodes
	fixed  *pair     // the pair of every node; nil if each chooses its own
	g, h   []float64 // by row, for the current node
	isLeft []bool    // by row, for the current split
	spare  []int32
}

func newGrower(x [][]float64, y []int, classes int, params Params, p [][]float64) *grower {
	n, features := len(x), len(x[0])
	g := &grower{
		params: params, classes: classes, y: y, p: p,
		rows: make([]int32, n), spare: make([]int32, n), isLeft: make([]bool, n),
		g: make([]float64, n), h: make([]float64, n),
	}
	for f := range features {
		column, order := make([]float32, n), make([]int32, n)
		for i := range n {
			column[i], order[i] = float32(x[i][f]), int32(i)
		}
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(column[a], column[b]) })
		g.x, g.sorted, g.order = append(g.x, column), append(g.sorted, order), append(g.order, make([]int32, n))
	}
	return g
}

// grow grows one tree, best split first (step 4 of Algorithm 1). Unless fixed is nil, all nodes have that pair.
func (g *grower) grow(fixed *pair) *Tree {
	for i := range g.rows {
		g.rows[i] = int32(i)
	}
	for f := range g.order {
		copy(g.order[f], g.sorted[f])
	}
	g.tree, g.nodes, g.fixed = &Tree{}, g.nodes[:0], fixed
	g.addNode(0, len(g.rows))
	for leaves := 1; leaves < g.params.Leaves; leaves++ {
		best := -1
		for i, s := range g.nodes {
			if s.open && (best < 0 || s.gain > g.nodes[best].gain) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		g.split(best)
	}
	return g.tree
}

// addNode appends a leaf with the rows lo to hi-1 and finds its pair, leaf vector and best split.
func (g *grower) addNode(lo, hi int) int {
	s := span{lo: lo, hi: hi}
	rows := g.rows[lo:hi]
	c, value := g.fit(rows)
	if g.params.Selection == SelectRoot {
		g.fixed = &c
	}
	if len(rows) > g.params.MinSamples && g.params.Leaves > 1 {
		g.findSplit(&s, c)
	}
	g.nodes = append(g.nodes, s)
	g.tree.Nodes = append(g.tree.Nodes, Node{Feature: -1, R: c.r, S: c.s, Rows: len(rows), Value: value})
	return len(g.nodes) - 1
}

// fit chooses the class pair of a node and computes its leaf vector.
func (g *grower) fit(rows []int32) (pair, []float32) {
	t, c := g.sum(rows)
	value := make([]float64, g.classes)
	switch {
	case g.params.Leaf == LeafFull:
		var mean float64
		for k := range value {
			value[k] = clip(g.oneClassStep(t.m[k], t.h[k]))
			mean += value[k] / float64(g.classes)
		}
		for k := range value {
			value[k] -= mean
		}
	case c.s < 0:
		value[c.r] = clip(g.oneClassStep(t.m[c.r], t.h[c.r]))
	default: // equations (19) and (21)
		step := clip((t.m[c.r] - t.m[c.s]) / nonzero(t.pairHessian(c)))
		value[c.r], value[c.s] = step, -step
	}
	rounded := make([]float32, g.classes)
	for k := range value {
		rounded[k] = float32(value[k])
	}
	return c, rounded
}

// oneClassStep returns the Newton step of a single class. LogitBoost scales it by (K-1)/K to account for the other classes.
func (g *grower) oneClassStep(m, h float64) float64 {
	k := float64(g.classes)
	return (k - 1) / k * m / nonzero(h)
}

// pairHessian returns h_rr + h_ss - 2h_rs, equation (18). t.hrk must belong to c.r.
func (t *totals) pairHessian(c pair) float64 { return t.h[c.r] + t.h[c.s] - 2*t.hrk[c.s] }

// sum computes the totals of a node and its class pair.
func (g *grower) sum(rows []int32) (totals, pair) {
	t := totals{make([]float64, g.classes), make([]float64, g.classes), make([]float64, g.classes)}
	for _, i := range rows {
		p, y := g.p[i], g.y[i]
		for k := range p {
			t.m[k] += gradient(p, y, k)
			t.h[k] += variance(p, k)
		}
	}
	c := pair{argmax(t.m), -1}
	if g.fixed != nil {
		c = *g.fixed
	}
	for _, i := range rows {
		p := g.p[i]
		for k := range p {
			t.hrk[k] -= float64(p[c.r] * p[k])
		}
	}
	if g.fixed == nil {
		c.s = g.secondClass(&t, c.r)
	}
	return t, c
}

// secondClass chooses s for a given r by equation (24) or (25).
func (g *grower) secondClass(t *totals, r int) int {
	s, best := -1, math.Inf(-1)
	for k := range g.classes {
		if k == r {
			continue
		}
		score := -t.m[k]
		if g.params.Selection != SelectFirstOrder {
			d := t.m[r] - t.m[k]
			score = d * d / nonzero(t.pairHessian(pair{r, k}))
		}
		if s < 0 || score > best {
			s, best = k, score
		}
	}
	return s
}

// findSplit finds the split of a node with the largest gain (22) for the pair c.
func (g *grower) findSplit(s *span, c pair) {
	var sumG, sumH float64
	for _, i := range g.rows[s.lo:s.hi] {
		g.g[i], g.h[i] = c.rowDerivatives(g.p[i], g.y[i])
		sumG += g.g[i]
		sumH += g.h[i]
	}
	s.gain = minGain
	unsplit := reduction(sumG, sumH)
	for f, column := range g.x {
		order := g.order[f][s.lo:s.hi]
		var leftG, leftH float64
		for j, i := range order[:len(order)-1] {
			leftG += g.g[i]
			leftH += g.h[i]
			a, b := column[i], column[order[j+1]]
			if a == b {
				continue
			}
			gain := reduction(leftG, leftH) + reduction(sumG-leftG, sumH-leftH) - unsplit
			if gain > s.gain {
				s.open, s.gain, s.at, s.cut = true, gain, f, midpoint(a, b)
			}
		}
	}
}

// midpoint returns the float32 midway between a < b, or b if there is no float32 between them. It must not return a: the rows
// with the value a would then go right.
func midpoint(a, b float32) float32 {
	if mid := a/2 + b/2; a < mid && mid < b {
		return mid
	}
	return b
}

// split turns leaf number best into an inner node with two leaves.
func (g *grower) split(best int) {
	g.nodes[best].open = false
	s, nLeft := g.nodes[best], 0
	for _, i := range g.rows[s.lo:s.hi] {
		g.isLeft[i] = g.x[s.at][i] < s.cut
		if g.isLeft[i] {
			nLeft++
		}
	}
	g.partition(g.rows[s.lo:s.hi])
	for f := range g.order {
		g.partition(g.order[f][s.lo:s.hi])
	}
	left := g.addNode(s.lo, s.lo+nLeft)
	right := g.addNode(s.lo+nLeft, s.hi)
	n := &g.tree.Nodes[best]
	n.Feature, n.Cut, n.Gain, n.Left, n.Right, n.Value = s.at, s.cut, s.gain, left, right, nil
}

// partition moves the left rows to the front. It keeps the order on both sides.
func (g *grower) partition(rows []int32) {
	left, right := 0, 0
	for _, i := range rows {
		if g.isLeft[i] {
			rows[left] = i
			left++
		} else {
			g.spare[right] = i
			right++
		}
	}
	copy(rows[left:], g.spare[:right])
}
