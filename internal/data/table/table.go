// Package table reads a data file, CSV or LIBSVM, plain or gzip, into columns.
package table

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Table is a data file in memory. Every column has Rows cells.
type Table struct {
	Names     []string    // feature names; nil when the file has none
	Columns   [][]float64 // one a feature; NaN is a missing cell, never an infinity
	Labels    []string    // label cells as written, trimmed; nil when there is no label
	LabelName string      // "" when the file has no header or no label
	Rows      int
	Doubt     string // what may have been read otherwise than it was meant; "": nothing
}

// Options says how to read a file; the zero value suits most.
type Options struct {
	// Label is the label's column: "last" (or ""), "none", a column name, or a 0-based index; where
	// a header has an index for a name, the name wins. In LIBSVM files the label is the first token
	// of each line, and only "last" and "none" are allowed.
	Label string

	// Format is "auto" (or ""), "csv" or "libsvm".
	Format string

	// Header tells whether a CSV file has one: "auto" (or ""), which goes by the cells of its first
	// line, "yes" or "no".
	Header string

	// Features is the number of features a LIBSVM file shall have; 0 takes the largest index found.
	Features int

	// LabelOptional takes a CSV file of exactly Features columns, and a LIBSVM file whose first row
	// starts with a feature, for a file without labels, whatever Label says. Where the file has a
	// header, Names decides before the number of columns.
	LabelOptional bool

	// Names is the names of the features that a CSV file with a header shall have; nil: any.
	Names []string
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

// Parse reads a table from r; name stands for the file in errors.
func Parse(r io.Reader, name string, o Options) (*Table, error) {
	s, err := open(r, name)
	if err != nil {
		return nil, err
	}
	switch o.Header {
	case "", "auto", "yes", "no":
	default:
		return nil, s.errorf("unknown header %q (auto, yes or no)", o.Header)
	}
	format := o.Format
	if format == "" || format == "auto" {
		format = s.format()
	}
	switch format {
	case "csv":
		return parseCSV(s, o)
	case "libsvm":
		return parseLIBSVM(s, o, maxCells)
	}
	return nil, s.errorf(`unknown format %q (auto, csv or libsvm)`, format)
}

// reason is err without the path, which Error gives already.
func reason(err error) string {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}

// labels collects label cells, each distinct text stored once.
type labels struct {
	list []string
	seen map[string]string
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
		l.seen[text] = text
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
