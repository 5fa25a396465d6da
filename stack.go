package aoso

import "github.com/libaoso/aoso/internal/par"

// stack is a matrix that grows by rows. Its cells are kept in blocks of
// stackRows rows, by column, as float32 where that loses nothing.
type stack struct {
	rows, cols int
	blocks     [][]cells // by block and column
}

const stackRows = 1 << 16

// cells is a column of a block; one of the two has all of them.
type cells struct {
	narrow []float32
	wide   []float64
}

func (s *stack) Rows() int { return s.rows }
func (s *stack) Cols() int { return s.cols }

func (s *stack) Column(j, first int, dst []float64) {
	for len(dst) > 0 {
		c, at := &s.blocks[first/stackRows][j], first%stackRows
		n := min(len(dst), stackRows-at)
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

// add appends the rows of x, of as many columns.
func (s *stack) add(x Features, team *par.Team) {
	for len(s.blocks)*stackRows < s.rows+x.Rows() {
		s.blocks = append(s.blocks, make([]cells, s.cols))
	}
	buffers := make([][]float64, team.Workers())
	team.Do(s.cols, func(worker, j int) {
		if buffers[worker] == nil {
			buffers[worker] = make([]float64, min(x.Rows(), stackRows))
		}
		for i := 0; i < x.Rows(); {
			row := s.rows + i
			piece := buffers[worker][:min(x.Rows()-i, stackRows-row%stackRows)]
			x.Column(j, i, piece)
			s.blocks[row/stackRows][j].add(piece)
			i += len(piece)
		}
	})
	s.rows += x.Rows()
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
	return append(make([]T, 0, max(need, min(2*cap(s), stackRows))), s...)
}
