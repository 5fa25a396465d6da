package acceptance

import (
	"math"
	"testing"

	"github.com/libaoso/aoso"
)

// TestSparseMatchesFull: sparse leaves that move all classes make the model of full leaves.
// The residuals of full leaves have 24 bits, so the two part after some trees.
func TestSparseMatchesFull(t *testing.T) {
	d := blobs(210, 1500, 6, 7, 255)
	for name, d := range map[string]*table{"plain": d, "weighted": d.weighted(210)} {
		for _, pairs := range []int{1, 2} {
			change := func(p *aoso.Params) {
				p.Pairs, p.MaxLeaves, p.NEstimators, p.LearningRate, p.Trim, p.RegLambda = pairs, 12, 5, 0.2, 0, 1
			}
			full := trained(t, d, params(change))
			sparse := trained(t, d, params(func(p *aoso.Params) { change(p); p.Leaf, p.LeafClasses = "sparse", 7 }))
			if math.Abs(full.TrainLoss-sparse.TrainLoss) > 1e-4*full.TrainLoss {
				t.Errorf("%s, %d pairs: the loss is %v, of full leaves %v", name, pairs, sparse.TrainLoss, full.TrainLoss)
			}
			p, q := proba(t, full.Model, d), proba(t, sparse.Model, d)
			for i := range p {
				if math.Abs(p[i]-q[i]) > 1e-4 {
					t.Fatalf("%s, %d pairs: row %d has the probability %v, of full leaves %v", name, pairs, i/7, q[i], p[i])
				}
			}
		}
	}
}

func proba(t *testing.T, m *aoso.Model, d *table) []float64 {
	t.Helper()
	p, err := m.PredictProba(d.features())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSparseRefused: what sparse leaves cannot do yet is refused.
func TestSparseRefused(t *testing.T) {
	set := newDataset(t, blobs(211, 100, 3, 3, 255))
	p := params(func(p *aoso.Params) { p.Leaf = "sparse" })
	_, err := aoso.NewTrainer(set, p, aoso.TrainOptions{Objective: func(scores, gradient, hessian []float64) error { return nil }})
	wantArgumentError(t, err, "leaf", "objective")
	_, err = aoso.NewTrainer(set, params(func(p *aoso.Params) { p.Leaf, p.LeafClasses = "sparse", 64 }))
	wantArgumentError(t, err, "leaf_classes", "63")
	p.MonotoneConstraints = `{"f0":{"2":1}}`
	_, err = aoso.NewTrainer(set, p)
	wantArgumentError(t, err, "leaf", "monotone_constraints")
}

// TestSparseChooses: rows held out choose the number of trees and the temperature.
func TestSparseChooses(t *testing.T) {
	d := blobs(212, 2500, 5, 30, 255)
	p := aoso.DefaultParams()
	p.Leaf, p.LeafClasses, p.TimeLimit = "sparse", 4, 0
	p.Preset, p.LearningRate = aoso.PresetFast, 0.5
	r := trained(t, d, p)
	if r.HeldOut == nil || r.Model.Temperature() == 1 || r.Model.Trees() < 3 {
		t.Fatalf("%d trees with the temperature %v; held out %+v", r.Model.Trees(), r.Model.Temperature(), r.HeldOut)
	}
	full := trained(t, d, func() aoso.Params { q := p; q.Leaf = "full"; return q }())
	if got, want := r.HeldOut.LogLoss, full.HeldOut.LogLoss; got > 1.2*want {
		t.Errorf("the log loss of the rows held out is %v, of full leaves %v", got, want)
	}
}

// TestSparseContinues: leaves move as many classes as in the model to continue, unless
// leaf_classes says otherwise.
func TestSparseContinues(t *testing.T) {
	d := blobs(213, 300, 4, 9, 255)
	sparse := func(classes int) aoso.Params {
		return params(func(p *aoso.Params) { p.Leaf, p.LeafClasses, p.NEstimators = "sparse", classes, 2 })
	}
	set, err := aoso.NewDataset(d.features(), aoso.IntLabels(d.y), aoso.DatasetOptions{Init: trained(t, d, sparse(4)).Model})
	if err != nil {
		t.Fatal(err)
	}
	if n := train(t, set, sparse(0), aoso.TrainOptions{}).Model.Params().LeafClasses; n != 4 {
		t.Errorf("leaves move %d classes, want 4", n)
	}
	_, err = aoso.NewTrainer(set, sparse(5))
	wantArgumentError(t, err, "leaf_classes", "4")
}

// wideTables are 20,000 classes with a row each, and distinct ones of these rows, each so many
// times.
func wideTables(distinct, times int) (d, valid *table) {
	d, valid = &table{}, &table{}
	for k := range 20_000 {
		d.x, d.y = append(d.x, []float64{float64(k % 141), float64(k / 141)}), append(d.y, k)
	}
	for i := range distinct * times {
		valid.x, valid.y = append(valid.x, d.x[i%distinct*7]), append(valid.y, i%distinct*7)
	}
	return d, valid
}

// TestWideValidation: a validation set with too many raw scores to keep them is judged all the
// same. Every class has one row.
func TestWideValidation(t *testing.T) {
	const distinct, times = 20, 340
	d, valid := wideTables(distinct, times)
	train := newDataset(t, d)
	p := params(func(p *aoso.Params) {
		p.Leaf, p.LeafClasses, p.NEstimators, p.MaxLeaves, p.EarlyStoppingRounds, p.MinSamplesLeaf = "sparse", 40, 4, 200, 3, 1
	})
	wide := aoso.TrainOptions{Valid: aligned(t, train, valid)}
	b, err := aoso.NewTrainer(train, p, wide)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for more := true; more; {
		_, more = b.Step(t.Context())
	}
	r := b.Result()
	few := valid.slice(0, distinct)
	want, err := r.Model.Evaluate(few.features(), few.labels(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Valid == nil || math.Abs(r.Valid.LogLoss-want.LogLoss) > 1e-9 || r.Valid.Errors != times*want.Errors || want.LogLoss > 9.5 {
		t.Errorf("the validation set has %+v, the model %+v on its distinct rows", r.Valid, want)
	}
	_, err = b.Scores(0)
	wantArgumentError(t, err, "set", "at most")
	p.Metric = "auc_ovr"
	_, err = aoso.NewTrainer(train, p, wide)
	wantArgumentError(t, err, "metric", "logloss or error")
}
