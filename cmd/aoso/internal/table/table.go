// Package table reads a data file, CSV or LIBSVM, plain or gzip, into columns.
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
	Names     []string    // feature names; nil when the file has none
	Columns   [][]float64 // one a feature; NaN is a missing cell, never an infinity
	Labels    []string    // label cells as written, trimmed; nil when there is no label
	LabelName string      // "" when the file has no header or no label
	IDs       []uint64    // of the rows, those below 0 plus 2⁶⁴; nil when Options.RowID names no column
	Weights   []float64   // of the rows; nil when Options.Weight names no column
	Rows      int

	Kinds      []Kind     // of the features
	Categories [][]string // of the features; nil, also for all: numbers. The cell of a text is a position in the list.
	Coded      []int      // features with numbers that Options.Categorical lists
	Ignored    []string   // columns left out, as Options.Ignore and Options.Columns say
	Strange    []string   // columns left out because Options.Names lacks them

	DecimalComma bool // numbers have decimal commas; nobody said so

	Odd    []string // why columns are categorical most of whose cells are numbers
	Marked []string // columns of numbers in which cells such as N/A are missing values
	Doubt  string   // what may have been read otherwise than it was meant; "": nothing

	sparse *libsvmParser // of a LIBSVM file
}

// Options says how to read a file; the zero value suits most.
type Options struct {
	// Label is the label's column: "last" (or ""), "none", a column name, or a 0-based index; where
	// a header has an index for a name, the name wins. In LIBSVM files the label is the first token
	// of each line, and only "last" and "none" are allowed.
	Label string

	// TextLabels takes labels as they are. Otherwise 1.0 is the label 1 and NA a missing label, unless
	// Classes, those of the model or dataset that the labels are for, has 1.0 or NA.
	TextLabels bool
	Classes    []string

	// Format is "auto" (or ""), "csv" or "libsvm".
	Format string

	// Header tells whether a CSV file has one: "auto" (or ""), which goes by the cells of its first
	// line, "yes" or "no".
	Header string

	// Features is the number of features a LIBSVM file shall have; 0 takes the largest index found.
	Features int

	// LabelOptional takes a CSV file of exactly Features columns, and a LIBSVM file whose first row
	// starts with a feature, for a file without labels, whatever Label says. Where the file has a
	// header, and Names is not nil, the label is left out with all other columns that are no features.
	LabelOptional bool

	// Names is the names of the features that a CSV file with a header shall have, beside which it
	// may have others; nil: any.
	Names []string

	// NumericFeatures tells which of the features that the file shall have are
	// numeric, so that text there is an error; nil: any may have texts.
	NumericFeatures []bool

	// Categories lists the categories of these features; nil, also for all: they are numeric, or not known.
	Categories [][]string

	// RowID is the column of a CSV file that has the ids of the rows, by name or 0-based index;
	// "": none. If RowIDOptional is true, a file with a header may lack the column.
	RowID         string
	RowIDOptional bool

	// Weight is the column of a CSV file that has the weights of the rows, by name or 0-based index;
	// "": none.
	Weight string

	// Columns lists the columns of a CSV file that are features; nil: all. Ignore, Numeric and
	// Categorical list those to leave out, those in which text is an error, and those whose numbers
	// are categories too. Columns go by name or 0-based index; a text with commas is a list.
	Columns, Ignore, Numeric, Categorical []string

	Dialect
	Limits
}

// Dialect is how a CSV file is written; the zero value finds it out.
type Dialect struct {
	// Separator is between two cells: a character, "tab", or "space" for any number of blanks and
	// tabs; "": comma, semicolon or tab, or else | or blanks if the first two lines have some.
	Separator string

	// Decimal is before the decimals of a number, "." or ","; "": a comma if the separator is
	// another one and the first cells with commas are numbers, and could not be otherwise.
	Decimal string

	// Comment begins lines to skip; "": # does, before the first other line.
	Comment string
}

// check checks what the options say of a file.
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
	Line   int    // from 1; 0 when no line is to blame
	Column string // a column's name or index; "" when no column is to blame
	Msg    string
	Err    error // ErrNoRows, or the failure to read behind it, if any
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

// Parse reads a table from r; name stands for the file in errors. If it has to
// read again from the start, it seeks there, or else remembers what it read.
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

// parse reads a table in which some columns are known to be texts. give is as for
// parseCSV.
func parse(r *rereader, name string, o Options, texts map[int]bool, give func(*Table) error) (*Table, error) {
	s, err := open(r, name, o.Limits)
	if err != nil {
		return nil, err
	}
	s.again = r
	switch o.Format {
	case "", "auto":
		o.Format = s.format()
	}
	switch o.Format {
	case "csv":
		return parseCSV(s, o, texts, give)
	case "libsvm":
		return parseLIBSVM(s, o, maxCells, give)
	}
	return nil, s.errorf(`unknown format %q (auto, csv or libsvm)`, o.Format)
}

// rereader reads data that may have to be read again. It remembers what it read if
// it cannot seek.
type rereader struct {
	r      io.Reader
	seeker io.Seeker // nil: there is none
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

// rewind goes back to the start, for the last time.
func (a *rereader) rewind() error {
	a.last = true
	if a.seeker != nil {
		_, err := a.seeker.Seek(a.start, io.SeekStart)
		return err
	}
	a.r = io.MultiReader(&a.read, a.r)
	return nil
}

// reason is err without the path, which Error gives already.
func reason(err error) string {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}

// keepsLabel reports whether a label stays as it is even if it is a whole number with a fraction of zeros.
func (o *Options) keepsLabel(text string) bool {
	return o.TextLabels || slices.Contains(o.Classes, text)
}

// labels collects label cells, each distinct text stored once.
type labels struct {
	keep func(text string) bool
	list []string
	seen map[string]string // by cell
}

// isMissing reports whether a label cell is missing.
func (l *labels) isMissing(b []byte) bool {
	return len(b) == 0 || isMissing(b) && !l.keep(string(b))
}

// whole is 1 for 1.0, and "" for what is no whole number with a fraction of zeros.
func whole(text string) string {
	digits, zeros, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || zeros == "" || strings.Trim(zeros, "0") != "" || strconv.FormatInt(n, 10) != digits {
		return ""
	}
	return digits
}

// add appends a label; fail makes the error of one that is no text.
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
		if number := whole(text); number != "" && !l.keep(text) {
			text = number
		}
		l.seen[string(b)] = text
		if err := s.take(len(text) + 128); err != nil {
			return err
		}
	}
	if len(l.list) == cap(l.list) {
		room := max(1024, 2*len(l.list))
		if err := s.take(16 * room); err != nil {
			return err
		}
		s.taken -= 16 * float64(cap(l.list))
		l.list = append(make([]string, 0, room), l.list...)
	}
	l.list = append(l.list, text)
	return nil
}
