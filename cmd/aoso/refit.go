package main

import (
	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
)

// refitter is the command refit.
type refitter struct {
	reader
	model, data string
	options     aoso.RefitOptions
	saver
}

func newRefit() *cobra.Command {
	r := &refitter{}
	c := &cobra.Command{
		Use:   "refit --model FILE --data FILE --out FILE",
		Short: "Compute new leaf values from other data",
		Long: `Compute new leaf values from other data. The splits stay. Each leaf gets the
value that training would give it on the rows that reach it. Leaves that no row
reaches keep their values.`,
		Example: `  aoso refit --model letters.aoso --data new.csv --keep 0.5 --out letters2.aoso`,
		Args:    cobra.NoArgs,
		RunE:    work(r.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&r.model, "model", "", "model `file`")
	f.StringVar(&r.data, "data", "", "labelled `file`")
	r.reader.bind(c)
	f.Float64Var(&r.options.Keep, "keep", 0, "share of its old values that a leaf keeps, 0 to 1")
	f.IntVar(&r.options.Threads, "threads", 0, "threads; 0: all cores")
	r.saver.bind(c)
	require(c, "model", "data")
	return c
}

func (r *refitter) run(c *cobra.Command) error {
	m, x, labels, err := r.readFor(r.model, r.data, &r.saver)
	if err != nil {
		return err
	}
	if m, err = m.Refit(x, labels, r.options); err != nil {
		return err
	}
	return r.save(c, m, nil)
}
