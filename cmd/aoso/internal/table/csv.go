package table

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// blockCells rows are gathered into a block of this many cells before they go to the columns: a row at a
// time would touch every column's memory for every row.
const blockCells = 1 << 16

// csvParser turns records into columns.
type csvParser struct {
	*source
	separator byte
	comma     bool     // numbers have decimal commas
	comment   []byte   // begins lines to skip; empty: there are none
	header    []string // nil when the file has none
	names     []string // those of the features; nil: not listed yet
	guessed   bool     // the cells of the first line decide whether it is a header
	width     int      // cells a record
	label     int      // the label's column, -1 for none
	id        int      // the row ids' column, -1 for none
	start     int      // the line on which the current record starts
	info      []column
	known     map[int]bool // columns of texts, known from reading the file before
	listedAs  []int        // columns that the options list as categorical
	ignored   []int        // columns left out, as the options say
	strange   []int        // columns left out as no features
	second    []kind       // of the cells of the second record
	assumed   int          // the column that would be the label's, had the file not been taken for one without; else -1

	quoted  bool     // the current record has quotes
	record  []byte   // a record of several lines
	cells   [][]byte // a record that was split
	block   []float64
	scratch []byte // a number with a point for its comma
	columns [][]float64
	labels  labels
	ids     []uint64
	weights struct {
		column int // −1: none
		list   []float64
	}
	rows int // in the columns and the block

	give  func(*Table) error // gets the rows block by block; nil: they stay in the columns
	given int                // rows that it got
	doubt string             // why the first line may not be a row

	foundComma bool // that numbers have decimal commas, nobody said
}

// parseCSV reads a table. known are columns of texts; if it finds others only
// after it has read numbers there, it returns them in a mixedError. give, unless it
// is nil, gets the rows block by block; the table returned has none then.
func parseCSV(s *source, o Options, known map[int]bool, give func(*Table) error) (*Table, error) {
	p := &csvParser{source: s, known: known, give: give, guessed: o.Header == "" || o.Header == "auto", labels: labels{keep: o.keepsLabel}}
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
	second, secondErr, err := p.beginWith(first, head, o)
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
	if p.given+p.rows == 0 {
		return nil, p.onlyHeader(o)
	}
	return p.table()
}

// beginWith settles everything about the file on its first record, and returns the
// second.
func (p *csvParser) beginWith(first, head []byte, o Options) (second []byte, secondErr, err error) {
	if err := p.take(len(first)); err != nil {
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
			p.second = append(p.second, k)
		}
	}
	secondStart, secondQuoted := p.start, p.quoted
	p.start, p.quoted = start, quoted
	if err := p.split(first); err != nil {
		return nil, nil, err
	}
	if err := p.begin(o); err != nil {
		return nil, nil, err
	}
	p.start, p.quoted = secondStart, secondQuoted
	return second, secondErr, nil
}

// next returns the next record, in which one blank separates cells if blanks do.
func (p *csvParser) next() ([]byte, error) {
	record, err := p.nextRecord()
	if p.separator == blanks {
		record = squeeze(record)
	}
	return record, err
}

// nextLine returns the next line that is no comment.
func (p *csvParser) nextLine() ([]byte, error) {
	line, err := p.source.next()
	for err == nil && len(p.comment) > 0 && bytes.HasPrefix(line, p.comment) {
		line, err = p.source.next()
	}
	return line, err
}

// nextRecord returns the next record: a line, or several where quotes hold line ends.
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

// isBlank is careful with tabs, which may be cells.
func (p *csvParser) isBlank(line []byte) bool {
	return len(bytes.TrimLeft(line, " ")) == 0
}

// split cuts a record into p.cells, trimmed and without their quotes.
func (p *csvParser) split(record []byte) error {
	p.cells = p.cells[:0]
	if n := bytes.Count(record, []byte{p.separator}) + 1; n > cap(p.cells) {
		if err := p.take(24 * n); err != nil {
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
				cell, _, _ = bytes.Cut(cell, []byte{'\n'}) // an odd quote drew the next lines in
				return p.fail(len(p.cells), quote(cell)+" has a quote inside an unquoted cell")
			}
		}
		p.cells = append(p.cells, bytes.TrimSpace(cell))
	}
	return nil
}

// closing finds the quote that closes the one at b[0]; doubled quotes stand for one inside.
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

// begin settles the columns on the first record, which is a header or the first row.
func (p *csvParser) begin(o Options) error {
	p.width, p.assumed = len(p.cells), -1
	if p.guessed && p.isRowOf(&o) {
		o.Header = "no"
	}
	isHeader, err := p.find(o.Label, o.Header)
	if err != nil {
		return err
	}
	if o.LabelOptional && p.label >= 0 && o.isUnlabelled(p.headerIf(isHeader)) {
		p.assumed = p.label
		if isHeader, err = p.find("none", o.Header); err != nil {
			return err
		}
	}
	if p.width == 1 && p.label == 0 {
		return p.errorf("has one column only, so no features beside the label (cells are separated by a comma, a semicolon or a tab, or as --separator says)")
	}
	if err := p.take(192 * p.width); err != nil {
		return err
	}
	if !isHeader {
		if p.guessed && p.isNumberedHeader() {
			p.doubt = "the first line was read as a row, but its numbers may be column names"
		}
		if err := p.settle(o); err != nil {
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
	return p.settle(o)
}

// headerIf returns the columns, whose names are p.cells if they are a header.
func (p *csvParser) headerIf(isHeader bool) header {
	h := header{width: p.width}
	if isHeader {
		for _, cell := range p.cells {
			h.names = append(h.names, string(cell))
		}
	}
	return h
}

// find sets p.label and tells whether p.cells are a header, as mode says or as they look.
func (p *csvParser) find(label, mode string) (header bool, err error) {
	// A cell of text makes a header, unless it may be a label.
	isHeader := func(except int) bool {
		if mode == "yes" || mode == "no" {
			return mode == "yes"
		}
		return p.texts(except) > 0 && !p.likeRow(except)
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
		return false, p.errorf("no label column %s%s", quote(label), p.headerIf(true).instead(label))
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

// texts counts the cells that are neither numbers nor missing.
func (p *csvParser) texts(except int) (n int) {
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

// plainRow reads a row that has no quotes straight from the line.
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
				// A cell too many or too few shifts the others; that is the error to tell.
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

// flush moves the block's rows to the columns.
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
	if p.give != nil && (p.rows >= giveRows || p.rows*width >= giveCells) {
		return p.giveRows()
	}
	return nil
}

// grow doubles the room of a column (append would grow it by a quarter, and touch the part to
// spare), or makes what is needed where the memory is short.
func (p *csvParser) grow(column []float64) ([]float64, error) {
	room := 2 * p.rows
	if p.taken+8*float64(room)*float64(len(p.columns)) > p.most {
		room = p.rows + p.rows/8
	}
	if err := p.take(8 * room); err != nil {
		return nil, err
	}
	p.taken -= 8 * float64(cap(column))
	return append(make([]float64, 0, room), column...), nil
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
	if p.give != nil && p.rows > 0 {
		if err := p.giveRows(); err != nil {
			return nil, err
		}
	}
	t := p.rowsSoFar()
	if t.Doubt = p.doubt; p.guessed && p.header != nil && p.headerIsRow() {
		t.Doubt = "the first line was read as a header, but all its cells occur in other lines"
	}
	return t, nil
}

// rowsSoFar returns the rows in the columns as a table.
func (p *csvParser) rowsSoFar() *Table {
	t := &Table{Columns: p.columns, Labels: p.labels.list, IDs: p.ids, Weights: p.weights.list, Rows: p.rows}
	p.describe(t)
	if p.header != nil {
		t.Names = p.featureNames()
		if p.label >= 0 {
			t.LabelName = p.header[p.label]
		}
	}
	return t
}

// A mixedError lists columns in which texts were found after other cells.
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
