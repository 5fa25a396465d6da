package acceptance

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/tools/cases"
)

func TestEarlyStopping(t *testing.T) {
	d := blobs(31, 1600, 4, 4, 255)
	trainSet, validSet := d.slice(0, 400), d.slice(400, 1600)
	set := newDataset(t, trainSet)
	valid := aligned(t, set, validSet)
	for _, metric := range []aoso.Metric{aoso.MetricLogLoss, aoso.MetricError} {
		for _, every := range []int{1, 4} {
			for _, method := range []aoso.Method{aoso.MethodAOSO, aoso.MethodABC, aoso.MethodLogitBoost} {
				t.Run(fmt.Sprint(metric, every, method), func(t *testing.T) {
					var seen []aoso.Progress
					r := train(t, set, params(func(p *aoso.Params) {
						p.Method, p.Metric, p.EarlyStoppingRounds, p.LearningRate = method, metric, 12, 0.3
					}),
						aoso.TrainOptions{Valid: valid, EvalEvery: every, Callback: func(p aoso.Progress) bool {
							if p.Evaluated {
								seen = append(seen, p)
							}
							return true
						}})
					if r.StoppedBy != aoso.StoppedByEarlyStopping {
						t.Fatalf("stopped by %s", r.StoppedBy)
					}
					best, value := aoso.Progress{}, math.Inf(1)
					for i, p := range seen {
						v := p.Valid.LogLoss
						if metric == "error" {
							v = p.Valid.ErrorRate
						}
						if v < value {
							best, value = p, v
						}
						if p.Best != best.Iteration || p.Iteration != (i+1)*every {
							t.Errorf("iteration %d, best %d; want %d, %d", p.Iteration, p.Best, (i+1)*every, best.Iteration)
						}
					}
					if r.BestIteration != best.Iteration || r.Model.Trees() != best.Trees || *r.Valid != *best.Valid {
						t.Errorf("ends with iteration %d, %d trees, %+v; the best is %d, %d trees, %+v",
							r.BestIteration, r.Model.Trees(), *r.Valid, best.Iteration, best.Trees, *best.Valid)
					}
					if r.Iterations < best.Iteration+12 || r.Iterations >= best.Iteration+12+every {
						t.Errorf("stopped after %d iterations, the best is %d", r.Iterations, best.Iteration)
					}
					if e, err := r.Model.Evaluate(validSet.features(), validSet.labels(), nil); err != nil || *e != *r.Valid {
						t.Errorf("the model does %+v (%v), said to do %+v", e, err, *r.Valid)
					}
				})
			}
		}
	}
}

// TestLastIsBest: the last iteration may be the best though it is not one of
// those that are evaluated on the way.
func TestLastIsBest(t *testing.T) {
	d := blobs(44, 800, 4, 4, 255)
	set := newDataset(t, d.slice(0, 400))
	valid := aligned(t, set, d.slice(400, 800))
	r := train(t, set, params(func(p *aoso.Params) { p.NEstimators, p.EarlyStoppingRounds, p.LearningRate = 25, 50, 0.02 }), aoso.TrainOptions{Valid: valid, EvalEvery: 10})
	if r.BestIteration != 25 || r.Model.Trees() != 25 || r.StoppedBy != aoso.StoppedByTrees {
		t.Errorf("iteration %d is the best, %d trees, stopped by %s", r.BestIteration, r.Model.Trees(), r.StoppedBy)
	}
	if e, err := r.Model.Evaluate(d.slice(400, 800).features(), d.slice(400, 800).labels(), nil); err != nil || *e != *r.Valid {
		t.Errorf("the model does %+v (%v), said to do %+v", e, err, *r.Valid)
	}
}

func TestCallback(t *testing.T) {
	d := blobs(32, 300, 4, 4, 255)
	for _, v := range everyVariant {
		t.Run(v.name, func(t *testing.T) {
			var last aoso.Progress
			r := train(t, newDataset(t, d), params(v.change), aoso.TrainOptions{EvalEvery: 2, Callback: func(p aoso.Progress) bool {
				if p.Iteration != last.Iteration+1 || p.Trees <= last.Trees || p.Elapsed < last.Elapsed || p.Valid != nil ||
					p.Evaluated != (p.Iteration%2 == 0) || p.Evaluated != (p.TrainLoss > 0) {
					t.Errorf("%+v after %+v", p, last)
				}
				last = p
				return p.Iteration < 6
			}})
			if r.StoppedBy != aoso.StoppedByInterrupt || r.Iterations != 6 || r.BestIteration != 6 || r.Model.Trees() != last.Trees || r.TrainLoss != last.TrainLoss {
				t.Errorf("stopped by %s after %d iterations with %d trees at a loss of %g, the callback saw %+v",
					r.StoppedBy, r.Iterations, r.Model.Trees(), r.TrainLoss, last)
			}
		})
	}
}

// countdown is a context that is cancelled once it has been asked so often.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancel cancels training wherever it looks at its context: what is kept
// is whole iterations, the same as without the end of the training.
func TestCancel(t *testing.T) {
	d := blobs(33, 300, 4, 5, 255)
	set := newDataset(t, d)
	for _, v := range everyVariant {
		t.Run(v.name, func(t *testing.T) {
			p := params(func(p *aoso.Params) { v.change(p); p.LearningRate = 0.3; rounds(p, 4, 5) })
			whole := train(t, set, p, aoso.TrainOptions{}).Model
			per, seen := whole.TreesPerIteration(), map[int]bool{}
			for left := 0; ; left++ {
				r, err := aoso.Train(&countdown{context.Background(), left}, set, p)
				if err != nil {
					t.Fatal(err)
				}
				trees := r.Model.Trees()
				seen[trees] = true
				if trees != r.Iterations*per {
					t.Fatalf("%d trees of %d iterations", trees, r.Iterations)
				}
				if loss := lossOf(t, r.Model, d, aoso.PredictOptions{}); !near(loss, r.TrainLoss, 1e-5) {
					t.Fatalf("%d trees: training says that its loss is %g, the model's is %g", trees, r.TrainLoss, loss)
				}
				want := rawScores(t, whole, d.features(), aoso.PredictOptions{Trees: trees})
				if trees > 0 && !slices.Equal(rawScores(t, r.Model, d.features(), aoso.PredictOptions{}), want) {
					t.Fatalf("%d trees: others than without interruption", trees)
				}
				if r.StoppedBy != aoso.StoppedByInterrupt {
					break
				}
			}
			if len(seen) != 5 {
				t.Errorf("ends after %d different numbers of iterations, want 0 to 4", len(seen))
			}
		})
	}
}

// TestStopEarly: a run of settings that is stopped before it has reached the model of those before it leaves that model.
func TestStopEarly(t *testing.T) {
	t.Parallel()
	all := letter()
	d, other := newDataset(t, all.slice(0, 2000)), all.slice(2000, 4000)
	p := defaults(func(p *aoso.Params) { p.Ensemble = 1 })
	stoppedAt := func(stop func(aoso.Progress, int) bool) (*aoso.Result, float64) {
		steps := 0
		r := train(t, d, p, aoso.TrainOptions{Callback: func(now aoso.Progress) bool {
			steps++
			return !stop(now, steps)
		}})
		e, err := r.Model.Evaluate(other.features(), other.labels(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return r, e.LogLoss
	}
	held := 0 // steps of the first phase
	whole, least := stoppedAt(func(now aoso.Progress, steps int) bool {
		if now.Phase == aoso.PhaseHoldOut {
			held = steps
		}
		return false
	})
	type test struct {
		steps int
		phase aoso.Phase
		done  int     // iterations of that phase
		most  float64 // as a multiple of the loss without a stop
	}
	for _, test := range cases.Some(t, 1, []test{
		{held + 1, aoso.PhaseHoldOut, held, 1.2},
		{held + whole.Iterations/4, aoso.PhaseHoldOut, held, 1.2},
		{held + whole.Iterations - 1, aoso.PhaseTrain, whole.Iterations - 1, 1.05},
	}) {
		r, loss := stoppedAt(func(_ aoso.Progress, steps int) bool { return steps == test.steps })
		if r.StoppedBy != aoso.StoppedByInterrupt || r.Phase != test.phase || r.Iterations != test.done {
			t.Errorf("step %d of %d+%d: stopped by %s after %d iterations, model of phase %s", test.steps, held, whole.Iterations, r.StoppedBy, r.Iterations, r.Phase)
		}
		if loss > test.most*least {
			t.Errorf("step %d of %d+%d: log loss %.3f, without a stop %.3f", test.steps, held, whole.Iterations, loss, least)
		}
	}
}
