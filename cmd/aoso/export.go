package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
)

// exporter is the command export.
type exporter struct {
	model, format, out string
	trees, tree        int
	force              bool
}

func newExport() *cobra.Command {
	e := &exporter{}
	c := &cobra.Command{
		Use:   "export --model FILE --format FORMAT",
		Short: "Write a model in the format of another program",
		Long:  "Write a model in the format of another program:\n" + helpOfFormats(),
		Example: `  aoso export --model letters.aoso --format onnx --out letters.onnx
  aoso export --model letters.aoso --format dot --tree 3 | dot -Tsvg >tree.svg`,
		RunE: work(e.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&e.model, "model", "", "model `file`")
	f.StringVar(&e.format, "format", "", strings.Join(namesOfFormats(), ", "))
	f.StringVar(&e.out, "out", "", "`file` to write (default standard output)")
	f.IntVar(&e.trees, "trees", 0, "export only the first trees; 0: all")
	f.IntVar(&e.tree, "tree", 0, "for a format of one tree: its number, from 0")
	f.BoolVar(&e.force, "force", false, "write more than 100 MB where trees stand for linear scores")
	require(c, "model", "format")
	complete(c, "format", namesOfFormats()...)
	return c
}

func (e *exporter) run(c *cobra.Command) error {
	if names := namesOfFormats(); !slices.Contains(names, e.format) {
		return usageError(fmt.Errorf("format is %q; allowed: %s", e.format, strings.Join(names, ", ")))
	}
	if err := checkOut(e.out, e.model); err != nil {
		return err
	}
	m, err := loadModel(e.model)
	if err == nil && e.trees != 0 {
		m, err = m.Truncated(e.trees)
	}
	if err != nil {
		return err
	}
	return writeFile(e.out, c.OutOrStdout(), func(w io.Writer) error {
		return m.Export(w, e.format, aoso.ExportOptions{Tree: e.tree, Force: e.force})
	})
}

func namesOfFormats() (names []string) {
	for _, f := range aoso.ExportFormats() {
		names = append(names, f.Name)
	}
	return names
}

// helpOfFormats returns a line for each format.
func helpOfFormats() string {
	var b strings.Builder
	for _, f := range aoso.ExportFormats() {
		fmt.Fprintf(&b, "\n  %-11s %s", f.Name, f.Help)
	}
	return b.String()
}
