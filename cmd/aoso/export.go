package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
)

// exporter is the command export.
type exporter struct {
	model, format, out string
	trees, tree        int
}

func newExport() *cobra.Command {
	e := &exporter{}
	c := &cobra.Command{
		Use:   "export --model FILE --format FORMAT",
		Short: "Write a model in the format of another program",
		Long: `Write a model in the format of another program:

  onnx      TreeEnsembleClassifier for ONNX runtimes: features of float32 in,
            labels and probabilities out
  lightgbm  LightGBM's text format, with a tree for each class
  json      all of the model
  dot       one tree, for Graphviz`,
		Example: `  aoso export --model letters.aoso --format onnx --out letters.onnx
  aoso export --model letters.aoso --format dot --tree 3 | dot -Tsvg >tree.svg`,
		Args: cobra.NoArgs,
		RunE: work(e.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&e.model, "model", "", "model `file`")
	f.StringVar(&e.format, "format", "", "onnx, lightgbm, json or dot")
	f.StringVar(&e.out, "out", "", "`file` to write (default standard output)")
	f.IntVar(&e.trees, "trees", 0, "export only the first trees; 0: all")
	f.IntVar(&e.tree, "tree", 0, "for dot: number of the tree, from 0")
	require(c, "model", "format")
	return c
}

func (e *exporter) run(c *cobra.Command) error {
	write, ok := map[string]func(*aoso.Model, io.Writer) error{
		"onnx":     (*aoso.Model).WriteONNX,
		"lightgbm": (*aoso.Model).WriteLightGBM,
		"json":     (*aoso.Model).WriteJSON,
		"dot":      func(m *aoso.Model, w io.Writer) error { return m.WriteDOT(w, e.tree) },
	}[e.format]
	if !ok {
		return usageError(fmt.Errorf("format is %q; allowed: onnx, lightgbm, json or dot", e.format))
	}
	if err := checkOut(e.out, e.model); err != nil {
		return err
	}
	m, err := aoso.Load(e.model)
	if err == nil && e.trees != 0 {
		m, err = m.Truncated(e.trees)
	}
	if err != nil {
		return err
	}
	return writeFile(e.out, c.OutOrStdout(), func(w io.Writer) error { return write(m, w) })
}
