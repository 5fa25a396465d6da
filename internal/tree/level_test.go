package tree

import (
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/tools/cases"
)

// place is a node of a level of a symmetric tree, found again in the tree: an inner node, or a leaf if it is below 0.
type place struct {
	number int32
	rows   []uint32
}

// TestSymmetric: every level is split by the test with the largest sum of gains, computed by brute force and in float64.
func TestSymmetric(t *testing.T) {
	newton := loss.Newton{Shrinkage: 0.1, MaxStep: 5, L2: 0.5}
	for _, data := range cases.Some(t, 3, []problemOptions{
		{rows: 1500, classes: 9},
		{rows: 1500, classes: 6, missing: true},
		{rows: 60, classes: 5, missing: true, weights: true, sparse: 9},
		{rows: 1500, classes: 2, missing: true, sparse: 11},
		{rows: 80_000, classes: 3, missing: true},
	}) {
		p := newProblem(t, 31, data)
		for _, params := range []Params{
			{Leaves: 16, Pairs: 1},
			{Leaves: 20, Pairs: 4, Selection: loss.Root},
			{Leaves: 64, Pairs: 2, MinSamples: 9},
			{Leaves: 64, Pairs: 4, MaxDepth: 3, Selection: loss.FirstOrder},
		} {
			params.Newton, params.MinSamples, params.FullLeaf, params.Symmetric = newton, max(params.MinSamples, 1), true, true
			tree, rows, segments := p.grow(params, nil, 2)
			c := &checker{t: t, problem: p, params: params, tree: tree}
			c.levels(segments)
			runtime.KeepAlive(rows)
		}
	}
}

// levels checks all levels of a tree.
func (c *checker) levels(segments []Segment) {
	c.t.Helper()
	all := make([]uint32, c.matrix.Rows)
	for i := range all {
		all[i] = uint32(i)
	}
	level, depth := []place{{0, all}}, 0
	for next := int32(0); int(next) < len(c.tree.Nodes); depth++ {
		test := &c.tree.Nodes[next]
		gains, whole := c.levelGains(level)
		column := gains[test.Split.Feature]
		own := column[0][test.Bin]
		if test.Split.MissingLeft {
			own = max(own, column[1][test.Bin]) // of a node without missing values, the way of these says nothing
		}
		for _, sides := range gains {
			for _, cuts := range sides {
				if best := slices.Max(cuts); best > max(column[0][test.Bin], column[1][test.Bin])*1.002+1e-4*whole || own <= 0 {
					c.t.Fatalf("%+v: level %d is split with gain %g; the best is %g", c.params, depth, own, best)
				}
			}
		}
		level, next = c.splitLevel(level, test, next)
	}
	if d := c.params.MaxDepth; 1<<depth > c.params.Leaves || d > 0 && depth > d || depth < 2 {
		c.t.Errorf("%d levels", depth)
	}
	for _, p := range level {
		m, h := c.totals(p.rows)
		c.leaf(&c.tree.Leaves[^p.number], p.rows, m, h)
		if !slices.Equal(segments[^p.number].Rows, p.rows) {
			c.t.Fatalf("the segment of leaf %d has other rows", ^p.number)
		}
	}
}

// splitLevel returns the next level, and the number of the first node that splits it.
func (c *checker) splitLevel(level []place, first *Node, number int32) (next []place, after int32) {
	c.t.Helper()
	for _, p := range level {
		test, split := first, p.number == number
		if split { // a node without missing values sends them to its larger child
			test = &c.tree.Nodes[number]
		}
		var sides [2][]uint32
		for _, row := range p.rows {
			side := 1
			if code := c.matrix.Columns[test.Split.Feature][row]; code > 0 && code <= test.Bin || code == 0 && test.Split.MissingLeft {
				side = 0
			}
			sides[side] = append(sides[side], row)
		}
		if few := min(len(sides[0]), len(sides[1])) < c.params.MinSamples; split == few {
			c.t.Fatalf("node %d with sides of %d and %d rows: split %v", p.number, len(sides[0]), len(sides[1]), split)
		}
		if !split {
			next = append(next, p)
			continue
		}
		if test.Split.Feature != first.Split.Feature || test.Bin != first.Bin {
			c.t.Fatalf("node %d has a test of its own", number)
		}
		next, number = append(next, place{test.Left, sides[0]}, place{test.Right, sides[1]}), number+1
	}
	return next, number
}

// levelGains returns the gains of all cuts, by column, side of missing values and bin, and the score of the nodes that may be split.
func (c *checker) levelGains(level []place) (gains [][2][]float64, whole float64) {
	gains = make([][2][]float64, len(c.matrix.Columns))
	for j := range gains {
		codes := c.mapper.Features[j].Codes()
		gains[j] = [2][]float64{make([]float64, codes), make([]float64, codes)}
	}
	l2 := c.params.Newton.L2
	for _, p := range level {
		if len(p.rows) < max(2, 2*c.params.MinSamples) {
			continue
		}
		m, h := c.totals(p.rows)
		sums := c.sums(p.rows, c.choose(p.rows, m, h))
		var all side
		for i := range sums {
			all.add(&sums[i], 1)
		}
		whole += all.value(l2)
		for j, column := range c.matrix.Columns {
			if column == nil {
				continue
			}
			bins := make([]side, c.mapper.Features[j].Codes())
			for i, row := range p.rows {
				bins[column[row]].add(&sums[i], 1)
			}
			for s, left := range []side{{}, bins[0]} {
				for b := 1; b < len(bins); b++ {
					left.add(&bins[b], 1)
					right := all
					right.add(&left, -1)
					gains[j][s][b] += left.value(l2) + right.value(l2) - all.value(l2)
				}
			}
		}
	}
	return gains, whole
}

// TestSymmetricShared: several ranks, other columns before and drawn columns make no difference that they should not.
func TestSymmetricShared(t *testing.T) {
	for _, data := range []problemOptions{
		{rows: 1500, classes: 9, missing: true, weights: true, sparse: 11},
		{rows: 70_000, classes: 2, sparse: 4},
	} {
		p := newProblem(t, 70, data)
		for _, params := range []Params{
			{Leaves: 32, Pairs: 1},
			{Leaves: 32, Pairs: 4, MinSamples: 20, NodeColumns: 3},
			{Leaves: 32, Pairs: 2, Trim: 0.1},
		} {
			params.Newton, params.MinSamples = loss.Newton{Shrinkage: 0.1, MaxStep: 5}, max(params.MinSamples, 1)
			params.FullLeaf, params.Symmetric = true, true
			want, _, _ := p.grow(params, nil, 1)
			for _, ranks := range cases.Some(t, 1, []int{2, 3}) {
				if got, _ := p.growShared(t, params, nil, ranks); !reflect.DeepEqual(got, want) {
					t.Errorf("%+v, %+v: %d ranks grow another tree", data, params, ranks)
				}
			}
			if len(want.Nodes) < 4 || math.IsNaN(want.Nodes[0].Gain) {
				t.Errorf("%+v: %d nodes", data, len(want.Nodes))
			}
		}
	}
}
