package table

import (
	"errors"
	"io"
	"iter"
	"os"
)

// The rows of a block that a [File] gives, and its cells. A block ends when it has
// one of the two.
var giveRows, giveCells = 1 << 16, 1 << 24

// File is a data file that is read block by block, as often as asked, so that it
// can be larger than the memory.
type File struct {
	// Progress, unless nil, is told how many bytes were read since it was told last.
	Progress func(bytes int)

	path    string
	options Options
	facts   *Table
	texts   map[int]bool // columns of a CSV file that are known to be texts

	// Of a LIBSVM file:
	scanned  bool
	zero     bool // the indices are 0-based
	features int
}

// ErrAgain says that a file must be read again from its start: in columns of which
// cells were given as numbers there are texts.
var ErrAgain = errors.New("there are texts in columns of numbers, which must be read again")

// NewFile returns the file at path, which is not opened yet.
func NewFile(path string, o Options) *File { return &File{path: path, options: o} }

// Facts returns what [Read] returns, without the rows, once the file was read.
func (f *File) Facts() *Table { return f.facts }

// Size returns the size of the file in bytes.
func (f *File) Size() int64 {
	info, err := os.Stat(f.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Blocks reads the rows, each time from the first one. A block is valid until the
// next. The last error may be [ErrAgain], but only once.
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

var errStopped = errors.New("the reader of the blocks wants no more")

// read gives the rows to a function, block by block, until it returns an error.
func (f *File) read(give func(*Table) error) error {
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
			return give(t)
		}
		if !f.scanned { // how many columns there are is not known yet
			return nil
		}
		return give(t.sparse.full(t, f.zero, f.features))
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
		return f.read(give)
	}
	f.facts = facts
	return nil
}

// counted is a reader that tells how much it has read.
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

// giveRows gives the rows in the columns, of which none are left.
func (p *csvParser) giveRows() error {
	if err := p.give(p.rowsSoFar()); err != nil {
		return err
	}
	p.given, p.rows, p.ids = p.given+p.rows, 0, p.ids[:0]
	p.weights.list = p.weights.list[:0]
	for j, column := range p.columns {
		p.columns[j] = column[:0]
	}
	p.labels.list = p.labels.list[:0]
	return nil
}

// giveRows gives the rows in the columns, of which none are left.
func (p *libsvmParser) giveRows() error {
	if p.give == nil || p.rows == 0 {
		return nil
	}
	if err := p.give(&Table{Columns: p.columns, Labels: p.labels.list, Rows: p.rows, sparse: p}); err != nil {
		return err
	}
	p.given, p.rows, p.present = p.given+p.rows, 0, 0
	for j, column := range p.columns {
		p.columns[j] = column[:0]
	}
	p.labels.list = p.labels.list[:0]
	return nil
}

// full returns a block with all columns, each with all rows.
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
