package table

import (
	"errors"
	"io"
	"iter"
	"os"
)

// A block of a [File] ends when it has rowsPerBlock rows or cellsPerBlock cells.
var rowsPerBlock, cellsPerBlock = 1 << 16, 1 << 24

// File is a data file that can be read block by block, any number of times, so that it may be larger than the memory.
type File struct {
	// Progress, if not nil, is called with the number of bytes that were read since the last call.
	Progress func(bytes int)

	path    string
	options Options
	facts   *Table
	texts   map[int]bool // columns of a CSV file that are known to be categorical

	// Of a LIBSVM file:
	scanned  bool
	zero     bool // the indices are 0-based
	features int
}

// ErrAgain says that a file must be read again from its beginning: columns that blocks have as numbers have strings further on.
var ErrAgain = errors.New("there are texts in columns of numbers, which must be read again")

// NewFile returns the file at path, without opening it.
func NewFile(path string, o Options) *File { return &File{path: path, options: o} }

// Facts returns the table that [Read] would return, without its rows. The file must have been read.
func (f *File) Facts() *Table { return f.facts }

// Size returns the size of the file in bytes.
func (f *File) Size() int64 {
	info, err := os.Stat(f.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Blocks yields the rows in blocks, from the first row on. A block is valid until the next. The error may be [ErrAgain], but only once.
func (f *File) Blocks() iter.Seq2[*Table, error] {
	return func(yield func(*Table, error) bool) {
		err := f.read(func(t *Table) error {
			if !yield(t, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && err != errStopped {
			yield(nil, err)
		}
	}
}

var errStopped = errors.New("the caller stopped reading blocks")

// read calls emit with the rows, block by block, until it returns an error.
func (f *File) read(emit func(*Table) error) error {
	if err := f.options.check(f.path); err != nil {
		return err
	}
	file, err := os.Open(f.path)
	if err != nil {
		return &Error{File: f.path, Msg: reason(err), Err: err}
	}
	defer file.Close()
	o := f.options
	if f.scanned {
		o.Features = f.features
	}
	facts, err := parse(&rereader{r: &counted{file, f.Progress}, last: true}, f.path, o, f.texts, func(t *Table) error {
		if t.sparse == nil {
			return emit(t)
		}
		if !f.scanned { // how many columns there are is not known yet
			return nil
		}
		return emit(t.sparse.full(t, f.zero, f.features))
	})
	var mixed mixedError
	switch {
	case errors.As(err, &mixed):
		if f.texts == nil {
			f.texts = map[int]bool{}
		}
		for j := range mixed {
			f.texts[j] = true
		}
		return ErrAgain
	case err != nil:
		return err
	}
	if sparse := facts.sparse; sparse != nil && !f.scanned {
		f.scanned, f.zero, f.features = true, sparse.zero, len(facts.Columns)
		return f.read(emit)
	}
	f.facts = facts
	return nil
}

// counted is a reader that calls progress with the number of bytes that it has read.
type counted struct {
	io.Reader
	progress func(bytes int)
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	if c.progress != nil {
		c.progress(n)
	}
	return n, err
}

// emitRows emits the rows in the columns as a block, and empties the columns.
func (p *csvParser) emitRows() error {
	if err := p.emit(p.rowsSoFar()); err != nil {
		return err
	}
	p.emitted, p.rows, p.ids = p.emitted+p.rows, 0, p.ids[:0]
	p.weights.list = p.weights.list[:0]
	for j, column := range p.columns {
		p.columns[j] = column[:0]
	}
	p.labels.list = p.labels.list[:0]
	return nil
}

// emitRows emits the rows in the columns as a block, and empties the columns.
func (p *libsvmParser) emitRows() error {
	if p.emit == nil || p.rows == 0 {
		return nil
	}
	if err := p.emit(&Table{Columns: p.columns, Labels: p.labels.list, Rows: p.rows, sparse: p}); err != nil {
		return err
	}
	p.emitted, p.rows, p.present = p.emitted+p.rows, 0, 0
	for j, column := range p.columns {
		p.columns[j] = column[:0]
	}
	p.labels.list = p.labels.list[:0]
	return nil
}

// full returns a block with all columns of the file, each with all rows of the block.
func (p *libsvmParser) full(t *Table, zero bool, features int) *Table {
	first := 1
	if zero {
		first = 0
	}
	for len(p.columns) < first+features {
		p.columns = append(p.columns, nil)
	}
	for j, column := range p.columns {
		p.columns[j] = pad(column, p.rows)
	}
	return &Table{Columns: p.columns[first:], Labels: t.Labels, Rows: t.Rows}
}
