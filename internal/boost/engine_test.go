package boost

import (
	"testing"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// column is a bin.Source of one feature.
type column []float64

func (c column) Rows() int                          { return len(c) }
func (c column) Cols() int                          { return 1 }
func (c column) Column(_, first int, dst []float64) { copy(dst, c[first:]) }

// TestScoresAreKept: small steps need no scores until a row's class is lost.
func TestScoresAreKept(t *testing.T) {
	team := par.NewTeam(1)
	defer team.Close()
	x := column{1, 2, 3, 4, 5}
	set := &data.Set{Names: []string{"x"}, Mapper: bin.Fit(x, nil, 255, nil, team)}
	set.Matrix = set.Mapper.Map(x, team)
	set.Target = data.Target{
		Classes: []string{"a", "b", "c"}, Labels: []int32{0, 1, 0, 1, 2},
		Weights: []float32{5e14, 5e14, 5e14, 1e15, 1e-15},
	}
	p := Params{
		Method: "aoso", Leaf: "full", Pairs: 1, PairSelection: "second_order", Metric: "logloss", Leaves: 20, MinSamples: 1,
		ColsampleByTree: 1, ColsampleByNode: 1, Shrinkage: 1, MaxStep: 0.511, Subsample: 0.15, MinHessian: 1e30,
	}
	lost := 0
	for p.Seed = range 8 {
		for _, p.Trees = range []int{10, 4000} {
			e := New(Job{Params: p, Train: set, EvalEvery: 1, Kernels: kernel.Generic, Team: team, CacheBytes: 1 << 15})
			for e.Step(t.Context()) {
			}
			r := e.Result()
			if r.Forest.Trees() != p.Trees || r.Stopped != StoppedByTrees {
				t.Fatalf("%d trees, stopped by %s", r.Forest.Trees(), r.Stopped)
			}
			switch kept := e.state.scores != nil; {
			case kept && p.Trees == 10:
				t.Errorf("seed %d: scores are kept after 10 trees", p.Seed)
			case kept:
				lost++
			}
			e.Free()
		}
	}
	if lost == 0 {
		t.Error("no row was lost")
	}
}
