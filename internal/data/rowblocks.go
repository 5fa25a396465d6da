package data

import (
	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/par"
)

// RowBlocks is a matrix that grows by rows. Its cells are kept in blocks of
// blockRows rows, by column, as float32 where that loses nothing.
type RowBlocks struct {
	rows, cols int
	blocks     [][]cells // by block and column
}

const blockRows = 1 << 16

// NewRowBlocks is a matrix of so many columns, without rows.
func NewRowBlocks(cols int) *RowBlocks { return &RowBlocks{cols: cols} }

// cells is a column of a block; one of the two has all of them.
type cells struct {
	narrow []float32
	wide   []float64
}

// Rows is the number of rows.
func (r *RowBlocks) Rows() int { return r.rows }

// Cols is the number of columns.
func (r *RowBlocks) Cols() int { return r.cols }

// Column writes the values of column j to dst, from row first on.
func (r *RowBlocks) Column(j, first int, dst []float64) {
	for len(dst) > 0 {
		c, at := &r.blocks[first/blockRows][j], first%blockRows
		n := min(len(dst), blockRows-at)
		if c.wide != nil {
			copy(dst[:n], c.wide[at:])
		} else {
			for k, v := range c.narrow[at:][:n] {
				dst[k] = float64(v)
			}
		}
		dst, first = dst[n:], first+n
	}
}

// Append adds the rows of x, of as many columns.
func (r *RowBlocks) Append(x bin.Source, team *par.Team) {
	for len(r.blocks)*blockRows < r.rows+x.Rows() {
		r.blocks = append(r.blocks, make([]cells, r.cols))
	}
	buffers := make([][]float64, team.Workers())
	team.Do(r.cols, func(worker, j int) {
		if buffers[worker] == nil {
			buffers[worker] = make([]float64, min(x.Rows(), blockRows))
		}
		for i := 0; i < x.Rows(); {
			row := r.rows + i
			piece := buffers[worker][:min(x.Rows()-i, blockRows-row%blockRows)]
			x.Column(j, i, piece)
			r.blocks[row/blockRows][j].add(piece)
			i += len(piece)
		}
	})
	r.rows += x.Rows()
}

// add appends values.
func (c *cells) add(values []float64) {
	if c.wide == nil {
		c.narrow = room(c.narrow, len(values))
		for k, v := range values {
			narrow := float32(v)
			if float64(narrow) != v && v == v {
				c.widen()
				values = values[k:]
				break
			}
			c.narrow = append(c.narrow, narrow)
		}
	}
	if c.wide != nil {
		c.wide = append(room(c.wide, len(values)), values...)
	}
}

func (c *cells) widen() {
	c.wide = make([]float64, len(c.narrow), cap(c.narrow))
	for k, v := range c.narrow {
		c.wide[k] = float64(v)
	}
	c.narrow = nil
}

// room makes room for n more cells of a block.
func room[T any](s []T, n int) []T {
	need := len(s) + n
	if need <= cap(s) {
		return s
	}
	return append(make([]T, 0, max(need, min(2*cap(s), blockRows))), s...)
}
