package tree

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/loss/odds"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
	"github.com/libaoso/aoso/tools/cases"
)

// newSparseProblem is newProblem with sparse class scores. Each row has active classes of its
// own.
func newSparseProblem(t *testing.T, o problemOptions) *problem {
	p := newProblem(t, 71, o)
	old := p.residuals
	p.residuals = odds.New(old.Labels, old.Weights, o.classes, old.Stride, 32)
	r := rand.New(rand.NewPCG(72, 5))
	steps, reached := make([]odds.Step, o.rows), make([]odds.LeafRows, o.rows)
	for row := range o.rows {
		for _, k := range r.Perm(o.classes)[:min(40, o.classes)] {
			steps[row].Classes = append(steps[row].Classes, uint32(k))
			steps[row].By = append(steps[row].By, 0.1+5*r.Float64())
		}
		slices.Sort(steps[row].Classes)
		reached[row] = odds.LeafRows{Leaf: row, Rows: []uint32{uint32(row)}}
	}
	team := par.NewTeam(1)
	defer team.Close()
	_, most := oddsOf(p.residuals).Apply(steps, reached, team)
	p.residuals.SetUnits(most)
	return p
}

// TestBatchListed is TestBatch for sparse leaves. As the totals of that many leaves are kept,
// nodes of few rows drop theirs.
func TestBatchListed(t *testing.T) {
	for _, data := range []problemOptions{
		{rows: 400, classes: 900, missing: true, sparse: 5},
		{rows: 2000, classes: 40, weights: true, sparse: 5},
	} {
		p := newSparseProblem(t, data)
		for _, params := range cases.Some(t, 2, []Params{
			{Leaves: 1 << 30, Pairs: 4, MinSamples: 2},
			{Leaves: 1 << 30, Pairs: 1, MinSamples: 1},
			{Leaves: 60, Pairs: 1, MinSamples: 1, Trim: 0.1},
			{Leaves: 60, Pairs: 2, MinSamples: 5, Selection: loss.Root},
			{Leaves: 60, Pairs: 8, MinSamples: 1, Selection: loss.FirstOrder, NodeColumns: 3},
		}) {
			params.FullLeaf, params.Newton = true, loss.Newton{Shrinkage: 0.1, MaxStep: 5, Named: 8}
			want, _, _ := p.grow(params, nil, 1)
			for _, ranks := range cases.Some(t, 2, []int{2, 3, 5}) {
				if got, _ := p.growShared(t, params, nil, ranks); !reflect.DeepEqual(got, want) {
					t.Errorf("%+v, %+v: %d ranks grow another tree", data, params, ranks)
				}
			}
		}
	}
}

// TestListedTraffic: what ranks send beside histograms does not grow with classes that no row
// lists. Full leaves would take 8 J (2K + 3) + 2J · 8 m K bytes.
func TestListedTraffic(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	const classes, leaves, pairs = 5000, 60, 4
	p := newSparseProblem(t, problemOptions{rows: 2000, classes: classes, sparse: 5})
	params := Params{Leaves: leaves, Pairs: pairs, MinSamples: 1, FullLeaf: true, Newton: loss.Newton{Shrinkage: 0.1, MaxStep: 5, Named: 32}}
	_, sent := p.growShared(t, params, nil, 2)
	const full = 8*leaves*(2*classes+3) + 2*leaves*8*pairs*classes
	for rank, s := range sent {
		if bytes := 8*s.reduced + s.gathered; bytes > full/30 {
			t.Errorf("rank %d has given %d bytes, and with full leaves %d", rank, bytes, full)
		}
	}
}

// echo is rank 0 of two; the other sends what it sends, changed.
type echo struct{ change func(b []byte) []byte }

func (echo) Rank() int                              { return 0 }
func (echo) Size() int                              { return 2 }
func (echo) Abort(string)                           {}
func (echo) AllReduce(collective.Op, []int64) error { return nil }
func (c echo) AllGather(b []byte) ([][]byte, error) {
	return [][]byte{b, c.change(slices.Clone(b))}, nil
}

// TestBrokenTotals: invalid totals end training with an error.
func TestBrokenTotals(t *testing.T) {
	p := newSparseProblem(t, problemOptions{rows: 100, classes: 50, sparse: 5})
	for what, change := range map[string]func(b []byte) []byte{
		"nothing":       func([]byte) []byte { return nil },
		"too few":       func(b []byte) []byte { return b[:len(b)-8] },
		"too many":      func(b []byte) []byte { return append(b, make([]byte, 8)...) },
		"a long list":   func(b []byte) []byte { b[24+7] = 1; return b },
		"a wrong class": func(b []byte) []byte { b[48+1] = 1; return b },
		"a class twice": func(b []byte) []byte { copy(b[72:], b[48:56]); return b },
	} {
		team, part, group := par.NewTeam(1), NewPartition(100), collective.NewGroup(echo{change})
		part.Fill(100)
		params := Params{Leaves: 4, Pairs: 1, MinSamples: 1, FullLeaf: true, Newton: loss.Newton{Shrinkage: 0.1, MaxStep: 5, Named: 8}}
		g := NewGrower(kernel.Generic, p.bins(), p.residuals, params, part, team, group)
		g.Grow(p.columns(), nil, 1)
		if err := group.Err(); !errors.Is(err, errTotals) || !strings.Contains(err.Error(), "rank 1 has") {
			t.Errorf("%s, of a node: %v", what, err)
		}
		group = collective.NewGroup(echo{change}) // the numbers of rows of three leaves are as long as what comes before the totals of a node
		values := LeafValues{Residuals: p.residuals, Newton: params.Newton, Team: team, Group: group}
		leaves := make([]Leaf, 3)
		for i := range leaves {
			leaves[i] = Leaf{Steps: make([]float32, 8), Pairs: make([]kernel.Pair, 8)}
		}
		values.Set(leaves, []Segment{{1, part.Rows[:50]}, {0, part.Rows[50:]}})
		if err := group.Err(); !errors.Is(err, errTotals) {
			t.Errorf("%s, of leaves: %v", what, err)
		}
		g.Free()
		team.Close()
	}
}
