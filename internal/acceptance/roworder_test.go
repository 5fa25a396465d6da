package acceptance

import (
	"math/rand/v2"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/tools/cases"
)

// TestRowOrder: a model depends on the set of rows, not on their order.
func TestRowOrder(t *testing.T) {
	t.Parallel()
	plain := blobs(120, 1800, 6, 5, 1<<20)
	few := blobs(121, 300, 4, 3, 1<<20)
	many := blobs(122, 70_000, 3, 3, 1<<20)
	r := rand.New(rand.NewPCG(120, 0))
	categories := &table{y: plain.y}
	for i, row := range plain.x {
		categories.x = append(categories.x, append([]float64{float64(r.IntN(150) + 20*plain.y[i]), float64(r.IntN(9))}, row...))
	}
	heavy := &table{x: plain.x, y: plain.y}
	for range plain.y {
		heavy.weights = append(heavy.weights, r.Float64()*1e3)
	}
	categories.weights = heavy.weights
	ties := blobs(124, 900, 4, 6, 5)
	holes := plain.punch(120, 0.05)
	draws := func(p *aoso.Params) { p.Subsample, p.ColsampleByTree, p.ColsampleByNode = 0.6, 0.8, 0.5 }
	chosen := func(p *aoso.Params) { *p = aoso.DefaultParams() }
	type test struct {
		name    string
		data    *table
		change  func(*aoso.Params)
		options aoso.DatasetOptions
	}
	tests := []test{
		{"paper", plain, func(p *aoso.Params) { paper(p) }, aoso.DatasetOptions{}},
		{"paper, ties", ties, paper, aoso.DatasetOptions{}},
		{"4 pairs, ties", ties, func(p *aoso.Params) { p.MaxLeaves = 20 }, aoso.DatasetOptions{}},
		{"2 pairs, pair leaf", plain, func(p *aoso.Params) { p.Pairs, p.Leaf = 2, "pair" }, aoso.DatasetOptions{}},
		{"4 pairs, trim", plain, func(p *aoso.Params) { p.Trim = 0.2 }, aoso.DatasetOptions{}},
		{"first order", holes, func(p *aoso.Params) { p.PairSelection, p.Pairs = "first_order", 1 }, aoso.DatasetOptions{}},
		{"root", holes, func(p *aoso.Params) { p.PairSelection = "root" }, aoso.DatasetOptions{}},
		{"missing", holes, func(p *aoso.Params) { p.MinSamplesLeaf, p.RegLambda = 5, 0.1 }, aoso.DatasetOptions{}},
		{"weights", heavy, func(p *aoso.Params) { p.Trim = 0.1 }, aoso.DatasetOptions{}},
		{"draws", holes, draws, aoso.DatasetOptions{}},
		{"draws, weights and trim", heavy, func(p *aoso.Params) { draws(p); p.Trim = 0.1 }, aoso.DatasetOptions{}},
		{"sampled bins", plain, draws, aoso.DatasetOptions{SampleRows: 300, Seed: 2, MaxBin: 60}},
		{"abc", plain, func(p *aoso.Params) { p.Method = aoso.MethodABC; draws(p) }, aoso.DatasetOptions{}},
		{"abc, exhaustive", holes, func(p *aoso.Params) { p.Method, p.BaseClass = aoso.MethodABC, "exhaustive" }, aoso.DatasetOptions{}},
		{"logitboost", heavy, func(p *aoso.Params) { p.Method = aoso.MethodLogitBoost; draws(p) }, aoso.DatasetOptions{}},
		{"large steps", plain, func(p *aoso.Params) { p.LearningRate, p.MaxDeltaStep = 1, 5 }, aoso.DatasetOptions{}},
		{"categories and weights", categories, draws, aoso.DatasetOptions{Categorical: []int{0, 1}}},
		{"sparse leaf, weights and trim", heavy, func(p *aoso.Params) { draws(p); p.Leaf, p.LeafClasses, p.Trim = "sparse", 2, 0.1 }, aoso.DatasetOptions{}},
		{"sparse leaf, many rows", many, func(p *aoso.Params) { p.Leaf, p.LeafClasses, p.NEstimators = "sparse", 2, 3 }, aoso.DatasetOptions{}},
		{"chosen parameters", holes, func(p *aoso.Params) { chosen(p); p.NEstimators = 30 }, aoso.DatasetOptions{}},
		{"chosen parameters, weights", heavy, func(p *aoso.Params) { chosen(p); draws(p); p.NEstimators = 30 }, aoso.DatasetOptions{}},
		{"chosen trees, five folds", few, chosen, aoso.DatasetOptions{}},
		{"chosen parameters, categories", categories, func(p *aoso.Params) { chosen(p); p.NEstimators = 30 }, aoso.DatasetOptions{Categorical: []int{0, 1}}},
		{"early stopping", plain, func(p *aoso.Params) { draws(p); p.NEstimators, p.EarlyStoppingRounds, p.LearningRate = 60, 5, 0.5 }, aoso.DatasetOptions{}},
		{"letter", letter(), func(p *aoso.Params) { p.MaxLeaves, p.NEstimators = 20, 5 }, aoso.DatasetOptions{}},
		{"many rows", many, func(p *aoso.Params) { p.NEstimators = 3 }, aoso.DatasetOptions{}},
		{"many rows, draws", many, func(p *aoso.Params) { draws(p); p.NEstimators = 3 }, aoso.DatasetOptions{}},
	}
	for _, test := range cases.Some(t, 7, tests) {
		t.Run(test.name, func(t *testing.T) {
			p := params(func(p *aoso.Params) { p.MaxLeaves, p.NEstimators = 8, 40; test.change(p); p.NThread = 1 })
			valid := blobs(123, 500, len(test.data.x[0]), test.data.classes(), 1<<20)
			fingerprint := func(d *table, ids []uint64) string {
				set := withIDs(t, d, ids, test.options)
				o := aoso.TrainOptions{}
				if p.EarlyStoppingRounds > 0 {
					o.Valid = aligned(t, set, valid)
				}
				return train(t, set, p, o).Model.Fingerprint()
			}
			want := fingerprint(test.data, nil)
			for threads := 1; threads <= 3; threads += 2 {
				p.NThread = threads
				d, ids := shuffled(uint64(threads), test.data, positionIDs(len(test.data.y)))
				if got := fingerprint(d, ids); got != want {
					t.Errorf("%d threads: fingerprint %s with the rows in another order, %s before", threads, got, want)
				}
			}
		})
	}
}

// TestRowOrderOfSets: so it is on data as they come.
func TestRowOrderOfSets(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Parallel()
	for _, name := range cases.Some(t, 1, []string{"optdigits", "pendigits", "zipcode", "isolet", "covertype93k", "shuttle", "vowel"}) {
		t.Run(name, func(t *testing.T) {
			d, _ := sharedSet(t, name)
			other, ids := shuffled(125, d, positionIDs(len(d.y)))
			a, b := newDataset(t, d), withIDs(t, other, ids, aoso.DatasetOptions{})
			for what, change := range map[string]func(*aoso.Params){
				"paper":  func(p *aoso.Params) { paper(p); p.NEstimators = 4 },
				"chosen": func(p *aoso.Params) { *p = aoso.DefaultParams(); p.NEstimators = 4 },
				"draws":  func(p *aoso.Params) { p.Subsample, p.ColsampleByTree, p.NEstimators = 0.5, 0.8, 8 },
			} {
				p := params(change)
				p.NThread = 2
				if train(t, a, p, aoso.TrainOptions{}).Model.Fingerprint() != train(t, b, p, aoso.TrainOptions{}).Model.Fingerprint() {
					t.Errorf("%s: the rows in another order make another model", what)
				}
			}
		})
	}
}
