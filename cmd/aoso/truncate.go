package main

import "github.com/spf13/cobra"

// truncator is the command truncate.
type truncator struct {
	model string
	trees int
	saver
}

func newTruncate() *cobra.Command {
	t := &truncator{}
	c := &cobra.Command{
		Use:   "truncate --model FILE --trees N --out FILE",
		Short: "Keep the first trees of a model",
		Long: `Keep the first trees of a model. The temperature of the model is not kept,
because it was fitted to all trees.`,
		Example: `  aoso truncate --model letters.aoso --trees 300 --out small.aoso`,
		RunE:    work(t.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&t.model, "model", "", "model `file`")
	f.IntVar(&t.trees, "trees", 0, "trees to keep")
	t.saver.bind(c)
	require(c, "model", "trees")
	return c
}

func (t *truncator) run(c *cobra.Command) error {
	if err := t.check(); err != nil {
		return err
	}
	m, err := loadModel(t.model)
	if err != nil {
		return err
	}
	truncated, err := m.Truncated(t.trees)
	if err != nil {
		return err
	}
	if err := t.save(c, truncated, nil); err != nil {
		return err
	}
	warnCooled(c, t.model, m)
	return nil
}
