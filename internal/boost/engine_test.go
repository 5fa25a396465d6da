package boost

import (
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// column is a bin.Source of one feature.
type column []float64

func (c column) Rows() int                          { return len(c) }
func (c column) Cols() int                          { return 1 }
func (c column) Column(_, first int, dst []float64) { copy(dst, c[first:]) }

// TestScoresAreKept: small steps need no scores until a row's class is lost. From then on the
// state has the scores of the model.
func TestScoresAreKept(t *testing.T) {
	team := par.NewTeam(1)
	defer team.Close()
	x := column{1, 2, 3, 4, 5}
	mapper, err := bin.Fit(x, nil, 255, nil, team)
	if err != nil {
		panic(err)
	}
	set := &data.Set{Names: []string{"x"}, Mapper: mapper}
	set.Matrix = set.Mapper.Map(x, team)
	set.Target = data.Target{Classes: []string{"a", "b", "c"}, Labels: []int32{0, 1, 0, 1, 2}}
	e := New(Job{
		Params: Params{
			Method: "aoso", Leaf: "full", Pairs: 1, PairSelection: "second_order", Metric: "logloss", MaxLeaves: 3, MinSamplesLeaf: 1,
			ColsampleByTree: 1, ColsampleByNode: 1, LearningRate: 0.1, MaxDeltaStep: 5, Subsample: 1, NEstimators: 20,
		},
		Train: set, EvalEvery: 1, Kernels: kernel.Generic, Team: team, CacheBytes: 1 << 15,
	})
	defer e.Free()
	for e.Step(t.Context()) {
		switch kept, trees := e.state.scores != nil, e.status.Trees; {
		case kept != (trees > 10):
			t.Fatalf("scores are kept after %d trees: %v", trees, kept)
		case kept:
			for row, v := range x {
				want := make([]float64, 3)
				for _, tree := range e.forest.All() {
					tree.Leaf(tree.Find([]float64{v})).AddTo(want)
				}
				if got := e.state.scores[3*row:][:3]; !slices.Equal(got, want) {
					t.Fatalf("row %d: scores %v after %d trees, want %v", row, got, trees, want)
				}
			}
		case trees == 10:
			e.state.residuals.Form.(*loss.Dense).Own[4] = 0 // less than the next step can repair
		}
	}
	if e.Stopped() != StoppedByTrees {
		t.Errorf("stopped by %s", e.Stopped())
	}
}
