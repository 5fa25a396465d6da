package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/internal/table"
)

// reader is how data files are read.
type reader struct{ label, format string }

func (r *reader) bind(c *cobra.Command) {
	c.Flags().StringVar(&r.label, "label", "last", "label `column`: last, a name, or an index from 0")
	c.Flags().StringVar(&r.format, "format", "auto", "format of the data: auto, csv or libsvm")
}

// needsLabel refuses to do without labels.
func (r *reader) needsLabel() error {
	if r.label == "none" {
		return usageError(errors.New(`label is "none"; allowed: last, a name, or an index from 0`))
	}
	return nil
}

// data is a data file whose columns are in the order of the features.
type data struct {
	columns [][]float64
	names   []string // nil: the file has none
	labels  []string // nil: the file has none
	rows    int
}

func (d *data) features() (aoso.Features, error) { return aoso.FromColumns(d.columns) }

// block is the features of the rows from first to last.
func (d *data) block(first, last int) (aoso.Features, error) {
	columns := make([][]float64, len(d.columns))
	for j, column := range d.columns {
		columns[j] = column[first:last]
	}
	return aoso.FromColumns(columns)
}

// read reads a labelled file with whatever features it has.
func (r *reader) read(file string) (*data, error) {
	t, err := table.Read(file, table.Options{Label: r.label, Format: r.format})
	if err != nil {
		return nil, err
	}
	return &data{t.Columns, t.Names, t.Labels, t.Rows}, nil
}

// readAs reads a labelled file with the features named, which are those of
// owner ("the model").
func (r *reader) readAs(file string, names []string, owner string) (*data, error) {
	return r.readMatched(file, names, owner, table.Options{Features: len(names)})
}

// readUnlabelled reads a file with or without labels, which may have no rows.
func (r *reader) readUnlabelled(file string, names []string, owner string) (*data, error) {
	d, err := r.readMatched(file, names, owner, table.Options{Features: len(names), LabelOptional: true})
	if errors.Is(err, table.ErrNoRows) {
		return &data{columns: make([][]float64, len(names))}, nil
	}
	return d, err
}

// readFor loads a model and reads labelled data for it, after a look at where
// the result is to go.
func (r *reader) readFor(model, file string, s *saver) (*aoso.Model, aoso.Features, aoso.Labels, error) {
	if err := cmp.Or(r.needsLabel(), keepApart(s.out, file), modelio.Writable(s.out)); err != nil {
		return nil, nil, nil, err
	}
	m, err := aoso.Load(model)
	if err != nil {
		return nil, nil, nil, err
	}
	d, err := r.readAs(file, m.FeatureNames(), "the model")
	if err != nil {
		return nil, nil, nil, err
	}
	x, err := d.features()
	return m, x, aoso.StringLabels(d.labels), err
}

func (r *reader) readMatched(file string, names []string, owner string, o table.Options) (*data, error) {
	o.Label, o.Format = r.label, r.format
	t, err := table.Read(file, o)
	if err != nil {
		return nil, err
	}
	columns, err := match(t, file, names, owner)
	if err != nil {
		return nil, err
	}
	return &data{columns, names, t.Labels, t.Rows}, nil
}

// match returns a table's columns in the order of the features named: by name
// where both have names, else as they stand.
func match(t *table.Table, file string, names []string, owner string) ([][]float64, error) {
	named := t.Names != nil && !unnamed(names)
	differs := ""
	if missing := without(names, t.Names); named && len(missing) > 0 {
		differs += "; missing: " + listed(missing)
	}
	if extra := without(t.Names, names); named && len(extra) > 0 {
		differs += "; unknown: " + listed(extra)
	}
	switch {
	case len(t.Columns) != len(names):
		beside := ""
		if t.Labels != nil {
			beside = " beside the label"
		}
		return nil, fmt.Errorf("%s has %d features%s, %s has %d%s", file, len(t.Columns), beside, owner, len(names), differs)
	case differs != "":
		return nil, fmt.Errorf("%s has other features than %s%s", file, owner, differs)
	case !named || slices.Equal(t.Names, names):
		return t.Columns, nil
	}
	position := make(map[string]int, len(names))
	for j, name := range t.Names {
		position[name] = j
	}
	columns := make([][]float64, len(names))
	for j, name := range names {
		columns[j] = t.Columns[position[name]]
	}
	return columns, nil
}

// unnamed tells whether features have the names that the library gives to
// those without.
func unnamed(names []string) bool {
	for j, name := range names {
		if name != fmt.Sprintf("f%d", j) {
			return false
		}
	}
	return true
}

// without is the names that are not among others.
func without(names, others []string) (rest []string) {
	among := make(map[string]bool, len(others))
	for _, name := range others {
		among[name] = true
	}
	for _, name := range names {
		if !among[name] {
			rest = append(rest, name)
		}
	}
	return rest
}

// listed lists names for a message, not all of very many.
func listed(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%q and %d more", names[:most], len(names)-most)
	}
	return fmt.Sprintf("%q", names)
}

// unknown counts the labels that are not among the classes.
func unknown(labels, classes []string) (n int) {
	known := make(map[string]bool, len(classes))
	for _, class := range classes {
		known[class] = true
	}
	for _, label := range labels {
		if !known[label] {
			n++
		}
	}
	return n
}

// keepApart refuses to write over a file that is read.
func keepApart(out string, in ...string) error {
	info, err := os.Stat(out)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	for _, file := range in {
		if other, err := os.Stat(file); err == nil && os.SameFile(info, other) {
			return usageError(fmt.Errorf("%s is to be read and cannot be written over", out))
		}
	}
	return nil
}

// writeFile writes to a file, all or nothing, to a device or pipe as it
// comes, or to stdout where the name is empty or "-".
func writeFile(file string, stdout io.Writer, write func(io.Writer) error) error {
	if file == "" || file == "-" {
		return write(stdout)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().IsRegular() || info.IsDir() {
		return modelio.WriteFile(file, write)
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
