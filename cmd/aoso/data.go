package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/data/table"
	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/internal/terminal"
)

// reader is how data files are read.
type reader struct {
	label, header, format, rowID string
	ignore, numeric, categorical []string // columns
	stderr                       func() io.Writer
}

func (r *reader) bind(c *cobra.Command) {
	r.stderr = c.ErrOrStderr
	c.Flags().StringVar(&r.label, "label", "last", "label `column`: last, a name, or an index from 0")
	c.Flags().StringVar(&r.header, "header", "auto", "whether the first line of CSV data is a header: yes, no, or auto (yes if it has text outside the label column)")
	c.Flags().StringVar(&r.format, "format", "auto", "format of the data: auto, csv, libsvm, parquet or arrow")
	c.Flags().StringArrayVar(&r.ignore, "ignore", nil, "`column` to leave out, a name or an index from 0; may be repeated")
}

// bindKinds adds the flags that say what columns of training data are.
func (r *reader) bindKinds(c *cobra.Command) {
	c.Flags().StringVar(&r.rowID, "row-id", "", "`column` of integers, one for each row, that are no feature: what is drawn depends on them, not on the order of the rows; default: the rows' positions")
	c.Flags().StringArrayVar(&r.numeric, "numeric", nil, "`column` in which text is an error, rather than a category; may be repeated")
	c.Flags().StringArrayVar(&r.categorical, "categorical", nil, "`column` whose numbers are categories; may be repeated")
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
	columns    [][]float64
	categories [][]string // by column; nil, also for all: numbers
	coded      []int      // columns of numbers that stand for categories
	names      []string   // nil: the file has none
	labels     []string   // nil: the file has none
	ids        []uint64   // of the rows; nil: there is no column of them
	rows       int
}

// features is the table of the data.
func (d *data) features() aoso.Features { return d.block(0, d.rows) }

// block returns the features of the rows from first up to, but not including, last.
func (d *data) block(first, last int) aoso.Features { return &block{d, first, last - first} }

// dataset is the data as a dataset.
func (d *data) dataset(o aoso.DatasetOptions) (*aoso.Dataset, error) {
	o.Names, o.Categorical, o.RowIDs = d.names, d.coded, d.ids
	return aoso.NewDataset(d.features(), aoso.StringLabels(d.labels), o)
}

// block is a table of some rows of data.
type block struct {
	*data
	first, size int
}

func (b *block) Rows() int { return b.size }
func (b *block) Cols() int { return len(b.columns) }

func (b *block) Column(j, first int, dst []float64) { copy(dst, b.columns[j][b.first+first:]) }

func (b *block) Categories(j int) []string {
	if b.categories == nil {
		return nil
	}
	return b.categories[j]
}

// read reads a labelled file with any features, and says what they were taken for.
func (r *reader) read(file string) (*data, error) {
	t, err := r.readTable(file, table.Options{Numeric: r.numeric, Categorical: r.categorical})
	if err != nil {
		return nil, err
	}
	r.describe(file, t)
	return &data{t.Columns, t.Categories, t.Coded, t.Names, t.Labels, t.IDs, t.Rows}, nil
}

// describe says what a file was taken for, and warns if its header is doubtful.
func (r *reader) describe(file string, t *table.Table) {
	r.warnDoubt(file, t)
	for _, odd := range t.Odd {
		warn(r.stderr(), "%s: %s; use --numeric if it should be numeric, else --categorical", file, odd)
	}
	if report := kindsOf(t); report != "" {
		fmt.Fprintf(r.stderr(), "%s: %s\n", terminal.Plain(cmp.Or(map[string]string{"-": "standard input"}[file], file)), terminal.Plain(report))
	}
}

func (r *reader) warnDoubt(file string, t *table.Table) {
	if t.Doubt != "" {
		warn(r.stderr(), "%s: %s; use --header yes or --header no", file, t.Doubt)
	}
}

// kindsOf says what the columns of a table were taken for; "" if all are numbers.
func kindsOf(t *table.Table) string {
	named := map[table.Kind][]string{}
	numbers := 0
	for j, kind := range t.Kinds {
		name := fmt.Sprint(j)
		if t.Names != nil {
			name = t.Names[j]
		}
		switch {
		case slices.Contains(t.Coded, j):
			named[table.Categories] = append(named[table.Categories], name+" (numbers)")
		case kind == table.Categories:
			named[kind] = append(named[kind], fmt.Sprintf("%s (%d)", name, len(t.Categories[j])))
		case kind == table.Numbers:
			numbers++
		default:
			named[kind] = append(named[kind], name)
		}
	}
	if numbers == len(t.Kinds) && t.Ignored == nil {
		return ""
	}
	report := fmt.Sprintf("%d numeric", numbers)
	add := func(names []string, kind string) {
		const most = 8
		if len(names) > most {
			report += fmt.Sprintf("; %d %s: %s and %d more", len(names), kind, strings.Join(names[:most], ", "), len(names)-most)
		} else if len(names) > 0 {
			report += fmt.Sprintf("; %d %s: %s", len(names), kind, strings.Join(names, ", "))
		}
	}
	add(named[table.Categories], "categorical")
	add(named[table.Dates], "of dates")
	add(named[table.Booleans], "of truth values")
	add(t.Ignored, "ignored")
	return report
}

// owner is what the features of a file must be those of.
type owner interface {
	FeatureNames() []string
	Categories(feature int) []string
}

// readAs reads a labelled file that must have the features of a model or dataset.
// Messages call it by the given name ("the model").
func (r *reader) readAs(file string, of owner, called string) (*data, error) {
	return r.readMatched(file, of, called, table.Options{})
}

// readValid reads a labelled file for validation, which may have row ids.
func (r *reader) readValid(file string, train *aoso.Dataset) (*data, error) {
	return r.readMatched(file, train, "the training data", table.Options{RowIDOptional: true})
}

// readUnlabelled reads a file with or without labels. It may have no rows.
func (r *reader) readUnlabelled(file string, of owner, called string) (*data, error) {
	d, err := r.readMatched(file, of, called, table.Options{LabelOptional: true})
	if errors.Is(err, table.ErrNoRows) {
		return &data{columns: make([][]float64, len(of.FeatureNames()))}, nil
	}
	return d, err
}

// readTable reads a file according to the flags.
func (r *reader) readTable(file string, o table.Options) (*table.Table, error) {
	o.Label, o.Header, o.Format, o.Ignore, o.RowID = r.label, r.header, r.format, r.ignore, r.rowID
	return readFile(file, o)
}

func (r *reader) readMatched(file string, of owner, called string, o table.Options) (*data, error) {
	names := of.FeatureNames()
	o.Features = len(names)
	if !unnamed(names) {
		o.Names = names
	}
	for j := range names {
		o.NumericFeatures = append(o.NumericFeatures, of.Categories(j) == nil)
	}
	t, err := r.readTable(file, o)
	if err != nil {
		return nil, err
	}
	r.warnDoubt(file, t)
	position, err := match(t, file, names, called)
	if err != nil {
		return nil, err
	}
	d := &data{names: names, labels: t.Labels, ids: t.IDs, rows: t.Rows}
	for _, j := range position {
		d.columns = append(d.columns, t.Columns[j])
		if t.Categories != nil {
			d.categories = append(d.categories, t.Categories[j])
		}
	}
	return d, nil
}

// match returns the place of each named feature among a table's columns. It goes
// by name if both have names, else by position.
func match(t *table.Table, file string, names []string, owner string) ([]int, error) {
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
	}
	place := make(map[string]int, len(names))
	for j, name := range t.Names {
		place[name] = j
	}
	position := make([]int, len(names))
	for j, name := range names {
		if position[j] = j; named {
			position[j] = place[name]
		}
	}
	return position, nil
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
