package tree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// columns is a bin.Source.
type columns [][]float64

func (c columns) Rows() int                          { return len(c[0]) }
func (c columns) Cols() int                          { return len(c) }
func (c columns) Column(j, first int, dst []float64) { copy(dst, c[j][first:]) }

// problem is data to grow trees on, in the middle of boosting.
type problem struct {
	source    columns
	mapper    *bin.Mapper
	matrix    *bin.Matrix
	residuals *loss.Residuals
}

type problemOptions struct {
	rows, classes    int
	missing, weights bool
	sparse           int // indicator columns beside the dense ones
}

func newProblem(t testing.TB, seed uint64, o problemOptions) *problem {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	p := &problem{source: make(columns, 4+o.sparse)}
	labels, scores := make([]int32, o.rows), make([]float64, o.rows*o.classes)
	var weights []float32
	for i := range o.rows {
		y := r.IntN(o.classes)
		labels[i] = int32(y)
		x := []float64{r.NormFloat64() + float64(y%3), r.NormFloat64() + float64(y%5)/2, float64((y + r.IntN(7)) % 9), 3}
		for j := range o.sparse {
			x = append(x, max(0, float64(r.IntN(8)-6+(y+j)%2)))
		}
		for j := range x {
			if o.missing && j != 3 && r.IntN(6+max(0, j-3)*8) == 0 {
				x[j] = math.NaN()
			}
			p.source[j] = append(p.source[j], x[j])
		}
		for k := range o.classes {
			scores[i*o.classes+k] = r.NormFloat64()
		}
		if o.weights {
			weights = append(weights, float32(r.IntN(9))/4)
		}
	}
	team := par.NewTeam(1)
	p.mapper = bin.Fit(p.source, nil, 60, team)
	p.matrix = p.mapper.Map(p.source, team)
	if o.sparse > 0 {
		if p.matrix.GroupSparse(p.mapper, team); len(p.matrix.Sparse) == 0 {
			t.Fatal("no feature is sparse")
		}
	}
	p.residuals = loss.NewResiduals(labels, weights, o.classes, loss.Stride(o.classes, true))
	p.residuals.SetScores(scores, 0, len(labels), kernel.Generic, &kernel.SoftmaxJob{})
	return p
}

func (p *problem) columns() (c []int) {
	for j, column := range p.matrix.Columns {
		if column != nil {
			c = append(c, j)
		}
	}
	return c
}

func (p *problem) bins() Bins { return Bins{p.matrix, p.mapper, p.matrix, p.mapper} }

// grow grows a tree on all rows.
func (p *problem) grow(params Params, fixed []kernel.Pair, threads int) (*Tree, *Partition, []Segment) {
	rows := NewPartition(p.matrix.Rows)
	rows.Fill(p.matrix.Rows)
	team := par.NewTeam(threads)
	defer team.Close()
	g := NewGrower(kernel.Generic, p.bins(), p.residuals, params, rows, team)
	t, segments := g.Grow(p.columns(), fixed, rand.New(rand.NewPCG(1, 1)))
	return t, rows, segments
}

// TestCoarse: a split is on the feature that is best in coarse bins, at the best
// of all its cuts.
func TestCoarse(t *testing.T) {
	const most = 7
	for seed := range uint64(12) {
		p := newProblem(t, 40+seed, problemOptions{rows: 900, classes: 6, missing: seed%2 == 0, sparse: 9, weights: seed%3 == 0})
		team := par.NewTeam(2)
		defer team.Close()
		matrix, mapper := p.matrix.Coarsen(p.mapper, most, team)
		coarse := Bins{matrix, mapper, matrix, mapper}
		both := Bins{p.matrix, p.mapper, matrix, mapper}
		for _, pairs := range []int{1, 2, 4} {
			for _, minSamples := range []int{1, 60} {
				root := func(b Bins, columns []int) Node {
					rows := NewPartition(p.matrix.Rows)
					rows.Fill(p.matrix.Rows)
					params := Params{Leaves: 2, MinSamples: minSamples, FullLeaf: true, Pairs: pairs, Newton: loss.Newton{Shrinkage: 0.1, MaxStep: 5}}
					g := NewGrower(kernel.Generic, b, p.residuals, params, rows, team)
					defer g.Free()
					tree, _ := g.Grow(columns, nil, nil)
					if len(tree.Nodes) == 0 {
						t.Fatal("no split")
					}
					tree.Nodes[0].Pairs = nil
					return tree.Nodes[0]
				}
				first := root(coarse, p.columns())
				want := root(p.bins(), []int{int(first.Feature)})
				got := root(both, p.columns())
				if minSamples == 1 && !reflect.DeepEqual(got, want) {
					t.Errorf("seed %d, %d pairs: split %+v, want %+v; in coarse bins %+v", seed, pairs, got, want, first)
				}
				if got.Gain < first.Gain {
					t.Errorf("seed %d, %d pairs, %d min samples: gain %v, in coarse bins %v", seed, pairs, minSamples, got.Gain, first.Gain)
				}
			}
		}
	}
}

// TestOneCoarseBin: what coarse bins do not tell apart is split all the same.
func TestOneCoarseBin(t *testing.T) {
	p := newProblem(t, 60, problemOptions{rows: 400, classes: 4})
	team := par.NewTeam(1)
	both := p.bins()
	both.Coarse, both.CoarseMapper = p.matrix.Coarsen(p.mapper, 1, team)
	rows := NewPartition(p.matrix.Rows)
	rows.Fill(p.matrix.Rows)
	params := Params{Leaves: 4, MinSamples: 1, FullLeaf: true, Pairs: 2, Newton: loss.Newton{Shrinkage: 0.1, MaxStep: 5}}
	g := NewGrower(kernel.Generic, both, p.residuals, params, rows, team)
	defer g.Free()
	got, _ := g.Grow(p.columns(), nil, nil)
	want, _, _ := p.grow(params, nil, 1)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("tree %+v, want %+v", got, want)
	}
}

// TestFewHistograms has no room for the histograms of all open nodes.
func TestFewHistograms(t *testing.T) {
	for _, classes := range []int{2, 6} {
		p := newProblem(t, 25, problemOptions{rows: 1500, classes: classes, missing: true, sparse: 9})
		for _, most := range []int{0, 1, 2, 3, 1000} {
			for _, selection := range []loss.Selection{loss.SecondOrder, loss.Root} {
				t.Run(fmt.Sprint(classes, most, selection), func(t *testing.T) {
					rows := NewPartition(p.matrix.Rows)
					rows.Fill(p.matrix.Rows)
					params := Params{Leaves: 12, MinSamples: 5, Newton: loss.Newton{Shrinkage: 0.1, MaxStep: 5}, Pairs: 1, Selection: selection}
					g := NewGrower(kernel.Generic, p.bins(), p.residuals, params, rows, par.NewTeam(1))
					g.Grow(p.columns(), nil, nil)
					if g.pool.out != 0 {
						t.Errorf("%d histograms are not given back", g.pool.out)
					}
					g.pool.most = most
					rows.Fill(p.matrix.Rows)
					tree, segments := g.Grow(p.columns(), nil, nil)
					c := &checker{t: t, problem: p, params: params, tree: tree}
					c.check(rows, segments)
					if g.pool.out != 0 {
						t.Errorf("%d histograms are not given back", g.pool.out)
					}
				})
			}
		}
	}
}

// TestGrow grows trees of every kind and then computes, by brute force and in
// float64, what every node should hold.
func TestGrow(t *testing.T) {
	newton := loss.Newton{Shrinkage: 0.1, MaxStep: 5}
	base := Params{Leaves: 12, MinSamples: 1, Newton: newton, Pairs: 1}
	with := func(change func(*Params)) Params {
		p := base
		change(&p)
		return p
	}
	trees := []struct {
		name   string
		params Params
		fixed  func(classes int) []kernel.Pair
	}{
		{"paper", base, nil},
		{"first order", with(func(p *Params) { p.Selection = loss.FirstOrder }), nil},
		{"root", with(func(p *Params) { p.Selection = loss.Root }), nil},
		{"full leaf, 2 pairs", with(func(p *Params) { p.FullLeaf, p.Pairs = true, 2 }), nil},
		{"full leaf, 4 pairs", with(func(p *Params) { p.FullLeaf, p.Pairs = true, 4 }), nil},
		{"pair leaf, 8 pairs", with(func(p *Params) { p.Pairs = 8 }), nil},
		{"full root, 4 pairs", with(func(p *Params) { p.FullLeaf, p.Pairs, p.Selection = true, 4, loss.Root }), nil},
		{"base class", base, func(int) []kernel.Pair { return []kernel.Pair{{R: 1, S: 0}} }},
		{"one class", base, func(classes int) []kernel.Pair { return []kernel.Pair{{R: 1, S: int32(classes)}} }},
	}
	bounds := []struct {
		name   string
		change func(*Params)
	}{
		{"free", func(*Params) {}},
		{"min samples", func(p *Params) { p.MinSamples = 60 }},
		{"min Hessian, L2, depth", func(p *Params) { p.MinHessian, p.Newton.L2, p.MaxDepth = 9, 3, 3 }},
		{"min gain", func(p *Params) { p.MinGain, p.Leaves = 4, 200 }},
	}
	problems := []struct {
		name    string
		options problemOptions
	}{
		{"plain", problemOptions{rows: 1500, classes: 9}},
		{"missing", problemOptions{rows: 1500, classes: 6, missing: true}},
		{"weights, missing, sparse", problemOptions{rows: 1500, classes: 20, missing: true, weights: true, sparse: 11}},
		{"binary", problemOptions{rows: 1500, classes: 2, missing: true, sparse: 11}},
		{"wide", problemOptions{rows: 150_000, classes: 3, missing: true, sparse: 4}},
		{"wide binary", problemOptions{rows: 150_000, classes: 2, weights: true, sparse: 4}},
	}
	every := 3
	if testing.Short() {
		every = 36
	}
	for i, data := range problems {
		p := newProblem(t, uint64(i), data.options)
		wide := data.options.rows > kernel.SpillRows
		for j, b := range bounds {
			for k, tree := range trees {
				if wide && (j+k)%every > 0 || testing.Short() && (i+j+k)%3 > 0 {
					continue // takes long
				}
				t.Run(data.name+"/"+b.name+"/"+tree.name, func(t *testing.T) {
					params := tree.params
					b.change(&params)
					var fixed []kernel.Pair
					if tree.fixed != nil {
						fixed = tree.fixed(data.options.classes)
					}
					got, rows, segments := p.grow(params, fixed, 1+(j+k)%3)
					c := &checker{t: t, problem: p, params: params, fixed: fixed, tree: got}
					c.check(rows, segments)
				})
			}
		}
	}
}

// checker replays a tree.
type checker struct {
	t *testing.T
	*problem
	params Params
	fixed  []kernel.Pair
	tree   *Tree
	open   []candidateLeaf
}

// candidateLeaf is a leaf that may be split, with the best gain there is.
type candidateLeaf struct {
	gain   float64
	parent int32
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
		if s.Leaf != i || s.Start != end || !slices.Equal(rows.Rows[s.Start:s.End], byLeaf[i]) {
			c.t.Fatalf("segment %+v does not hold the rows of leaf %d", s, i)
		}
		end = s.End
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
	if n.Rows != len(rows) {
		c.t.Fatalf("node %d is said to have %d rows and has %d", child, n.Rows, len(rows))
	}
	if c.params.MaxDepth > 0 && depth >= c.params.MaxDepth {
		c.t.Fatalf("node %d is split at depth %d", child, depth)
	}
	c.pairs(n.Pairs, rows, m, h)
	best, own := c.best(rows, n.Pairs, n)
	slack := 2e-3*best + 1e-4*c.score(rows, n.Pairs)
	if math.Abs(own-n.Gain) > slack || best > n.Gain+slack {
		c.t.Fatalf("node %d of %d rows: gain %g, by itself %g, the best is %g", child, len(rows), n.Gain, own, best)
	}
	if n.Threshold != c.mapper.Features[n.Feature].Threshold(int(n.Bin)) {
		c.t.Fatalf("node %d: threshold %v of bin %d", child, n.Threshold, n.Bin)
	}
	var left, right []uint32
	for _, row := range rows {
		x := c.source[n.Feature][row]
		if x < n.Threshold || math.IsNaN(x) && n.MissingLeft {
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

// gradient is g and h of a row along a pair, from probabilities in float64.
func (c *checker) gradient(row uint32, pair kernel.Pair) (g, h float64) {
	y, k := c.residuals.Labels[row], c.residuals.Classes
	own := func(class int32) (p, r float64) {
		if int(class) >= k {
			return 0, 0
		}
		p = float64(c.residuals.Row(int(row))[class])
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

// pairScore is what the second class of a pair is chosen by.
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

// pairs compares pairs with those of the rules.
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
			c.t.Fatalf("pair %v is not an impossible one", pair)
		case i >= real, pair == want[i], binary && pair.R == want[i].S && pair.S == want[i].R:
		case c.same(rows, pair, want[i], m):
		default:
			c.t.Fatalf("%d rows: pairs %v, want %v", len(rows), got, want)
		}
	}
}

// same tells whether two pairs are equally good but for rounding.
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

// side is the sums of one side of a cut.
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

// best is the greatest gain of all splits of a node, and the gain of n's.
// Sides that are near the least Hessian allowed are not counted: fixed point
// may see them on either side of it.
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
			if missingLeft && bins[0].rows == 0 && (n == nil || !n.MissingLeft) {
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
				if n != nil && int(n.Feature) == j && int(n.Bin) == b && n.MissingLeft == missingLeft {
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

// TestGrowerAgain: a grower that has grown other trees grows the same ones.
func TestGrowerAgain(t *testing.T) {
	p := newProblem(t, 20, problemOptions{rows: 3000, classes: 5, missing: true, sparse: 5})
	rows := NewPartition(p.matrix.Rows)
	rows.Fill(p.matrix.Rows)
	team := par.NewTeam(2)
	defer team.Close()
	params := Params{Leaves: 9, MinSamples: 3, Newton: loss.Newton{Shrinkage: 0.1, MaxStep: 5}, Pairs: 1, Trim: 0.1}
	g := NewGrower(kernel.Generic, p.bins(), p.residuals, params, rows, team)
	pair := []kernel.Pair{{R: 2, S: 0}}
	some := []int{0, 2, 4, 6}
	grow := func(columns []int, fixed []kernel.Pair) string {
		rows.Fill(p.matrix.Rows)
		tree, segments := g.Grow(columns, fixed, rand.New(rand.NewPCG(1, 1)))
		return fmt.Sprint(*tree, segments)
	}
	first := []string{grow(p.columns(), nil), grow(p.columns(), pair), grow(some, nil), grow(some, pair)}
	again := []string{grow(p.columns(), nil), grow(p.columns(), pair), grow(some, nil), grow(some, pair)}
	if !slices.Equal(first, again) {
		t.Error("the second time the trees are others")
	}
	if slices.Sort(first); len(slices.Compact(first)) != 4 {
		t.Error("four tasks have less than four trees")
	}
}

// TestAhead: nodes that are expanded before their turn make the same tree, and
// leave the rows of those whose turn never came in order.
func TestAhead(t *testing.T) {
	p := newProblem(t, 23, problemOptions{rows: 2000, classes: 7, missing: true, sparse: 5})
	for _, params := range []Params{
		{Leaves: 100, MinSamples: 1, FullLeaf: true, Pairs: 2},
		{Leaves: 61, MinSamples: 5, Pairs: 2, Trim: 0.1},
		{Leaves: 300, MinSamples: 3, FullLeaf: true, Pairs: 4, MaxDepth: 7},
		{Leaves: 40, MinSamples: 1, FullLeaf: true, Pairs: 2, NodeColumns: 3},
		{Leaves: 40, MinSamples: 1, FullLeaf: true, Pairs: 2, Selection: loss.Root},
		{Leaves: 100, MinSamples: 2, FullLeaf: true, Pairs: 1},
		{Leaves: 60, MinSamples: 1, Pairs: 1, Trim: 0.1},
	} {
		params.Newton = loss.Newton{Shrinkage: 0.1, MaxStep: 5}
		tree, rows, segments := p.grow(params, nil, 1)
		if len(tree.Leaves) < params.Leaves && params.MaxDepth == 0 {
			t.Errorf("%d leaves, want %d", len(tree.Leaves), params.Leaves)
		}
		for _, s := range segments {
			if !slices.IsSorted(rows.Rows[s.Start:s.End]) {
				t.Errorf("the rows of leaf %d are not in order", s.Leaf)
			}
		}
		for threads := 2; threads <= 5; threads++ {
			other, otherRows, otherSegments := p.grow(params, nil, threads)
			if !reflect.DeepEqual(tree, other) || !slices.Equal(segments, otherSegments) || !slices.Equal(rows.Rows, otherRows.Rows) {
				t.Errorf("%+v: %d threads grow another tree", params, threads)
			}
		}
	}
}

// TestTrimWeights checks that a row of weight k is trimmed where k copies are.
func TestTrimWeights(t *testing.T) {
	p := newProblem(t, 22, problemOptions{rows: 3000, classes: 3})
	r := rand.New(rand.NewPCG(22, 6))
	weights := make([]float32, 3000)
	var once, copies []uint32
	for i := range weights {
		weights[i] = float32(r.IntN(5))
		if weights[i] == 0 {
			continue
		}
		once = append(once, uint32(i))
		for range int(weights[i]) {
			copies = append(copies, uint32(i))
		}
	}
	team := par.NewTeam(1)
	defer team.Close()
	kept := func(rows []uint32, weights []float32) []uint32 {
		p.residuals.Weights = weights
		g := gradients{
			kernels: kernel.Generic, residuals: p.residuals, pairs: 2,
			cells: make([]int64, 2*len(rows)), rows: make([]uint32, len(rows)),
		}
		stats := g.compute(rows, []kernel.Pair{{R: 0, S: 1}, {R: 2, S: 3}}, team)
		g.quantize(rows, newQuanta(&stats, g.pairs, g.weight, 1.5), team)
		rows, _ = g.packed()
		return rows
	}
	got, want := kept(once, weights), slices.Compact(kept(copies, nil))
	if len(want) < 100 || len(once)-len(want) < 100 {
		t.Fatalf("%d rows of %d kept", len(want), len(once))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d rows kept by weights, %d by copies, not the same", len(got), len(want))
	}
}

// TestHistogramSubtract compares what is left of a parent's histogram with
// the sibling's own, packed and wide.
func TestHistogramSubtract(t *testing.T) {
	for _, test := range []struct {
		name        string
		rows, small int
		classes     int
	}{{"packed", 5000, 1000, 2}, {"wide, packed child", 100_000, 10_000, 3}, {"wide, both wide", 150_000, 70_000, 3}, {"wide, both packed", 80_000, 30_000, 2}} {
		p := newProblem(t, 21, problemOptions{rows: test.rows, classes: test.classes, missing: true, sparse: 5})
		for _, trim := range []float64{0, 0.3} {
			for _, pairs := range []int{1, 2} {
				t.Run(fmt.Sprint(test.name, trim, pairs), func(t *testing.T) {
					rows := NewPartition(test.rows)
					rows.Fill(test.rows)
					team := par.NewTeam(2)
					defer team.Close()
					g := NewGrower(kernel.Generic, p.bins(), p.residuals, Params{Pairs: pairs}, rows, team)
					e := g.evaluator
					layout := newLayout(p.matrix, p.mapper, p.columns(), pairs, 32<<10)
					e.splitter.use(layout)
					along := []kernel.Pair{{R: 0, S: 1}, {R: 2, S: 2}}[:pairs]
					var q quanta
					fill := func(start, end int) *Histogram {
						list := e.take(&node{start: start, end: end, list: rows.Rows[start:end]})
						stats := e.gradients.compute(list, along, team)
						if start == 0 && end == test.rows {
							q = newQuanta(&stats, pairs, e.gradients.weight, trim)
						}
						e.gradients.quantize(list, q, team)
						h := &Histogram{cells: make([]int64, layout.cells)}
						h.setWide(end-start > kernel.SpillRows)
						e.splitter.fillOnly(h, team)
						return h
					}
					parent := fill(0, test.rows)
					small, large := fill(0, test.small), fill(test.small, test.rows)
					parent.subtract(kernel.Generic, small)
					for i := range layout.cells {
						gotG, gotH := cell(parent, i)
						if wantG, wantH := cell(large, i); gotG != wantG || gotH != wantH {
							t.Fatalf("cell %d: (%d, %d), want (%d, %d)", i, gotG, gotH, wantG, wantH)
						}
					}
				})
			}
		}
	}
}

func cell(h *Histogram, i int) (g, hess int64) {
	if h.wide() {
		return h.wideG[i], h.wideH[i]
	}
	return h.cells[i] >> 32, h.cells[i] & (1<<32 - 1)
}

func TestHistogramPool(t *testing.T) {
	pool := HistogramPool{cells: 8, most: 2}
	a := pool.Get(100)
	if a.wide() || len(a.cells) != 8 {
		t.Errorf("%+v", a)
	}
	pool.Put(a)
	pool.Put(nil)
	if b := pool.Get(100_000); b != a || !b.wide() || len(b.wideG) != 8 || len(b.wideH) != 8 {
		t.Errorf("%+v", b)
	}
	if c := pool.Get(1); c == nil || c == a {
		t.Error("no second histogram")
	}
	if d := pool.Get(1); d != nil {
		t.Error("a third histogram of at most two")
	}
	if d := pool.Take(1); d == nil || d == a {
		t.Error("none to give back at once")
	} else {
		pool.Put(d)
	}
	pool.Put(a)
	if e := pool.Get(kernel.SpillRows); e != a || e.wide() {
		t.Errorf("%+v", e)
	}
}

func TestPowerOfTwoScale(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 0))
	values := []float32{1, 0.5, 2, 0x1p-100, 1e15, 32767, 65535, 65535.5, 0.99999994, 1.0000001, math.MaxFloat32 / 1e6}
	for range 500 {
		values = append(values, float32(math.Exp(30*r.NormFloat64()/3)))
	}
	for _, bits := range []int{15, 16} {
		for _, v := range values {
			scale := powerOfTwoScale(v, bits)
			fraction, _ := math.Frexp(float64(scale))
			limit := float64(int(1)<<bits - 1)
			if got := float64(v) * float64(scale); fraction != 0.5 || got > limit || 2*got <= limit {
				t.Errorf("%g is scaled by %g to %g, at most %g", v, scale, got, limit)
			}
		}
		for _, v := range []float32{0, 0x1p-101, 1e-40} {
			if scale := powerOfTwoScale(v, bits); scale != 0 || unit(scale) != 0 {
				t.Errorf("%g is scaled by %g", v, scale)
			}
		}
	}
	if unit(8) != 0.125 {
		t.Error(unit(8))
	}
}

func TestPartitionSplit(t *testing.T) {
	const rows = 3*kernel.RowBlock + 100
	r := rand.New(rand.NewPCG(23, 0))
	x := &bin.Matrix{Rows: rows, Columns: [][]uint8{nil, make([]uint8, rows)}}
	for i := range rows {
		x.Columns[1][i] = uint8(r.IntN(10))
	}
	for _, threads := range []int{1, 3} {
		team := par.NewTeam(threads)
		defer team.Close()
		for _, run := range [][2]int{{0, rows}, {0, 1}, {5, 5}, {17, 17 + kernel.RowBlock}, {100, 2*kernel.RowBlock + 101}, {rows - 3, rows}} {
			for _, s := range []SplitInfo{{Feature: 1, Bin: 4}, {Feature: 1, Bin: 4, MissingLeft: true}, {Feature: 1, Bin: 9}, {Feature: 1, Bin: 255}, {Feature: 1, Bin: 255, MissingLeft: true}} {
				p := NewPartition(rows)
				p.Fill(rows)
				before := slices.Clone(p.Rows)
				var left, right []uint32
				for _, row := range before[run[0]:run[1]] {
					if c := x.Columns[1][row]; c > 0 && c <= s.Bin || c == 0 && s.MissingLeft {
						left = append(left, row)
					} else {
						right = append(right, row)
					}
				}
				want := slices.Concat(before[:run[0]], left, right, before[run[1]:])
				middle := p.Split(kernel.Generic, x, s, run[0], run[1], team)
				if middle != run[0]+len(left) || !slices.Equal(p.Rows, want) {
					t.Fatalf("%d threads, rows %v, %+v: middle %d, want %d", threads, run, s, middle, run[0]+len(left))
				}
			}
		}
	}
}

func TestFill(t *testing.T) {
	p := NewPartition(10)
	if p.Fill(4); !slices.Equal(p.Rows, []uint32{0, 1, 2, 3}) {
		t.Error(p.Rows)
	}
}

// TestRoute: bins and raw values lead to the same leaves, and so did growing.
func TestRoute(t *testing.T) {
	p := newProblem(t, 24, problemOptions{rows: 10_000, classes: 5, missing: true})
	tree, grown, segments := p.grow(Params{Leaves: 15, MinSamples: 1, Newton: loss.Newton{Shrinkage: 0.1, MaxStep: 5}, Pairs: 2}, nil, 2)
	f := model.NewForest(5, 2, false)
	tree.AppendTo(f)
	leafOf := make([]int, p.matrix.Rows)
	for i := range leafOf {
		var row []float64
		for _, column := range p.source {
			row = append(row, column[i])
		}
		leafOf[i] = f.Tree(0).Find(row)
	}
	for _, s := range segments {
		for _, row := range grown.Rows[s.Start:s.End] {
			if leafOf[row] != s.Leaf {
				t.Fatalf("row %d was grown into leaf %d, raw values lead to %d", row, s.Leaf, leafOf[row])
			}
		}
	}
	for _, threads := range []int{1, 3} {
		team := par.NewTeam(threads)
		defer team.Close()
		rows := NewPartition(p.matrix.Rows)
		rows.Fill(p.matrix.Rows)
		rows.Rows = slices.DeleteFunc(rows.Rows, func(row uint32) bool { return row == 5000 || row >= 1 && row <= 3 })
		seen := 0
		for _, s := range tree.Route(kernel.Generic, p.matrix, rows, team) {
			for _, row := range rows.Rows[s.Start:s.End] {
				if leafOf[row] != s.Leaf {
					t.Fatalf("row %d is routed to leaf %d, raw values lead to %d", row, s.Leaf, leafOf[row])
				}
				seen++
			}
		}
		if seen != p.matrix.Rows-4 {
			t.Errorf("%d rows", seen)
		}
		slices.Sort(rows.Rows)
		if len(slices.Compact(rows.Rows)) != seen {
			t.Error("a row is there twice")
		}
		stump := &Tree{Leaves: []Leaf{{}}}
		rows.Fill(10)
		if got := stump.Route(kernel.Generic, p.matrix, rows, team); !slices.Equal(got, []Segment{{0, 0, 10}}) {
			t.Errorf("a tree of one leaf: %v", got)
		}
		rows.Fill(0)
		if got := tree.Route(kernel.Generic, p.matrix, rows, team); len(got) != 0 {
			t.Errorf("no rows: %v", got)
		}
	}
}

func TestIdle(t *testing.T) {
	node := []Node{{}}
	tests := []struct {
		name string
		tree Tree
		want bool
	}{
		{"no step", Tree{Leaves: []Leaf{{Steps: []float32{0, 0}}}}, true},
		{"steps too small to count", Tree{Leaves: []Leaf{{Steps: []float32{1e-9, -1e-9}}}}, true},
		{"a step", Tree{Leaves: []Leaf{{Steps: []float32{0, 1e-3}}}}, false},
		{"a step back", Tree{Leaves: []Leaf{{Steps: []float32{-1e-3, 0}}}}, false},
		{"a split", Tree{Nodes: node, Leaves: []Leaf{{}, {}}}, false},
	}
	for _, test := range tests {
		if got := test.tree.Idle(); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
