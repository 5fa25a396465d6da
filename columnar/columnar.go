// Package columnar reads Parquet and Arrow IPC files, block by block, as tables for
// datasets and predictions.
//
// It is a package of its own because of the modules that it needs:
// [github.com/apache/arrow-go/v18] and those that decompress.
package columnar

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"

	"github.com/libaoso/aoso"
)

// Kind is what the values of a column become.
type Kind uint8

const (
	Numbers     Kind = iota // numbers, and times of day and durations in seconds
	Dates                   // dates and timestamps: seconds since 1970 (UTC)
	Booleans                // 0 and 1
	Categories              // texts, and values that a dictionary lists
	Unsupported             // nested or binary: the column can only be ignored
)

// Column is a column of a file.
type Column struct {
	Name string // as in the file
	Type string // for people, such as "int32" or "timestamp[us, tz=UTC]"
	Kind Kind   // how a dataset takes it
	// Index says that pandas wrote the column from the index of a frame, which no role
	// has by default.
	Index bool
}

// Roles say what the columns of a file are for. All others are features, but for
// an index of pandas. Columns are given by name or
// by index from 0; where a column has an index for a name, the name wins.
type Roles struct {
	Label  string   // the labels: a column, "last" (or "", the last one that is no index), or "none"
	Weight string   // the weights of the rows; "": there are none
	RowID  string   // the ids of the rows, which are integers; "": there are none
	Ignore []string // left out
	Keep   []string // whatever else they are for, [Texts] returns their values as texts

	WithIndex bool // columns that pandas wrote from an index count as all others
}

// File is a Parquet file, or an Arrow IPC file or stream. One goroutine at a time
// may use it.
type File struct {
	name    string
	columns []Column
	source  source
	close   func() error
	calling bool // the caller has the rows of a block
}

// source is the rows of a file in a format.
type source interface {
	// columns lists the columns.
	columns() []Column
	// rows is the number of rows; −1: it is not known before all are read.
	rows() int64
	// pandas is the metadata that pandas adds to a file, as JSON; "": there are none.
	pandas() string
	// read gives the rows of some columns, from the first one, to a function that
	// wants the rows in pieces of at most this many. It returns an error of that function.
	read(columns []*column, most int, give func(rows int) error) error
}

// Open opens a file, whose format it finds by its first bytes.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &Error{path, withoutPath(err)}
	}
	info, err := f.Stat()
	switch {
	case err == nil && !info.Mode().IsRegular():
		err = errors.New("is not a regular file; allowed: a file, or an Arrow IPC stream for NewStream")
		fallthrough
	case err != nil:
		f.Close()
		return nil, &Error{path, withoutPath(err)}
	}
	file, err := New(f, info.Size(), path)
	if err != nil {
		f.Close()
		return nil, err
	}
	file.close = f.Close
	return file, nil
}

// withoutPath returns an error without the path, which Error has.
func withoutPath(err error) error {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err
	}
	return err
}

// New reads a file of this many bytes. Errors call it by a name.
func New(r io.ReaderAt, size int64, name string) (*File, error) {
	start := make([]byte, magicBytes)
	n, err := r.ReadAt(start, 0)
	if err != nil && err != io.EOF {
		return nil, &Error{name, err}
	}
	f := &File{name: name}
	section := io.NewSectionReader(r, 0, size)
	err = f.guard(func() (err error) {
		switch FormatOf(start[:n]) {
		case Parquet:
			f.source, err = newParquet(section, size)
		case ArrowFile:
			f.source, err = newArrowFile(section, size)
		case ArrowStream:
			f.source, err = newArrowStream(section, size, section)
		default:
			err = errors.New("is neither a Parquet file nor an Arrow IPC file or stream")
		}
		return err
	})
	return f.opened(err)
}

// NewStream reads an Arrow IPC stream, such as from a pipe. Its rows can be read
// only once.
func NewStream(r io.Reader, name string) (*File, error) {
	f := &File{name: name}
	return f.opened(f.guard(func() (err error) {
		f.source, err = newArrowStream(r, unknownSize, nil)
		return err
	}))
}

func (f *File) opened(err error) (*File, error) {
	if err != nil {
		return nil, err
	}
	f.columns = f.source.columns()
	markIndex(f.columns, f.source.pandas())
	seen := map[string]int{}
	for j := range f.columns {
		c := &f.columns[j]
		if c.Name == "" {
			c.Name = fmt.Sprintf("f%d", j)
		}
		if k, ok := seen[c.Name]; ok {
			return nil, f.errorf("columns %d and %d have the same name %q; allowed: each name once", k, j, c.Name)
		}
		seen[c.Name] = j
	}
	return f, nil
}

// errorf returns an error in the file.
func (f *File) errorf(format string, args ...any) error {
	return &Error{f.name, fmt.Errorf(format, args...)}
}

// Close closes a file that Open has opened.
func (f *File) Close() error {
	if f.close == nil {
		return nil
	}
	return f.close()
}

// Columns lists the columns, all of them.
func (f *File) Columns() []Column { return slices.Clone(f.columns) }

// Rows returns the number of rows. It is −1 if that is not known before all are read.
func (f *File) Rows() int64 { return f.source.rows() }

// Assignment is the columns of a file by their roles, as indices.
type Assignment struct {
	Features             []int // the columns that are features, from 0
	Label, Weight, RowID int   // −1: none
	Ignored              []int // the columns that are left out
}

// Assign finds the columns that have the roles.
func (f *File) Assign(r Roles) (Assignment, error) {
	a := Assignment{Label: -1, Weight: -1, RowID: -1}
	taken := map[int]string{} // the role of a column that has one
	take := func(name, role string) (int, error) {
		j, err := f.find(name, role)
		if err == nil && taken[j] != "" && (role != "ignore" || taken[j] != role) {
			err = f.errorf("%s: column %q is the %s", role, f.columns[j].Name, taken[j])
		}
		taken[j] = role
		return j, err
	}
	if len(f.columns) == 0 {
		return a, f.errorf("there are no columns")
	}
	switch r.Label {
	case "none":
		r.Label = ""
	case "", "last":
		last := len(f.columns) - 1
		for last > 0 && f.columns[last].Index && !r.WithIndex {
			last--
		}
		r.Label = f.columns[last].Name
	}
	for _, one := range []struct {
		name, role string
		column     *int
	}{{r.Label, "label", &a.Label}, {r.Weight, "weight", &a.Weight}, {r.RowID, "row id", &a.RowID}} {
		if one.name == "" {
			continue
		}
		var err error
		if *one.column, err = take(one.name, one.role); err != nil {
			return a, err
		}
	}
	for _, name := range r.Ignore {
		j, err := take(name, "ignore")
		if err != nil {
			return a, err
		}
		a.Ignored = append(a.Ignored, j)
	}
	for j := range f.columns {
		switch {
		case taken[j] != "":
		case f.columns[j].Index && !r.WithIndex:
			a.Ignored = append(a.Ignored, j)
		default:
			a.Features = append(a.Features, j)
		}
	}
	return a, nil
}

// find finds a column by its name or index.
func (f *File) find(name, role string) (int, error) {
	if j := slices.IndexFunc(f.columns, func(c Column) bool { return c.Name == name }); j >= 0 {
		return j, nil
	}
	if j, err := strconv.Atoi(name); err == nil {
		if j >= 0 && j < len(f.columns) {
			return j, nil
		}
		return 0, f.errorf("%s: column %d is out of range: the columns are 0..%d", role, j, len(f.columns)-1)
	}
	return 0, f.errorf("%s: no column %q", role, name)
}

// The rows and cells of a block are at most these.
const mostRows, mostCells = 1 << 16, 1 << 22

// Blocks reads the rows, each time from the first one, with the columns in the
// given roles; row ids below 0 count plus 2⁶⁴. A block is valid until the next. Its
// features are [aoso.CategoricalFeatures], whose categories are those so far. At most
// some ten MB are in memory, beside the categories and the pages (Parquet) or the
// record batch (Arrow) that the rows are in. An error names the file, and the column
// if one is to blame, and ends the rows.
func (f *File) Blocks(r Roles) iter.Seq2[aoso.Block, error] {
	return func(yield func(aoso.Block, error) bool) {
		err := f.guard(func() error {
			return f.blocks(r, func(b aoso.Block) error {
				return f.call(func() error {
					if !yield(b, nil) {
						return errStopped
					}
					return nil
				})
			})
		})
		if err != nil && err != errStopped {
			yield(aoso.Block{}, err)
		}
	}
}

var errStopped = errors.New("the caller wants no more blocks")

func (f *File) blocks(r Roles, give func(aoso.Block) error) error {
	a, err := f.Assign(r)
	if err != nil {
		return err
	}
	var all []*column
	pick := func(j int, role role) *column {
		if j < 0 {
			return nil
		}
		c := &column{Column: f.columns[j], index: j, role: role}
		all = append(all, c)
		return c
	}
	features := make(table, len(a.Features))
	for i, j := range a.Features {
		features[i] = pick(j, feature)
	}
	var kept table
	for _, name := range r.Keep {
		j, err := f.find(name, "keep")
		if err != nil {
			return err
		}
		kept = append(kept, pick(j, text))
	}
	label, weight, id := pick(a.Label, label), pick(a.Weight, weight), pick(a.RowID, rowID)
	for _, c := range all {
		if err := c.check(); err != nil {
			return err
		}
	}
	most := max(1, min(mostRows, mostCells/max(1, len(all))))
	given := 0
	return f.source.read(all, most, func(rows int) error {
		b := aoso.Block{Features: &block{features, kept, rows}}
		if weight != nil {
			b.Weights = weight.values[:rows]
		}
		if label != nil {
			var err error
			if b.Labels, err = label.labelsOf(rows, given); err != nil {
				return err
			}
		}
		if id != nil {
			var err error
			if b.RowIDs, err = id.idsOf(rows, given); err != nil {
				return err
			}
		}
		given += rows
		return give(b)
	})
}

// table is the columns of the features.
type table []*column

// block is some rows of a table.
type block struct {
	table
	kept table
	rows int
}

// Texts returns the values of a column in the features of a block, by row: of column k of Roles.Keep.
// A missing value is "".
func Texts(features aoso.Features, k int) []string {
	b := features.(*block)
	return b.kept[k].texts(b.rows)
}

func (b *block) Rows() int { return b.rows }
func (b *block) Cols() int { return len(b.table) }

func (b *block) Column(j, first int, dst []float64) { copy(dst, b.table[j].values[first:b.rows]) }

func (b *block) Categories(j int) []string {
	if b.table[j].list == nil {
		return nil
	}
	return b.table[j].list.names
}
