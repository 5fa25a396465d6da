package main

// #include "shim.h"
import "C"

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/category"
)

// table is a table of columns of any kind and type.
type table struct {
	rows    int
	columns []column
}

// column is a column of a table.
type column struct {
	read       func(first int, dst []float64)
	integers   unsafe.Pointer // the first number, if the numbers are 64-bit integers; otherwise nil
	stride     int            // of integers, in bytes
	categories []string       // nil: the column is numeric
}

func (t *table) Rows() int                          { return t.rows }
func (t *table) Cols() int                          { return len(t.columns) }
func (t *table) Column(j, first int, dst []float64) { t.columns[j].read(first, dst) }
func (t *table) Integers(j, first int, dst []int64) bool {
	c := &t.columns[j]
	return c.integers != nil && copyIntegers(dst, c.integers, first*c.stride, c.stride)
}

func (t *table) Categories(j int) []string { return t.columns[j].categories }

func readTable(x *C.aoso_matrix) (*matrix, error) {
	rows, cols := int(x.rows), int(x.cols)
	if cols > 0 && x.table == nil {
		return nil, badArgument("x.table", null, "%d columns", cols)
	}
	if err := affordable("x", float64(cols)*columnBytes); err != nil {
		return nil, err
	}
	t := &table{rows: rows} // columns are appended, as cols may be larger than the table
	size := uintptr(0)
	if cols > 0 {
		size = structSize(unsafe.Pointer(x.table))
	}
	for j := range cols {
		name := fmt.Sprintf("x.table[%d]", j)
		p := (*C.aoso_column)(unsafe.Add(unsafe.Pointer(x.table), uintptr(j)*size))
		c, err := readStruct(name, p, C.aoso_column{})
		if err != nil {
			return nil, err
		}
		if uintptr(c.struct_size) != size {
			return nil, badArgument(name+".struct_size", c.struct_size, "%d, as in column 0", size)
		}
		column, err := readColumn(name, c, rows)
		if err != nil {
			return nil, err
		}
		t.columns = append(t.columns, column)
	}
	return &matrix{t, nil, cols}, nil
}

func readColumn(name string, c *C.aoso_column, rows int) (column, error) {
	if c.kind != C.AOSO_NUMERIC && c.kind != C.AOSO_CATEGORICAL {
		return column{}, badArgument(name+".kind", c.kind, "AOSO_NUMERIC (%d) or AOSO_CATEGORICAL (%d)", C.AOSO_NUMERIC, C.AOSO_CATEGORICAL)
	}
	switch c.dtype {
	case C.AOSO_INT8:
		return readIntegers[int8](name, c, rows)
	case C.AOSO_INT16:
		return readIntegers[int16](name, c, rows)
	case C.AOSO_INT32:
		return readIntegers[int32](name, c, rows)
	case C.AOSO_INT64:
		return readIntegers[int64](name, c, rows)
	case C.AOSO_UINT8:
		return readIntegers[uint8](name, c, rows)
	case C.AOSO_UINT16:
		return readIntegers[uint16](name, c, rows)
	case C.AOSO_UINT32:
		return readIntegers[uint32](name, c, rows)
	case C.AOSO_UINT64:
		return readIntegers[uint64](name, c, rows)
	}
	if c.kind == C.AOSO_CATEGORICAL {
		return column{}, badArgument(name+".dtype", c.dtype, "AOSO_INT8 (%d) to AOSO_UINT64 (%d), because the column is categorical", C.AOSO_INT8, C.AOSO_UINT64)
	}
	switch c.dtype {
	case C.AOSO_FLOAT32:
		return readNumbers[float32](name, c, rows)
	case C.AOSO_FLOAT64:
		return readNumbers[float64](name, c, rows)
	}
	return column{}, badArgument(name+".dtype", c.dtype, "AOSO_FLOAT32 (%d) to AOSO_UINT64 (%d)", C.AOSO_FLOAT32, C.AOSO_UINT64)
}

func readNumbers[T aoso.Number](name string, c *C.aoso_column, rows int) (column, error) {
	values, err := stridedColumn[T](name, c, rows)
	if err != nil {
		return column{}, err
	}
	read := column{read: func(first int, dst []float64) { values.Column(0, first, dst) }}
	if isWhole[T]() {
		read.integers, read.stride = values.origin, values.rowStride
	}
	return read, nil
}

func stridedColumn[T aoso.Number](name string, c *C.aoso_column, rows int) (*strided[T], error) {
	if c.data == nil && rows > 0 {
		return nil, badArgument(name+".data", null, "%d values", rows)
	}
	size := int(unsafe.Sizeof(*new(T)))
	if rows > 1 && math.Abs(float64(c.stride))*float64(rows-1) > float64(maxValues/size) {
		return nil, badArgument(name+".stride", c.stride, "a stride with which all values fit in the address space")
	}
	return &strided[T]{origin: c.data, rows: rows, cols: 1, rowStride: int(c.stride) * size}, nil
}

func readIntegers[T aoso.Integer](name string, c *C.aoso_column, rows int) (column, error) {
	if c.kind == C.AOSO_NUMERIC {
		return readNumbers[T](name, c, rows)
	}
	values, err := stridedColumn[T](name, c, rows)
	if err != nil {
		return column{}, err
	}
	known := newCategories(name)
	numbers, err := readNames(name, c, known)
	if err != nil {
		return column{}, err
	}
	for i := range rows {
		if code := values.at(i); code >= 0 && uint64(code) >= uint64(len(numbers)) {
			return column{}, badArgument(fmt.Sprintf("%s: code of row %d", name, i), code, "below %d, the number of categories", len(numbers))
		}
	}
	return column{read: func(first int, dst []float64) {
		for k := range dst {
			dst[k] = value(int64(values.at(first+k)), numbers)
		}
	}, categories: known.names}, nil
}

// value returns the position of a code's category, or NaN if the value is missing.
func value(code int64, numbers []int32) float64 {
	if code < 0 || numbers[code] == missingCode {
		return math.NaN()
	}
	return float64(numbers[code])
}

// readNames adds the categories of a column to known, and returns their codes.
func readNames(name string, c *C.aoso_column, known *categories) ([]int32, error) {
	n := int64(c.num_categories)
	if err := within(name+".num_categories", n, 0, category.MaxCategories); err != nil {
		return nil, err
	}
	if c.names != nil {
		names := unsafe.Slice(c.names, n)
		return known.codesOf(n, func(k int) (string, error) {
			if names[k] == nil {
				return "", badArgument(fmt.Sprintf("%s.names[%d]", name, k), null, "a string")
			}
			return hostString(names[k]), nil
		})
	}
	if n == 0 {
		return nil, nil
	}
	if c.text_offsets == nil {
		return nil, badArgument(name+".names", null, "%d names, or all in text with text_offsets", n)
	}
	all := texts[int64]{name, unsafe.Pointer(c.text), unsafe.Pointer(c.text_offsets)}
	return known.codesOf(n, all.at)
}
