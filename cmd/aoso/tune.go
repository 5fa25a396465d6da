package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/terminal"
)

// tuner is the command tune.
type tuner struct {
	trainer
	trials int
	table  string
}

func newTune() *cobra.Command {
	t := &tuner{trainer: trainer{params: newParameters()}}
	c := &cobra.Command{
		Use:   "tune --data FILE --model FILE",
		Short: "Search for the best parameters and train a model with them",
		Long: `Search for the best parameters and train a model with them.

The search tries parameters on rows held out, or on those of --valid. It ends
after --trials trials, or when --time-limit leaves just enough time to train the
model. Parameters that are set stay as they are. The result has the
parameters found; train --params takes them.

Ctrl-C ends the search and saves the best model so far, as with train. With
--table, a later search goes on where this one ended.`,
		Example: `  aoso tune --data train.csv.gz --time-limit 60 --table trials.csv --model letters.aoso
  aoso tune --data train.csv.gz --trials 100 --max-leaves 64 --model letters.aoso`,
		RunE: work(t.run),
	}
	t.bind(c)
	c.Flags().IntVar(&t.trials, "trials", 0, "parameters to try; 0: as many as --time-limit allows, or 50 without one")
	c.Flags().StringVar(&t.table, "table", "", "`file` for the trials table; if it exists, the search goes on from it")
	return c
}

func (t *tuner) run(c *cobra.Command) error {
	start, stderr := time.Now(), c.ErrOrStderr()
	before, err := t.check(c)
	if err != nil {
		return err
	}
	if len(t.others) > 0 {
		return usageError(errors.New("--valid is there more than once; allowed for tune: once"))
	}
	if t.table != "" {
		if !isWhole(t.table) { // a device may have no end
			return usageError(fmt.Errorf("table is %q; allowed: a regular file", t.table))
		}
		if err := keepApart(t.table, t.data, t.valid, t.model); err != nil {
			return err
		}
	}
	train, valid, err := t.datasets(before, stderr, notes(c))
	if err != nil {
		return err
	}
	i := interruptions()
	defer i.stop()
	result, err := t.tune(i, train, valid, notes(c))
	if err != nil {
		if result == nil {
			return err
		}
		warn(stderr, "the trials table %s is not complete: %v", t.table, err)
	}
	return t.finish(c, i, &result.Result, func() {}, func(saved bool) error {
		return t.reportSearch(c, result, train, valid, saved, time.Since(start))
	})
}

func (t *tuner) tune(ctx context.Context, train, valid *aoso.Dataset, notes io.Writer) (*aoso.TuneResult, error) {
	d := &searchDisplay{w: notes}
	return aoso.Tune(ctx, train, t.params.Params, aoso.TuneOptions{
		Valid: valid, Groups: t.split.groups, Times: t.split.times, Trials: t.trials, Table: t.table,
		Callback: func(p aoso.TuneProgress) bool {
			d.show(p)
			return true
		},
	})
}

// searchDisplay writes a line for each better trial, and at least one every
// linesEvery; and when the model itself is trained.
type searchDisplay struct {
	w     io.Writer
	phase aoso.Phase
	best  float64
	last  time.Time // of the last line
}

func (d *searchDisplay) show(p aoso.TuneProgress) {
	if d.phase == "" {
		d.best, d.last = math.Inf(1), time.Now()
		fmt.Fprintf(d.w, "%8s %9s %8s %9s\n", "trials", "seconds", "errors", "logloss")
	}
	if p.LogLoss < d.best || time.Since(d.last) >= linesEvery {
		d.last = time.Now()
		fmt.Fprintf(d.w, "%8d %9.2f", p.Trials, p.Elapsed.Seconds())
		if !math.IsNaN(p.LogLoss) {
			d.best = p.LogLoss
			fmt.Fprintf(d.w, " %8d %9.5f", p.Errors, p.LogLoss)
		}
		fmt.Fprintln(d.w)
	}
	if p.Phase != d.phase && p.Phase == aoso.PhaseTrain {
		fmt.Fprintln(d.w, phaseNames[p.Phase])
	}
	d.phase = p.Phase
}

// tuned is the JSON line of tune.
type tuned struct {
	trained
	Trials []aoso.Trial `json:"trials"`
}

// reportSearch writes the result, as JSON or for people.
func (t *tuner) reportSearch(c *cobra.Command, r *aoso.TuneResult, train, valid *aoso.Dataset, saved bool, total time.Duration) error {
	if t.json {
		line := tuned{trained: t.line(&r.Result, train, valid, saved, total), Trials: append([]aoso.Trial{}, r.Trials...)}
		line.Params = r.Params.Changes()
		return json.NewEncoder(c.OutOrStdout()).Encode(line)
	}
	w := reportsOn(c, t.model)
	if err := tellTrials(w, r.Trials); err != nil {
		return err
	}
	return t.tell(w, &r.Result, r.Params, valid, nil, saved)
}

// tellTrials writes the trials that reached the last rungs, the best first.
func tellTrials(w io.Writer, trials []aoso.Trial) error {
	const most = 10
	best := bestTrials(trials, most)
	if len(best) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "trial\trung\titerations\trefined\tlogloss\terrors\tseconds\t  params")
	for _, t := range best {
		fmt.Fprintf(table, "%d\t%d\t%d\t%.5f\t%.5f\t%d\t%.2f\t  %s\n",
			t.Number, t.Rung, t.Iterations, t.RefinedLoss, t.LogLoss, t.Errors, t.Seconds, terminal.Plain(t.Params))
	}
	return table.Flush()
}

// bestTrials returns the trials that were trained longest, the best first, at most this
// many: a line for each, that of its last rung.
func bestTrials(all []aoso.Trial, most int) []aoso.Trial {
	last := map[int]aoso.Trial{}
	for _, t := range all {
		last[t.Number] = t
	}
	best := slices.SortedFunc(maps.Values(last), func(a, b aoso.Trial) int {
		return cmp.Or(-cmp.Compare(min(a.Rung, 3), min(b.Rung, 3)), cmp.Compare(a.RefinedLoss, b.RefinedLoss), a.Number-b.Number)
	})
	return best[:min(most, len(best))]
}
