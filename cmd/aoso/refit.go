package main

import (
	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
)

// refitter is the command refit.
type refitter struct {
	deriver
	keep float64
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
		RunE:    work(r.run),
	}
	r.bind(c)
	c.Flags().Float64Var(&r.keep, "keep", 0, "share of its old values that a leaf keeps, 0 to 1")
	return c
}

func (r *refitter) run(c *cobra.Command) error {
	m, d, err := r.load()
	if err != nil {
		return err
	}
	if o := (aoso.RefitOptions{Weights: d.weights, Keep: r.keep, NThread: r.threads}); d.shares != nil {
		m, err = m.RefitSoft(d.features(), d.shares.table(), d.shares.classes, o)
	} else {
		m, err = m.Refit(d.features(), aoso.StringLabels(d.labels), o)
	}
	if err != nil {
		return err
	}
	return r.save(c, m, nil)
}
