package main

import (
	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
)

// merger is the command merge.
type merger struct {
	models []string
	saver
}

func newMerge() *cobra.Command {
	m := &merger{}
	c := &cobra.Command{
		Use:   "merge --model FILE --model FILE … --out FILE",
		Short: "Combine the trees of several models into one model",
		Long: `Combine the trees of several models into one model, which adds up their raw
scores. The models must have the same classes, features, method and kind of
leaf.

Models that were trained separately are overconfident when merged: calibrate
the result. Temperatures of the models are not kept.`,
		Example: `  aoso merge --model a.aoso --model b.aoso --out both.aoso`,
		RunE:    work(m.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringArrayVar(&m.models, "model", nil, "model `file`; repeat the flag for each model")
	m.saver.bind(c)
	require(c, "model")
	return c
}

func (m *merger) run(c *cobra.Command) error {
	if err := m.check(); err != nil {
		return err
	}
	models := make([]*aoso.Model, len(m.models))
	for i, file := range m.models {
		var err error
		if models[i], err = loadModel(file, m.models[:i]...); err != nil {
			return err
		}
	}
	merged, err := aoso.Merge(models...)
	if err != nil {
		return err
	}
	if err := m.save(c, merged, nil); err != nil {
		return err
	}
	for i, model := range models {
		warnCooled(c, m.models[i], model)
	}
	return nil
}
