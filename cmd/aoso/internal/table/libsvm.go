package table

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// maxCells bounds the cells of the dense table of a LIBSVM file.
const maxCells = 1 << 34

// A table may have more than sureCells cells only if the file has one of every sparsest of them. Otherwise an index is probably wrong, and
// would exhaust the memory.
const (
	sureCells = 1 << 26
	sparsest  = 1 << 12
)

// libsvmParser reads rows into columns. A column ends with its last cell in the file; cells that the file does not have are 0.
type libsvmParser struct {
	*source
	limit   int64       // maxCells, less in tests
	columns [][]float64 // by the index as written
	zero    bool        // index 0 occurred, so the indices are 0-based
	widest  int         // the line with the largest index
	present int         // number of cells that the file has
	labels  labels
	rows    int // in the columns

	emit    func(*Table) error // is called with blocks of rows; nil: all rows stay in the columns
	emitted int                // number of rows emitted
}

// parseLIBSVM reads a table. emit is as for parseCSV, but its tables have the columns so far, by the index as written, and are not full.
func parseLIBSVM(s *source, o Options, limit int64, emit func(*Table) error) (*Table, error) {
	p := &libsvmParser{source: s, limit: limit, emit: emit, labels: labels{keepAsIs: o.keepsLabel}}
	switch o.Label {
	case "", "last", "none":
	default:
		return nil, s.errorf("label %s: in a LIBSVM file it is the first token of each line, so only last and none can be asked for", quote(o.Label))
	}
	listed := slices.Concat(o.Columns, o.Ignore, o.Numeric, o.Categorical, o.Keep)
	if o.Weight != "" {
		listed = append(listed, o.Weight)
	}
	if o.RowID != "" && !o.RowIDOptional {
		listed = append(listed, o.RowID)
	}
	if len(listed) > 0 {
		return nil, s.errorf("column %s: a LIBSVM file has no columns to choose, keep or ignore, or to take as numeric, categorical, weights or row ids", quote(listed[0]))
	}
	for {
		line, err := s.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			line, _, _ = bytes.Cut(line, []byte{'#'})
			if first, _ := token(line); p.emitted+p.rows == 0 && o.LabelOptional && bytes.IndexByte(first, ':') >= 0 {
				o.Label = "none"
			}
			err = p.row(line, o.Label != "none")
		}
		if err != nil {
			return nil, err
		}
	}
	if p.emitted+p.rows == 0 {
		return nil, s.errorf("is empty")
	}
	if err := p.emitRows(); err != nil {
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
	if p.rows >= rowsPerBlock || p.rows*len(p.columns) >= cellsPerBlock {
		if err := p.emitRows(); err != nil {
			return err
		}
	}
	return p.checkSize(len(p.columns))
}

// pair stores one index:value and returns the index, which must exceed last.
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
		if err := p.checkSize(i + 1); err != nil {
			return 0, err
		}
		p.columns = append(p.columns, make([][]float64, i+1-len(p.columns))...)
		p.widest = p.line
	}
	column := pad(p.columns[i], p.rows-1)
	p.columns[i] = append(column, v)
	return i, nil
}

// checkSize returns an error if a table with this many columns is too large for the memory. An empty column counts as three cells.
func (p *libsvmParser) checkSize(columns int) error {
	cells := int64(columns) * int64(p.rows+3)
	if cells <= p.limit && (cells <= sureCells || cells/sparsest <= int64(p.present)) {
		if 16*float64(cells) > min(p.budget, p.allowed())-p.charged { // a column that grows is in memory twice
			return p.tooMuch(p.line)
		}
		return nil
	}
	return p.fail("", "too large for a dense table: %d rows with indices up to %d, of which %d cells are present", p.rows, columns-1, p.present)
}

// finish removes the column of index 0 if the indices are 1-based, and gives all columns all rows.
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
		if err := p.checkSize(features); err != nil {
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

// token divides a line into its first word and the rest.
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
