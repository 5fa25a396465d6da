package main

// #include "shim.h"
import "C"

import (
	"fmt"
	"math"
	"sort"
	"unsafe"

	"github.com/libaoso/aoso"
)

// table is a sequence of Arrow record batches.
type table struct {
	rows    int
	starts  []int           // first row of each batch
	batches [][]arrowColumn // by batch, then column
	cols    int
}

// arrowColumn is a column of a batch.
type arrowColumn struct {
	read   arrowReader
	values unsafe.Pointer
	valid  unsafe.Pointer // a bit for each value, 1 if it is not null; nil if none is null
	offset int
}

// arrowReader copies len(dst) values to dst, starting with value number at.
type arrowReader func(values unsafe.Pointer, at int, dst []float64)

var arrowReaders = map[string]arrowReader{
	"b": readBits,
	"c": readValues[int8], "s": readValues[int16], "i": readValues[int32], "l": readValues[int64],
	"C": readValues[uint8], "S": readValues[uint16], "I": readValues[uint32], "L": readValues[uint64],
	"f": readValues[float32], "g": readValues[float64],
}

func readValues[T aoso.Number](values unsafe.Pointer, at int, dst []float64) {
	for k := range dst {
		dst[k] = float64(*(*T)(unsafe.Add(values, (at+k)*int(unsafe.Sizeof(*new(T))))))
	}
}

func readBits(values unsafe.Pointer, at int, dst []float64) {
	for k := range dst {
		dst[k] = 0
		if bit(values, at+k) {
			dst[k] = 1
		}
	}
}

func bit(bits unsafe.Pointer, i int) bool {
	return *(*byte)(unsafe.Add(bits, i>>3))>>(i&7)&1 != 0
}

func (t *table) Rows() int { return t.rows }
func (t *table) Cols() int { return t.cols }

func (t *table) Column(j, first int, dst []float64) {
	for b := sort.SearchInts(t.starts, first+1) - 1; len(dst) > 0; b++ {
		end := t.rows
		if b+1 < len(t.starts) {
			end = t.starts[b+1]
		}
		n := min(end-first, len(dst))
		t.batches[b][j].copy(first-t.starts[b], dst[:n])
		first, dst = first+n, dst[n:]
	}
}

func (c *arrowColumn) copy(first int, dst []float64) {
	first += c.offset
	c.read(c.values, first, dst)
	if c.valid != nil {
		for k := range dst {
			if !bit(c.valid, first+k) {
				dst[k] = math.NaN()
			}
		}
	}
}

// arrowSchema has the names of the columns and the readers for their types.
type arrowSchema struct {
	names   []string
	readers []arrowReader
}

func (s *arrowSchema) column(j int) string { return fmt.Sprintf("x: column %d, %q", j, s.names[j]) }

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
		if column == "" {
			column = fmt.Sprintf("f%d", j)
		}
		s.names = append(s.names, column)
		if child.dictionary != nil {
			return nil, badArgument(s.column(j), text("dictionary-encoded"), "numbers or booleans without a dictionary")
		}
		format, err := goString(s.column(j)+", format", child.format)
		if err != nil {
			return nil, err
		}
		reader := arrowReaders[format]
		if reader == nil {
			return nil, badArgument(s.column(j), text("of Arrow type "+format), "integers, float32, float64 and booleans (types c, C, s, S, i, I, l, L, f, g, b)")
		}
		s.readers = append(s.readers, reader)
	}
	return s, nil
}

// add appends a record batch to t.
func (s *arrowSchema) add(t *table, a *C.struct_ArrowArray) error {
	const name = "x.arrow_array"
	switch {
	case a == nil:
		return badArgument(name, null, "a record batch")
	case a.release == nil:
		return badArgument(name, text("released"), "a record batch that has not been released")
	case int64(a.n_children) != int64(len(s.readers)):
		return badArgument(name+".n_children", a.n_children, "%d, as in the schema", len(s.readers))
	case a.children == nil && a.n_children > 0:
		return badArgument(name+".children", null, "%d columns", a.n_children)
	}
	if err := within(name+".length", int64(a.length), 0, int64(maxRows-t.rows)); err != nil {
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
	columns := make([]arrowColumn, len(s.readers))
	for j, child := range unsafe.Slice(a.children, a.n_children) {
		if child == nil {
			return badArgument(fmt.Sprintf("%s.children[%d]", name, j), null, "a column")
		}
		if err := s.read(j, child, int64(a.offset), int64(a.length), &columns[j]); err != nil {
			return err
		}
	}
	if a.length == 0 {
		return nil
	}
	t.starts = append(t.starts, t.rows)
	t.batches = append(t.batches, columns)
	t.rows += int(a.length)
	return nil
}

// read sets column to column j of a batch with the given rows.
func (s *arrowSchema) read(j int, a *C.struct_ArrowArray, offset, length int64, column *arrowColumn) error {
	name := s.column(j)
	if err := within(name+", length", int64(a.length), offset+length, maxValues); err != nil {
		return err
	}
	if err := within(name+", offset", int64(a.offset), 0, maxValues); err != nil {
		return err
	}
	if length == 0 { // an empty column need not have buffers
		return nil
	}
	if a.n_buffers != 2 || a.buffers == nil {
		return badArgument(name+", n_buffers", a.n_buffers, "2")
	}
	buffers := unsafe.Slice(a.buffers, 2)
	switch {
	case buffers[1] == nil:
		return badArgument(name+", values", null, "%d values", length)
	case buffers[0] == nil && a.null_count > 0:
		return badArgument(name+", validity", null, "a bitmap, because %d values are null", a.null_count)
	}
	*column = arrowColumn{s.readers[j], buffers[1], nil, int(int64(a.offset) + offset)}
	if a.null_count != 0 {
		column.valid = buffers[0]
	}
	return nil
}

func useArrow(a *C.struct_ArrowArray, c *C.struct_ArrowSchema, use func(*matrix) error) error {
	s, err := readSchema(c)
	if err != nil {
		return err
	}
	t := &table{cols: len(s.names)}
	if err := s.add(t, a); err != nil {
		return err
	}
	return use(&matrix{t, s.names, t.cols})
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
	t := &table{cols: len(s.names)}
	for {
		batch := new(C.struct_ArrowArray)
		if code := C.shim_stream_next(c, batch); code != 0 {
			return failed("get_next", code)
		}
		if batch.release == nil {
			return use(&matrix{t, s.names, t.cols})
		}
		defer C.shim_release_array(batch)
		if err := s.add(t, batch); err != nil {
			return err
		}
	}
}
