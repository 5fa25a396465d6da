package main

import (
	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
)

// pruner is the command prune.
type pruner struct {
	model string
	trees int
	saver
}

func newPrune() *cobra.Command {
	p := &pruner{}
	c := &cobra.Command{
		Use:     "prune --model FILE --trees N --out FILE",
		Short:   "Keep the first trees of a model",
		Example: `  aoso prune --model letters.aoso --trees 300 --out small.aoso`,
		Args:    cobra.NoArgs,
		RunE:    work(p.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&p.model, "model", "", "model `file`")
	f.IntVar(&p.trees, "trees", 0, "trees to keep")
	p.saver.bind(c)
	require(c, "model", "trees")
	return c
}

func (p *pruner) run(c *cobra.Command) error {
	m, err := aoso.Load(p.model)
	if err == nil {
		m, err = m.Truncated(p.trees)
	}
	if err != nil {
		return err
	}
	return p.save(c, m, nil)
}
