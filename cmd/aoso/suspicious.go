package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
)

// writeSuspicious writes the rows whose labels are probably wrong.
func (t *trainer) writeSuspicious(ctx context.Context, c *cobra.Command, r *aoso.Result, train *aoso.Dataset) error {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	if _, err := r.SuspiciousRows(0); err != nil {
		return errors.New("--suspicious needs rows that training holds out; allowed: training without --valid, --init and --preset paper")
	}
	others, err := t.trainOthers(ctx, c, train)
	if err != nil {
		return err
	}
	rows, err := r.SuspiciousRows(0, others...)
	if err != nil {
		return err
	}
	return writeFile(t.suspicious, c.OutOrStdout(), func(out io.Writer) error {
		w, classes := &lineWriter{out: bufio.NewWriter(out)}, r.Model.Classes()
		w.line("row", "label", "probability", "other", "other_probability")
		for _, s := range rows {
			w.line(strconv.Itoa(s.Row), classes[s.Label], number(s.Probability), classes[s.Other], number(s.OtherProbability))
		}
		return w.out.Flush()
	})
}

// trainOthers repeats training with the next seeds for --suspicious-runs, until it is interrupted.
func (t *trainer) trainOthers(ctx context.Context, c *cobra.Command, train *aoso.Dataset) (results []*aoso.Result, err error) {
	again := *t
	again.checkpoint, again.others = "", nil
	for run := 2; run <= t.suspiciousRuns; run++ {
		fmt.Fprintf(notes(c), "run %d of %d for --suspicious\n", run, t.suspiciousRuns)
		again.params.Seed++
		r, progress, err := again.train(ctx, train, nil, nil, c.ErrOrStderr(), notes(c), nil)
		progress.close()
		switch {
		case ctx.Err() != nil:
			warn(c.ErrOrStderr(), "interrupted: --suspicious has %s", count(run-1, "run"))
			return results, nil
		case err != nil:
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}
