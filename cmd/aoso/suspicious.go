package main

import (
	"bufio"
	"errors"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
)

// writeSuspicious writes the rows whose labels are probably wrong.
func (t *trainer) writeSuspicious(c *cobra.Command, r *aoso.Result) error {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	rows, err := r.SuspiciousRows(0)
	if err != nil {
		return errors.New("--suspicious needs rows that training holds out; allowed: training without --valid, --init and --preset paper")
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
