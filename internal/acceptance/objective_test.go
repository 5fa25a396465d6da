package acceptance

import (
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/libaoso/aoso"
)

// squares is half the squared distance between scores and indicators of the classes.
type objective = func(scores, gradient, hessian []float64) error

func squares(labels []int32, classes int) objective {
	return func(scores, gradient, hessian []float64) error {
		for i := range scores {
			gradient[i], hessian[i] = scores[i], 1
			if int32(i%classes) == labels[i/classes] {
				gradient[i]--
			}
		}
		return nil
	}
}

// logLossOf returns the log loss.
func logLossOf(labels []int32, classes int) objective {
	return func(scores, gradient, hessian []float64) error {
		for i, y := range labels {
			sum := 0.0
			for k := range classes {
				sum += math.Exp(scores[i*classes+k])
			}
			for k := range classes {
				p := math.Exp(scores[i*classes+k]) / sum
				gradient[i*classes+k], hessian[i*classes+k] = p, p*(1-p)
			}
			gradient[i*classes+int(y)]--
		}
		return nil
	}
}

// TestObjectiveLeaves: where leaves hold the rows of one class each, a Newton step goes to
// the indicators, less their mean.
func TestObjectiveLeaves(t *testing.T) {
	const classes = 5
	d := &table{}
	for i := range 100 {
		d.x, d.y = append(d.x, []float64{float64(i % classes)}), append(d.y, i%classes)
	}
	for _, pairs := range []int{1, 2} {
		set := newDataset(t, d)
		p := params(func(p *aoso.Params) { p.NEstimators, p.MaxLeaves, p.LearningRate, p.Pairs = 1, classes, 1, pairs })
		r := train(t, set, p, aoso.TrainOptions{Objective: squares(set.Labels(), classes)})
		for i, f := range rawScores(t, r.Model, d.features(), aoso.PredictOptions{}) {
			want := -1.0 / classes
			if i%classes == d.y[i/classes] {
				want++
			}
			if math.Abs(f-want) > 1e-6 {
				t.Fatalf("%d pairs: score %d is %v, want %v", pairs, i, f, want)
			}
		}
	}
}

// TestObjectiveLearns: the log loss without the Hessian's off-diagonal learns about as well
// as the library's own.
func TestObjectiveLearns(t *testing.T) {
	d := blobs(3, 3000, 6, 5, 64)
	fitted, test := d.slice(0, 2000), d.slice(2000, 3000)
	p := params(func(p *aoso.Params) { p.NEstimators, p.Trim = 100, 0.1 })
	set := newDataset(t, fitted)
	own := train(t, set, p, aoso.TrainOptions{})
	custom := train(t, set, p, aoso.TrainOptions{Objective: logLossOf(set.Labels(), 5), Valid: aligned(t, set, test)})
	want, got := errorsOf(t, own.Model, test, aoso.PredictOptions{}), errorsOf(t, custom.Model, test, aoso.PredictOptions{})
	if got > want+want/5 {
		t.Errorf("%d errors, with the library's own loss %d", got, want)
	}
	if custom.Model.Temperature() != 1 || custom.Valid.Errors != got {
		t.Errorf("temperature %v, %d errors on the validation set", custom.Model.Temperature(), custom.Valid.Errors)
	}
	if loss := lossOf(t, custom.Model, fitted, aoso.PredictOptions{}); !near(custom.TrainLoss, loss/2000, 1e-6) && !near(custom.TrainLoss, loss, 1e-6) {
		t.Errorf("training loss %v, want %v", custom.TrainLoss, loss)
	}
}

// TestObjectiveSameModel: threads, levels, ranks and a pause make no difference.
func TestObjectiveSameModel(t *testing.T) {
	d := blobs(4, 3000, 5, 4, 64)
	p := params(func(p *aoso.Params) { p.NEstimators, p.Subsample, p.Trim, p.Level = 12, 0.8, 0.1, "generic" })
	set := newDataset(t, d)
	with := func(p aoso.Params) string {
		return train(t, set, p, aoso.TrainOptions{Objective: logLossOf(set.Labels(), 4)}).Model.Fingerprint()
	}
	want := with(p)
	for _, level := range aoso.Levels() {
		p.Level, p.NThread = level, 3
		if got := with(p); got != want {
			t.Errorf("another model at level %s", level)
		}
	}
	p.Level, p.NEstimators = "", 5
	first := train(t, set, p, aoso.TrainOptions{Objective: logLossOf(set.Labels(), 4)})
	p.NEstimators = 7
	again, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Init: first.Model})
	if err != nil {
		t.Fatal(err)
	}
	if got := train(t, again, p, aoso.TrainOptions{Objective: logLossOf(again.Labels(), 4)}).Model.Fingerprint(); got != want {
		t.Error("another model after a pause")
	}
	p.NEstimators = 12
	const ranks = 2
	of := spread(3000, ranks)
	var all sync.WaitGroup
	for rank, c := range aoso.NewLocalCollective(ranks) {
		all.Go(func() {
			part := &table{}
			o := aoso.DatasetOptions{Collective: c}
			for _, row := range of[rank] {
				part.x, part.y = append(part.x, d.x[row]), append(part.y, d.y[row])
				o.RowIDs = append(o.RowIDs, uint64(row))
			}
			shard, err := aoso.NewDataset(part.features(), part.labels(), o)
			if err != nil {
				t.Error(err)
				return
			}
			r, err := aoso.Train(t.Context(), shard, p, aoso.TrainOptions{Objective: logLossOf(shard.Labels(), 4)})
			if err != nil {
				t.Error(err)
			} else if r.Model.Fingerprint() != want {
				t.Errorf("another model on rank %d", rank)
			}
		})
	}
	all.Wait()
}

func TestObjectiveFails(t *testing.T) {
	set := newDataset(t, blobs(5, 200, 3, 3, 16))
	failure := errors.New("no gradients today")
	for name, c := range map[string]struct {
		value func(call int) (g, h float64, err error)
		want  string
	}{
		"at once": {func(int) (float64, float64, error) { return 0, 0, failure }, failure.Error()},
		"later":   {func(call int) (float64, float64, error) { return 1, 1, []error{nil, nil, failure}[min(call, 2)] }, failure.Error()},
		"NaN":     {func(int) (float64, float64, error) { return math.NaN(), 1, nil }, "the gradient NaN of row 0 and class 0; allowed: -3.4e+38 to 3.4e+38"},
		"great":   {func(int) (float64, float64, error) { return 1e308, 1, nil }, "the gradient -1e+308 of row 0 and class 0; allowed: -3.4e+38 to 3.4e+38"},
		"Hessian": {func(int) (float64, float64, error) { return 1, -1, nil }, "the Hessian -1 of row 0 and class 0; allowed: 0 to 3.4e+38"},
	} {
		calls := 0
		objective := func(scores, gradient, hessian []float64) (err error) {
			for i := range scores {
				gradient[i], hessian[i], err = c.value(calls)
				gradient[i] *= float64(i%3) - 1
			}
			calls++
			return err
		}
		_, err := aoso.Train(t.Context(), set, params(nil), aoso.TrainOptions{Objective: objective})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	objective := squares(set.Labels(), 3)
	_, err := aoso.Train(t.Context(), set, params(func(p *aoso.Params) { p.Method = aoso.MethodLogitBoost }), aoso.TrainOptions{Objective: objective})
	wantArgumentError(t, err, "method", "aoso, with an objective")
	_, err = aoso.Train(t.Context(), set, params(func(p *aoso.Params) { p.Calibration = "folds" }), aoso.TrainOptions{Objective: objective})
	wantArgumentError(t, err, "calibration", "auto or none, with an objective")
	if r := train(t, set, aoso.DefaultParams(), aoso.TrainOptions{Objective: objective}); r.HeldOut != nil || r.Model.Temperature() != 1 {
		t.Error("rows were held out")
	}
	if !slices.Contains([]aoso.StopReason{aoso.StoppedByTrees, aoso.StoppedByNoSplit}, train(t, set, aoso.DefaultParams(), aoso.TrainOptions{Objective: objective}).StoppedBy) {
		t.Error("stopped for another reason")
	}
}
