package acceptance

import (
	"math"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/collective"
)

// speakers returns rows of people who differ more than their classes do, and the person of each row.
func speakers(people, each int) (*table, []uint64) {
	d, of := &table{}, []uint64{}
	shifts := gaussians(77, people, 6, 2).x
	for i, row := range gaussians(78, people*each, 6, 4).x {
		person := i / each
		for j := range row {
			row[j] = 0.3*row[j] + 2*shifts[person][j] + 0.5*float64(i%4*(j%2))
		}
		d.x, d.y, of = append(d.x, row), append(d.y, i%4), append(of, uint64(person)+1<<60)
	}
	return d, of
}

// TestGroups: rows held out by groups foretell the log loss on new groups, and others do not. The model is the same for
// every level, number of ranks and after an interruption.
func TestGroups(t *testing.T) {
	t.Parallel()
	all, of := speakers(20, 60)
	rows := 600
	d, test := all.slice(0, rows), all.slice(rows, len(all.y))
	set := newDataset(t, d)
	o := aoso.TrainOptions{Groups: of[:rows]}
	p := defaults()
	r, plain := train(t, set, p, o), train(t, set, p, aoso.TrainOptions{})
	e, err := r.Model.Evaluate(test.features(), test.labels(), nil)
	if err != nil {
		t.Fatal(err)
	}
	before, err := plain.Model.Evaluate(test.features(), test.labels(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !near(math.Log(r.HeldOut.LogLoss), math.Log(e.LogLoss), 0.7) || before.LogLoss < 2*plain.HeldOut.LogLoss || e.LogLoss > 0.8*before.LogLoss {
		t.Errorf("held out %.3f, on new groups %.3f; without groups %.3f and %.3f", r.HeldOut.LogLoss, e.LogLoss, plain.HeldOut.LogLoss, before.LogLoss)
	}
	p.Level = aoso.Levels()[len(aoso.Levels())-1]
	o.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	for range 2 {
		if again := train(t, set, p, o); again.Model.Fingerprint() != r.Model.Fingerprint() {
			t.Error("another model")
		}
	}
	o.Groups = append([]uint64{5}, o.Groups[1:]...)
	_, err = aoso.Train(t.Context(), set, p, o)
	wantArgumentError(t, err, "checkpoint", "same training")
}

// TestFewGroups: with fewer groups than members the model is a single one, whose folds are groups.
func TestFewGroups(t *testing.T) {
	all, of := speakers(4, 60)
	set := newDataset(t, all)
	r := train(t, set, defaults(), aoso.TrainOptions{Groups: of})
	if r.Model.Params().Ensemble != 1 || r.HeldOutRows != 240 {
		t.Errorf("%d members, %d rows held out", r.Model.Params().Ensemble, r.HeldOutRows)
	}
	for name, test := range map[string]struct {
		change func(p *aoso.Params)
		o      aoso.TrainOptions
		want   string
	}{
		"ensemble":   {func(p *aoso.Params) { p.Ensemble = 6 }, aoso.TrainOptions{Groups: of}, "fewer groups"},
		"both":       {func(*aoso.Params) {}, aoso.TrainOptions{Groups: of, Times: make([]float64, 240)}, "none with groups"},
		"length":     {func(*aoso.Params) {}, aoso.TrainOptions{Groups: of[:9]}, "240"},
		"one group":  {func(*aoso.Params) {}, aoso.TrainOptions{Groups: make([]uint64, 240)}, "at least 2"},
		"one time":   {func(*aoso.Params) {}, aoso.TrainOptions{Times: make([]float64, 240)}, "different times"},
		"time":       {func(*aoso.Params) {}, aoso.TrainOptions{Times: append(make([]float64, 239), math.NaN())}, "finite"},
		"times, six": {func(p *aoso.Params) { p.Ensemble = 6 }, aoso.TrainOptions{Times: ascending(240)}, "with times"},
	} {
		p := defaults(test.change)
		_, err := aoso.Train(t.Context(), set, p, test.o)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		if !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func ascending(n int) (times []float64) {
	for i := range n {
		times = append(times, float64(i))
	}
	return times
}

// TestTimes: the latest rows are held out.
func TestTimes(t *testing.T) {
	d := gaussians(90, 500, 5, 3)
	r := train(t, newDataset(t, d), defaults(func(p *aoso.Params) { p.NEstimators = 20 }), aoso.TrainOptions{Times: ascending(500)})
	if r.HeldOutRows != 100 || r.Model.Params().Ensemble != 1 {
		t.Errorf("%d rows held out, %d members", r.HeldOutRows, r.Model.Params().Ensemble)
	}
}

// TestGroupsRanks: ranks hold the same groups out as a single machine.
func TestGroupsRanks(t *testing.T) {
	const rows, ranks = 360, 3
	d, of := speakers(9, 40)
	times := ascending(rows)
	parts := spread(rows, ranks)
	for name, test := range map[string]struct {
		members int
		options func(rows []int) aoso.TrainOptions
	}{
		"groups": {6, func(rows []int) (o aoso.TrainOptions) {
			for _, row := range rows {
				o.Groups = append(o.Groups, of[row])
			}
			return o
		}},
		"times": {1, func(rows []int) (o aoso.TrainOptions) {
			for _, row := range rows {
				o.Times = append(o.Times, times[row])
			}
			return o
		}},
	} {
		p := defaults(func(p *aoso.Params) { p.NEstimators, p.Ensemble = 12, test.members })
		want := train(t, newDataset(t, d), p, test.options(spread(rows, 1)[0])).Model.Fingerprint()
		var all sync.WaitGroup
		for i, c := range collective.NewLocal(ranks) {
			all.Go(func() {
				var x []float64
				var y []int
				var ids []uint64
				for _, row := range parts[i] { // one rank has none
					x, y, ids = append(x, d.x[row]...), append(y, d.y[row]), append(ids, uint64(row))
				}
				set, err := aoso.NewDataset(aoso.RowMajor(x, len(y), 6), aoso.IntLabels(y), aoso.DatasetOptions{RowIDs: ids, Collective: c})
				if err != nil {
					t.Error(err)
					return
				}
				if r, err := aoso.Train(t.Context(), set, p, test.options(parts[i])); err != nil || r.Model.Fingerprint() != want {
					t.Errorf("%s: another model, %v", name, err)
				}
			})
		}
		all.Wait()
	}
}
