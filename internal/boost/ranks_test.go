package boost

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
	"github.com/libaoso/aoso/tools/cases"
)

// numbers is a bin.Source of columns.
type numbers [][]float64

func (n numbers) Rows() int                          { return len(n[0]) }
func (n numbers) Cols() int                          { return len(n) }
func (n numbers) Column(j, first int, dst []float64) { copy(dst, n[j][first:]) }

// noisy returns a dataset of overlapping blobs with missing values.
func noisy(rows, classes int, weighted bool, team *par.Team) *data.Set {
	r := rand.New(rand.NewPCG(uint64(rows), 7))
	x := make(numbers, 5)
	set := &data.Set{Target: data.Target{Labels: make([]int32, rows)}}
	for k := range classes {
		set.Classes = append(set.Classes, fmt.Sprint(k))
	}
	for i := range rows {
		y := r.IntN(classes)
		set.Labels[i] = int32(y)
		for j := range x {
			v := float64(y*(j+1)%classes) + r.NormFloat64()
			if r.IntN(20) == 0 {
				v = math.NaN()
			}
			x[j] = append(x[j], v)
		}
		if weighted {
			set.Weights = append(set.Weights, float32(r.IntN(4))*0.7+0.1)
		}
	}
	var err error
	if set.Mapper, err = bin.Fit(x, nil, 255, nil, team); err != nil {
		panic(err)
	}
	set.Matrix = set.Mapper.Map(x, team)
	if err := set.Group(team); err != nil {
		panic(err)
	}
	return set
}

// shards splits the rows of a dataset over ranks; the last but one of more than two has none.
func shards(set *data.Set, ranks int, team *par.Team) []*data.Set {
	r := rand.New(rand.NewPCG(uint64(ranks), 8))
	rows := make([][]uint32, ranks)
	for i := range set.Rows() {
		to := r.IntN(ranks)
		if ranks > 2 && to == ranks-2 {
			to = 0
		}
		rows[to] = append(rows[to], uint32(i))
	}
	all := *set
	for i := range set.Rows() {
		all.IDs = append(all.IDs, uint64(i))
	}
	parts := make([]*data.Set, ranks)
	for i := range parts {
		parts[i] = all.Subset(rows[i], true, team)
	}
	return parts
}

// TestRanks trains on several machines. The model equals the one of a single machine.
func TestRanks(t *testing.T) {
	team := par.NewTeam(1)
	defer team.Close()
	rows := 3000
	if testing.Short() {
		rows = 1000
	}
	base := Params{
		Method: "aoso", Leaf: "full", Pairs: 1, PairSelection: "second_order", Metric: "logloss", MaxLeaves: 12, MinSamplesLeaf: 1,
		ColsampleByTree: 1, ColsampleByNode: 1, LearningRate: 0.1, MaxDeltaStep: 5, Subsample: 1, NEstimators: 12, BaseGap: 1, BaseClass: "worst",
	}
	for i, test := range []struct {
		name     string
		classes  int
		weighted bool
		change   func(*Params)
	}{
		{"plain", 4, false, func(*Params) {}},
		{"pair leaves, trim", 5, true, func(p *Params) { p.Leaf, p.Trim = "pair", 0.1 }},
		{"4 pairs, min samples", 9, false, func(p *Params) { p.Pairs, p.MinSamplesLeaf, p.RegLambda = 4, 20, 1 }},
		{"root pairs", 4, true, func(p *Params) { p.PairSelection, p.Pairs = "root", 2 }},
		{"subsample, columns", 6, true, func(p *Params) { p.Subsample, p.ColsampleByTree, p.ColsampleByNode, p.Trim = 0.6, 0.8, 0.7, 0.05 }},
		{"large steps", 3, false, func(p *Params) { p.LearningRate = 1 }},
		{"logitboost", 3, false, func(p *Params) { p.Method = "logitboost" }},
		{"abc", 4, true, func(p *Params) { p.Method = "abc" }},
		{"sparse", 50, true, func(p *Params) { p.Leaf, p.Pairs, p.LeafClasses, p.MaxLeaves = "sparse", 4, 8, 40 }},
		{"sparse, one pair", 50, false, func(p *Params) { p.Leaf, p.LeafClasses, p.Trim = "sparse", 5, 0.1 }},
		{"sparse, first order", 20, false, func(p *Params) { p.Leaf, p.Pairs, p.LeafClasses, p.PairSelection = "sparse", 2, 8, "first_order" }},
		{"sparse, root pairs", 20, false, func(p *Params) { p.Leaf, p.Pairs, p.LeafClasses, p.PairSelection = "sparse", 2, 8, "root" }},
		{"sparse, subsample", 50, true, func(p *Params) {
			p.Leaf, p.Pairs, p.LeafClasses, p.Subsample, p.ColsampleByNode = "sparse", 4, 8, 0.6, 0.7
		}},
		{"linear", 4, true, func(p *Params) { p.Start = "linear" }},
		{"linear, pair leaves, large steps", 5, false, func(p *Params) { p.Start, p.Leaf, p.LearningRate, p.Trim = "linear", "pair", 1, 0.1 }},
		{"class frequencies", 4, true, func(p *Params) { p.Start, p.PairSelection = "prior", "second_order" }},
		{"linear, sparse", 50, true, func(p *Params) { p.Start, p.Leaf, p.Pairs, p.LeafClasses, p.Subsample = "linear", "sparse", 2, 8, 0.6 }},
		{"abc, exhaustive", 3, false, func(p *Params) { p.Method, p.BaseClass, p.Subsample = "abc", "exhaustive", 0.7 }},
	} {
		if testing.Short() && i%6 != int(cases.Seed(t)%6) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			p := base
			test.change(&p)
			set := noisy(rows, test.classes, test.weighted, team)
			train := func(set *data.Set, refit *model.Forest, team *par.Team) Result {
				e := New(Job{Params: p, Train: set, Refit: refit, EvalEvery: 1, Kernels: kernel.Generic, Team: team, CacheBytes: 1 << 15})
				defer e.Free()
				for e.Step(t.Context()) {
				}
				return e.Result()
			}
			compare := func(what string, got, want Result) {
				if got.TrainLoss != want.TrainLoss || got.Iterations != want.Iterations || got.Stopped != want.Stopped || !reflect.DeepEqual(got.Forest, want.Forest) {
					t.Errorf("%s: loss %v after %d iterations (%s), one has %v after %d (%s)", what,
						got.TrainLoss, got.Iterations, got.Stopped, want.TrainLoss, want.Iterations, want.Stopped)
				}
			}
			want := train(set, nil, team)
			var others *model.Forest // trees of other rows
			var refitted Result
			if p.Method == "aoso" {
				others = train(shards(set, 2, team)[0], nil, team).Forest
				refitted = train(set, others, team)
			}
			for _, ranks := range cases.Some(t, 1, []int{2, 3, 4}) {
				parts := shards(set, ranks, team)
				var all sync.WaitGroup
				for i, c := range collective.NewLocal(ranks) {
					all.Go(func() {
						team := par.NewTeam(1)
						defer team.Close()
						parts[i].Ranks = collective.NewGroup(c)
						compare(fmt.Sprintf("%d ranks", ranks), train(parts[i], nil, team), want)
						if others != nil {
							compare(fmt.Sprintf("%d ranks, given trees", ranks), train(parts[i], others, team), refitted)
						}
						if err := parts[i].Ranks.Err(); err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
			}
		})
	}
}
