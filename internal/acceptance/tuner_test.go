package acceptance

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
)

// tuned searches with one thread and one part held out, unless the change says
// otherwise.
func tuned(t *testing.T, set *aoso.Dataset, o aoso.TuneOptions, change ...func(*aoso.Params)) *aoso.TuneResult {
	t.Helper()
	p := defaults(slices.Insert(change, 0, func(p *aoso.Params) { p.NThread, p.Calibration = 1, "holdout" })...)
	r, err := aoso.Tune(context.Background(), set, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// trialsOnly is trials without their times.
func trialsOnly(trials []aoso.Trial) []aoso.Trial {
	trials = slices.Clone(trials)
	for i := range trials {
		trials[i].Seconds = 0
	}
	return trials
}

// noisyBlobs returns rows whose labels are wrong now and then.
func noisyBlobs(rows int) *table {
	d := blobs(91, rows, 5, 4, 255)
	for i := range d.y {
		if i%9 == 0 {
			d.y[i] = i % 4
		}
	}
	return d
}

// TestTune: the best of the trials becomes the model, whatever the number of
// threads, and training with the parameters found grows the same trees.
func TestTune(t *testing.T) {
	set := newDataset(t, noisyBlobs(160))
	r := tuned(t, set, aoso.TuneOptions{Trials: 8})
	if r.Phase != aoso.PhaseTrain || r.HeldOutRows != 32 || r.Model.Temperature() == 1 || r.Iterations != r.Model.Trees() || r.StoppedBy != aoso.StoppedByTrees {
		t.Errorf("%+v", r.Result)
	}
	start := aoso.Suggest(shapeOf(set))
	best := r.Trials[0]
	for i, trial := range r.Trials {
		if trial.Rung == 3 && trial.RefinedLoss < best.RefinedLoss {
			best = trial
		}
		p, err := aoso.ParseParams(trial.Params)
		if err != nil || p.MaxLeaves < 2 || trial.Number == 1 && p.MaxLeaves != start.MaxLeaves {
			t.Errorf("trial %d: %q, %v", i, trial.Params, err)
		}
	}
	if mostTrials(r) != 8 || best.RefinedLoss > r.Trials[2].RefinedLoss {
		t.Errorf("%d trials, the best of which is %+v", mostTrials(r), best)
	}
	if folded := tuned(t, set, aoso.TuneOptions{Trials: 1}, func(p *aoso.Params) { p.Calibration = "auto" }); folded.HeldOutRows != 160 {
		t.Errorf("%d rows are held out by five folds", folded.HeldOutRows)
	}
	found := r.Params
	found.Calibration = "none"
	again, err := aoso.Train(context.Background(), set, found)
	if err != nil || !bytes.Equal(dumped(t, again.Model), dumped(t, r.Model)) {
		t.Errorf("other trees with %q, %v", r.Params.Changes(), err)
	}
	first3, other := tuned(t, set, aoso.TuneOptions{Trials: 3}), tuned(t, set, aoso.TuneOptions{Trials: 3}, func(p *aoso.Params) { p.Seed = 1 })
	threads := tuned(t, set, aoso.TuneOptions{Trials: 3}, func(p *aoso.Params) { p.NThread = 3 })
	if threads.Model.Fingerprint() != first3.Model.Fingerprint() || !slices.Equal(trialsOnly(threads.Trials), trialsOnly(first3.Trials)) {
		t.Error("another search with three threads")
	}
	if slices.Equal(trialsOnly(other.Trials), trialsOnly(first3.Trials)) {
		t.Error("the same search with another seed")
	}
}

// mostTrials returns the number of trials in a table.
func mostTrials(r *aoso.TuneResult) (most int) {
	for _, trial := range r.Trials {
		most = max(most, trial.Number)
	}
	return most
}

// dumped returns the trees of a model as text.
func dumped(t *testing.T, m *aoso.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Export(&b, "text", aoso.ExportOptions{Trees: m.Trees()}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestTuneGiven: what is given stays as it is.
func TestTuneGiven(t *testing.T) {
	set := newDataset(t, noisyBlobs(160))
	r := tuned(t, set, aoso.TuneOptions{Trials: 8}, func(p *aoso.Params) { p.NEstimators, p.MaxLeaves, p.RegLambda, p.MinChildWeight = 12, 7, 0.5, 0.25 })
	for _, trial := range r.Trials {
		p, err := aoso.ParseParams(trial.Params)
		if err != nil || p.NEstimators != 12 || p.MaxLeaves != 7 || p.RegLambda != 0.5 || p.MinChildWeight != 0.25 || trial.Trained > 12 {
			t.Errorf("%+v, %v", trial, err)
		}
	}
	if r.Model.Trees() != 12 || r.Params.MaxLeaves != 7 {
		t.Errorf("%d trees, %s", r.Model.Trees(), r.Params.Changes())
	}
}

// TestTuneTable: a search goes on where another was stopped, and ends as if there
// had been one.
func TestTuneTable(t *testing.T) {
	d := noisyBlobs(160)
	set, path := newDataset(t, d), filepath.Join(t.TempDir(), "trials.csv")
	whole := tuned(t, set, aoso.TuneOptions{Trials: 8})
	steps := 0
	stop := func(aoso.TuneProgress) bool { steps++; return steps%130 != 0 }
	for range 3 { // each goes a little further
		r := tuned(t, set, aoso.TuneOptions{Trials: 8, Table: path, Callback: stop})
		if r.StoppedBy != aoso.StoppedByInterrupt || r.Phase != aoso.PhaseSearch {
			t.Fatalf("%s in %s", r.StoppedBy, r.Phase)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	if len(lines) < 5 {
		t.Fatalf("the table has %d lines", len(lines))
	}
	half := strings.Join(lines[:len(lines)-2], "") + lines[len(lines)-2][:9] // as after a crash
	if err := os.WriteFile(path, []byte(half), 0o666); err != nil {
		t.Fatal(err)
	}
	r := tuned(t, set, aoso.TuneOptions{Trials: 8, Table: path})
	if r.Model.Fingerprint() != whole.Model.Fingerprint() || !slices.Equal(trialsOnly(r.Trials), trialsOnly(whole.Trials)) {
		t.Errorf("the search after an interruption differs: %+v, not %+v", trialsOnly(r.Trials), trialsOnly(whole.Trials))
	}
	before, err := os.ReadFile(path)
	if err != nil || bytes.Count(before, []byte("\n")) != 2+len(whole.Trials) {
		t.Errorf("%d trials, in the table %q, %v", len(whole.Trials), before, err)
	}
	if again := tuned(t, set, aoso.TuneOptions{Trials: 8, Table: path}); again.Model.Fingerprint() != whole.Model.Fingerprint() {
		t.Error("a search that is in the table gives another model")
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the table of a search that is over has changed: %v", err)
	}
	for name, other := range map[string]struct {
		set    *aoso.Dataset
		valid  *aoso.Dataset
		change func(*aoso.Params)
		want   string
	}{
		"data":       {newDataset(t, d.slice(1, 160)), nil, func(*aoso.Params) {}, "other data"},
		"validation": {set, aligned(t, set, d), func(*aoso.Params) {}, "another validation set"},
		"seed":       {set, nil, func(p *aoso.Params) { p.Seed = 3 }, "other parameters"},
		"parameters": {set, nil, func(p *aoso.Params) { p.MaxLeaves = 3 }, "other parameters"},
	} {
		_, err := aoso.Tune(context.Background(), other.set, defaults(other.change), aoso.TuneOptions{Valid: other.valid, Table: path})
		wantArgumentError(t, err, "table", other.want)
		_ = name
	}
	if err := os.WriteFile(path, []byte("a,b\n1,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = aoso.Tune(context.Background(), set, defaults(), aoso.TuneOptions{Table: path})
	wantArgumentError(t, err, "table", "a trials table of this version")
}

// TestTuneInterrupted: after any iteration there is a model, with a temperature.
func TestTuneInterrupted(t *testing.T) {
	set := newDataset(t, noisyBlobs(160))
	total := 0
	tuned(t, set, aoso.TuneOptions{Trials: 3, Callback: func(aoso.TuneProgress) bool { total++; return true }})
	for _, at := range []int{1, total / 3, 2 * total / 3, total - 3} {
		steps := 0
		r := tuned(t, set, aoso.TuneOptions{Trials: 3, Callback: func(aoso.TuneProgress) bool { steps++; return steps < at }})
		e, err := r.Model.Evaluate(noisyBlobs(160).features(), noisyBlobs(160).labels(), nil)
		if err != nil || r.StoppedBy != aoso.StoppedByInterrupt || r.Model.Trees() == 0 || r.Model.Temperature() == 1 || r.HeldOut == nil || e.LogLoss > 1.386 {
			t.Errorf("after %d of %d: %+v, %+v, %v", at, total, r.Result, e, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := aoso.Tune(ctx, set, defaults(), aoso.TuneOptions{Trials: 3})
	if err != nil || r.StoppedBy != aoso.StoppedByInterrupt || r.Model.Trees() != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestTuneTime: the search and the last training end in time.
func TestTuneTime(t *testing.T) {
	d := noisyBlobs(3000)
	for _, seconds := range []float64{1e-9, 0.5} {
		r := tuned(t, newDataset(t, d), aoso.TuneOptions{}, func(p *aoso.Params) { p.TimeLimit = seconds })
		if r.Model.Trees() == 0 || r.HeldOut == nil || r.Elapsed.Seconds() > seconds+5 || r.Params.TimeLimit != 0 {
			t.Errorf("%g seconds: %+v", seconds, r.Result)
		}
	}
}

// TestTuneValidated: a validation set judges, and the model is that of a trial.
func TestTuneValidated(t *testing.T) {
	d := noisyBlobs(700)
	for i := range d.x {
		d.weights = append(d.weights, float64(1+i%3))
	}
	train := d.slice(0, 500)
	set := newDataset(t, train)
	valid := aligned(t, set, d.slice(500, 700))
	r := tuned(t, set, aoso.TuneOptions{Trials: 7, Valid: valid}, func(p *aoso.Params) { p.Calibration = "auto" })
	if r.Phase != aoso.PhaseTrain || r.HeldOut != nil || r.Valid == nil || r.Model.Temperature() == 1 || r.Model.Trees() != r.BestIteration {
		t.Fatalf("%+v", r.Result)
	}
	e, err := r.Model.Evaluate(d.slice(500, 700).features(), d.slice(500, 700).labels(), d.weights[500:])
	if err != nil || e.Errors != r.Valid.Errors || e.LogLoss > 1.02*r.Trials[2].RefinedLoss {
		t.Errorf("%+v, the result says %+v, trial 1 %+v; %v", e, r.Valid, r.Trials[2], err)
	}
	// A model that is continued has seen the rows.
	init, err := aoso.NewDataset(train.features(), train.labels(), aoso.DatasetOptions{Init: trained(t, train, params(func(p *aoso.Params) { p.NEstimators = 5 })).Model})
	if err != nil {
		t.Fatal(err)
	}
	_, err = aoso.Tune(context.Background(), init, defaults())
	wantArgumentError(t, err, "train", "validation set")
	validInit, err := init.Aligned(d.slice(500, 700).features(), d.slice(500, 700).labels(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := tuned(t, init, aoso.TuneOptions{Trials: 3, Valid: validInit}, func(p *aoso.Params) { p.Calibration = "auto" }); r.Model.Trees() <= 5 {
		t.Errorf("%d trees", r.Model.Trees())
	}
}

// TestTuneLittle: where there is nothing to search, the model is that of Train.
func TestTuneLittle(t *testing.T) {
	one := blobs(1, 200, 3, 2, 255)
	for i := range one.y {
		one.y[i] = 0
	}
	for name, d := range map[string]*table{"few rows": blobs(2, 9, 3, 3, 255), "one class": one} {
		set := newDataset(t, d)
		r := tuned(t, set, aoso.TuneOptions{Trials: 4}, func(p *aoso.Params) { p.Calibration = "auto" })
		want := train(t, set, defaults(), aoso.TrainOptions{}).Model.Fingerprint()
		if r.Model.Fingerprint() != want || len(r.Trials) != 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestTuneMethods(t *testing.T) {
	set := newDataset(t, noisyBlobs(100))
	for _, method := range []aoso.Method{aoso.MethodABC, aoso.MethodLogitBoost} {
		r := tuned(t, set, aoso.TuneOptions{Trials: 4}, func(p *aoso.Params) { p.Method = method })
		per := len(set.Classes())
		if method == aoso.MethodABC {
			per--
		}
		if r.Model.Trees()%per != 0 || r.Params.NEstimators != r.Model.Trees() || mostTrials(r) != 4 {
			t.Errorf("%s: %d trees, %s", method, r.Model.Trees(), r.Params.Changes())
		}
	}
}

func TestTuneErrors(t *testing.T) {
	set := newDataset(t, noisyBlobs(100))
	for argument, test := range map[string]struct {
		o      aoso.TuneOptions
		change func(*aoso.Params)
	}{
		"trials":                {aoso.TuneOptions{Trials: -1}, func(*aoso.Params) {}},
		"preset":                {aoso.TuneOptions{}, func(p *aoso.Params) { p.Preset = aoso.PresetPaper }},
		"early_stopping_rounds": {aoso.TuneOptions{}, func(p *aoso.Params) { p.EarlyStoppingRounds = 3 }},
		"valid":                 {aoso.TuneOptions{Valid: newDataset(t, noisyBlobs(50))}, func(*aoso.Params) {}},
	} {
		_, err := aoso.Tune(context.Background(), set, defaults(test.change), test.o)
		wantArgumentError(t, err, argument)
	}
	_, err := aoso.Tune(context.Background(), nil, defaults())
	wantArgumentError(t, err, "train")
	if _, err := aoso.Tune(context.Background(), set, defaults(), aoso.TuneOptions{Table: t.TempDir()}); err == nil {
		t.Error("a folder serves as a table")
	}
}
