package aoso

import (
	"math"
	"unsafe"

	"github.com/libaoso/aoso/internal/bin"
)

// Features is a table of numbers, a row an example and a column a feature.
// NaN is a missing value. [RowMajor] and [Dense] make one of a slice without
// copying it, [NewTable] of columns, [CSC] of compressed ones; [FromRows] and
// [CSR] copy. Several goroutines may read it at once.
type Features interface {
	// Rows is the number of rows.
	Rows() int
	// Cols is the number of columns, which are the features.
	Cols() int
	// Column writes the values of column j to dst, from row first on.
	Column(j, first int, dst []float64)
}

var _ bin.Source = Features(nil)

// Number is the element type of a matrix. Elements are used as float64, so
// integers beyond 2⁵³ are rounded, except where they stand for categories.
type Number interface {
	Integer | ~float32 | ~float64
}

type dense[T Number] struct {
	data                 []T
	rows, cols           int
	rowStride, colStride int
}

// RowMajor returns a rows × cols matrix stored row after row.
func RowMajor[T Number](data []T, rows, cols int) Features {
	return &dense[T]{data, rows, cols, cols, 1}
}

// Dense returns a rows × cols matrix whose element (i, j) is
// data[i·rowStride + j·colStride].
func Dense[T Number](data []T, rows, cols, rowStride, colStride int) Features {
	return &dense[T]{data, rows, cols, rowStride, colStride}
}

// FromRows returns a matrix of the given rows, which must be equally long.
func FromRows[T Number](rows [][]T) (Features, error) {
	if len(rows) == 0 {
		return RowMajor[T](nil, 0, 0), nil
	}
	cols := len(rows[0])
	data := make([]T, 0, len(rows)*cols)
	for i, row := range rows {
		if len(row) != cols {
			return nil, badArgument("rows", len(row), "%d values in row %d, as in row 0", cols, i)
		}
		data = append(data, row...)
	}
	return RowMajor(data, len(rows), cols), nil
}

// wholes returns values as int64 where float64 may round them, unsigned ones as their
// bits; nil: they are of another type.
func wholes[T Number](values []T) []int64 {
	if one := T(1); unsafe.Sizeof(one) != 8 || one/2 != 0 {
		return nil
	}
	if len(values) == 0 {
		return []int64{}
	}
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(values))), len(values))
}

func (d *dense[T]) Rows() int { return d.rows }
func (d *dense[T]) Cols() int { return d.cols }

func (d *dense[T]) Column(j, first int, dst []float64) {
	i := j*d.colStride + first*d.rowStride
	if d.rowStride == 1 {
		for k, x := range d.data[i:][:len(dst)] {
			dst[k] = float64(x)
		}
		return
	}
	s := d.rowStride
	for ; len(dst) >= 4; dst = dst[4:] { // at once: half the time of one by one
		a, b, c, e := d.data[i], d.data[i+s], d.data[i+2*s], d.data[i+3*s]
		dst[0], dst[1], dst[2], dst[3] = float64(a), float64(b), float64(c), float64(e)
		i += 4 * s
	}
	for k := range dst {
		dst[k] = float64(d.data[i])
		i += s
	}
}

func (d *dense[T]) Integers(j, first int, dst []int64) bool {
	values := wholes(d.data)
	for k := range dst[:min(len(dst), len(values))] {
		dst[k] = values[j*d.colStride+(first+k)*d.rowStride]
	}
	return values != nil
}

// check returns an error unless the matrix lies within its data.
func (d *dense[T]) check() error {
	switch {
	case d.rows < 0:
		return badArgument("rows", d.rows, "at least 0")
	case d.cols < 0:
		return badArgument("cols", d.cols, "at least 0")
	case d.rowStride < 0 || d.colStride < 0:
		return badArgument("stride", min(d.rowStride, d.colStride), "at least 0")
	case d.rows == 0 || d.cols == 0:
		return nil
	}
	// In float64, where nothing overflows: exact enough to compare sizes.
	need := float64(d.rows-1)*float64(d.rowStride) + float64(d.cols-1)*float64(d.colStride) + 1
	if need > float64(len(d.data)) {
		return badArgument("data", len(d.data), "%.0f values, for %d rows × %d columns", need, d.rows, d.cols)
	}
	return nil
}

// checkFeatures checks what a Features claims of itself.
func checkFeatures(x Features) error {
	if x == nil {
		return badArgument("features", nil, "a matrix")
	}
	if d, ok := x.(interface{ check() error }); ok {
		if err := d.check(); err != nil {
			return err
		}
	}
	if x.Rows() < 0 || x.Rows() > maxRows {
		return badArgument("rows", x.Rows(), "0 to %d", maxRows)
	}
	if x.Cols() < 0 || x.Cols() > math.MaxInt32 {
		return badArgument("cols", x.Cols(), "0 to %d", math.MaxInt32)
	}
	return nil
}
