package data

import (
	"math"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/par"
)

// RowBlocks is a matrix that grows by rows. It stores blocks of blockRows rows by column, as bytes or float32 where that loses nothing.
type RowBlocks struct {
	rows, cols int
	blocks     [][]cells // by block and column
}

const blockRows = 1 << 16

// NewRowBlocks returns a matrix without rows.
func NewRowBlocks(cols int) *RowBlocks { return &RowBlocks{cols: cols} }

// cells is a column of a block. One of the three slices has all cells.
type cells struct {
	bytes  []uint8 // integers below missing, and missing for NaN
	narrow []float32
	wide   []float64
}

const missing = math.MaxUint8

// Rows returns the number of rows.
func (r *RowBlocks) Rows() int { return r.rows }

// Cols returns the number of columns.
func (r *RowBlocks) Cols() int { return r.cols }

// bytes returns the memory of the cells in bytes.
func (r *RowBlocks) bytes() (n int) {
	for _, columns := range r.blocks {
		for _, c := range columns {
			n += cap(c.bytes) + 4*cap(c.narrow) + 8*cap(c.wide)
		}
	}
	return n
}

// Column writes the values of column j to dst, from row first on.
func (r *RowBlocks) Column(j, first int, dst []float64) {
	for len(dst) > 0 {
		c, at := &r.blocks[first/blockRows][j], first%blockRows
		n := min(len(dst), blockRows-at)
		c.read(at, dst[:n])
		dst, first = dst[n:], first+n
	}
}

// Append adds the rows of x, of as many columns.
func (r *RowBlocks) Append(x bin.Source, team *par.Team) {
	r.reserve(x.Rows())
	buffers := make([][]float64, team.Workers())
	team.Do(r.cols, func(worker, j int) {
		if buffers[worker] == nil {
			buffers[worker] = make([]float64, min(x.Rows(), blockRows))
		}
		for i := 0; i < x.Rows(); {
			values := buffers[worker][:min(x.Rows()-i, blockRows)]
			x.Column(j, i, values)
			r.store(j, r.rows+i, values)
			i += len(values)
		}
	})
	r.rows += x.Rows()
}

// reserve allocates blocks for this many more rows.
func (r *RowBlocks) reserve(rows int) {
	for len(r.blocks)*blockRows < r.rows+rows {
		r.blocks = append(r.blocks, make([]cells, r.cols))
	}
}

// store adds values to column j, from this row on, which is the column's next.
func (r *RowBlocks) store(j, row int, values []float64) {
	for len(values) > 0 {
		n := min(len(values), blockRows-row%blockRows)
		r.blocks[row/blockRows][j].add(values[:n])
		values, row = values[n:], row+n
	}
}

// read writes the cells from the given one on to dst.
func (c *cells) read(first int, dst []float64) {
	switch {
	case c.wide != nil:
		copy(dst, c.wide[first:])
	case c.narrow != nil:
		for k, v := range c.narrow[first:][:len(dst)] {
			dst[k] = float64(v)
		}
	default:
		for k, v := range c.bytes[first:][:len(dst)] {
			if dst[k] = float64(v); v == missing {
				dst[k] = math.NaN()
			}
		}
	}
}

// add appends values.
func (c *cells) add(values []float64) {
	if c.narrow == nil && c.wide == nil {
		values = c.addBytes(values)
	}
	if c.wide == nil && len(values) > 0 {
		values = c.addNarrow(values)
	}
	if len(values) > 0 {
		c.wide = append(grow(c.wide, len(values)), values...)
	}
}

// addBytes appends values as bytes. At the first value that no byte holds, it changes the cells to float32 and returns the values from
// there on.
func (c *cells) addBytes(values []float64) []float64 {
	c.bytes = grow(c.bytes, len(values))
	for k, v := range values {
		b := uint8(missing)
		if v == v {
			if b = uint8(v); float64(b) != v || b == missing {
				c.narrow = make([]float32, len(c.bytes), cap(c.bytes))
				for i, b := range c.bytes {
					if c.narrow[i] = float32(b); b == missing {
						c.narrow[i] = float32(math.NaN())
					}
				}
				c.bytes = nil
				return values[k:]
			}
		}
		c.bytes = append(c.bytes, b)
	}
	return nil
}

// addNarrow appends values as float32. At the first value that float32 would round, it changes the cells to float64 and returns the values
// from there on.
func (c *cells) addNarrow(values []float64) []float64 {
	c.narrow = grow(c.narrow, len(values))
	for k, v := range values {
		narrow := float32(v)
		if float64(narrow) != v && v == v {
			c.wide = make([]float64, len(c.narrow), cap(c.narrow))
			for i, v := range c.narrow {
				c.wide[i] = float64(v)
			}
			c.narrow = nil
			return values[k:]
		}
		c.narrow = append(c.narrow, narrow)
	}
	return nil
}

// grow returns s with capacity for n more cells of a block.
func grow[T any](s []T, n int) []T {
	need := len(s) + n
	if need <= cap(s) {
		return s
	}
	return append(make([]T, 0, max(need, min(2*cap(s), blockRows))), s...)
}
