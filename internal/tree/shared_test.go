package tree

import (
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
	"github.com/libaoso/aoso/tools/cases"
)

// counting counts the calls of a rank and the numbers that it sends.
type counting struct {
	collective.Scatterer
	calls, reduced, scattered, gathered int // numbers of 8 bytes; gathered: bytes
}

func (c *counting) AllReduce(op collective.Op, v []int64) error {
	c.calls, c.reduced = c.calls+1, c.reduced+len(v)
	return c.Scatterer.AllReduce(op, v)
}

func (c *counting) ReduceScatter(v []int64, counts []int) ([]int64, error) {
	c.calls, c.scattered = c.calls+1, c.scattered+len(v)
	return c.Scatterer.ReduceScatter(v, counts)
}

func (c *counting) AllGather(b []byte) ([][]byte, error) {
	c.calls, c.gathered = c.calls+1, c.gathered+len(b)
	return c.Scatterer.AllGather(b)
}

// growShared grows a tree on ranks that share the rows; the last but one of three or more has
// none. It returns the tree of rank 0 and what each rank has sent.
func (p *problem) growShared(t *testing.T, params Params, fixed []kernel.Pair, ranks int) (*Tree, []*counting) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(ranks), 9))
	rows := make([][]uint32, ranks)
	for row := range uint32(p.matrix.Rows) {
		to := r.IntN(ranks)
		if ranks > 2 && to == ranks-2 {
			to = 0
		}
		rows[to] = append(rows[to], row)
	}
	trees, sent := make([]*Tree, ranks), make([]*counting, ranks)
	var all sync.WaitGroup
	for rank, c := range collective.NewLocal(ranks) {
		sent[rank] = &counting{Scatterer: c.(collective.Scatterer)}
		all.Go(func() {
			team := par.NewTeam(1 + rank%2)
			defer team.Close()
			n := len(rows[rank])
			b, residuals, part := p.bins(), p.residuals.NewSample(n), NewPartition(n)
			b.Matrix = p.matrix.NewSample(n)
			b.Matrix.CopyRows(p.matrix, rows[rank], team)
			b.Coarse = b.Matrix
			residuals.CopyRows(p.residuals, rows[rank], team)
			part.Fill(n)
			g := NewGrower(kernel.Generic, b, residuals, params, part, team, collective.NewGroup(sent[rank]))
			defer g.Free()
			trees[rank], _ = g.Grow(p.columns(), fixed, 1)
			if g.pool.out != 0 {
				t.Errorf("rank %d: %d histograms are not given back", rank, g.pool.out)
			}
		})
	}
	all.Wait()
	for rank := range trees {
		if !reflect.DeepEqual(trees[rank], trees[0]) {
			t.Errorf("rank %d of %d has another tree than rank 0", rank, ranks)
		}
	}
	return trees[0], sent
}

// TestBatch grows the trees of one machine on several ranks.
func TestBatch(t *testing.T) {
	newton := loss.Newton{Shrinkage: 0.1, MaxStep: 5}
	for _, data := range []problemOptions{
		{rows: 1500, classes: 9, missing: true, weights: true, sparse: 11},
		{rows: 1500, classes: 2, sparse: 9},
		{rows: 150_000, classes: 3, missing: true, sparse: 4},
	} {
		p := newProblem(t, 70, data)
		for _, params := range cases.Some(t, 2, []Params{
			{Leaves: 12, Pairs: 1},
			{Leaves: 30, Pairs: 1, FullLeaf: true, Trim: 0.1},
			{Leaves: 30, Pairs: 4, FullLeaf: true, MinSamples: 20},
			{Leaves: 20, Pairs: 2, Selection: loss.Root},
			{Leaves: 20, Pairs: 1, Selection: loss.FirstOrder, NodeColumns: 3},
		}) {
			params.Newton, params.MinSamples = newton, max(params.MinSamples, 1)
			want, _, _ := p.grow(params, nil, 1)
			for _, ranks := range cases.Some(t, 2, []int{2, 3, 7}) {
				if got, _ := p.growShared(t, params, nil, ranks); !reflect.DeepEqual(got, want) {
					t.Errorf("%+v, %+v: %d ranks grow another tree", data, params, ranks)
				}
			}
		}
		fixed := []kernel.Pair{{R: 1, S: 0}}
		params := Params{Leaves: 15, MinSamples: 1, Pairs: 1, Newton: newton}
		want, _, _ := p.grow(params, fixed, 1)
		if got, _ := p.growShared(t, params, fixed, 3); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: with a fixed pair, 3 ranks grow another tree", data)
		}
	}
}
