package tree

import (
	"math"
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/kernel"
)

// checker replays a tree.
type checker struct {
	t *testing.T
	*problem
	params Params
	fixed  []kernel.Pair
	tree   *Tree
	open   []candidateLeaf
}

func (c *checker) check(rows *Partition, segments []Segment) {
	c.t.Helper()
	if len(c.tree.Leaves) != len(c.tree.Nodes)+1 || len(c.tree.Leaves) > c.params.Leaves {
		c.t.Fatalf("%d nodes and %d leaves", len(c.tree.Nodes), len(c.tree.Leaves))
	}
	if len(c.tree.Nodes) < 2 {
		c.t.Fatalf("only %d nodes", len(c.tree.Nodes))
	}
	all := make([]uint32, c.matrix.Rows)
	for i := range all {
		all[i] = uint32(i)
	}
	byLeaf := make([][]uint32, len(c.tree.Leaves))
	c.node(0, -1, 0, all, byLeaf)
	if c.t.Failed() {
		return
	}
	// The segments hold the same rows, in order.
	end := 0
	for i, s := range segments {
		if s.Leaf != i || &s.Rows[0] != &rows.Rows[end] || !slices.Equal(s.Rows, byLeaf[i]) {
			c.t.Fatalf("segment %+v does not hold the rows of leaf %d", s, i)
		}
		end += len(s.Rows)
	}
	if len(segments) != len(byLeaf) || end != len(all) {
		c.t.Fatalf("%d segments of %d leaves, %d rows", len(segments), len(byLeaf), end)
	}
	// Best first: no leaf left behind has more to gain than the last split.
	last := int32(len(c.tree.Nodes) - 1)
	for _, leaf := range c.open {
		least := c.tree.Nodes[last].Gain
		if len(c.tree.Leaves) < c.params.Leaves {
			least = c.params.MinGain // all are left since they gain nothing
		}
		if leaf.parent != last && leaf.gain > 1.01*least+1e-3 {
			c.t.Errorf("a leaf could gain %g, the last split gained %g", leaf.gain, c.tree.Nodes[last].Gain)
		}
	}
}

func (c *checker) node(child, parent int32, depth int, rows []uint32, byLeaf [][]uint32) {
	c.t.Helper()
	m, h := c.totals(rows)
	if child < 0 {
		byLeaf[^child] = rows
		c.leaf(&c.tree.Leaves[^child], rows, m, h)
		if depth < c.params.MaxDepth || c.params.MaxDepth == 0 {
			pairs := c.tree.Leaves[^child].Pairs
			if pairs == nil {
				pairs = c.choose(rows, m, h)
			}
			best, _ := c.best(rows, pairs, nil)
			c.open = append(c.open, candidateLeaf{best, parent})
		}
		return
	}
	n := &c.tree.Nodes[child]
	if c.params.MaxDepth > 0 && depth >= c.params.MaxDepth {
		c.t.Fatalf("node %d is split at depth %d", child, depth)
	}
	c.pairs(n.Pairs, rows, m, h)
	best, own := c.best(rows, n.Pairs, n)
	slack := 2e-3*best + 1e-4*c.score(rows, n.Pairs)
	if math.Abs(own-n.Gain) > slack || best > n.Gain+slack {
		c.t.Fatalf("node %d of %d rows: gain %g, by itself %g, the best is %g", child, len(rows), n.Gain, own, best)
	}
	if n.Split.Threshold() != c.mapper.Features[n.Split.Feature].Threshold(int(n.Bin)) {
		c.t.Fatalf("node %d: threshold %v of bin %d", child, n.Split.Threshold(), n.Bin)
	}
	var left, right []uint32
	for _, row := range rows {
		x := c.source[n.Split.Feature][row]
		if x < n.Split.Threshold() || math.IsNaN(x) && n.Split.MissingLeft {
			left = append(left, row)
		} else {
			right = append(right, row)
		}
	}
	if len(left) < c.params.MinSamples || len(right) < c.params.MinSamples {
		c.t.Fatalf("node %d: %d and %d rows", child, len(left), len(right))
	}
	c.node(n.Left, child, depth+1, left, byLeaf)
	c.node(n.Right, child, depth+1, right, byLeaf)
}

// gradient returns g and h of a row along a pair, from probabilities in float64.
func (c *checker) gradient(row uint32, pair kernel.Pair) (g, h float64) {
	y, k := c.residuals.Labels[row], c.residuals.Classes
	own := func(class int32) (p, r float64) {
		if int(class) >= k {
			return 0, 0
		}
		p = float64(c.residuals.Form.(*loss.Dense).Row(int(row))[class])
		if class == y {
			return 1 + p, 1
		}
		return p, 0
	}
	pr, rr := own(pair.R)
	ps, rs := own(pair.S)
	w := c.residuals.Weight(int(row))
	return w * ((rr - pr) - (rs - ps)), w * (pr + ps - (pr-ps)*(pr-ps))
}

func (c *checker) totals(rows []uint32) (m, h []float64) {
	k := c.residuals.Classes
	m, h = make([]float64, k), make([]float64, k)
	for _, row := range rows {
		for class := range k {
			g, hess := c.gradient(row, kernel.Pair{R: int32(class), S: int32(k)})
			m[class] += g
			h[class] += hess
		}
	}
	return m, h
}

// pairScore returns the score by which the second class of a pair is chosen.
func (c *checker) pairScore(rows []uint32, pair kernel.Pair, m []float64) float64 {
	if c.params.Selection == loss.FirstOrder {
		return -m[pair.S]
	}
	d, h := m[pair.R]-m[pair.S], 0.0
	for _, row := range rows {
		_, hess := c.gradient(row, pair)
		h += hess
	}
	return d * d / h
}

// choose chooses pairs by the rules.
func (c *checker) choose(rows []uint32, m, h []float64) []kernel.Pair {
	if c.fixed != nil {
		return c.fixed
	}
	if c.params.Selection == loss.Root {
		return c.tree.Nodes[0].Pairs
	}
	k := c.residuals.Classes
	used := make([]bool, k)
	var pairs []kernel.Pair
	for range min(c.params.Pairs, k/2) {
		best := -1
		for class := range k {
			if !used[class] && (best < 0 || m[class] > m[best]) {
				best = class
			}
		}
		used[best] = true
		pairs = append(pairs, kernel.Pair{R: int32(best)})
	}
	for i := range pairs {
		best, bestScore := int32(-1), math.Inf(-1)
		for class := range int32(k) {
			if score := c.pairScore(rows, kernel.Pair{R: pairs[i].R, S: class}, m); !used[class] && score > bestScore {
				best, bestScore = class, score
			}
		}
		used[best] = true
		pairs[i].S = best
	}
	return pairs
}

// pairs checks that a node's pairs follow the rules.
func (c *checker) pairs(got []kernel.Pair, rows []uint32, m, h []float64) {
	c.t.Helper()
	want := c.choose(rows, m, h)
	real := min(len(want), len(got))
	if len(got) != c.params.Pairs || len(want) > len(got) {
		c.t.Fatalf("pairs %v, want %v", got, want)
	}
	for i, pair := range got {
		none := kernel.Pair{R: int32(c.residuals.Classes), S: int32(c.residuals.Classes)}
		switch binary := c.residuals.Classes == 2; {
		case i >= real && pair != none:
			c.t.Fatalf("pair %v is not the padding pair", pair)
		case i >= real, pair == want[i], binary && pair.R == want[i].S && pair.S == want[i].R:
		case c.same(rows, pair, want[i], m):
		default:
			c.t.Fatalf("%d rows: pairs %v, want %v", len(rows), got, want)
		}
	}
}

// same reports whether two pairs are equally good up to rounding.
func (c *checker) same(rows []uint32, a, b kernel.Pair, m []float64) bool {
	tolerance := 1e-6 * float64(len(rows))
	return math.Abs(m[a.R]-m[b.R]) <= tolerance && math.Abs(c.pairScore(rows, a, m)-c.pairScore(rows, b, m)) <= tolerance
}

func (c *checker) leaf(l *Leaf, rows []uint32, m, h []float64) {
	c.t.Helper()
	if l.Rows != len(rows) {
		c.t.Fatalf("a leaf is said to have %d rows and has %d", l.Rows, len(rows))
	}
	newton := c.params.Newton
	k := float64(len(m))
	if c.params.FullLeaf {
		want, mean := make([]float64, len(m)), 0.0
		for i := range want {
			want[i] = max(-newton.MaxStep, min(newton.MaxStep, (k-1)/k*m[i]/(h[i]+newton.L2)))
			mean += want[i] / k
		}
		for i := range want {
			if math.Abs(float64(l.Steps[i])-newton.Shrinkage*(want[i]-mean)) > 1e-5 {
				c.t.Fatalf("leaf of %d rows: step %g of class %d, want %g", len(rows), l.Steps[i], i, newton.Shrinkage*(want[i]-mean))
			}
		}
		return
	}
	c.pairs(l.Pairs, rows, m, h)
	for i, pair := range l.Pairs {
		sumG, sumH := 0.0, 0.0
		for _, row := range rows {
			g, hess := c.gradient(row, pair)
			sumG += g
			sumH += hess
		}
		want := 0.0
		if sumG != 0 {
			if int(pair.S) >= len(m) {
				sumG *= (k - 1) / k
			}
			want = newton.Shrinkage * max(-newton.MaxStep, min(newton.MaxStep, sumG/(sumH+newton.L2)))
		}
		if math.Abs(float64(l.Steps[i])-want) > 1e-5 {
			c.t.Fatalf("leaf of %d rows: step %g of pair %v, want %g", len(rows), l.Steps[i], pair, want)
		}
	}
}

// side holds the sums of one side of a cut.
type side struct {
	g, h [kernel.MaxPairs]float64
	rows int
}

func (s *side) add(o *side, sign float64) {
	for p := range s.g {
		s.g[p] += sign * o.g[p]
		s.h[p] += sign * o.h[p]
	}
	s.rows += int(sign) * o.rows
}

func (s *side) value(l2 float64) (v float64) {
	for p := range s.g {
		if s.h[p] > 0 {
			v += s.g[p] * s.g[p] / (s.h[p] + l2) / 2
		}
	}
	return v
}

func (s *side) hessian() (sum float64) {
	for _, h := range s.h {
		sum += h
	}
	return sum
}

func (c *checker) sums(rows []uint32, pairs []kernel.Pair) []side {
	sums := make([]side, len(rows))
	for i, row := range rows {
		sums[i].rows = 1
		for p, pair := range pairs {
			sums[i].g[p], sums[i].h[p] = c.gradient(row, pair)
		}
	}
	return sums
}

func (c *checker) score(rows []uint32, pairs []kernel.Pair) float64 {
	var all side
	sums := c.sums(rows, pairs)
	for i := range sums {
		all.add(&sums[i], 1)
	}
	return all.value(c.params.Newton.L2)
}

// best returns the greatest gain of all splits of a node, and the gain of n's. It skips sides
// whose Hessian is close to the minimum: in fixed point they may fall on either side of it.
func (c *checker) best(rows []uint32, pairs []kernel.Pair, n *Node) (best, own float64) {
	sums := c.sums(rows, pairs)
	var all side
	for i := range sums {
		all.add(&sums[i], 1)
	}
	l2 := c.params.Newton.L2
	whole := all.value(l2)
	own = math.NaN()
	if len(rows) < 2*c.params.MinSamples {
		return 0, own
	}
	for j, column := range c.matrix.Columns {
		if column == nil {
			continue
		}
		bins := make([]side, c.mapper.Features[j].Codes())
		for i, row := range rows {
			bins[column[row]].add(&sums[i], 1)
		}
		for _, missingLeft := range []bool{false, true} {
			if missingLeft && bins[0].rows == 0 && (n == nil || !n.Split.MissingLeft) {
				continue
			}
			var left side
			if missingLeft {
				left = bins[0]
			}
			for b := 1; b < len(bins); b++ {
				left.add(&bins[b], 1)
				right := all
				right.add(&left, -1)
				gain := left.value(l2) + right.value(l2) - whole
				if n != nil && int(n.Split.Feature) == j && int(n.Bin) == b && n.Split.MissingLeft == missingLeft {
					own = gain
				}
				light := min(left.hessian(), right.hessian())
				if light < c.params.MinHessian*1.001+1e-3 || min(left.rows, right.rows) < c.params.MinSamples {
					continue
				}
				best = max(best, gain)
			}
		}
	}
	return best, own
}
