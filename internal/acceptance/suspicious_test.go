package acceptance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/tools/cases"
)

// flipped returns a table of which one row in twenty has a wrong label, and which rows these are.
func flipped(seed uint64, rows, cols, classes int) (*table, map[int]bool) {
	d := blobs(seed, rows, cols, classes, 200)
	r, wrong := rand.New(rand.NewPCG(seed, 1)), map[int]bool{}
	for _, row := range r.Perm(rows)[:rows/20] {
		d.y[row] = (d.y[row] + 1 + r.IntN(classes-1)) % classes
		wrong[row] = true
	}
	return d, wrong
}

// TestSuspiciousRows: wrong labels are those that are least likely, with an ensemble, folds and a hold-out.
func TestSuspiciousRows(t *testing.T) {
	d, wrong := flipped(3, 1200, 20, 4)
	for _, test := range cases.Some(t, 2, []struct {
		name   string
		rows   int
		change func(p *aoso.Params)
	}{
		{"ensemble", 1200, func(p *aoso.Params) { p.Ensemble = 6 }},
		{"folds", 1200, func(p *aoso.Params) { p.Ensemble, p.Calibration = 1, "folds" }},
		{"hold-out", 240, func(p *aoso.Params) { p.Ensemble, p.Calibration = 1, "holdout" }},
		{"hold-out of given trees", 240, func(p *aoso.Params) { p.Ensemble, p.Calibration, p.NEstimators = 1, "holdout", 20 }},
	}) {
		t.Run(test.name, func(t *testing.T) {
			r := trained(t, d, defaults(test.change))
			all, err := r.SuspiciousRows(len(d.y) + 1)
			if err != nil || len(all) != test.rows || r.HeldOutRows != test.rows {
				t.Fatalf("%d rows, %d held out, want %d: %v", len(all), r.HeldOutRows, test.rows, err)
			}
			seen, flips := map[int]bool{}, 0
			for i, s := range all {
				if seen[s.Row] || r.Model.Classes()[s.Label] != fmt.Sprint(d.y[s.Row]) || s.Label == s.Other ||
					!(s.Probability >= 0 && s.OtherProbability >= 0 && s.Probability+s.OtherProbability <= 1+1e-6) ||
					i > 0 && s.Probability < all[i-1].Probability {
					t.Fatalf("row %d: %+v", i, s)
				}
				if seen[s.Row] = true; wrong[s.Row] {
					flips++
				}
			}
			found := 0
			for _, s := range all[:flips] {
				if wrong[s.Row] {
					found++
				}
			}
			if found < flips*4/5 {
				t.Errorf("%d of %d wrong labels are among the %d least likely", found, flips, flips)
			}
			suspected, err := r.SuspiciousRows(0)
			likely := all[:0]
			for _, s := range all {
				if s.Suspected {
					likely = append(likely, s)
				}
			}
			if err != nil || !slices.Equal(suspected, likely) || len(likely) < flips/2 || len(likely) > 2*flips {
				t.Errorf("%d rows are suspected, %d labels are wrong: %v", len(suspected), flips, err)
			}
			_, err = r.SuspiciousRows(-1)
			wantArgumentError(t, err, "n", "at least 0")
		})
	}
	var runs []*aoso.Result
	for seed := range uint64(3) {
		runs = append(runs, trained(t, d, defaults(func(p *aoso.Params) { p.Ensemble, p.Calibration, p.NEstimators, p.Seed = 1, "holdout", 20, seed })))
	}
	mean, err := runs[0].SuspiciousRows(1200, runs[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	losses, times, votes := map[int]float64{}, map[int]float64{}, map[int]int{}
	for _, r := range runs {
		rows, err := r.SuspiciousRows(1200)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range rows {
			losses[s.Row] -= math.Log(s.Probability)
			times[s.Row]++
			if s.Suspected {
				votes[s.Row]++
			}
		}
	}
	for i, s := range mean {
		if !near(s.Probability, math.Exp(-losses[s.Row]/times[s.Row]), 1e-9) || s.Suspected != (2*votes[s.Row] > int(times[s.Row])) || i > 0 && s.Probability < mean[i-1].Probability {
			t.Fatalf("row %d of several runs: %+v", i, s)
		}
	}
	if len(mean) != len(losses) || len(mean) <= 240 {
		t.Errorf("%d rows of several runs, want %d", len(mean), len(losses))
	}
	e, _ := flipped(4, 1200, 20, 4)
	_, err = runs[0].SuspiciousRows(3, trained(t, e, defaults(func(p *aoso.Params) { p.NEstimators = 3 })))
	wantArgumentError(t, err, "others[0]", "the same rows")
	p := defaults(func(p *aoso.Params) { p.Preset, p.NEstimators = aoso.PresetPaper, 3 })
	_, err = trained(t, d, p).SuspiciousRows(3)
	wantArgumentError(t, err, "result", "without held-out rows")
}

// TestSuspiciousRanks: the rows of several ranks are those of one machine.
func TestSuspiciousRanks(t *testing.T) {
	d, _ := flipped(4, 600, 4, 3)
	p := defaults(func(p *aoso.Params) { p.NEstimators = 10 })
	for _, members := range []int{1, 6} {
		p.Ensemble = members
		train := func(c aoso.Collective, first, end int) map[int]string {
			of := d.slice(first, end)
			set, err := aoso.NewDataset(of.features(), of.labels(), aoso.DatasetOptions{Collective: c})
			if err != nil {
				t.Error(err)
				return nil
			}
			r, err := aoso.Train(t.Context(), set, p)
			if err != nil {
				t.Error(err)
				return nil
			}
			rows, err := r.SuspiciousRows(600)
			if err != nil {
				t.Error(err)
			}
			found := map[int]string{}
			for _, s := range rows {
				s.Row += first
				found[s.Row] = fmt.Sprint(s)
			}
			return found
		}
		want := train(nil, 0, 600)
		var all sync.WaitGroup
		var mu sync.Mutex
		count := 0
		for rank, c := range aoso.NewLocalCollective(2) {
			all.Go(func() {
				got := train(c, 250*rank, []int{250, 600}[rank])
				mu.Lock()
				defer mu.Unlock()
				count += len(got)
				for row, s := range got {
					if s != want[row] {
						t.Errorf("rank %d: %s, want %s", rank, s, want[row])
					}
				}
			})
		}
		all.Wait()
		if count != len(want) || count == 0 {
			t.Errorf("%d rows on all ranks, want %d", count, len(want))
		}
	}
}
