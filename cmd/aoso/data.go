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
	"github.com/libaoso/aoso/internal/data/table"
	"github.com/libaoso/aoso/internal/modelio"
)

// reader is how data files are read.
type reader struct {
	label, header, format string
	stderr                func() io.Writer
}

func (r *reader) bind(c *cobra.Command) {
	r.stderr = c.ErrOrStderr
	c.Flags().StringVar(&r.label, "label", "last", "label `column`: last, a name, or an index from 0")
	c.Flags().StringVar(&r.header, "header", "auto", "whether the first line of CSV data is a header: yes, no, or auto (yes if it has text outside the label column)")
	c.Flags().StringVar(&r.format, "format", "auto", "format of the data: auto, csv or libsvm")
}

// needsLabel checks that the data have labels.
func (r *reader) needsLabel() error {
	if r.label == "none" {
		return usageError(errors.New(`label is "none"; allowed: last, a name, or an index from 0`))
	}
	return nil
}

// data is the content of a data file, its columns in the order of the features.
type data struct {
	columns [][]float64
	names   []string // nil: the file has none
	labels  []string // nil: the file has none
	rows    int
}

func (d *data) features() (aoso.Features, error) { return aoso.FromColumns(d.columns) }

// block returns the features of the rows from first up to, but not including, last.
func (d *data) block(first, last int) (aoso.Features, error) {
	columns := make([][]float64, len(d.columns))
	for j, column := range d.columns {
		columns[j] = column[first:last]
	}
	return aoso.FromColumns(columns)
}

// read reads a labelled file with any features.
func (r *reader) read(file string) (*data, error) {
	t, err := r.readTable(file, table.Options{})
	if err != nil {
		return nil, err
	}
	return &data{t.Columns, t.Names, t.Labels, t.Rows}, nil
}

// readAs reads a labelled file that must have the named features. Messages call
// their owner by the given name ("the model").
func (r *reader) readAs(file string, names []string, owner string) (*data, error) {
	return r.readMatched(file, names, owner, table.Options{Features: len(names)})
}

// readUnlabelled reads a file with or without labels. It may have no rows.
func (r *reader) readUnlabelled(file string, names []string, owner string) (*data, error) {
	d, err := r.readMatched(file, names, owner, table.Options{Features: len(names), LabelOptional: true})
	if errors.Is(err, table.ErrNoRows) {
		return &data{columns: make([][]float64, len(names))}, nil
	}
	return d, err
}

// readFor loads a model and reads labelled data for it. First it checks that
// the result can be saved.
func (r *reader) readFor(model, file string, s *saver) (*aoso.Model, aoso.Features, aoso.Labels, error) {
	if err := cmp.Or(r.needsLabel(), keepApart(s.out, file), s.check()); err != nil {
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

// readTable reads a file according to the flags, and warns if the header is
// doubtful.
func (r *reader) readTable(file string, o table.Options) (*table.Table, error) {
	o.Label, o.Header, o.Format = r.label, r.header, r.format
	t, err := table.Read(file, o)
	if err == nil && t.Doubt != "" {
		warn(r.stderr(), "%s: %s; use --header yes or --header no", file, t.Doubt)
	}
	return t, err
}

func (r *reader) readMatched(file string, names []string, owner string, o table.Options) (*data, error) {
	if !unnamed(names) {
		o.Names = names
	}
	t, err := r.readTable(file, o)
	if err != nil {
		return nil, err
	}
	columns, err := match(t, file, names, owner)
	if err != nil {
		return nil, err
	}
	return &data{columns, names, t.Labels, t.Rows}, nil
}

// match returns a table's columns in the order of the named features. It goes by
// name if both have names, else by position.
func match(t *table.Table, file string, names []string, owner string) ([][]float64, error) {
	named := t.Names != nil && !unnamed(names)
	differs := ""
	if missing := without(names, t.Names); named && len(missing) > 0 {
		differs += "; missing: " + listed(missing)
	}
	if extra := without(t.Names, names); named && len(extra) > 0 {
		differs += "; unknown: " + listed(extra)
	}
	if named && t.LabelName != "" && slices.Contains(names, t.LabelName) {
		differs += fmt.Sprintf("; column %q was taken as the label, but it is a feature: set --label", t.LabelName)
	}
	switch {
	case len(t.Columns) != len(names):
		beside := ""
		if t.Labels != nil {
			beside = " beside the label"
			if t.LabelName != "" {
				beside += fmt.Sprintf(" %q", t.LabelName)
			}
		}
		return nil, fmt.Errorf("%s has %d features%s, %s has %d%s", file, len(t.Columns), beside, owner, len(names), differs)
	case differs != "":
		return nil, fmt.Errorf("the features of %s differ from those of %s%s", file, owner, differs)
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

// unnamed reports whether the features have the default names of the library.
func unnamed(names []string) bool {
	for j, name := range names {
		if name != fmt.Sprintf("f%d", j) {
			return false
		}
	}
	return true
}

// without returns the names that are not among others.
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

// listed lists names for a message, but only the first few of many.
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

// keepApart checks that the output file is not an input file.
func keepApart(out string, in ...string) error {
	info, err := os.Stat(out)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	for _, file := range in {
		if other, err := os.Stat(file); err == nil && os.SameFile(info, other) {
			return usageError(fmt.Errorf("%s is an input file and cannot be overwritten", out))
		}
	}
	return nil
}

// checkOut checks, before any work, that writeFile can write to a file, and that
// it is not an input file.
func checkOut(file string, in ...string) error {
	if err := keepApart(file, in...); err != nil || !isWhole(file) {
		return err
	}
	return modelio.Writable(file)
}

// isWhole reports whether writeFile writes all or nothing.
func isWhole(file string) bool {
	if file == "" || file == "-" {
		return false
	}
	info, err := os.Stat(file)
	return err != nil || info.Mode().IsRegular() || info.IsDir()
}

// writeFile writes to a file, all or nothing; to a device or pipe, part by part;
// or to stdout, if the name is empty or "-".
func writeFile(file string, stdout io.Writer, write func(io.Writer) error) error {
	switch {
	case file == "" || file == "-":
		return write(stdout)
	case isWhole(file):
		return modelio.WriteFile(file, write)
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
