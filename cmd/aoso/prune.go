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
		Use:   "prune --model FILE --trees N --out FILE",
		Short: "Keep the first trees of a model",
		Long: `Keep the first trees of a model. The temperature of the model is not kept,
because it was fitted to all trees.`,
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
	if err := p.check(); err != nil {
		return err
	}
	m, err := aoso.Load(p.model)
	if err != nil {
		return err
	}
	pruned, err := m.Truncated(p.trees)
	if err != nil {
		return err
	}
	if err := p.save(c, pruned, nil); err != nil {
		return err
	}
	warnCooled(c, p.model, m)
	return nil
}
