package table

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// maxCells bounds the dense table that a LIBSVM file may ask for.
const maxCells = 1 << 34

// A file may also ask for more than sureCells only when one in sparsest of them is there: that tells a
// mistaken index from wide data before the memory is gone.
const (
	sureCells = 1 << 26
	sparsest  = 1 << 12
)

// libsvmParser fills columns that are as long as their last cell present; absent cells are 0.
type libsvmParser struct {
	*source
	limit   int64       // maxCells, less in tests
	columns [][]float64 // by the index as written
	zero    bool        // index 0 occurred, so the indices are 0-based
	widest  int         // the line with the largest index
	present int
	labels  labels
	rows    int // in the columns

	give  func(*Table) error // gets the rows block by block; nil: they stay in the columns
	given int                // rows that it got
}

// parseLIBSVM reads a table. give is as for parseCSV, but its tables have the columns
// so far, by the index as written, and are not full.
func parseLIBSVM(s *source, o Options, limit int64, give func(*Table) error) (*Table, error) {
	p := &libsvmParser{source: s, limit: limit, give: give, labels: labels{keep: o.keepsLabel}}
	switch o.Label {
	case "", "last", "none":
	default:
		return nil, s.errorf("label %s: in a LIBSVM file it is the first token of each line, so only last and none can be asked for", quote(o.Label))
	}
	listed := slices.Concat(o.Columns, o.Ignore, o.Numeric, o.Categorical)
	if o.Weight != "" {
		listed = append(listed, o.Weight)
	}
	if o.RowID != "" && !o.RowIDOptional {
		listed = append(listed, o.RowID)
	}
	if len(listed) > 0 {
		return nil, s.errorf("column %s: a LIBSVM file has no columns to choose or ignore, or to take as numeric, categorical, weights or row ids", quote(listed[0]))
	}
	for {
		line, err := s.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			line, _, _ = bytes.Cut(line, []byte{'#'})
			if first, _ := token(line); p.given+p.rows == 0 && o.LabelOptional && bytes.IndexByte(first, ':') >= 0 {
				o.Label = "none"
			}
			err = p.row(line, o.Label != "none")
		}
		if err != nil {
			return nil, err
		}
	}
	if p.given+p.rows == 0 {
		return nil, s.errorf("is empty")
	}
	if err := p.giveRows(); err != nil {
		return nil, err
	}
	if err := p.finish(o.Features); err != nil {
		return nil, err
	}
	return &Table{Columns: p.columns, Labels: p.labels.list, Rows: p.rows, sparse: p}, nil
}

func (p *libsvmParser) row(line []byte, labelled bool) error {
	first, rest := token(line)
	if len(first) == 0 {
		return nil
	}
	p.rows++
	switch bare := bytes.IndexByte(first, ':') < 0; {
	case labelled && !bare:
		return p.fail("", "the label is missing")
	case p.cellTooLong(first) != "":
		return p.fail("", "%s", p.cellTooLong(first))
	case labelled && p.labels.isMissing(first):
		return p.fail("", "%s", missingLabel(first))
	case bare && bytes.IndexByte(first, ',') >= 0:
		return p.fail("", "%s: more than one label in a row is not supported", quote(first))
	case labelled:
		if err := p.labels.add(first, p.source, func(msg string) error { return p.fail("", "the label %s", msg) }); err != nil {
			return err
		}
	case !bare:
		rest = line
	}
	last := -1
	for {
		var pair []byte
		if pair, rest = token(rest); len(pair) == 0 {
			break
		}
		index, err := p.pair(pair, last)
		if err != nil {
			return err
		}
		last = index
	}
	if p.rows >= giveRows || p.rows*len(p.columns) >= giveCells {
		if err := p.giveRows(); err != nil {
			return err
		}
	}
	return p.fits(len(p.columns))
}

// pair stores one index:value, whose index must exceed last.
func (p *libsvmParser) pair(b []byte, last int) (int, error) {
	key, value, ok := bytes.Cut(b, []byte{':'})
	if !ok {
		return 0, p.fail("", "%s is not index:value", quote(b))
	}
	if string(key) == "qid" {
		return 0, p.fail("", "%s: ranking data is not supported", quote(b))
	}
	index, err := strconv.ParseUint(string(key), 10, 64)
	if ne, ok := err.(*strconv.NumError); ok && ne.Err == strconv.ErrRange || index > math.MaxInt32 {
		return 0, p.fail("", "index %s is too large", key)
	}
	if err != nil {
		return 0, p.fail("", "%s is not an index (an integer from 0)", quote(key))
	}
	i := int(index)
	switch {
	case i == last:
		return 0, p.fail("", "index %d comes twice", i)
	case i < last:
		return 0, p.fail("", "index %d comes after %d; indices must increase", i, last)
	case len(value) == 0:
		return 0, p.fail(string(key), "no value after the colon")
	}
	v, k := number(value)
	if k == tooLarge || k == text {
		return 0, p.fail(string(key), "%s", complaint(value, k))
	}
	if i == 0 {
		p.zero = true
	}
	p.present++
	if i >= len(p.columns) {
		if err := p.fits(i + 1); err != nil {
			return 0, err
		}
		p.columns = append(p.columns, make([][]float64, i+1-len(p.columns))...)
		p.widest = p.line
	}
	column := pad(p.columns[i], p.rows-1)
	p.columns[i] = append(column, v)
	return i, nil
}

// fits refuses a table that would not fit the memory; a column weighs three cells before it has any.
func (p *libsvmParser) fits(columns int) error {
	cells := int64(columns) * int64(p.rows+3)
	if cells <= p.limit && (cells <= sureCells || cells/sparsest <= int64(p.present)) {
		if 16*float64(cells) > min(p.most, p.allowed())-p.taken { // columns that grow are there twice
			return p.tooMuch(p.line)
		}
		return nil
	}
	return p.fail("", "too large for a dense table: %d rows with indices up to %d, of which %d cells are present", p.rows, columns-1, p.present)
}

// finish shifts 1-based columns and makes all of them full.
func (p *libsvmParser) finish(features int) error {
	if !p.zero && len(p.columns) > 0 {
		p.columns = p.columns[1:]
	}
	found := len(p.columns)
	switch {
	case features > 0 && found > features:
		e := p.fail("", "there are %d features, expected %d", found, features).(*Error)
		e.Line = p.widest
		return e
	case features > found:
		if err := p.fits(features); err != nil {
			return err
		}
		p.columns = append(p.columns, make([][]float64, features-found)...)
	case found == 0:
		return p.errorf("has no features")
	}
	for j, column := range p.columns {
		p.columns[j] = pad(column, p.rows)
	}
	return nil
}

func (p *libsvmParser) fail(column, format string, args ...any) error {
	return &Error{File: p.name, Line: p.line, Column: column, Msg: fmt.Sprintf(format, args...)}
}

func pad(column []float64, rows int) []float64 {
	return append(column, make([]float64, rows-len(column))...)
}

// token cuts the first word off a line.
func token(line []byte) (word, rest []byte) {
	isSpace := func(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
	i := 0
	for i < len(line) && isSpace(line[i]) {
		i++
	}
	j := i
	for j < len(line) && !isSpace(line[j]) {
		j++
	}
	return line[i:j], line[j:]
}
