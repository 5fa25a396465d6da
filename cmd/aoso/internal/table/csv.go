package table

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// blockCells is the number of cells of a block. Rows are collected in a block before they are copied to the columns, as copying single rows
// would access the memory of every column for every row.
const blockCells = 1 << 16

// csvParser turns records into columns.
type csvParser struct {
	*source
	separator   byte
	comma       bool     // numbers have decimal commas
	comment     []byte   // lines that begin with it are skipped; empty: no lines are
	header      []string // nil: the file has no header
	names       []string // of the features; nil: not listed yet
	guessed     bool     // the cells of the first line decide whether it is a header
	width       int      // number of cells of a record
	label       int      // the column of the label; −1: none
	id          int      // the column of the row ids; −1: none
	start       int      // the line on which the current record begins
	info        []column
	known       map[int]bool // columns that are known to be categorical, as the file was read before
	listedAs    []int        // columns that the options list as categorical
	ignored     []int        // columns left out, as the options say
	strange     []int        // columns left out, as they are not among the features that the file must have
	secondKinds []kind       // of the cells of the second record
	assumed     int          // the last column, if it is a feature because the file was taken to have no label; otherwise −1

	quoted  bool     // the current record has quotes
	record  []byte   // a record of several lines
	cells   [][]byte // the cells of the record that was split last
	block   []float64
	scratch []byte // a number, with a point for its decimal comma
	columns [][]float64
	labels  labels
	kept    []Kept
	ids     []uint64
	weights struct {
		column int // −1: none
		list   []float64
	}
	rows int // number of rows in the columns and the block

	emit    func(*Table) error // is called with blocks of rows; nil: all rows stay in the columns
	emitted int                // number of rows emitted
	doubt   string             // why the first line may not be a row

	foundComma bool // decimal commas were detected
}

// parseCSV reads a table. known has the columns that are known to be categorical. If it finds further ones after it has read numbers in them,
// it returns them in a mixedError. If emit is not nil, it is called with blocks of rows, and the table returned has no rows.
func parseCSV(s *source, o Options, known map[int]bool, emit func(*Table) error) (*Table, error) {
	p := &csvParser{source: s, known: known, emit: emit, guessed: o.Header == "" || o.Header == "auto", labels: labels{keepAsIs: o.keepsLabel}}
	head, err := p.openDialect(o.Dialect)
	var first []byte
	if err == nil {
		first, err = p.next()
	}
	if err == io.EOF {
		return nil, s.errorf("is empty")
	}
	if err != nil {
		return nil, err
	}
	second, secondErr, err := p.readFirst(first, head, o)
	if err != nil {
		return nil, err
	}
	for record, err := second, secondErr; err != io.EOF; record, err = p.next() {
		if err == nil {
			err = p.row(record)
		}
		if err != nil {
			return nil, err
		}
	}
	if p.emitted+p.rows == 0 {
		return nil, p.onlyHeader(o)
	}
	return p.table()
}

// readFirst finds the dialect and the roles of the columns from the first two records, reads the first if it is a row, and returns the second.
func (p *csvParser) readFirst(first, head []byte, o Options) (second []byte, secondErr, err error) {
	if err := p.charge(len(first)); err != nil {
		return nil, nil, err
	}
	first, start, quoted := bytes.Clone(first), p.start, p.quoted
	second, secondErr = p.next()
	p.findDialect(o.Dialect, first, second, head)
	if p.separator == blanks {
		first, second = squeeze(first), squeeze(second)
	}
	if secondErr == nil && p.split(second) == nil {
		for _, cell := range p.cells {
			_, k := p.number(cell)
			p.secondKinds = append(p.secondKinds, k)
		}
	}
	secondStart, secondQuoted := p.start, p.quoted
	p.start, p.quoted = start, quoted
	if err := p.split(first); err != nil {
		return nil, nil, err
	}
	if err := p.readColumns(o); err != nil {
		return nil, nil, err
	}
	p.start, p.quoted = secondStart, secondQuoted
	return second, secondErr, nil
}

// next returns the next record. If blanks separate cells, each run of blanks is a single one in the record.
func (p *csvParser) next() ([]byte, error) {
	record, err := p.nextRecord()
	if p.separator == blanks {
		record = squeeze(record)
	}
	return record, err
}

// nextLine returns the next line that is not a comment.
func (p *csvParser) nextLine() ([]byte, error) {
	line, err := p.source.next()
	for err == nil && len(p.comment) > 0 && bytes.HasPrefix(line, p.comment) {
		line, err = p.source.next()
	}
	return line, err
}

// nextRecord returns the next record: a line, or several lines if a quoted cell has line ends.
func (p *csvParser) nextRecord() ([]byte, error) {
	line, err := p.nextLine()
	const mostBlank = 1 << 20
	for blank := 0; err == nil && p.isBlank(line); {
		if blank == 0 {
			blank = p.line
		}
		if p.line-blank > mostBlank {
			return nil, &Error{File: p.name, Line: blank, Msg: fmt.Sprintf("more than %d blank lines", mostBlank)}
		}
		line, err = p.nextLine()
		if err == nil && !p.isBlank(line) {
			return nil, &Error{File: p.name, Line: blank, Msg: "blank line before the end of the data"}
		}
	}
	if err != nil {
		return nil, err
	}
	p.start = p.line
	quotes := bytes.Count(line, []byte{'"'})
	p.quoted = quotes > 0
	if quotes%2 == 0 {
		return line, nil
	}
	if p.record, err = p.append(p.record[:0], line); err != nil {
		return nil, err
	}
	for quotes%2 == 1 {
		line, err = p.source.next()
		if err == io.EOF {
			break // split will find the open quote
		}
		if err != nil {
			return nil, err
		}
		quotes += bytes.Count(line, []byte{'"'})
		if err := p.checkRecord(len(p.record) + len(line)); err != nil {
			return nil, err
		}
		for _, part := range [][]byte{{'\n'}, line} {
			if p.record, err = p.append(p.record, part); err != nil {
				return nil, err
			}
		}
	}
	return p.record, nil
}

// checkRecord checks the length of a record of several lines.
func (p *csvParser) checkRecord(length int) error {
	err := p.checkLine(length, p.start)
	if e, ok := err.(*Error); ok {
		e.Msg = strings.Replace(e.Msg, "the line is", "a quote opened in this line is not closed, or the record is", 1)
	}
	return err
}

// isBlank reports whether a line has nothing but spaces. Tabs may separate empty cells.
func (p *csvParser) isBlank(line []byte) bool {
	return len(bytes.TrimLeft(line, " ")) == 0
}

// split divides a record into p.cells, which are trimmed and without their quotes.
func (p *csvParser) split(record []byte) error {
	p.cells = p.cells[:0]
	if n := bytes.Count(record, []byte{p.separator}) + 1; n > cap(p.cells) {
		if err := p.charge(24 * n); err != nil {
			return err
		}
		p.cells = make([][]byte, 0, n)
	}
	for more := true; more; {
		var cell []byte
		if body := bytes.TrimLeft(record, " "); len(body) > 0 && body[0] == '"' {
			end := closing(body)
			if end < 0 {
				return p.fail(len(p.cells), "the quote opened here is never closed")
			}
			cell = body[1:end]
			if bytes.IndexByte(cell, '"') >= 0 {
				cell = bytes.ReplaceAll(cell, []byte(`""`), []byte(`"`))
			}
			var after []byte
			after, record, more = bytes.Cut(body[end+1:], []byte{p.separator})
			if after = bytes.TrimSpace(after); len(after) > 0 {
				return p.fail(len(p.cells), quote(after)+" follows a closing quote")
			}
		} else {
			cell, record, more = bytes.Cut(record, []byte{p.separator})
			if bytes.IndexByte(cell, '"') >= 0 {
				cell, _, _ = bytes.Cut(cell, []byte{'\n'}) // because of the quote, the record includes the next lines
				return p.fail(len(p.cells), quote(cell)+" has a quote inside an unquoted cell")
			}
		}
		p.cells = append(p.cells, bytes.TrimSpace(cell))
	}
	return nil
}

// closing returns the position of the quote that closes the quote at b[0]; −1: there is none. Two quotes are a quote in the cell.
func closing(b []byte) int {
	for i := 1; i < len(b); i++ {
		if b[i] == '"' {
			if i+1 == len(b) || b[i+1] != '"' {
				return i
			}
			i++
		}
	}
	return -1
}

// readColumns assigns the roles of the columns. p.cells has the first record: the header, or the first row, which it reads.
func (p *csvParser) readColumns(o Options) error {
	p.width, p.assumed = len(p.cells), -1
	if p.guessed && p.isRowOf(&o) {
		o.Header = "no"
	}
	isHeader, err := p.findLabel(o.Label, o.Header)
	if err != nil {
		return err
	}
	if o.LabelOptional && p.label >= 0 && o.isUnlabelled(p.headerIf(isHeader)) {
		p.assumed = p.label
		if isHeader, err = p.findLabel("none", o.Header); err != nil {
			return err
		}
	}
	if p.width == 1 && p.label == 0 {
		return p.errorf("has one column only, so no features beside the label (cells are separated by a comma, a semicolon or a tab, or as --separator says)")
	}
	if err := p.charge(192 * p.width); err != nil {
		return err
	}
	if !isHeader {
		if p.guessed && p.isNumberedHeader() {
			p.doubt = "the first line was read as a row, but its numbers may be column names"
		}
		if err := p.assignRoles(o); err != nil {
			return err
		}
		return p.rowOf(p.cells)
	}
	seen := make(map[string]int, p.width)
	names := make([]string, p.width)
	for j, cell := range p.cells {
		if msg := p.cellTooLong(cell); msg != "" {
			return p.fail(j, msg)
		}
		if msg := notText(cell); msg != "" {
			return p.fail(j, "the name "+msg)
		}
		names[j] = string(cell)
		if k, ok := seen[names[j]]; ok {
			return &Error{File: p.name, Line: p.start, Msg: fmt.Sprintf("columns %d and %d have the same name %s", k, j, quote(cell))}
		}
		seen[names[j]] = j
	}
	p.header = names
	return p.assignRoles(o)
}

// headerIf returns the columns of the file, with p.cells as their names if these are a header.
func (p *csvParser) headerIf(isHeader bool) header {
	h := header{width: p.width}
	if isHeader {
		for _, cell := range p.cells {
			h.names = append(h.names, string(cell))
		}
	}
	return h
}

// findLabel sets p.label, and reports whether p.cells are a header: as mode says, or as they look.
func (p *csvParser) findLabel(label, mode string) (header bool, err error) {
	// A record with a string is a header, unless the string may be a label.
	isHeader := func(except int) bool {
		if mode == "yes" || mode == "no" {
			return mode == "yes"
		}
		return p.countTexts(except) > 0 && !p.resemblesSecond(except)
	}
	p.label = -1
	switch label {
	case "none":
		return isHeader(-1), nil
	case "", "last":
		p.label = p.width - 1
		return isHeader(p.label), nil
	}
	named := -1
	if mode != "no" {
		named = slices.IndexFunc(p.cells, func(cell []byte) bool { return string(cell) == label })
	}
	index, err := strconv.Atoi(label)
	if err != nil {
		if named >= 0 {
			p.label = named
			return true, nil
		}
		if !isHeader(p.width - 1) {
			return false, p.errorf("no label column %s: the file has no header, so the label is an index in 0..%d, last, or none", quote(label), p.width-1)
		}
		return false, p.errorf("no label column %s%s", quote(label), p.headerIf(true).suggestion(label))
	}
	header = isHeader(index)
	if header && named >= 0 {
		index = named
	}
	if index < 0 || index >= p.width {
		return false, p.errorf("label column %s is out of range: the columns are 0..%d", label, p.width-1)
	}
	p.label = index
	return header, nil
}

// countTexts returns the number of cells that are neither numbers nor missing, without column except.
func (p *csvParser) countTexts(except int) (n int) {
	for j, cell := range p.cells {
		if _, k := p.number(cell); k == text && j != except {
			n++
		}
	}
	return n
}

func (p *csvParser) row(record []byte) error {
	if !p.quoted {
		return p.plainRow(record)
	}
	if err := p.split(record); err != nil {
		return err
	}
	return p.rowOf(p.cells)
}

func (p *csvParser) rowOf(cells [][]byte) error {
	if len(cells) != p.width {
		return p.ragged(len(cells))
	}
	for j, cell := range cells {
		if err := p.cell(j, cell); err != nil {
			return err
		}
	}
	return p.endRow()
}

// plainRow reads a row without quotes, directly from the line.
func (p *csvParser) plainRow(line []byte) error {
	j, i := 0, 0
	for {
		start, n := i, 0
		for i < len(line) && line[i]-'0' <= 9 {
			n = n*10 + int(line[i]-'0')
			i++
		}
		if digits := i - start; 0 < digits && digits <= 15 && j < len(p.info) && p.info[j].fast && (i == len(line) || line[i] == p.separator) {
			p.block = append(p.block, float64(n))
			p.info[j].seen[Numbers]++
		} else {
			if k := bytes.IndexByte(line[i:], p.separator); k >= 0 {
				i += k
			} else {
				i = len(line)
			}
			if j == len(p.info) {
				return p.ragged(bytes.Count(line, []byte{p.separator}) + 1)
			}
			if err := p.cell(j, bytes.TrimSpace(line[start:i])); err != nil {
				// If the number of cells is wrong, cells are in wrong columns. Then report the number.
				if cells := bytes.Count(line, []byte{p.separator}) + 1; cells != p.width {
					return p.ragged(cells)
				}
				return err
			}
		}
		j++
		if i == len(line) {
			break
		}
		i++
	}
	if j != p.width {
		return p.ragged(j)
	}
	return p.endRow()
}

func (p *csvParser) endRow() error {
	p.rows++
	if len(p.block) >= blockCells {
		return p.flush()
	}
	return nil
}

// flush moves the rows of the block to the columns.
func (p *csvParser) flush() error {
	width := len(p.columns)
	for j, column := range p.columns {
		if cap(column) < p.rows {
			var err error
			if column, err = p.grow(column); err != nil {
				return err
			}
		}
		for i := j; i < len(p.block); i += width {
			column = append(column, p.block[i])
		}
		p.columns[j] = column
	}
	p.block = p.block[:0]
	if p.emit != nil && (p.rows >= rowsPerBlock || p.rows*width >= cellsPerBlock) {
		return p.emitRows()
	}
	return nil
}

// grow doubles the capacity of a column, or grows it by an eighth if memory is short. append would grow it by a quarter, and clear the
// capacity.
func (p *csvParser) grow(column []float64) ([]float64, error) {
	capacity := 2 * p.rows
	if p.charged+8*float64(capacity)*float64(len(p.columns)) > p.budget {
		capacity = p.rows + p.rows/8
	}
	if err := p.charge(8 * capacity); err != nil {
		return nil, err
	}
	p.charged -= 8 * float64(cap(column))
	return append(make([]float64, 0, capacity), column...), nil
}

func (p *csvParser) table() (*Table, error) {
	if err := p.flush(); err != nil {
		return nil, err
	}
	again, err := p.unreadTexts()
	if err != nil {
		return nil, err
	}
	if again != nil {
		return nil, mixedError(again)
	}
	if p.emit != nil && p.rows > 0 {
		if err := p.emitRows(); err != nil {
			return nil, err
		}
	}
	t := p.rowsSoFar()
	if t.Doubt = p.doubt; p.guessed && p.header != nil && p.headerIsRow() {
		t.Doubt = "the first line was read as a header, but all its cells occur in other lines"
	}
	return t, nil
}

// rowsSoFar returns a table of the rows in the columns.
func (p *csvParser) rowsSoFar() *Table {
	t := &Table{Columns: p.columns, Labels: p.labels.list, IDs: p.ids, Weights: p.weights.list, Kept: p.kept, Rows: p.rows}
	p.describe(t)
	if p.header != nil {
		t.Names = p.featureNames()
		if p.label >= 0 {
			t.LabelName = p.header[p.label]
		}
	}
	return t
}

// A mixedError has the columns in which strings were found after other cells.
type mixedError map[int]bool

func (mixedError) Error() string { return "there are texts in columns of numbers" }

func (p *csvParser) fail(j int, msg string) error {
	e := &Error{File: p.name, Line: p.start, Column: strconv.Itoa(j), Msg: msg}
	if j < len(p.header) && p.header[j] != "" {
		e.Column = p.header[j]
	}
	return e
}

func (p *csvParser) ragged(cells int) error {
	return &Error{File: p.name, Line: p.start, Msg: fmt.Sprintf("the row has %d cells, the first row has %d", cells, p.width)}
}
