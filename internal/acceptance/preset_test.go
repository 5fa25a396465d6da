package acceptance

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/tools/cases"
)

// defaults returns the default parameters, changed.
func defaults(change ...func(*aoso.Params)) aoso.Params {
	p := aoso.DefaultParams()
	for _, c := range change {
		c(&p)
	}
	return p
}

// phases returns how many iterations each phase had.
func phases(t *testing.T, train *aoso.Dataset, p aoso.Params, valid *aoso.Dataset) (map[aoso.Phase]int, *aoso.Result) {
	t.Helper()
	count := map[aoso.Phase]int{}
	last := aoso.Progress{Phase: aoso.PhaseHoldOut}
	r, err := aoso.Train(context.Background(), train, p, aoso.TrainOptions{Valid: valid, Callback: func(now aoso.Progress) bool {
		if now.Phase == last.Phase && now.Iteration != last.Iteration+1 || now.Phase != last.Phase && (now.Iteration != 1 || now.Phase != aoso.PhaseTrain) {
			t.Errorf("%s %d follows %s %d", now.Phase, now.Iteration, last.Phase, last.Iteration)
		}
		if now.Trees > now.MaxTrees {
			t.Errorf("%d trees of at most %d", now.Trees, now.MaxTrees)
		}
		count[now.Phase]++
		last = now
		return true
	}})
	if err != nil {
		t.Fatal(err)
	}
	return count, r
}

// TestCalibrated: by default, the rows held out foretell the log loss on new rows,
// and the temperature improves it.
func TestCalibrated(t *testing.T) {
	t.Parallel()
	all := letter()
	for _, rows := range cases.Some(t, 1, []int{600, 1500}) {
		d, test := all.slice(0, rows), all.slice(16_000, 20_000)
		count, r := phases(t, newDataset(t, d), defaults(), nil)
		if count[aoso.PhaseHoldOut] == 0 || count[aoso.PhaseTrain] != r.Iterations || r.Phase != aoso.PhaseTrain || r.Model.Trees() != r.Iterations {
			t.Errorf("%d rows: %v and %+v", rows, count, r)
		}
		if r.HeldOut == nil || r.HeldOutRows != rows || r.Valid != nil {
			t.Fatalf("%d rows: %+v", rows, r)
		}
		e, err := r.Model.Evaluate(test.features(), test.labels(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if e.LogLoss > 1.25*r.HeldOut.LogLoss || e.ErrorRate > 1.25*r.HeldOut.ErrorRate {
			t.Errorf("%d rows: held out %+v, new rows %+v", rows, r.HeldOut, e)
		}
		best, report, err := r.Model.Calibrate(test.features(), test.labels(), nil)
		if err != nil || report.Before > 1.03*report.After {
			t.Errorf("%d rows: temperature %g and a log loss of %g; %g leaves %g, %v", rows, r.Model.Temperature(), report.Before, best.Temperature(), report.After, err)
		}
	}
}

// TestNoise: where labels are noise, training settles for little.
func TestNoise(t *testing.T) {
	d := blobs(77, 1500, 6, 3, 255)
	for i := range d.y {
		d.y[i] = (i * 7 / 3) % 3
	}
	_, r := phases(t, newDataset(t, d), defaults(), nil)
	e, err := r.Model.Evaluate(d.features(), d.labels(), nil)
	if err != nil || r.HeldOut.LogLoss > 1.02*math.Log(3) || e.LogLoss < 0.75*math.Log(3) {
		t.Errorf("held out %+v, training rows %+v, %v", r.HeldOut, e, err)
	}
}

// TestNoiseValidated: a validation set chooses the settings too.
func TestNoiseValidated(t *testing.T) {
	d := blobs(77, 3000, 6, 3, 255)
	for i := range d.y {
		if i%2 == 0 {
			d.y[i] = (i * 7 / 3) % 3
		}
	}
	train := newDataset(t, d.slice(0, 2000))
	held := d.slice(2000, 3000)
	valid, err := train.Aligned(held.features(), held.labels(), nil)
	if err != nil {
		t.Fatal(err)
	}
	first := aoso.Suggest(shapeOf(train))
	for _, trees := range []int{0, 60} {
		var seen []aoso.Progress
		p := defaults(func(p *aoso.Params) { p.NEstimators, p.Calibration = trees, "none" })
		r, err := aoso.Train(context.Background(), train, p, aoso.TrainOptions{Valid: valid, Callback: func(now aoso.Progress) bool {
			seen = append(seen, now)
			return now.StoppedBy == ""
		}})
		if err != nil {
			t.Fatal(err)
		}
		for i, now := range seen {
			if now.Iteration != i+1 {
				t.Fatalf("iteration %d is called %d", i+1, now.Iteration)
			}
		}
		if slow := r.Model.Params().LearningRate < first.LearningRate; slow != (trees == 0) {
			t.Errorf("trees %d: trained with %v", trees, r.Model.Params())
		}
		e, err := r.Model.Evaluate(held.features(), held.labels(), nil)
		if err != nil || *e != *r.Valid || *e != *seen[r.BestIteration-1].Valid || r.Iterations != len(seen) {
			t.Errorf("trees %d: %+v, evaluated %+v, %v", trees, r, e, err)
		}
	}
}

// TestHoldOutOf: what rows are held out of, and what takes their place.
func TestHoldOutOf(t *testing.T) {
	d := blobs(78, 400, 4, 3, 255)
	valid := blobs(79, 300, 4, 3, 255)
	for _, test := range []struct {
		name      string
		data      *table
		valid     bool
		change    func(*aoso.Params)
		held      int // rows
		tempered  bool
		leastPart int // of the iterations of the first phase
	}{
		{"defaults", d, false, func(*aoso.Params) {}, 400, true, 1},
		{"holdout", d, false, func(p *aoso.Params) { p.Calibration = "holdout" }, 80, true, 1},
		{"trees alone", d, false, func(p *aoso.Params) { p.Calibration = "none" }, 400, false, 1},
		{"calibration alone", d, false, func(p *aoso.Params) { p.NEstimators = 20 }, 400, true, 20},
		{"neither", d, false, func(p *aoso.Params) { p.NEstimators, p.Calibration = 20, "none" }, 0, false, 0},
		{"paper", d, false, func(p *aoso.Params) { p.Preset = aoso.PresetPaper }, 0, false, 0},
		{"paper, folds", d, false, func(p *aoso.Params) { p.Preset, p.NEstimators, p.Calibration = aoso.PresetPaper, 30, "folds" }, 400, true, 30},
		{"fast", d, false, func(p *aoso.Params) { p.Preset = aoso.PresetFast }, 400, true, 1},
		{"valid", d, true, func(*aoso.Params) {}, 0, true, 0},
		{"valid and none", d, true, func(p *aoso.Params) { p.Calibration = "none" }, 0, false, 0},
		{"valid and trees", d, true, func(p *aoso.Params) { p.NEstimators = 20 }, 0, true, 0},
		{"valid and holdout", d, true, func(p *aoso.Params) { p.Calibration = "holdout" }, 80, true, 1},
		{"early stopping", d, true, func(p *aoso.Params) { p.EarlyStoppingRounds = 3 }, 0, true, 0},
		{"abc", d, false, func(p *aoso.Params) { p.Method, p.NEstimators = aoso.MethodABC, 40 }, 400, true, 20},
		{"logitboost", d, false, func(p *aoso.Params) { p.Method, p.NEstimators = aoso.MethodLogitBoost, 30 }, 400, true, 10},
		{"few rows", d.slice(0, 9), false, func(p *aoso.Params) { p.NEstimators = 10 }, 0, false, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			train := newDataset(t, test.data)
			var v *aoso.Dataset
			if test.valid {
				var err error
				if v, err = train.Aligned(valid.features(), valid.labels(), nil); err != nil {
					t.Fatal(err)
				}
			}
			count, r := phases(t, train, defaults(test.change), v)
			if (count[aoso.PhaseHoldOut] >= max(test.leastPart, 1)) != (test.leastPart > 0) || r.HeldOutRows != test.held || (r.HeldOut != nil) != (test.held > 0) {
				t.Errorf("%v; %d rows held out", count, r.HeldOutRows)
			}
			if (r.Model.Temperature() != 1) != test.tempered {
				t.Errorf("temperature %g", r.Model.Temperature())
			}
			if !test.valid {
				return
			}
			e, err := r.Model.Evaluate(valid.features(), valid.labels(), nil)
			if err != nil || r.Valid.Errors != e.Errors || !near(r.Valid.LogLoss, e.LogLoss, 1e-9) {
				t.Errorf("valid %+v, evaluated %+v, %v", r.Valid, e, err)
			}
		})
	}
}

// TestRareClasses: a class of one row is always trained on; one of two rows may be
// held out.
func TestRareClasses(t *testing.T) {
	d := blobs(80, 300, 3, 3, 255)
	for i := range 5 {
		d.y[50*i+3] = 3 + i/2
	}
	_, r := phases(t, newDataset(t, d), defaults(), nil)
	if got := len(r.Model.Classes()); got != 6 || r.HeldOutRows != 299 {
		t.Errorf("%d classes, %d rows held out", got, r.HeldOutRows)
	}
	p, err := r.Model.PredictProba(d.features())
	if err != nil || slices.ContainsFunc(p, func(v float64) bool { return !(v >= 0 && v <= 1) }) {
		t.Error("no probabilities", err)
	}
}

// TestPhasesResume: an interruption in either phase leaves a model, and no trace
// in what follows.
func TestPhasesResume(t *testing.T) {
	set := newDataset(t, blobs(81, 300, 4, 3, 255))
	p := defaults(func(p *aoso.Params) { p.NThread = 2 })
	want, err := aoso.Train(context.Background(), set, p)
	if err != nil {
		t.Fatal(err)
	}
	b, err := aoso.NewTrainer(set, p)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	seen := map[aoso.Phase]int{}
	for i := 0; ; i++ {
		if i%37 == 5 {
			now, more := b.Step(cancelled)
			r := b.Result()
			if more || r.StoppedBy != aoso.StoppedByInterrupt || r.Phase != now.Phase && r.Phase != aoso.PhaseHoldOut || r.Model.Trees() == 0 || r.Model.Temperature() == 1 || r.HeldOut == nil {
				t.Fatalf("%s %d: %+v", now.Phase, now.Iteration, r)
			}
			seen[now.Phase]++
		}
		if _, more := b.Step(context.Background()); !more {
			break
		}
	}
	if r := b.Result(); r.Model.Fingerprint() != want.Model.Fingerprint() || r.StoppedBy != want.StoppedBy || *r.HeldOut != *want.HeldOut {
		t.Errorf("%+v, want %+v", r, want)
	}
	if seen[aoso.PhaseHoldOut] == 0 || seen[aoso.PhaseTrain] == 0 {
		t.Errorf("interrupted in %v", seen)
	}
}

// TestTimeLimit: training ends in time, with a calibrated model.
func TestTimeLimit(t *testing.T) {
	set := newDataset(t, letter().slice(0, 8000))
	for _, limit := range []float64{1e-6, 0.5} {
		count, r := phases(t, set, defaults(func(p *aoso.Params) { p.TimeLimit = limit }), nil)
		if count[aoso.PhaseHoldOut] == 0 || count[aoso.PhaseTrain] == 0 || limit < 0.1 && len(count) != 2 || r.Model.Temperature() == 1 || r.HeldOut == nil {
			t.Errorf("%g s: %v, %+v", limit, count, r)
		}
		if stopped := r.StoppedBy == aoso.StoppedByTimeLimit; limit < 0.1 && r.Iterations != 1 || limit > 0.1 && !stopped && r.StoppedBy != aoso.StoppedByTrees {
			t.Errorf("%g s: stopped by %s after %d iterations", limit, r.StoppedBy, r.Iterations)
		}
		if slow := r.Elapsed.Seconds(); slow > limit+5 { // an iteration takes some ms
			t.Errorf("%g s: took %g s", limit, slow)
		}
	}
	_, r := phases(t, set, defaults(func(p *aoso.Params) { p.NEstimators, p.Calibration, p.TimeLimit = 1_000_000, "none", 0.2 }), nil)
	if r.StoppedBy != aoso.StoppedByTimeLimit || r.Iterations < 2 {
		t.Errorf("one phase: stopped by %s after %d iterations", r.StoppedBy, r.Iterations)
	}
}

// TestFewestTrees: held-out rows choose a single tree for each member where no feature explains the labels.
func TestFewestTrees(t *testing.T) {
	least := math.MaxInt
	for seed := uint64(0); seed < 5 && least > members; seed++ {
		d, random := blobs(77, 2000, 3, 2, 255), rand.New(rand.NewPCG(seed, 1))
		for i := range d.y {
			d.y[i] = random.IntN(2)
		}
		least = min(least, trained(t, d, defaults()).Model.Trees())
	}
	if least != members {
		t.Errorf("at least %d trees", least)
	}
}
