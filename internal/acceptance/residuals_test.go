package acceptance

import (
	"math"
	"testing"

	"github.com/libaoso/aoso"
)

// TestResiduals compares the loss that training reports, from its residuals,
// with that of the model's own predictions on the training rows: the rows that
// a tree was not grown on must have moved as well.
func TestResiduals(t *testing.T) {
	plain := blobs(1, 1500, 5, 10, 255)
	holes := plain.punch(1, 0.1)
	sets := []struct {
		name   string
		data   *table
		change func(*aoso.Params)
	}{
		{"plain", plain, func(*aoso.Params) {}},
		{"weights", plain.weighted(1), func(*aoso.Params) {}},
		{"missing", holes, func(*aoso.Params) {}},
		{"subsample", plain, func(p *aoso.Params) { p.Subsample = 0.5 }},
		{"columns", plain, func(p *aoso.Params) { p.ColsampleByTree, p.ColsampleByNode = 0.8, 0.5 }},
		{"bounds", plain, func(p *aoso.Params) { p.MinSamplesLeaf, p.Trim, p.RegLambda, p.MinChildWeight = 20, 0.3, 0.5, 2 }},
		{"all", holes.weighted(2), func(p *aoso.Params) {
			p.Subsample, p.ColsampleByTree, p.ColsampleByNode = 0.6, 0.8, 0.5
			p.MinSamplesLeaf, p.Trim, p.RegLambda, p.MaxDepth = 7, 0.1, 0.1, 4
		}},
	}
	for _, v := range everyVariant {
		for _, s := range sets {
			t.Run(v.name+"/"+s.name, func(t *testing.T) {
				r := trained(t, s.data, params(func(p *aoso.Params) {
					v.change(p)
					s.change(p)
					p.MaxLeaves = 8
					rounds(p, 5, 10)
				}))
				if r.Iterations != 5 || r.Model.Trees() != 5*r.Model.TreesPerIteration() || r.StoppedBy != aoso.StoppedByTrees {
					t.Fatalf("%d iterations, %d trees, stopped by %s", r.Iterations, r.Model.Trees(), r.StoppedBy)
				}
				if loss := lossOf(t, r.Model, s.data, aoso.PredictOptions{}); !near(loss, r.TrainLoss, 1e-4) {
					t.Errorf("training says that its loss is %g, the model's is %g", r.TrainLoss, loss)
				}
			})
		}
	}
}

// TestResidualsToTheEnd does so when next to no loss is left.
func TestResidualsToTheEnd(t *testing.T) {
	d := blobs(2, 400, 5, 6, 255)
	for _, v := range everyVariant {
		t.Run(v.name, func(t *testing.T) {
			p := params(func(p *aoso.Params) { v.change(p); p.StopLoss, p.LearningRate, p.NEstimators = 1e-7, 0.3, 10_000 })
			r := trained(t, d, p)
			if r.StoppedBy != aoso.StoppedByStopLoss || r.TrainLoss > 1e-7/float64(len(d.y)) {
				t.Fatalf("stopped by %s at a loss of %g", r.StoppedBy, r.TrainLoss)
			}
			if loss := lossOf(t, r.Model, d, aoso.PredictOptions{}); !near(loss, r.TrainLoss, 1e-3) {
				t.Errorf("training says that its loss is %g, the model's is %g", r.TrainLoss, loss)
			}
		})
	}
}

func TestLossFalls(t *testing.T) {
	d := blobs(3, 1200, 5, 7, 255)
	for _, v := range everyVariant {
		t.Run(v.name, func(t *testing.T) {
			last := math.Log(7)
			train(t, newDataset(t, d), params(func(p *aoso.Params) { v.change(p); p.LearningRate = 0.02; rounds(p, 25, 7) }), aoso.TrainOptions{
				Callback: func(p aoso.Progress) bool {
					if p.TrainLoss >= last {
						t.Errorf("iteration %d: the loss went from %g to %g", p.Iteration, last, p.TrainLoss)
					}
					last = p.TrainLoss
					return true
				}})
		})
	}
}

// TestSumToZero checks the leaf vectors by the scores that they make.
func TestSumToZero(t *testing.T) {
	d := blobs(4, 1000, 5, 9, 255)
	for _, v := range everyVariant {
		t.Run(v.name, func(t *testing.T) {
			r := trained(t, d, params(func(p *aoso.Params) { v.change(p); rounds(p, 10, 9) }))
			if forest(r.Model).Named() > 0 {
				t.Skip("the steps of sparse leaves are relative to the classes that they do not move")
			}
			scores, worst := rawScores(t, r.Model, d.features(), aoso.PredictOptions{}), 0.0
			for i := range d.y {
				sum := 0.0
				for _, f := range scores[i*9:][:9] {
					sum += f
				}
				worst = max(worst, math.Abs(sum))
			}
			if r.Model.Params().Method == aoso.MethodLogitBoost { // has no such constraint
				if worst < 1e-3 {
					t.Errorf("the scores sum to zero, but no %s tree sees to that", aoso.MethodLogitBoost)
				}
			} else if worst > 1e-6*float64(r.Model.Trees()) {
				t.Errorf("the scores of a row sum to %g", worst)
			}
		})
	}
}
