package tree

import (
	"reflect"
	"testing"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// TestCoarse: a split is on the feature that is best in coarse bins, at the best of all its
// cuts.
func TestCoarse(t *testing.T) {
	const most = 7
	for seed := range uint64(12) {
		p := newProblem(t, 40+seed, problemOptions{rows: 900, classes: 6, missing: seed%2 == 0, sparse: 9, weights: seed%3 == 0})
		team := par.NewTeam(2)
		defer team.Close()
		matrix, mapper := p.matrix.Coarsen(p.mapper, most, team)
		coarse := Bins{matrix, mapper, matrix, mapper, matrix.Bytes()}
		both := Bins{p.matrix, p.mapper, matrix, mapper, matrix.Bytes()}
		for _, pairs := range []int{1, 2, 4} {
			for _, minSamples := range []int{1, 60} {
				root := func(b Bins, columns []int) Node {
					rows := NewPartition(p.matrix.Rows)
					rows.Fill(p.matrix.Rows)
					params := Params{Leaves: 2, MinSamples: minSamples, FullLeaf: true, Pairs: pairs, Newton: loss.Newton{Shrinkage: 0.1, MaxStep: 5}}
					g := NewGrower(kernel.Generic, b, p.residuals, params, rows, team, nil)
					defer g.Free()
					tree, _ := g.Grow(columns, nil, 0)
					if len(tree.Nodes) == 0 {
						t.Fatal("no split")
					}
					tree.Nodes[0].Pairs = nil
					return tree.Nodes[0]
				}
				first := root(coarse, p.columns())
				want := root(p.bins(), []int{int(first.Split.Feature)})
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

// TestOneCoarseBin: values that share a coarse bin are still split.
func TestOneCoarseBin(t *testing.T) {
	p := newProblem(t, 60, problemOptions{rows: 400, classes: 4})
	team := par.NewTeam(1)
	both := p.bins()
	both.Coarse, both.CoarseMapper = p.matrix.Coarsen(p.mapper, 1, team)
	rows := NewPartition(p.matrix.Rows)
	rows.Fill(p.matrix.Rows)
	params := Params{Leaves: 4, MinSamples: 1, FullLeaf: true, Pairs: 2, Newton: loss.Newton{Shrinkage: 0.1, MaxStep: 5}}
	g := NewGrower(kernel.Generic, both, p.residuals, params, rows, team, nil)
	defer g.Free()
	got, _ := g.Grow(p.columns(), nil, 0)
	want, _, _ := p.grow(params, nil, 1)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("tree %+v, want %+v", got, want)
	}
}
