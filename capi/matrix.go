package main

// #include "shim.h"
import "C"

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/modelio"
)

// matrix is a matrix in memory of the host. It is valid during the call that it
// was passed to.
type matrix struct {
	aoso.Features
	names []string // names of the columns, "" for a column without a name; nil: no column has one
	dense int      // upper bound of the number of columns that are not constant
}

// affordable returns an error if there is not enough memory for a dataset with the matrix.
func (m *matrix) affordable() error {
	const quantizing = 8 // bytes for each row while the bins of a column are chosen
	return affordable("the dataset", float64(m.Rows())*(float64(m.dense)+labelBytes+quantizing)+float64(m.Cols())*columnBytes)
}

// useMatrix calls use with the matrix that p describes. It releases a stream in any case.
func useMatrix(p *C.aoso_matrix, use func(*matrix) error) error {
	if p == nil {
		return badArgument("x", null, "a matrix")
	}
	x, err := readStruct("x", p, C.aoso_matrix{})
	if err != nil {
		return err
	}
	watch := func(m *matrix) error {
		m.Features = watched(m.Features)
		return use(m)
	}
	switch x.layout {
	case C.AOSO_ARROW:
		return useArrow(x.arrow_array, x.arrow_schema, watch)
	case C.AOSO_ARROW_STREAM:
		return useStream(x.arrow_stream, watch)
	}
	m, err := readMatrix(x)
	if err != nil {
		return err
	}
	return watch(m)
}

// featureNames returns the names of the columns, and generated names for columns without a name; nil if no column has one.
func (m *matrix) featureNames() []string {
	names := slices.Clone(m.names)
	for j, name := range names {
		names[j] = cmp.Or(name, modelio.GeneratedName(j))
	}
	return names
}

// match puts the columns of the matrix into the order of the features, if both have names.
func (m *matrix) match(features []string, named bool) error {
	names := m.names
	if !slices.Contains(features, "") {
		names = m.featureNames()
	}
	positions, missing := data.Match(names, features, named)
	if len(missing) > 0 {
		return badArgument("x", text(fmt.Sprintf("a table without the column %q", missing[0])), "one with all %d features: %d of them are missing", len(features), len(missing))
	}
	if positions == nil {
		return nil
	}
	count := map[string]int{}
	for _, name := range names {
		count[name]++
	}
	for _, j := range positions {
		if name := names[j]; count[name] > 1 {
			return badArgument("x", text(fmt.Sprintf("a table with %d columns %q", count[name], name)), "one column for each feature")
		}
	}
	m.Features, m.names = category.Picked(m.Features, positions), nil
	return nil
}

func readMatrix(x *C.aoso_matrix) (*matrix, error) {
	if err := within("x.rows", int64(x.rows), 0, maxRows); err != nil {
		return nil, err
	}
	if err := within("x.cols", int64(x.cols), 0, maxCols); err != nil {
		return nil, err
	}
	if x.layout == C.AOSO_TABLE {
		return readTable(x)
	}
	switch x.dtype {
	case C.AOSO_FLOAT32:
		return readLayout[float32](x)
	case C.AOSO_FLOAT64:
		return readLayout[float64](x)
	case C.AOSO_INT8:
		return readLayout[int8](x)
	case C.AOSO_INT16:
		return readLayout[int16](x)
	case C.AOSO_INT32:
		return readLayout[int32](x)
	case C.AOSO_INT64:
		return readLayout[int64](x)
	case C.AOSO_UINT8:
		return readLayout[uint8](x)
	case C.AOSO_UINT16:
		return readLayout[uint16](x)
	case C.AOSO_UINT32:
		return readLayout[uint32](x)
	case C.AOSO_UINT64:
		return readLayout[uint64](x)
	}
	return nil, badArgument("x.dtype", x.dtype, "AOSO_FLOAT32 (%d) to AOSO_UINT64 (%d)", C.AOSO_FLOAT32, C.AOSO_UINT64)
}

func readLayout[T aoso.Number](x *C.aoso_matrix) (*matrix, error) {
	switch x.layout {
	case C.AOSO_DENSE:
		return readDense[T](x)
	case C.AOSO_COLUMNS:
		return readColumns[T](x)
	case C.AOSO_CSR, C.AOSO_CSC:
		switch x.index_dtype {
		case C.AOSO_INT32:
			return readCompressed[T, int32](x)
		case C.AOSO_INT64:
			return readCompressed[T, int64](x)
		}
		return nil, badArgument("x.index_dtype", x.index_dtype, "AOSO_INT32 (%d) or AOSO_INT64 (%d)", C.AOSO_INT32, C.AOSO_INT64)
	}
	return nil, badArgument("x.layout", x.layout, "AOSO_DENSE (%d) to AOSO_TABLE (%d)", C.AOSO_DENSE, C.AOSO_TABLE)
}

func readDense[T aoso.Number](x *C.aoso_matrix) (*matrix, error) {
	rows, cols := int64(x.rows), int64(x.cols)
	if rows > 0 && cols > 0 && x.data == nil {
		return nil, badArgument("x.data", null, "%d × %d values", rows, cols)
	}
	size := int64(unsafe.Sizeof(*new(T)))
	for _, s := range []struct {
		name          string
		stride, steps int64
	}{{"x.row_stride", int64(x.row_stride), rows - 1}, {"x.col_stride", int64(x.col_stride), cols - 1}} {
		// The product is computed in float64 because int64 could overflow.
		if s.steps > 0 && math.Abs(float64(s.stride))*float64(s.steps) > float64(maxValues/size) {
			return nil, badArgument(s.name, s.stride, "a stride with which all elements fit in the address space")
		}
	}
	return &matrix{&strided[T]{
		origin: x.data, rows: int(rows), cols: int(cols),
		rowStride: int(int64(x.row_stride) * size), colStride: int(int64(x.col_stride) * size),
	}, nil, int(cols)}, nil
}

// strided is a dense matrix. Strides are in bytes and may be negative.
type strided[T aoso.Number] struct {
	origin               unsafe.Pointer
	rows, cols           int
	rowStride, colStride int
}

func (s *strided[T]) Rows() int { return s.rows }
func (s *strided[T]) Cols() int { return s.cols }

func (s *strided[T]) Column(j, first int, dst []float64) {
	for k := range dst {
		dst[k] = float64(*(*T)(unsafe.Add(s.origin, j*s.colStride+(first+k)*s.rowStride)))
	}
}

func (s *strided[T]) Integers(j, first int, dst []int64) bool {
	return isWhole[T]() && copyIntegers(dst, s.origin, j*s.colStride+first*s.rowStride, s.rowStride)
}

// copyIntegers copies 64-bit integers to dst, from offset at of the origin on, stride bytes apart. It returns true.
func copyIntegers(dst []int64, origin unsafe.Pointer, at, stride int) bool {
	for k := range dst {
		dst[k] = *(*int64)(unsafe.Add(origin, at+k*stride))
	}
	return true
}

// isWhole reports whether T is a type of 64-bit integers, which float64 may round.
func isWhole[T aoso.Number]() bool {
	one := T(1)
	return unsafe.Sizeof(one) == 8 && one/2 == 0
}

// at returns the value of a row in the first column.
func (s *strided[T]) at(row int) T { return *(*T)(unsafe.Add(s.origin, row*s.rowStride)) }

func readColumns[T aoso.Number](x *C.aoso_matrix) (*matrix, error) {
	rows, cols := int(x.rows), int(x.cols)
	if cols > 0 && x.columns == nil {
		return nil, badArgument("x.columns", null, "%d pointers", cols)
	}
	if err := affordable("x", float64(cols)*float64(unsafe.Sizeof([]T{}))); err != nil {
		return nil, err
	}
	columns := make([][]T, cols)
	for j := range columns {
		if rows == 0 {
			break
		}
		p := unsafe.Slice(x.columns, cols)[j]
		if p == nil {
			return nil, badArgument(fmt.Sprintf("x.columns[%d]", j), null, "%d values", rows)
		}
		columns[j] = unsafe.Slice((*T)(p), rows)
	}
	return &matrix{&columnar[T]{columns, rows}, nil, cols}, nil
}

// columnar is a matrix with a pointer for each column.
type columnar[T aoso.Number] struct {
	columns [][]T
	rows    int
}

func (c *columnar[T]) Rows() int { return c.rows }
func (c *columnar[T]) Cols() int { return len(c.columns) }

func (c *columnar[T]) Column(j, first int, dst []float64) {
	for k, v := range c.columns[j][first:][:len(dst)] {
		dst[k] = float64(v)
	}
}

func (c *columnar[T]) Integers(j, first int, dst []int64) bool {
	const size = 8
	return isWhole[T]() && copyIntegers(dst, unsafe.Pointer(unsafe.SliceData(c.columns[j])), first*size, size)
}

func readCompressed[T aoso.Number, I int32 | int64](x *C.aoso_matrix) (*matrix, error) {
	if err := within("x.nnz", int64(x.nnz), 0, maxValues); err != nil {
		return nil, err
	}
	switch {
	case x.indptr == nil:
		return nil, badArgument("x.indptr", null, "an offset for each row (CSR) or column (CSC), and the end")
	case x.indices == nil && x.nnz > 0:
		return nil, badArgument("x.indices", null, "%d indices", x.nnz)
	case x.data == nil && x.nnz > 0:
		return nil, badArgument("x.data", null, "%d values", x.nnz)
	}
	indices, values := unsafe.Slice((*I)(x.indices), x.nnz), unsafe.Slice((*T)(x.data), x.nnz)
	// The library sorts a copy of the entries by column.
	if err := affordable("x", float64(x.nnz)*float64(unsafe.Sizeof(*new(I))+unsafe.Sizeof(*new(T)))+16*float64(x.cols)); err != nil {
		return nil, err
	}
	var f aoso.Features
	var err error
	if x.layout == C.AOSO_CSR {
		f, err = aoso.CSR(unsafe.Slice((*I)(x.indptr), x.rows+1), indices, values, int(x.cols))
	} else {
		f, err = aoso.CSC(unsafe.Slice((*I)(x.indptr), x.cols+1), indices, values, int(x.rows))
	}
	if err != nil {
		return nil, err
	}
	return &matrix{f, nil, min(int(x.cols), int(x.nnz))}, nil
}
