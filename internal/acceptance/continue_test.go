package acceptance

import (
	"testing"

	"github.com/libaoso/aoso"
)

// TestContinue: training in two goes makes the model of training in one.
func TestContinue(t *testing.T) {
	d := blobs(34, 1000, 5, 5, 255).punch(34, 0.05)
	x, y := d.features(), d.labels()
	draws := func(p *aoso.Params) { p.Subsample, p.ColsampleByTree, p.ColsampleByNode, p.Trim = 0.7, 0.9, 0.8, 0.1 }
	steep := func(p *aoso.Params) { p.LearningRate = 1 }
	large := func(p *aoso.Params) { p.LearningRate, p.MaxDeltaStep = 1, 20 }
	for _, v := range everyVariant {
		for name, change := range map[string]func(*aoso.Params){"plain": func(*aoso.Params) {}, "draws": draws, "steep": steep, "large steps": large} {
			t.Run(v.name+"/"+name, func(t *testing.T) {
				p := params(func(p *aoso.Params) { v.change(p); change(p); rounds(p, 7, 5) })
				first := trained(t, d, p).Model
				print := first.Fingerprint()
				set, err := aoso.NewDataset(x, y, aoso.DatasetOptions{Init: first})
				if err != nil {
					t.Fatal(err)
				}
				valid := aligned(t, set, d)
				r := train(t, set, p, aoso.TrainOptions{Valid: valid})
				rounds(&p, 14, 5)
				whole := trained(t, d, p)
				if r.Iterations != 7 || first.Fingerprint() != print {
					t.Fatalf("%d iterations more, want 7", r.Iterations)
				}
				if got, want := r.Model.Fingerprint(), whole.Model.Fingerprint(); got != want {
					t.Errorf("fingerprint %s of %d trees, in one go %s of %d", got, r.Model.Trees(), want, whole.Model.Trees())
				}
				if r.TrainLoss != whole.TrainLoss {
					t.Errorf("the loss is %v, in one go %v", r.TrainLoss, whole.TrainLoss)
				}
				if e, err := r.Model.Evaluate(x, y, nil); err != nil || *e != *r.Valid {
					t.Errorf("the model does %+v (%v), said to do %+v", e, err, *r.Valid)
				}
			})
		}
	}
}

// TestContinueConverged adds nothing to a model that has converged.
func TestContinueConverged(t *testing.T) {
	d := blobs(35, 200, 5, 3, 255)
	p := params(func(p *aoso.Params) { p.StopLoss = 1e-6 })
	first := trained(t, d, p).Model
	set, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Init: first})
	if err != nil {
		t.Fatal(err)
	}
	if r := train(t, set, p, aoso.TrainOptions{}); r.Iterations != 0 || r.StoppedBy != aoso.StoppedByStopLoss || r.Model.Fingerprint() != first.Fingerprint() {
		t.Errorf("%d more iterations, stopped by %s", r.Iterations, r.StoppedBy)
	}
}

// TestContinueOtherRows: the new rows may lack classes and have other values.
func TestContinueOtherRows(t *testing.T) {
	d := blobs(36, 1000, 5, 5, 255)
	first := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 10 })).Model
	other := &table{}
	for i, row := range blobs(37, 500, 5, 5, 100).x {
		other.x, other.y = append(other.x, row), append(other.y, 1+i%2)
	}
	set, err := aoso.NewDataset(other.features(), other.labels(), aoso.DatasetOptions{Init: first})
	if err != nil {
		t.Fatal(err)
	}
	r := train(t, set, params(func(p *aoso.Params) { p.NEstimators = 10 }), aoso.TrainOptions{})
	if got := r.Model.Classes(); len(got) != 5 || r.Model.Trees() != 20 {
		t.Errorf("classes %q, %d trees", got, r.Model.Trees())
	}
	if before := lossOf(t, first, other, aoso.PredictOptions{}); !(r.TrainLoss < before) {
		t.Errorf("the loss went from %g to %g", before, r.TrainLoss)
	}
	if loss := lossOf(t, r.Model, other, aoso.PredictOptions{}); !near(loss, r.TrainLoss, 1e-5) {
		t.Errorf("training says that its loss is %g, the model's is %g", r.TrainLoss, loss)
	}
}
