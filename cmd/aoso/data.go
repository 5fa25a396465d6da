package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/cmd/aoso/internal/table"
	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/internal/terminal"
)

// reader is how data files are read.
type reader struct {
	layout   table.Options // what the flags say of data files
	noHeader bool
	labelled bool             // the command needs labels
	shares   []string         // columns of soft labels; nil: there is one label for each row
	apart    string           // a column that training data keep beside them; "": none
	stderr   func() io.Writer // for warnings
	notes    func() io.Writer // for everything else
}

func (r *reader) bind(c *cobra.Command) {
	r.stderr, r.notes = c.ErrOrStderr, func() io.Writer { return notes(c) }
	f, o := c.Flags(), &r.layout
	f.StringVar(&o.Label, "label", "last", "label `column`: last, a name, or an index from 0")
	f.StringArrayVar(&o.Ignore, "ignore", nil, "`columns` to leave out: a name, an index from 0, or a list of them with commas; may be repeated")
	f.StringVar(&o.Format, "format", "auto", "format of the data: auto, csv, libsvm, parquet or arrow")
	f.StringVar(&o.Header, "header", "auto", "whether the first line of CSV data is a header: yes, no, or auto (yes if it has text outside the label column)")
	f.BoolVar(&r.noHeader, "no-header", false, "the same as --header no")
	f.StringVar(&o.Separator, "separator", "", "`character` between the cells of CSV data, tab, or space for any number of blanks (default: found out)")
	f.StringVar(&o.Decimal, "decimal", "", "`character` before decimals in CSV data: . or , (default: found out)")
	f.StringVar(&o.Comment, "comment", "", "`text` that begins lines of CSV data to skip (default: #, before the data)")
	f.IntVar(&o.Line, "max-line", table.DefaultLine, "longest line of a text file, in `bytes`")
	f.IntVar(&o.Cell, "max-cell", table.DefaultCell, "longest cell, in `bytes`")
	f.IntVar(&o.Ratio, "max-ratio", 0, "`bytes` that a byte of a file may take in memory, and unpacked, beyond 256 MiB; 0: 100, or 1000 if it is compressed, Parquet or Arrow")
	c.MarkFlagsMutuallyExclusive("header", "no-header")
	listUnder(f, "Reading data files", "format", "header", "no-header", "separator", "decimal", "comment", "max-line", "max-cell", "max-ratio")
	complete(c, "format", "auto", "csv", "libsvm", "parquet", "arrow")
	complete(c, "header", "auto", "yes", "no")
}

// bindWeight adds the flag of weights.
func (r *reader) bindWeight(c *cobra.Command) {
	r.labelled = true
	c.Flags().StringArrayVar(&r.shares, "label-columns", nil, "`columns` of soft labels in place of a label, each the share of the class of its name in the rows, given as those to ignore")
	listUnder(c.Flags(), "Columns", "label-columns")
	c.Flags().StringVar(&r.layout.Weight, "weight", "", "`column` of the rows' weights, which is no feature; default: all weigh 1")
}

// bindKinds adds the flags that say what columns of training data are.
func (r *reader) bindKinds(c *cobra.Command) {
	f, o := c.Flags(), &r.layout
	r.bindWeight(c)
	f.StringArrayVar(&o.Columns, "columns", nil, "`columns` that are features, given as those to ignore; default: all others; may be repeated")
	f.BoolVar(&o.TextLabels, "text-labels", false, "labels are texts, even if all are numbers: class 10 comes before 9, and 1.0 is not 1")
	f.StringVar(&o.RowID, "row-id", "", "`column` of integers, one for each row, that are no feature: what is drawn depends on them, not on the order of the rows; default: the rows' positions")
	f.StringArrayVar(&o.Numeric, "numeric", nil, "`columns` in which text is an error, rather than a category; may be repeated")
	f.StringArrayVar(&o.Categorical, "categorical", nil, "`columns` whose numbers are categories, or auto: those that aoso suggest finds; may be repeated")
	listUnder(f, "Columns", "columns", "text-labels", "row-id", "numeric")
}

// checkData checks what the flags say of the data, before any are read.
func (r *reader) checkData() error {
	o := &r.layout
	if r.noHeader {
		o.Header = "no"
	}
	if r.labelled && o.Label == "none" {
		return usageError(errors.New(`label is "none"; allowed: last, a name, or an index from 0`))
	}
	if err := r.setShares(); err != nil {
		return usageError(err)
	}
	if !slices.Contains([]string{"auto", "yes", "no"}, o.Header) {
		return usageError(fmt.Errorf("header is %q; allowed: auto, yes or no", o.Header))
	}
	for flag, value := range map[string]int{"max_line": o.Line, "max_cell": o.Cell} {
		if value < 1 {
			return usageError(fmt.Errorf("%s is %d; allowed: at least 1", flag, value))
		}
	}
	return usageError(cmp.Or(checkFormat(o.Format), o.Dialect.Check(), o.Limits.Check()))
}

// data is the content of a data file, its columns in the order of the features.
type data struct {
	columns    [][]float64
	categories [][]string // by column; nil, also for all: numbers
	coded      []int      // columns of numbers that stand for categories
	names      []string   // nil: the file has none
	labels     []string   // nil: the file has none
	labelName  string     // "": unknown
	ids        []uint64   // of the rows; nil: there is no column of them
	weights    []float64  // of the rows; nil: there is no column of them
	kept       []table.Kept
	rows       int

	shares *shares // nil: there are labels
}

// features returns the table of the data.
func (d *data) features() aoso.Features { return d.block(0, d.rows) }

// block returns the features of the rows from first up to, but not including, last.
func (d *data) block(first, last int) aoso.Features { return &block{d, first, last - first} }

// dataset returns the data as a dataset.
func (d *data) dataset(o aoso.DatasetOptions) (*aoso.Dataset, error) {
	o.Names, o.Categorical, o.RowIDs, o.Weights, o.LabelName = d.names, d.coded, d.ids, d.weights, d.labelName
	if d.shares != nil {
		o.Shares, o.ShareClasses = d.shares.table(), d.shares.classes
		return aoso.NewDataset(d.features(), nil, o)
	}
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
	t, err := readFile(file, r.layout)
	if err != nil {
		return nil, err
	}
	if err := r.checkLabel(file, t, t.Labels); err != nil {
		return nil, err
	}
	r.describe(file, t)
	for j, column := range t.Columns {
		what := "counts the rows"
		switch {
		case t.Kinds != nil && t.Kinds[j] == table.Categories && counts(column): // each category is new
			what = "has a different text in each row"
		case t.Names != nil && t.Names[j] == "" && numbers(column):
			what = "has no name and a different whole number in each row, as an index"
		case counts(column):
		case t.Kinds != nil && t.Kinds[j] == table.Categories && identifies(column):
			what = "has a different text in nearly each row"
		case t.Kinds != nil && t.Kinds[j] == table.Numbers && identifies(column):
			what = "has a different whole number in nearly each row, as identifiers have"
		default:
			continue
		}
		warn(r.stderr(), "column %s of %s %s; --ignore leaves it out", nameOf(t, j), file, what)
	}
	of, err := r.readShares(file, t, r.apart)
	return &data{t.Columns, t.Categories, t.Coded, t.Names, t.Labels, t.LabelName, t.IDs, t.Weights, t.Kept, t.Rows, of}, err
}

// identifies reports whether nearly every cell of a column is a different whole number.
func identifies(column []float64) bool {
	const share, fewest = 0.95, 50 // fewer rows can differ by chance
	seen, cells := map[float64]bool{}, 0
	for i, v := range column {
		if v != v {
			continue
		}
		if cells++; v != math.Trunc(v) || i == 1000 && float64(len(seen)) < share*float64(cells) { // as most columns show early
			return false
		}
		seen[v] = true
	}
	return cells >= fewest && float64(len(seen)) >= share*float64(cells)
}

// counts reports whether the cells of a column count its rows, from 0 or 1.
func counts(column []float64) bool {
	const few = 20 // rows, which may do so by chance
	if len(column) < few || column[0] != 0 && column[0] != 1 {
		return false
	}
	for i, v := range column {
		if v != column[0]+float64(i) {
			return false
		}
	}
	return true
}

// numbers reports whether the cells of a column are whole numbers that number its rows
// in any order.
func numbers(column []float64) bool {
	if counts(column) {
		return false // which says more
	}
	const few = 20 // rows, which may do so by chance
	seen := map[float64]bool{}
	for _, v := range column {
		if v != math.Trunc(v) || seen[v] {
			return false
		}
		seen[v] = true
	}
	return len(seen) >= few
}

// nameOf returns what a feature is called in messages: its name, or its index.
func nameOf(t *table.Table, j int) string {
	if t.Names == nil {
		return fmt.Sprint(j)
	}
	return fmt.Sprintf("%q", t.Names[j])
}

// describe says what a file was taken for, and warns if its header is doubtful.
func (r *reader) describe(file string, t *table.Table) {
	r.warnDoubt(file, t)
	for _, odd := range t.Odd {
		warn(r.stderr(), "%s: %s; use --numeric if it should be numeric, else --categorical", file, odd)
	}
	if report := kindsOf(t); report != "" {
		r.tell(file, report)
	}
	if len(t.Marked) > 0 {
		r.tell(file, "missing values in numeric columns: "+shortList(t.Marked))
	}
}

// tell says something about a file.
func (r *reader) tell(file, what string) {
	fmt.Fprintf(r.notes(), "%s: %s\n", terminal.Plain(cmp.Or(map[string]string{"-": "standard input"}[file], file)), terminal.Plain(what))
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
	if numbers == len(t.Kinds) && t.Ignored == nil && !t.DecimalComma {
		return ""
	}
	report := fmt.Sprintf("%d numeric", numbers)
	if t.DecimalComma {
		report += ", with decimal commas"
	}
	add := func(names []string, kind string) {
		if len(names) > 0 {
			report += fmt.Sprintf("; %d %s: %s", len(names), kind, shortList(names))
		}
	}
	add(named[table.Categories], "categorical")
	add(named[table.Dates], "of dates")
	add(named[table.Booleans], "of truth values")
	add(t.Ignored, "ignored")
	return report
}

// shortList lists texts for a report, but only the first few of many.
func shortList(texts []string) string {
	const most = 8
	if len(texts) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], ", "), len(texts)-most)
	}
	return strings.Join(texts, ", ")
}

// readAs reads a labelled file that must have the features of a model or dataset.
// Messages call it by the given name ("the model").
func (r *reader) readAs(file string, of table.Owner, called string) (*data, error) {
	return r.readMatched(file, of, called, r.layout)
}

// readValid reads a labelled file for validation, which may have row ids.
func (r *reader) readValid(file string, train *aoso.Dataset) (*data, error) {
	o := r.layout
	o.RowIDOptional = true
	return r.readMatched(file, train, "the training data", o)
}

// readUnlabelled reads a file with or without labels. It may have no rows.
func (r *reader) readUnlabelled(file string, of table.Owner, called string) (*data, error) {
	o := r.layout
	o.LabelOptional = true
	d, err := r.readMatched(file, of, called, o)
	if errors.Is(err, table.ErrNoRows) {
		d = &data{columns: make([][]float64, len(of.FeatureNames()))}
		for _, list := range o.Keep {
			for name := range strings.SplitSeq(list, ",") {
				d.kept = append(d.kept, table.Kept{Name: name})
			}
		}
		return d, nil
	}
	return d, err
}

func (r *reader) readMatched(file string, of table.Owner, called string, o table.Options) (*data, error) {
	t, err := readFile(file, o.As(of))
	if err != nil {
		return nil, err
	}
	r.warnDoubt(file, t)
	position, err := t.Match(file, of, called)
	if err != nil {
		return nil, err
	}
	if n := len(t.Strange); n > 1 || n == 1 && !o.LabelOptional { // one may be the label
		r.tell(file, "left out, because "+called+" does not have them: "+table.Listed(t.Strange))
	}
	d := &data{names: of.FeatureNames(), labels: t.Labels, labelName: t.LabelName, ids: t.IDs, weights: t.Weights, kept: t.Kept, rows: t.Rows}
	if d.shares, err = r.readShares(file, t, ""); err != nil {
		return nil, err
	}
	for _, j := range position {
		d.columns = append(d.columns, t.Columns[j])
		if t.Categories != nil {
			d.categories = append(d.categories, t.Categories[j])
		}
	}
	return d, nil
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
