package main

// #include "shim.h"
import "C"

import (
	"cmp"
	"fmt"
	"math"
	"sort"
	"unsafe"

	"github.com/libaoso/aoso/internal/modelio"
)

// batches is a sequence of Arrow record batches.
type batches struct {
	rows    int
	starts  []int           // first row of each batch
	columns [][]arrowColumn // by batch, then column
	schema  *arrowSchema
}

// arrowColumn is a column of a batch.
type arrowColumn struct {
	read   arrowReader
	values unsafe.Pointer // the numbers; nil if the column is categorical
	valid  unsafe.Pointer // a bit for each value, 1 if it is not null; nil if none is null
	offset int            // the position of the first row in the arrays
}

func (b *batches) Rows() int { return b.rows }
func (b *batches) Cols() int { return len(b.schema.columns) }

func (b *batches) Column(j, first int, dst []float64) {
	for i := sort.SearchInts(b.starts, first+1) - 1; len(dst) > 0; i++ {
		end := b.rows
		if i+1 < len(b.starts) {
			end = b.starts[i+1]
		}
		n := min(end-first, len(dst))
		b.columns[i][j].copy(first-b.starts[i], dst[:n])
		first, dst = first+n, dst[n:]
	}
}

func (b *batches) Integers(j, first int, dst []int64) bool {
	if f := &b.schema.columns[j]; f.categories != nil || f.format != "l" && f.format != "L" {
		return false
	}
	for i := sort.SearchInts(b.starts, first+1) - 1; len(dst) > 0; i++ {
		end := b.rows
		if i+1 < len(b.starts) {
			end = b.starts[i+1]
		}
		n, c := min(end-first, len(dst)), &b.columns[i][j]
		for k := range n {
			dst[k] = *(*int64)(unsafe.Add(c.values, 8*(c.offset+first-b.starts[i]+k)))
		}
		first, dst = first+n, dst[n:]
	}
	return true
}

func (b *batches) Categories(j int) []string {
	if known := b.schema.columns[j].categories; known != nil {
		return known.names
	}
	return nil
}

func (c *arrowColumn) copy(first int, dst []float64) {
	first += c.offset
	c.read(first, dst)
	if c.valid != nil {
		for k := range dst {
			if !bit(c.valid, first+k) {
				dst[k] = math.NaN()
			}
		}
	}
}

// arrowSchema has the names and types of the columns.
type arrowSchema struct {
	names   []string // "" if a column has no name; nil if no column has one
	columns []arrowField
}

// arrowField says how the arrays of a column are read.
type arrowField struct {
	name       string // for errors
	format     string
	dictionary string      // the format of the dictionary's categories; "": there is no dictionary
	categories *categories // nil: the column is numeric

	last  dictionary // the dictionary that was read last
	codes []int32    // the codes of its categories
}

// dictionary identifies a dictionary by its memory.
type dictionary struct {
	values         unsafe.Pointer
	length, offset int64
}

func readSchema(c *C.struct_ArrowSchema) (*arrowSchema, error) {
	const name = "x.arrow_schema"
	switch {
	case c == nil:
		return nil, badArgument(name, null, "the schema of a record batch")
	case c.release == nil:
		return nil, badArgument(name, text("released"), "a schema that has not been released")
	}
	format, err := goString(name+".format", c.format)
	if err != nil {
		return nil, err
	}
	if format != "+s" {
		return nil, badArgument(name+".format", format, "%q, the format of a record batch", "+s")
	}
	if err := within(name+".n_children", int64(c.n_children), 0, maxCols); err != nil {
		return nil, err
	}
	if c.children == nil && c.n_children > 0 {
		return nil, badArgument(name+".children", null, "%d columns", c.n_children)
	}
	s := &arrowSchema{}
	named := false
	for j, child := range unsafe.Slice(c.children, c.n_children) {
		if child == nil {
			return nil, badArgument(fmt.Sprintf("%s.children[%d]", name, j), null, "a column")
		}
		column := ""
		if child.name != nil {
			if column, err = goString(fmt.Sprintf("%s.children[%d].name", name, j), child.name); err != nil {
				return nil, err
			}
		}
		named = named || column != ""
		field, err := readField(fmt.Sprintf("x: column %d, %q", j, cmp.Or(column, modelio.GeneratedName(j))), child)
		if err != nil {
			return nil, err
		}
		s.names, s.columns = append(s.names, column), append(s.columns, field)
	}
	if !named {
		s.names = nil
	}
	return s, nil
}

func readField(name string, c *C.struct_ArrowSchema) (f arrowField, err error) {
	f.name = name
	if f.format, err = goString(name+", format", c.format); err != nil {
		return f, err
	}
	if c.dictionary != nil {
		if f.dictionary, err = goString(name+", format of the dictionary", c.dictionary.format); err != nil {
			return f, err
		}
		if !isArrowInteger(f.format) {
			return f, badArgument(name, text("of Arrow type "+f.format+" with a dictionary"), "integers")
		}
		if c.dictionary.dictionary != nil || arrowTexts[f.dictionary] == nil && arrowNumbers(f.dictionary) == nil {
			return f, badArgument(name, text("a dictionary of Arrow type "+f.dictionary), "texts, numbers, booleans and times")
		}
	}
	switch {
	case f.dictionary != "" || arrowTexts[f.format] != nil:
		f.categories = newCategories(name)
	case f.format != "n" && arrowNumbers(f.format) == nil:
		return f, badArgument(name, text("of Arrow type "+f.format),
			"integers, float32, float64, decimals, booleans, texts, dictionaries, dates, timestamps, times and durations")
	}
	return f, nil
}

// add appends a record batch to b.
func (b *batches) add(a *C.struct_ArrowArray) error {
	const name = "x.arrow_array"
	columns := b.schema.columns
	switch {
	case a == nil:
		return badArgument(name, null, "a record batch")
	case a.release == nil:
		return badArgument(name, text("released"), "a record batch that has not been released")
	case int64(a.n_children) != int64(len(columns)):
		return badArgument(name+".n_children", a.n_children, "%d, as in the schema", len(columns))
	case a.children == nil && a.n_children > 0:
		return badArgument(name+".children", null, "%d columns", a.n_children)
	}
	if err := within(name+".length", int64(a.length), 0, int64(maxRows-b.rows)); err != nil {
		return err
	}
	if err := within(name+".offset", int64(a.offset), 0, maxValues); err != nil {
		return err
	}
	if a.null_count != 0 && a.buffers != nil && a.n_buffers > 0 {
		if valid := *a.buffers; valid != nil {
			for i := range int(a.length) {
				if !bit(valid, int(a.offset)+i) {
					return badArgument(fmt.Sprintf("%s, row %d", name, i), null, "a row that is not null; its values may be null")
				}
			}
		}
	}
	read := make([]arrowColumn, len(columns))
	for j, child := range unsafe.Slice(a.children, a.n_children) {
		if child == nil {
			return badArgument(fmt.Sprintf("%s.children[%d]", name, j), null, "a column")
		}
		if err := columns[j].read(child, int64(a.offset), int64(a.length), &read[j]); err != nil {
			return err
		}
	}
	if a.length == 0 {
		return nil
	}
	b.starts = append(b.starts, b.rows)
	b.columns = append(b.columns, read)
	b.rows += int(a.length)
	return nil
}

func useArrow(a *C.struct_ArrowArray, c *C.struct_ArrowSchema, use func(*matrix) error) error {
	s, err := readSchema(c)
	if err != nil {
		return err
	}
	b := &batches{schema: s}
	if err := b.add(a); err != nil {
		return err
	}
	return use(&matrix{b, s.names, b.Cols()})
}

func useStream(c *C.struct_ArrowArrayStream, use func(*matrix) error) error {
	const name = "x.arrow_stream"
	switch {
	case c == nil:
		return badArgument(name, null, "a stream of record batches")
	case c.release == nil:
		return badArgument(name, text("released"), "a stream that has not been released")
	}
	defer C.shim_release_stream(c)
	if c.get_schema == nil || c.get_next == nil {
		return badArgument(name, text("without get_schema or get_next"), "a stream with both functions")
	}
	failed := func(what string, code C.int) error {
		reason := ""
		if message := C.shim_stream_error(c); message != nil {
			reason = ": " + C.GoString(message)
		}
		return onFile(fmt.Errorf("aoso: %s: %s returned %d%s", name, what, code, reason))
	}
	schema := new(C.struct_ArrowSchema)
	if code := C.shim_stream_schema(c, schema); code != 0 {
		return failed("get_schema", code)
	}
	defer C.shim_release_schema(schema)
	s, err := readSchema(schema)
	if err != nil {
		return err
	}
	b := &batches{schema: s}
	for {
		batch := new(C.struct_ArrowArray)
		if code := C.shim_stream_next(c, batch); code != 0 {
			return failed("get_next", code)
		}
		if batch.release == nil {
			return use(&matrix{b, s.names, b.Cols()})
		}
		defer C.shim_release_array(batch)
		if err := b.add(batch); err != nil {
			return err
		}
	}
}
