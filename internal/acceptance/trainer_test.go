package acceptance

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
)

func newTrainer(t testing.TB, set *aoso.Dataset, p aoso.Params, o aoso.TrainOptions) *aoso.Trainer {
	t.Helper()
	b, err := aoso.NewTrainer(set, p, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// timeless is progress that can be compared.
func timeless(p aoso.Progress) string {
	valid := p.Valid
	p.Valid, p.Elapsed = nil, 0
	text := fmt.Sprintf("%+v", p)
	if valid != nil {
		text += fmt.Sprintf(" %+v", *valid)
	}
	return text
}

// TestSteps: step by step, a training is what Train does in one go.
func TestSteps(t *testing.T) {
	d := blobs(90, 900, 4, 4, 255)
	set := newDataset(t, d.slice(0, 400))
	valid := aligned(t, set, d.slice(400, 900))
	for _, stop := range []aoso.StopReason{aoso.StoppedByTrees, aoso.StoppedByEarlyStopping, aoso.StoppedByStopLoss} {
		for _, v := range everyVariant {
			t.Run(string(stop)+"/"+v.name, func(t *testing.T) {
				p := params(func(p *aoso.Params) {
					v.change(p)
					p.LearningRate, p.Subsample = 0.3, 0.8
					rounds(p, 12, 4)
					switch stop {
					case aoso.StoppedByEarlyStopping:
						p.EarlyStoppingRounds = 8
						rounds(p, 1000, 4)
					case aoso.StoppedByStopLoss:
						p.StopLoss = 100
						rounds(p, 1000, 4)
					}
				})
				var want []aoso.Progress
				o := aoso.TrainOptions{Valid: valid, EvalEvery: 3}
				b := newTrainer(t, set, p, o)
				o.Callback = func(p aoso.Progress) bool { want = append(want, p); return true }
				whole := train(t, set, p, o)
				for i := range want {
					if got, more := b.Step(t.Context()); !more || timeless(got) != timeless(want[i]) {
						t.Fatalf("step %d: %s, %t; want %s", i, timeless(got), more, timeless(want[i]))
					}
				}
				for range 3 {
					if got, more := b.Step(t.Context()); more || timeless(got) != timeless(want[len(want)-1]) {
						t.Fatalf("after the end: %s, %t", timeless(got), more)
					}
					r := b.Result()
					if r.Model.Fingerprint() != whole.Model.Fingerprint() || r.TrainLoss != whole.TrainLoss || *r.Valid != *whole.Valid ||
						r.Iterations != whole.Iterations || r.BestIteration != whole.BestIteration || r.StoppedBy != stop || whole.StoppedBy != stop {
						t.Fatalf("%+v, want %+v", r, whole)
					}
				}
			})
		}
	}
}

// TestSnapshots: the model after some steps is that of as many trees, and
// later steps do not change it.
func TestSnapshots(t *testing.T) {
	all := letter()
	set := newDataset(t, all.slice(0, 2000))
	p := params(func(p *aoso.Params) { p.NEstimators = 40 })
	b := newTrainer(t, set, p, aoso.TrainOptions{})
	var models []*aoso.Model
	var files [][]byte
	for more := true; more; _, more = b.Step(t.Context()) {
		r := b.Result()
		if (r.StoppedBy == "") != (len(models) < 40) || r.Iterations != len(models) || r.Model.Trees() != len(models) {
			t.Fatalf("%+v after %d steps", r, len(models))
		}
		if loss := lossOf(t, r.Model, all.slice(0, 2000), aoso.PredictOptions{}); !near(loss, r.TrainLoss, 1e-5) {
			t.Fatalf("%d trees: the loss is said to be %g and is %g", len(models), r.TrainLoss, loss)
		}
		models, files = append(models, r.Model), append(files, encode(t, r.Model))
	}
	if len(models) != 41 {
		t.Fatalf("%d models, want 41", len(models))
	}
	for n, m := range models {
		if !bytes.Equal(encode(t, m), files[n]) {
			t.Errorf("the model of %d trees has changed", n)
		}
		if n == 1 || n == 17 {
			p.NEstimators = n
			if got, want := m.Fingerprint(), train(t, set, p, aoso.TrainOptions{}).Model.Fingerprint(); got != want {
				t.Errorf("%d trees: fingerprint %s, want %s", n, got, want)
			}
		}
	}
}

// TestSnapshotEarlyStopping: the models on the way are those of the best
// iteration so far, and the training goes on from the last.
func TestSnapshotEarlyStopping(t *testing.T) {
	d := blobs(91, 1200, 4, 4, 255)
	set := newDataset(t, d.slice(0, 300))
	valid := aligned(t, set, d.slice(300, 1200))
	p := params(func(p *aoso.Params) { p.EarlyStoppingRounds, p.LearningRate = 10, 0.5 })
	b := newTrainer(t, set, p, aoso.TrainOptions{Valid: valid})
	best, value, past := 0, math.Inf(1), 0
	for {
		now, more := b.Step(t.Context())
		if !more {
			break
		}
		if now.Valid.LogLoss < value {
			best, value = now.Iteration, now.Valid.LogLoss
		}
		if r := b.Result(); r.BestIteration != best || r.Model.Trees() != best || r.Valid.LogLoss != value || r.Iterations != now.Iteration {
			t.Fatalf("iteration %d: the best is %d with %d trees and %g; want %d, %g", now.Iteration, r.BestIteration, r.Model.Trees(), r.Valid.LogLoss, best, value)
		}
		past = now.Iteration - best
	}
	if past != 10 {
		t.Errorf("stopped %d iterations after the best", past)
	}
}

// TestResume interrupts a training wherever it looks at its context, and goes
// on: nothing of that may show.
func TestResume(t *testing.T) {
	d := blobs(92, 300, 4, 5, 255)
	set := newDataset(t, d)
	for _, v := range everyVariant {
		t.Run(v.name, func(t *testing.T) {
			p := params(func(p *aoso.Params) {
				v.change(p)
				p.LearningRate, p.Subsample, p.ColsampleByTree, p.ColsampleByNode = 0.3, 0.7, 0.8, 0.7
				rounds(p, 4, 5)
			})
			want := train(t, set, p, aoso.TrainOptions{})
			b := newTrainer(t, set, p, aoso.TrainOptions{})
			interruptions := 0
			for left, done := 0, false; !done; {
				before := b.Result()
				_, more := b.Step(&countdown{context.Background(), left})
				r := b.Result()
				switch {
				case more:
					left = 0
				case r.StoppedBy == aoso.StoppedByInterrupt:
					if r.Iterations != before.Iterations || r.TrainLoss != before.TrainLoss || r.Model.Trees() != before.Model.Trees() {
						t.Fatalf("the interruption left %+v, there was %+v", r, before)
					}
					interruptions++
					left++
				default:
					done = true
				}
			}
			r := b.Result()
			if r.Model.Fingerprint() != want.Model.Fingerprint() || r.TrainLoss != want.TrainLoss || r.StoppedBy != want.StoppedBy {
				t.Errorf("after %d interruptions %s, %g, %s; want %s, %g, %s", interruptions,
					r.Model.Fingerprint(), r.TrainLoss, r.StoppedBy, want.Model.Fingerprint(), want.TrainLoss, want.StoppedBy)
			}
			if interruptions < 4 {
				t.Errorf("%d interruptions", interruptions)
			}
		})
	}
}

func TestFreedTrainer(t *testing.T) {
	d := blobs(93, 200, 3, 3, 255)
	set := newDataset(t, d)
	for _, stopping := range []int{0, 100} {
		b := newTrainer(t, set, params(func(p *aoso.Params) { p.EarlyStoppingRounds = stopping }), aoso.TrainOptions{Valid: aligned(t, set, d)})
		for range 5 {
			b.Step(t.Context())
		}
		before := b.Result()
		b.Close()
		b.Close()
		if now, more := b.Step(t.Context()); more || now.Iteration != 5 {
			t.Errorf("a step after Free: %+v, %t", now, more)
		}
		after := b.Result()
		if after.Model.Fingerprint() != before.Model.Fingerprint() || !math.IsNaN(after.TrainLoss) || (after.Valid != nil) != (stopping > 0) {
			t.Errorf("after Free %+v, before %+v", after, before)
		}
	}
}

// TestTrainOnUnknown: a validation set with labels of its own is not for training.
func TestTrainOnUnknown(t *testing.T) {
	d := blobs(94, 60, 3, 3, 255)
	set := newDataset(t, d)
	other := &table{x: d.x, y: append([]int{7}, d.y[1:]...)}
	_, err := aoso.NewTrainer(aligned(t, set, other), params(nil))
	wantArgumentError(t, err, "train", "1 rows of unknown classes")
	if _, err := aoso.Train(context.Background(), aligned(t, set, d), params(func(p *aoso.Params) { p.NEstimators = 2 })); err != nil {
		t.Errorf("an aligned dataset of known classes: %v", err)
	}
	// Nor is one without rows.
	none, err := set.Aligned(aoso.RowMajor([]float64{}, 0, 3), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = aoso.Train(context.Background(), none, params(nil))
	wantArgumentError(t, err, "train", "at least one row")
}

// TestLastProgress: the progress of the last iteration, and of no other, says
// why it is the last.
func TestLastProgress(t *testing.T) {
	d := blobs(71, 400, 3, 3, 255)
	set, err := aoso.NewDataset(d.features(), d.labels())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		stop   aoso.StopReason
		change func(*aoso.Params)
	}{
		{aoso.StoppedByTrees, func(p *aoso.Params) { p.NEstimators = 4 }},
		{aoso.StoppedByStopLoss, func(p *aoso.Params) { p.NEstimators, p.StopLoss = 1000, 50 }},
		{aoso.StoppedByEarlyStopping, func(p *aoso.Params) { p.NEstimators, p.EarlyStoppingRounds, p.LearningRate = 1000, 2, 1 }},
	} {
		t.Run(string(test.stop), func(t *testing.T) {
			o := aoso.TrainOptions{}
			if test.stop == aoso.StoppedByEarlyStopping {
				wrong := d.labels()
				slices.Reverse(wrong)
				valid, err := set.Aligned(d.features(), wrong, nil)
				if err != nil {
					t.Fatal(err)
				}
				o.Valid = valid
			}
			var reasons []aoso.StopReason
			o.Callback = func(p aoso.Progress) bool {
				reasons = append(reasons, p.StoppedBy)
				return true
			}
			r := train(t, set, params(test.change), o)
			if len(reasons) != r.Iterations || r.StoppedBy != test.stop {
				t.Fatalf("%d iterations, %d calls, stopped by %s", r.Iterations, len(reasons), r.StoppedBy)
			}
			for i, reason := range reasons {
				if want := map[bool]aoso.StopReason{true: test.stop}[i == len(reasons)-1]; reason != want {
					t.Errorf("iteration %d of %d: %q, want %q", i+1, len(reasons), reason, want)
				}
			}
		})
	}
}
