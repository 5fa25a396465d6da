package acceptance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/tools/cases"
)

// crashed trains this many steps with a checkpoint at each, and ends without a word.
func crashed(d *aoso.Dataset, p aoso.Params, o aoso.TrainOptions, steps int) error {
	b, err := aoso.NewTrainer(d, p, o)
	if err != nil {
		return err
	}
	defer b.Close()
	for range steps {
		if _, more := b.Step(context.Background()); !more {
			break
		}
	}
	return b.Err()
}

// followed trains to the end. It returns what was told on the way and how it ended.
func followed(d *aoso.Dataset, p aoso.Params, o aoso.TrainOptions) (string, error) {
	var told strings.Builder
	o.Callback = func(p aoso.Progress) bool {
		valid := p.Valid
		p.Elapsed, p.Valid = 0, nil
		fmt.Fprintln(&told, p, valid)
		return true
	}
	r, err := aoso.Train(context.Background(), d, p, o)
	if err != nil {
		return "", err
	}
	fmt.Fprintln(&told, r.Model.Fingerprint(), r.Model.Temperature(), r.Phase, r.Iterations, r.BestIteration, r.TrainLoss, r.Valid, r.HeldOut, r.StoppedBy)
	return told.String(), nil
}

// TestCheckpoint ends trainings after some steps. Those that go on from the
// checkpoint tell what an uninterrupted one tells.
func TestCheckpoint(t *testing.T) {
	t.Parallel()
	clean := blobs(4, 900, 4, 3, 60).punch(4, 0.1).weighted(4)
	noisy := blobs(5, 700, 3, 4, 40)
	for row := range noisy.y {
		if row%3 == 0 {
			noisy.y[row] = row / 3 % 4
		}
	}
	many, oddCells := gaussians(6, 700, 6, 110), checkerboard(8, 1500, 110)
	for i, row := range oddCells.x {
		oddCells.x[i] = append(row, float64(oddCells.y[i]/10)+rand.New(rand.NewPCG(8, uint64(i))).NormFloat64())
	}
	type test struct {
		name   string
		data   *table
		valid  bool
		change func(*aoso.Params)
	}
	for _, test := range cases.Some(t, 1, []test{
		{"defaults", clean, false, func(p *aoso.Params) { p.NEstimators = 30 }},
		{"several settings", noisy, false, func(p *aoso.Params) { p.NEstimators = 50 }},
		{"ensemble", noisy, false, ofMembers(60)},
		{"settled trees", noisy, false, func(p *aoso.Params) { settled(p); p.Calibration = "holdout" }},
		{"folds", clean, false, func(p *aoso.Params) { p.Calibration, p.NEstimators = "folds", 10 }},
		{"early stopping", noisy, true, func(p *aoso.Params) { p.EarlyStoppingRounds, p.NEstimators, p.Subsample = 8, 200, 0.6 }},
		{"validation", noisy, true, func(p *aoso.Params) { p.NEstimators = 30 }},
		{"paper", clean, false, func(p *aoso.Params) {
			p.Preset, p.NEstimators, p.Trim, p.ColsampleByNode = aoso.PresetPaper, 20, 0.1, 0.5
		}},
		{"large steps", clean, false, func(p *aoso.Params) { p.Preset, p.NEstimators, p.LearningRate = aoso.PresetPaper, 20, 0.9 }},
		{"linear scores", many, false, func(p *aoso.Params) { p.MaxLeaves = 20 }},
		{"linear scores that trees improve", oddCells, false, func(p *aoso.Params) { p.MaxLeaves, p.NEstimators = 60, 30 }},
		{"linear scores that know nothing", checkerboard(7, 700, 110), true, func(p *aoso.Params) { p.MaxLeaves, p.TimeLimit = 20, 0 }},
		{"abc", clean, false, func(p *aoso.Params) { p.Method, p.BaseClass, p.BaseGap, p.NEstimators = aoso.MethodABC, "worst", 3, 20 }},
		{"abc, exhaustive", clean, false, func(p *aoso.Params) {
			p.Method, p.BaseClass, p.BaseGap, p.NEstimators = aoso.MethodABC, "exhaustive", 2, 10
		}},
		{"logitboost", clean, false, func(p *aoso.Params) { p.Method, p.NEstimators = aoso.MethodLogitBoost, 15 }},
	}) {
		t.Run(test.name, func(t *testing.T) {
			rows := test.data
			o := aoso.TrainOptions{EvalEvery: 3, CheckpointEvery: 1}
			if test.valid {
				rows = test.data.slice(0, 500)
			}
			d := newDataset(t, rows)
			if test.valid {
				o.Valid = aligned(t, d, test.data.slice(500, 700))
			}
			p := aoso.DefaultParams()
			p.NThread = 1
			test.change(&p)
			want, err := followed(d, p, o)
			if err != nil {
				t.Fatal(err)
			}
			steps := strings.Count(want, "\n") - 1
			for _, at := range cases.Some(t, 1, []int{1, steps / 2, steps - 1}) {
				o.Checkpoint = filepath.Join(t.TempDir(), "training")
				for _, n := range []int{at, at / 3} { // the last one ends before it has come so far
					if err := crashed(d, p, o, n); err != nil {
						t.Fatal(err)
					}
				}
				for range 2 { // the second time, all is there
					got, err := followed(d, p, o)
					if err != nil {
						t.Fatal(err)
					}
					if got != want {
						t.Errorf("interrupted after %d of %d steps:\n%s\nwant:\n%s", at, steps, got, want)
					}
				}
			}
		})
	}
}

// TestCheckpointTimeLimit: a training whose time is over goes on when it is given more.
func TestCheckpointTimeLimit(t *testing.T) {
	d := newDataset(t, blobs(4, 600, 4, 3, 60))
	p := aoso.DefaultParams()
	p.NEstimators, p.NThread, p.Calibration = 3000, 1, "none"
	o := aoso.TrainOptions{Checkpoint: filepath.Join(t.TempDir(), "training")}
	trees := func(limit float64) int {
		p.TimeLimit = limit
		r := train(t, d, p, o)
		if r.StoppedBy != aoso.StoppedByTimeLimit {
			t.Skipf("it has ended with %d trees", r.Model.Trees())
		}
		return r.Model.Trees()
	}
	limit := 0.05
	for trees(limit) == 0 { // on a busy machine
		limit *= 2
	}
	before := trees(limit)
	if again := trees(limit); again != before {
		t.Errorf("%d trees after %g s, %d before", again, limit, before)
	}
	for more := 2 * limit; trees(more) == before; more *= 2 {
		if more > 10 {
			t.Fatalf("%d trees after %g s and after %g s", before, limit, more)
		}
	}
}

// TestCheckpointContinues: a training that continues a model has checkpoints too.
func TestCheckpointContinues(t *testing.T) {
	rows := blobs(4, 600, 4, 3, 60)
	p := params(func(p *aoso.Params) { p.NEstimators = 20 })
	before := train(t, newDataset(t, rows), p, aoso.TrainOptions{}).Model
	d, err := aoso.NewDataset(rows.features(), rows.labels(), aoso.DatasetOptions{Init: before})
	if err != nil {
		t.Fatal(err)
	}
	want, err := followed(d, p, aoso.TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := aoso.TrainOptions{Checkpoint: filepath.Join(t.TempDir(), "training"), CheckpointEvery: 1}
	if err := crashed(d, p, o, 7); err != nil {
		t.Fatal(err)
	}
	if got, err := followed(d, p, o); err != nil || got != want {
		t.Errorf("%v\n%s\nwant:\n%s", err, got, want)
	}
}

// TestCheckpointRanks: trainings that crash go on, on more ranks and on fewer.
func TestCheckpointRanks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long")
	}
	const rows = 1200
	x, labels, weights := people(rows)
	p := aoso.DefaultParams()
	p.NEstimators, p.NThread = 40, 1
	file := filepath.Join(t.TempDir(), "training")
	on := func(ranks int, work func(d *aoso.Dataset, o aoso.TrainOptions) error) {
		t.Helper()
		of := spread(rows, ranks)
		var all sync.WaitGroup
		for rank, c := range aoso.NewLocalCollective(ranks) {
			all.Go(func() {
				options := aoso.DatasetOptions{Categorical: []int{3}, Collective: c}
				var y []int
				for _, row := range of[rank] {
					y = append(y, labels[row])
					options.Weights, options.RowIDs = append(options.Weights, weights[row]), append(options.RowIDs, uint64(row)*7)
				}
				o := aoso.TrainOptions{CheckpointEvery: 1}
				if rank == 0 { // the others need no path
					o.Checkpoint = file
				}
				d, err := aoso.NewDataset(&shard{x, of[rank]}, aoso.IntLabels(y), options)
				if err == nil {
					err = work(d, o)
				}
				if err != nil {
					t.Errorf("rank %d of %d: %v", rank, ranks, err)
				}
			})
		}
		all.Wait()
	}
	want := ""
	on(1, func(d *aoso.Dataset, o aoso.TrainOptions) (err error) {
		o.Checkpoint = ""
		want, err = followed(d, p, o)
		return err
	})
	for i, ranks := range []int{3, 1, 4, 2} {
		on(ranks, func(d *aoso.Dataset, o aoso.TrainOptions) error { return crashed(d, p, o, 5+15*i) })
	}
	on(3, func(d *aoso.Dataset, o aoso.TrainOptions) error {
		got, err := followed(d, p, o)
		if err == nil && got != want {
			err = fmt.Errorf("\n%s\nwant:\n%s", got, want)
		}
		return err
	})
}

// TestCheckpointErrors: a checkpoint of another training, a damaged one and one that
// cannot be written are errors, on all ranks.
func TestCheckpointErrors(t *testing.T) {
	rows := blobs(4, 300, 4, 3, 60)
	d := newDataset(t, rows)
	p := params(func(p *aoso.Params) { p.NEstimators = 5 })
	file := filepath.Join(t.TempDir(), "training")
	if err := crashed(d, p, aoso.TrainOptions{Checkpoint: file, CheckpointEvery: 1}, 4); err != nil {
		t.Fatal(err)
	}
	other := newDataset(t, rows.slice(0, 299))
	for _, test := range []struct {
		what string
		d    *aoso.Dataset
		p    aoso.Params
		o    aoso.TrainOptions
		want string
	}{
		{"parameters", d, params(func(p *aoso.Params) { p.NEstimators = 6 }), aoso.TrainOptions{Checkpoint: file}, "other parameters"},
		{"rows", other, p, aoso.TrainOptions{Checkpoint: file}, "other rows"},
		{"validation", d, p, aoso.TrainOptions{Checkpoint: file, Valid: aligned(t, d, rows.slice(0, 9))}, "rows to validate on"},
		{"folder", d, p, aoso.TrainOptions{Checkpoint: filepath.Join(t.TempDir(), "none", "training")}, "no such file"},
		{"time", d, p, aoso.TrainOptions{Checkpoint: file, CheckpointEvery: -time.Second}, "checkpoint_every"},
	} {
		if err := crashed(test.d, test.p, test.o, 1); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.what, err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := crashed(d, p, aoso.TrainOptions{Checkpoint: file}, 1); !errors.Is(err, aoso.ErrCorrupt) {
		t.Errorf("damaged: %v", err)
	}
	var warnings []error
	warn := func(err error) { warnings = append(warnings, err) }
	folder := t.TempDir()
	gone := filepath.Join(folder, "training")
	b, err := aoso.NewTrainer(d, p, aoso.TrainOptions{Checkpoint: gone, CheckpointEvery: 1, Warn: warn})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	b.Step(t.Context())
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	b.Step(t.Context())
	b.Step(t.Context())
	if r := b.Result(); len(warnings) != 1 || r.Checkpoint == nil || b.Err() != nil {
		t.Errorf("without a folder for the checkpoint: warned %v, result %v, error %v", warnings, r.Checkpoint, b.Err())
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for more := true; more; {
		_, more = b.Step(t.Context())
	}
	want := train(t, d, p, aoso.TrainOptions{}).Model
	if r := b.Result(); r.Checkpoint != nil || r.Model.Fingerprint() != want.Fingerprint() || len(warnings) != 1 {
		t.Errorf("after the folder is there again: %v, warned %v", r.Checkpoint, warnings)
	}
	if err := crashed(d, p, aoso.TrainOptions{Checkpoint: gone}, 1); err != nil {
		t.Errorf("the checkpoint after the folder is there again: %v", err)
	}
}

// TestLocalModel: each rank has the model so far without the others.
func TestLocalModel(t *testing.T) {
	rows := blobs(4, 600, 4, 3, 60)
	alone, err := aoso.NewTrainer(newDataset(t, rows), params(func(p *aoso.Params) { p.NEstimators = 20 }))
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	for more := true; more; {
		_, more = alone.Step(t.Context())
		if got, want := alone.LocalModel(), alone.Result().Model; got.Fingerprint() != want.Fingerprint() {
			t.Errorf("after %d trees: %s, want %s", want.Trees(), got.Fingerprint(), want.Fingerprint())
		}
	}
	var all sync.WaitGroup
	models := make([]*aoso.Model, 2)
	for rank, c := range aoso.NewLocalCollective(2) {
		all.Go(func() {
			half := rows.slice(300*rank, 300*rank+300)
			d, err := aoso.NewDataset(half.features(), half.labels(), aoso.DatasetOptions{Collective: c})
			if err != nil {
				t.Error(err)
				return
			}
			p := aoso.DefaultParams()
			p.NEstimators, p.NThread = 20, 1
			b, err := aoso.NewTrainer(d, p)
			if err != nil {
				t.Error(err)
				return
			}
			defer b.Close()
			for step := range 50 {
				if step%(rank+2) == 0 { // they ask at other times
					models[rank] = b.LocalModel()
				}
				b.Step(t.Context())
			}
			models[rank] = b.LocalModel()
		})
	}
	all.Wait()
	for rank, m := range models {
		if m == nil || m.Fingerprint() != models[0].Fingerprint() || m.Trees() == 0 {
			t.Errorf("rank %d: %v", rank, m)
		}
	}
}

// TestCheckpointLearningRate: a training whose caller changes the learning rate goes on where it ended.
func TestCheckpointLearningRate(t *testing.T) {
	d := newDataset(t, blobs(4, 300, 4, 3, 60))
	p := params(func(p *aoso.Params) { p.NEstimators = 12 })
	scheduled := func(o aoso.TrainOptions, steps int) *aoso.Trainer {
		b, err := aoso.NewTrainer(d, p, o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range steps {
			if err := b.SetLearningRate(0.3 / float64(1+i)); err != nil {
				t.Fatal(err)
			}
			b.Step(t.Context())
		}
		return b
	}
	straight := scheduled(aoso.TrainOptions{}, 12)
	defer straight.Close()
	o := aoso.TrainOptions{Checkpoint: filepath.Join(t.TempDir(), "training"), CheckpointEvery: 1}
	scheduled(o, 7).Close()
	before, err := os.ReadFile(o.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	again := scheduled(o, 1)
	defer again.Close()
	if after, err := os.ReadFile(o.Checkpoint); err != nil || !bytes.Equal(after, before) {
		t.Error("the trees of the checkpoint are grown again", err)
	}
	for i := 1; i < 12; i++ {
		if err := again.SetLearningRate(0.3 / float64(1+i)); err != nil {
			t.Fatal(err)
		}
		again.Step(t.Context())
	}
	if got, want := again.Result().Model.Fingerprint(), straight.Result().Model.Fingerprint(); got != want {
		t.Errorf("model %s, want %s", got, want)
	}
}

// TestCheckpointArgument: a file of another training is an ArgumentError with the file's name.
func TestCheckpointArgument(t *testing.T) {
	d := newDataset(t, blobs(7, 60, 2, 2, 9))
	o := aoso.TrainOptions{Checkpoint: filepath.Join(t.TempDir(), "training")}
	p := params(func(p *aoso.Params) { p.NEstimators = 2 })
	train(t, d, p, o)
	p.NEstimators = 3
	_, err := aoso.Train(t.Context(), d, p, o)
	if wrong, ok := errors.AsType[*aoso.ArgumentError](err); !ok || wrong.Argument != "checkpoint" || !strings.HasPrefix(err.Error(), o.Checkpoint+": ") {
		t.Error(err)
	}
}
