package acceptance

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/tools/cases"
)

// TestStateIsTheModel: the loss that training reports, of its state, is that
// of the model's own scores, whatever the steps and until next to none is left.
func TestStateIsTheModel(t *testing.T) {
	noisy := blobs(50, 300, 5, 6, 255)
	for i := range noisy.y {
		if i%4 == 0 {
			noisy.y[i] = i % 6
		}
	}
	sets := map[string]*table{"noisy": noisy, "holes": blobs(51, 300, 4, 9, 60).punch(51, 0.2).weighted(51), "binary": blobs(52, 200, 3, 2, 255)}
	real := []string{"letter", "vowel", "higgs7k"}
	if testing.Short() {
		real = nil
	}
	for _, name := range real {
		path := "../../../shared/data/" + name + ".train.csv.gz"
		if _, err := os.Stat(path); err != nil {
			t.Logf("not run on %s: no %s", name, path)
			continue
		}
		d, err := readTable(path)
		if err != nil {
			t.Fatal(err)
		}
		sets[name] = d.slice(0, min(300, len(d.y)))
	}
	methods := map[string]func(*aoso.Params){
		"full": func(p *aoso.Params) {}, "pair": func(p *aoso.Params) { p.Leaf = "pair" }, "paper": paper,
		"sparse": func(p *aoso.Params) { p.Leaf, p.LeafClasses = "sparse", 3 }, "sparse, 1 class": func(p *aoso.Params) { p.Leaf, p.LeafClasses = "sparse", 1 },
		"sparse, linear": func(p *aoso.Params) { p.Leaf, p.LeafClasses, p.Start = "sparse", 8, "linear" },
		"abc":            func(p *aoso.Params) { p.Method = aoso.MethodABC }, "logitboost": func(p *aoso.Params) { p.Method = aoso.MethodLogitBoost },
	}
	for set, d := range sets {
		train := newDataset(t, d)
		for method, change := range methods {
			for _, steps := range cases.Some(t, 2, [][2]float64{{0.1, 1}, {0.1, 5}, {0.1, 20}, {0.4, 1}, {0.4, 5}, {0.4, 20}, {1, 1}, {1, 5}, {1, 20}}) {
				shrinkage, maxStep := steps[0], steps[1]
				t.Run(fmt.Sprintf("%s/%s/%g/%g", set, method, shrinkage, maxStep), func(t *testing.T) {
					p := paperParams()
					change(&p)
					p.LearningRate, p.MaxDeltaStep, p.StopLoss, p.NThread = shrinkage, maxStep, 1e-9, 1
					rounds(&p, 25, len(train.Classes()))
					p.NEstimators = max(min(p.NEstimators, 50), model.TreesPerIteration(p.Method, len(train.Classes())))
					checkReportedLoss(t, train, d, p)
				})
			}
		}
	}
}

func checkReportedLoss(t *testing.T, set *aoso.Dataset, d *table, p aoso.Params) {
	t.Helper()
	r := train(t, set, p, aoso.TrainOptions{})
	e, err := r.Model.Evaluate(d.features(), d.labels(), d.weights)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.TrainLoss, e.LogLoss; !near(got, want, 1e-5) {
		t.Errorf("learning_rate %g, max_delta_step %g, leaf %s: training says that its loss is %g after %d trees, the model's is %g", p.LearningRate, p.MaxDeltaStep, p.Leaf, got, r.Model.Trees(), want)
	}
}

// TestContradictoryRows: rows that no feature tells apart have their classes
// swing to and fro, far beyond what float32 knows of them.
func TestContradictoryRows(t *testing.T) {
	for _, seed := range cases.Some(t, 1, cases.Numbers(6)) {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		d := &table{}
		classes := 3 + r.IntN(18)
		for i := range classes + r.IntN(100) {
			d.x = append(d.x, []float64{float64(r.IntN(3)), float64(r.IntN(2)), float64(r.IntN(4))})
			d.y = append(d.y, i%classes)
		}
		set := newDataset(t, d)
		type step struct{ shrinkage, maxStep float64 }
		for _, step := range cases.Some(t, 2, []step{{0.2, 5}, {0.4, 5}, {0.2, 10}, {1, 2}, {1, 3}, {1, 5}, {1, 20}}) {
			p := paperParams()
			p.LearningRate, p.MaxDeltaStep, p.Subsample, p.Seed = step.shrinkage, step.maxStep, 0.5, uint64(seed)
			checkReportedLoss(t, set, d, p)
			p.Leaf, p.LeafClasses = "sparse", 2
			checkReportedLoss(t, set, d, p)
		}
	}
}

// TestLostRows: trees that split nothing move all rows alike, so that those of
// next to no weight are lost. (internal/boost tests that some are.)
func TestLostRows(t *testing.T) {
	d := &table{x: [][]float64{{1}, {2}, {3}, {4}, {5}}, y: []int{0, 1, 0, 1, 2}, weights: []float64{5e14, 5e14, 5e14, 1e15, 1e-15}}
	p := paperParams()
	p.LearningRate, p.MaxDeltaStep, p.Subsample, p.MinChildWeight, p.StopLoss = 1, 0.511, 0.15, 1e30, 0
	set := newDataset(t, d)
	for seed := range uint64(8) {
		p.Seed, p.NEstimators = seed, 4000
		b, err := aoso.NewTrainer(set, p)
		if err != nil {
			t.Fatal(err)
		}
		for more := true; more; {
			_, more = b.Step(t.Context())
		}
		b.Close()
		checkReportedLoss(t, set, d, p)

		p.NEstimators = 2000
		set, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Weights: d.weights, Init: trained(t, d, p).Model})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := train(t, set, p, aoso.TrainOptions{}).Model.Fingerprint(), b.Result().Model.Fingerprint(); got != want {
			t.Errorf("in two goes the fingerprint is %s, not %s", got, want)
		}
	}
}
