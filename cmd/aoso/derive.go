package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
)

// deriver is a command that derives a model from a model and labelled data.
type deriver struct {
	reader
	saver
	model, data string
	threads     int
}

func (d *deriver) bind(c *cobra.Command) {
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&d.model, "model", "", "model `file`")
	f.StringVar(&d.data, "data", "", "labelled `file`")
	d.reader.bind(c)
	d.bindWeight(c)
	f.IntVar(&d.threads, "nthread", 0, "threads; 0: all cores")
	d.saver.bind(c)
	require(c, "model", "data")
}

// load loads the model and reads the data. First it checks that the new model can
// be saved, and elsewhere than in the data.
func (d *deriver) load() (*aoso.Model, *data, error) {
	if err := cmp.Or(d.checkData(), keepApart(d.out, d.data), d.check()); err != nil {
		return nil, nil, err
	}
	m, err := loadModel(d.model, d.data)
	if err != nil {
		return nil, nil, err
	}
	x, err := d.readAs(d.data, m, "the model")
	return m, x, err
}
