package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/cmd/aoso/internal/table"
	"github.com/libaoso/aoso/columnar"
	"github.com/libaoso/aoso/internal/mem"
)

// checkFormat checks the value of --format.
func checkFormat(format string) error {
	if formats := []string{"", "auto", "csv", "libsvm", "parquet", "arrow"}; !slices.Contains(formats, format) {
		return fmt.Errorf("format is %q; allowed: auto, csv, libsvm, parquet or arrow", format)
	}
	return nil
}

// readFile reads a data file in any format. The first bytes tell it, unless --format
// does.
func readFile(file string, o table.Options) (*table.Table, error) {
	if err := checkFormat(o.Format); err != nil {
		return nil, err
	}
	in, name := os.Stdin, "stdin"
	if file != "-" {
		var err error
		if in, err = os.Open(file); err != nil {
			return table.Read(file, o) // which has the error for it
		}
		defer in.Close()
		name = file
	}
	c := &columnarFile{name: name, options: o}
	f, text, err := openColumnar(in, name, o.Format, func(bytes int) { c.bytes += int64(bytes) })
	if err != nil {
		return nil, err
	}
	if f == nil {
		return table.Parse(text, name, o)
	}
	if info, err := in.Stat(); err == nil && info.Mode().IsRegular() {
		c.bytes = info.Size()
	}
	c.file = f
	return gather(c)
}

// newBlockFile returns a data file in any format, which is read later. progress is told
// of every read.
func newBlockFile(file string, o table.Options, progress func(bytes int)) (blockFile, error) {
	if err := checkFormat(o.Format); err != nil {
		return nil, err
	}
	if in, err := os.Open(file); err == nil {
		f, _, err := openColumnar(in, file, o.Format, progress)
		if f != nil {
			return &columnarFile{file: f, name: file, options: o, in: in}, nil
		}
		in.Close()
		if err != nil {
			return nil, err
		}
	}
	f := table.NewFile(file, o)
	f.Progress = progress
	return f, nil
}

// openColumnar opens a Parquet or Arrow file in a format that --format allows; nil
// if it is another one, which is read as text. progress, unless nil, is told of every
// read.
func openColumnar(in *os.File, name, format string, progress func(bytes int)) (*columnar.File, io.Reader, error) {
	if format == "csv" || format == "libsvm" {
		return nil, in, nil
	}
	const magic = 8
	found, start, size := columnar.Unknown, int64(0), int64(-1)
	var pipe *bufio.Reader // nil: in can be read at any place
	info, err := in.Stat()
	if err == nil && info.Mode().IsRegular() {
		if start, err = in.Seek(0, io.SeekCurrent); err != nil {
			return nil, nil, &table.Error{File: name, Msg: err.Error(), Err: err}
		}
		size = info.Size() - start
		bytes := make([]byte, magic)
		n, _ := in.ReadAt(bytes, start)
		found = columnar.FormatOf(bytes[:n])
	} else {
		pipe = bufio.NewReader(in)
		bytes, _ := pipe.Peek(magic)
		found = columnar.FormatOf(bytes)
	}
	failed := func(msg string) (*columnar.File, io.Reader, error) {
		return nil, nil, &table.Error{File: name, Msg: msg}
	}
	switch {
	case format == "parquet" && found != columnar.Parquet:
		return failed("is not a Parquet file")
	case format == "arrow" && found != columnar.ArrowFile && found != columnar.ArrowStream:
		return failed("is neither an Arrow IPC file nor an Arrow IPC stream")
	case found == columnar.Unknown && pipe == nil:
		return nil, in, nil
	case found == columnar.Unknown:
		return nil, pipe, nil
	case pipe == nil:
		f, err := columnar.New(&countedAt{io.NewSectionReader(in, start, size), progress}, size, name)
		return f, nil, err
	case found == columnar.ArrowStream:
		f, err := columnar.NewStream(&countedReader{pipe, progress}, name)
		return f, nil, err
	}
	return failed("a Parquet file or an Arrow IPC file is read from its end, which a pipe does not allow; allowed: a file, or an Arrow IPC stream")
}

// columnarFile is a Parquet or Arrow file as tables.
type columnarFile struct {
	file    *columnar.File
	name    string
	options table.Options
	in      *os.File     // kept open; nil: others keep it
	known   *table.Table // what the columns are, once the rows were read
	bytes   int64        // of the file, or of a pipe those read so far
}

// Facts returns the table without its rows, once the file was read.
func (c *columnarFile) Facts() *table.Table { return c.known }

// Size returns the size of the file in bytes.
func (c *columnarFile) Size() int64 {
	info, err := c.in.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// countedReader is a reader that tells how much it has read.
type countedReader struct {
	io.Reader
	progress func(bytes int) // nil: nobody asks
}

func (c *countedReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	if c.progress != nil {
		c.progress(n)
	}
	return n, err
}

// countedAt is a reader that tells how much it has read.
type countedAt struct {
	io.ReaderAt
	progress func(bytes int) // nil: nobody asks
}

func (c *countedAt) ReadAt(b []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(b, at)
	if c.progress != nil {
		c.progress(n)
	}
	return n, err
}

// Blocks reads the rows, each time from the first one, if it is not of a pipe. A
// block is valid until the next.
func (c *columnarFile) Blocks() iter.Seq2[*table.Table, error] {
	return func(yield func(*table.Table, error) bool) {
		found, roles, err := c.roles()
		if err == nil {
			c.known, err = c.facts(found)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		t := *c.known
		t.Columns = make([][]float64, len(c.known.Columns))
		rows, before := 0, make([]int, len(c.known.Columns)) // before: categories of the blocks so far
		for b, err := range c.file.Blocks(roles) {
			if err != nil {
				yield(nil, err)
				return
			}
			t.Rows = b.Features.Rows()
			t.Labels = t.Labels[:0]
			for _, l := range b.Labels {
				t.Labels = append(t.Labels, l.Value())
			}
			for j := range t.Columns {
				t.Columns[j] = slices.Grow(t.Columns[j][:0], t.Rows)[:t.Rows]
				b.Features.Column(j, 0, t.Columns[j])
				if t.Categories != nil && t.Categories[j] != nil {
					t.Categories[j] = b.Features.(aoso.CategoricalFeatures).Categories(j)
				}
			}
			if err := cmp.Or(c.checkTexts(&t, before), c.checkIntegers(&t, found)); err != nil {
				yield(nil, err)
				return
			}
			t.IDs, t.Weights = b.RowIDs, b.Weights
			for k := range t.Kept {
				t.Kept[k].Cells = columnar.Texts(b.Features, k)
			}
			rows += t.Rows
			if !yield(&t, nil) {
				return
			}
		}
		if rows == 0 {
			yield(nil, &table.Error{File: c.name, Msg: "has no rows", Err: table.ErrNoRows})
		}
	}
}

// roles says what the columns are for.
func (c *columnarFile) roles() (*table.Roles, columnar.Roles, error) {
	columns := c.file.Columns()
	names, index := make([]string, len(columns)), make([]bool, len(columns))
	for j, column := range columns {
		names[j], index[j] = column.Name, column.Index
	}
	found, err := c.options.RolesOf(names, index)
	if err != nil {
		return nil, columnar.Roles{}, &table.Error{File: c.name, Msg: err.Error()}
	}
	named := func(j int) string {
		if j < 0 {
			return ""
		}
		return names[j]
	}
	roles := columnar.Roles{Label: "none", Weight: named(found.Weight), RowID: named(found.RowID), WithIndex: true}
	if found.Label >= 0 {
		roles.Label = names[found.Label]
	}
	for _, j := range slices.Concat(found.Ignored, found.Strange) {
		roles.Ignore = append(roles.Ignore, names[j])
	}
	for _, j := range found.Kept {
		roles.Keep = append(roles.Keep, names[j])
	}
	return found, roles, nil
}

// facts returns what the columns are.
func (c *columnarFile) facts(r *table.Roles) (*table.Table, error) {
	failed := func(format string, args ...any) (*table.Table, error) {
		return nil, &table.Error{File: c.name, Msg: fmt.Sprintf(format, args...)}
	}
	if len(r.Features) == 0 && c.options.Names == nil {
		return failed("has no features beside the label")
	}
	columns := c.file.Columns()
	t := &table.Table{Names: []string{}, Columns: make([][]float64, len(r.Features))}
	for i, j := range r.Features {
		column := columns[j]
		kind := map[columnar.Kind]table.Kind{columnar.Dates: table.Dates, columnar.Booleans: table.Booleans, columnar.Categories: table.Categories}[column.Kind]
		t.Names, t.Kinds = append(t.Names, column.Name), append(t.Kinds, kind)
		switch {
		case kind == table.Categories && slices.Contains(r.Numeric, j):
			return failed("column %q is of type %s, and the column must be numeric", column.Name, column.Type)
		case kind == table.Categories:
			if t.Categories == nil {
				t.Categories = make([][]string, len(r.Features))
			}
			t.Categories[i] = []string{}
		case slices.Contains(r.Coded, j):
			t.Coded = append(t.Coded, i)
		}
	}
	if r.Label >= 0 {
		t.LabelName, t.Labels = columns[r.Label].Name, []string{}
	}
	for _, j := range r.Ignored {
		name := columns[j].Name
		if columns[j].Index {
			name += " (index of pandas)"
		}
		t.Ignored = append(t.Ignored, name)
	}
	for _, j := range r.Kept {
		t.Kept = append(t.Kept, table.Kept{Name: columns[j].Name})
	}
	for _, j := range r.Strange {
		t.Strange = append(t.Strange, columns[j].Name)
	}
	return t, nil
}

// checkTexts checks the lengths of the categories that a block has added.
func (c *columnarFile) checkTexts(t *table.Table, before []int) error {
	for j, names := range t.Categories {
		for _, name := range names[min(before[j], len(names)):] {
			if most := c.options.MaxCell(); len(name) > most {
				return &table.Error{File: c.name, Column: t.Names[j], Msg: fmt.Sprintf("a cell has %d bytes; allowed: at most %d, unless --max-cell allows more", len(name), most)}
			}
		}
		before[j] = len(names)
	}
	return nil
}

// checkIntegers refuses integers that stand for categories if float64, as which they are
// read, may round them: different categories would become one.
func (c *columnarFile) checkIntegers(t *table.Table, r *table.Roles) error {
	const exact = 1 << 53
	columns := c.file.Columns()
	for i, j := range r.Features {
		ofModel := i < len(c.options.NumericFeatures) && !c.options.NumericFeatures[i]
		if !strings.Contains(strings.ToLower(columns[j].Type), "int") || !ofModel && !slices.Contains(t.Coded, i) {
			continue
		}
		if slices.ContainsFunc(t.Columns[i], func(v float64) bool { return math.Abs(v) >= exact }) {
			return &table.Error{File: c.name, Column: columns[j].Name, Msg: "has categories that are integers beyond 2^53, of which some would be taken for the same; allowed: smaller integers, or these as strings"}
		}
	}
	return nil
}

// fits checks that this number of rows of all columns may be in memory: the file may claim
// more than it has bytes for.
func (c *columnarFile) fits(rows int64, columns int) error {
	const share = 0.75 // of the memory
	takes, memory := 8*float64(rows)*float64(columns), share*mem.Plannable()
	failed := func(format string, args ...any) error {
		return &table.Error{File: c.name, Msg: fmt.Sprintf(format, args...)}
	}
	switch allowed := c.options.Bytes(c.bytes, true); {
	case takes > memory:
		return failed("%d rows take more than %.3g GB, %d %% of the memory there is", rows, memory/1e9, int(100*share))
	case takes > allowed:
		return failed("%d rows take %.3g GB, which is too much for %d bytes of the file: more than %.3g GB; --max-ratio allows more", rows, takes/1e9, c.bytes, allowed/1e9)
	}
	return nil
}

// gather reads all rows of a file.
func gather(c *columnarFile) (*table.Table, error) {
	if found, _, err := c.roles(); err == nil {
		if err := c.fits(c.file.Rows(), len(found.Features)+2); err != nil {
			return nil, err
		}
	}
	var columns [][]float64
	var labels []string
	var ids []uint64
	var weights []float64
	var kept []table.Kept
	rows := 0
	for t, err := range c.Blocks() {
		if err != nil {
			return nil, err
		}
		if columns == nil {
			columns, kept = make([][]float64, len(t.Columns)), make([]table.Kept, len(t.Kept))
		}
		for k, column := range t.Kept {
			kept[k] = table.Kept{Name: column.Name, Cells: append(kept[k].Cells, column.Cells...)}
		}
		rows += t.Rows
		if err := c.fits(int64(rows), len(columns)+2); err != nil {
			return nil, err
		}
		for j, column := range t.Columns {
			columns[j] = append(columns[j], column...)
		}
		labels, ids, weights = append(labels, t.Labels...), append(ids, t.IDs...), append(weights, t.Weights...)
	}
	t := *c.known
	t.Columns, t.Labels, t.IDs, t.Weights, t.Kept, t.Rows = columns, labels, ids, weights, kept, rows
	return &t, nil
}
