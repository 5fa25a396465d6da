// Package table reads data files, CSV or LIBSVM, plain or compressed, into columns.
package table

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Table is a data file in memory. Every column has Rows cells.
type Table struct {
	Names     []string    // feature names; nil: the file has no header
	Columns   [][]float64 // by feature and row; NaN is a missing cell
	Labels    []string    // by row: the label cell as written, trimmed; nil: there is no label
	LabelName string      // "": the file has no header or no label
	IDs       []uint64    // by row, 2⁶⁴ added to negative ids; nil: Options.RowID names no column
	Weights   []float64   // by row; nil: Options.Weight names no column
	Rows      int

	Kinds      []Kind     // by feature
	Categories [][]string // by feature, nil if it is numeric; nil: all are numeric. Cells are positions in the list.
	Kept       []Kept     // columns that Options.Keep lists, in the order of the file
	Coded      []int      // features with numbers that Options.Categorical lists
	Ignored    []string   // columns left out, as Options.Ignore and Options.Columns say
	Strange    []string   // columns left out, as Options.Names does not have them

	DecimalComma bool // decimal commas were detected

	Odd    []string // for each categorical column that may be meant to be numeric: why it is categorical
	Marked []string // columns of numbers in which cells such as N/A are missing values
	Doubt  string   // why the first line may be a header, or a row, against what was decided; "": no doubt

	sparse *libsvmParser // of a LIBSVM file
}

// Kept is a column as it is written.
type Kept struct {
	Name  string // or its index, if the file has no header
	Cells []string
}

// Options says how to read a file; the zero value suits most.
type Options struct {
	// Label is the label's column: "last" (or ""), "none", a column name, or a 0-based index; where
	// a header has an index for a name, the name wins. In LIBSVM files the label is the first token
	// of each line, and only "last" and "none" are allowed.
	Label string

	// TextLabels keeps labels as they are. Otherwise 1.0 is the label 1, and NA is a missing label, unless Classes has 1.0 or NA. Classes
	// has the classes of the model or dataset that the labels are for.
	TextLabels bool
	Classes    []string

	// Format is "auto" (or ""), "csv" or "libsvm".
	Format string

	// Header says whether a CSV file has a header: "yes", "no", or "auto" (or ""), which decides by the cells of the first line.
	Header string

	// Features is the number of features that a LIBSVM file must have; 0: the largest index is their number.
	Features int

	// LabelOptional allows files without labels, whatever Label says: a CSV file with exactly Features columns, and a LIBSVM file whose
	// first row begins with a feature. If a CSV file has a header and Names is not nil, the label is left out, as are all other columns
	// that are not features.
	LabelOptional bool

	// Names has the names of the features that a CSV file with a header must have. It may have other columns. nil: any names.
	Names []string

	// NumericFeatures says which of the features that the file must have are numeric, so that text in them is an error; nil: any feature
	// may be categorical.
	NumericFeatures []bool

	// Categories has the categories of these features, nil for a feature that is numeric or whose categories are unknown; nil: for all.
	Categories [][]string

	// RowID is the column of a CSV file that has the ids of the rows, by name or 0-based index;
	// "": none. If RowIDOptional is true, a file with a header need not have the column.
	RowID         string
	RowIDOptional bool

	// Weight is the column of a CSV file that has the weights of the rows, by name or 0-based index;
	// "": none.
	Weight string

	// Columns lists the columns of a CSV file that are features; nil: all. Ignore lists columns to leave out, Numeric columns in which text
	// is an error, and Categorical columns whose numbers are categories. Columns are given by name or 0-based index; a string with commas
	// is a list.
	Columns, Ignore, Numeric, Categorical []string

	// Keep lists columns, in the same way, that Table.Kept has as they are written, whatever else they are for.
	Keep []string

	Dialect
	Limits
}

// Dialect says how a CSV file is written. The zero value detects it.
type Dialect struct {
	// Separator separates cells: a character, "tab", or "space" for any number of blanks and tabs; "": comma, semicolon or tab, or | or
	// blanks if the first line has none of them.
	Separator string

	// Decimal is the decimal mark, "." or ","; "": a comma if the separator is another character and the first lines have numbers that
	// must have decimal commas, otherwise a point.
	Decimal string

	// Comment is the beginning of lines to skip; "": lines before the data that begin with #.
	Comment string
}

// check checks the options for a file called name.
func (o *Options) check(name string) error {
	switch o.Header {
	case "", "auto", "yes", "no":
	default:
		return &Error{File: name, Msg: fmt.Sprintf("unknown header %q (auto, yes or no)", o.Header)}
	}
	if err := cmp.Or(o.Dialect.Check(), o.Limits.Check()); err != nil {
		return &Error{File: name, Msg: err.Error()}
	}
	return nil
}

// ErrNoRows is the Err of a file that has no rows.
var ErrNoRows = errors.New("no rows")

// Error says what is wrong in a file, and where.
type Error struct {
	File   string
	Line   int    // from 1; 0: the error is not in a line
	Column string // a column's name or index; "": the error is not in a column
	Msg    string
	Err    error // ErrNoRows, or the error of reading; nil: another error
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": ")
	switch {
	case e.Column == "":
	case strings.Trim(e.Column, "0123456789") == "":
		fmt.Fprintf(&b, "column %s: ", e.Column)
	default:
		fmt.Fprintf(&b, "column %q: ", e.Column)
	}
	b.WriteString(e.Msg)
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// Read reads the file at path; "-" is the standard input.
func Read(path string, o Options) (*Table, error) {
	if path == "-" {
		return Parse(os.Stdin, "stdin", o)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &Error{File: path, Msg: reason(err), Err: err}
	}
	defer f.Close()
	return Parse(f, path, o)
}

// Parse reads a table from r. name is the name of the file for errors. If Parse must read the file again from the start, it seeks; if r cannot
// seek, Parse keeps the bytes that it read.
func Parse(r io.Reader, name string, o Options) (*Table, error) {
	if err := o.check(name); err != nil {
		return nil, err
	}
	again := &rereader{r: r}
	if s, ok := r.(io.Seeker); ok {
		if start, err := s.Seek(0, io.SeekCurrent); err == nil {
			again.start, again.seeker = start, s
		}
	}
	again.last = o.NumericFeatures != nil && !slices.Contains(o.NumericFeatures, false)
	t, err := parse(again, name, o, nil, nil)
	if mixed, ok := errors.AsType[mixedError](err); ok {
		if err := again.rewind(); err != nil {
			return nil, &Error{File: name, Msg: reason(err), Err: err}
		}
		return parse(again, name, o, mixed, nil)
	}
	return t, err
}

// parse reads a table. texts has the columns that are known to be categorical. emit is as for parseCSV.
func parse(r *rereader, name string, o Options, texts map[int]bool, emit func(*Table) error) (*Table, error) {
	s, err := open(r, name, o.Limits)
	if err != nil {
		return nil, err
	}
	s.rereader = r
	switch o.Format {
	case "", "auto":
		o.Format = s.format()
	}
	switch o.Format {
	case "csv":
		return parseCSV(s, o, texts, emit)
	case "libsvm":
		return parseLIBSVM(s, o, maxCells, emit)
	}
	return nil, s.errorf(`unknown format %q (auto, csv or libsvm)`, o.Format)
}

// rereader reads data that may have to be read again. If r cannot seek, it keeps the bytes that it read.
type rereader struct {
	r      io.Reader
	seeker io.Seeker // nil: r cannot seek
	start  int64
	read   bytes.Buffer
	last   bool // the data will not be read again
}

func (a *rereader) Read(b []byte) (int, error) {
	n, err := a.r.Read(b)
	if a.seeker == nil && !a.last {
		a.read.Write(b[:n])
	}
	return n, err
}

// rewind goes back to the start. It can be called once.
func (a *rereader) rewind() error {
	a.last = true
	if a.seeker != nil {
		_, err := a.seeker.Seek(a.start, io.SeekStart)
		return err
	}
	a.r = io.MultiReader(&a.read, a.r)
	return nil
}

// reason returns the message of err without the path, which Error has.
func reason(err error) string {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}

// keepsLabel reports whether a label stays as it is, even if it is written like 1.0 or NA.
func (o *Options) keepsLabel(text string) bool {
	return o.TextLabels || slices.Contains(o.Classes, text)
}

// labels collects label cells. It stores each distinct string once.
type labels struct {
	keepAsIs func(text string) bool
	list     []string
	seen     map[string]string // by cell
}

// isMissing reports whether a label cell is missing.
func (l *labels) isMissing(b []byte) bool {
	return len(b) == 0 || isMissing(b) && !l.keepAsIs(string(b))
}

// whole returns 1 for 1.0; "" for a text that is not an integer with a fraction of zeros.
func whole(text string) string {
	digits, zeros, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || zeros == "" || strings.Trim(zeros, "0") != "" || strconv.FormatInt(n, 10) != digits {
		return ""
	}
	return digits
}

// add appends a label. If it is not text, add returns the error that fail makes of the message.
func (l *labels) add(b []byte, s *source, fail func(msg string) error) error {
	text, ok := l.seen[string(b)]
	if !ok {
		if msg := notText(b); msg != "" {
			return fail(msg)
		}
		if l.seen == nil {
			l.seen = make(map[string]string)
		}
		text = string(b)
		if number := whole(text); number != "" && !l.keepAsIs(text) {
			text = number
		}
		l.seen[string(b)] = text
		if err := s.charge(len(text) + 128); err != nil {
			return err
		}
	}
	if len(l.list) == cap(l.list) {
		capacity := max(1024, 2*len(l.list))
		if err := s.charge(16 * capacity); err != nil {
			return err
		}
		s.charged -= 16 * float64(cap(l.list))
		l.list = append(make([]string, 0, capacity), l.list...)
	}
	l.list = append(l.list, text)
	return nil
}
