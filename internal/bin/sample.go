package bin

import (
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
)

// NewSample returns a matrix for up to this many rows of x, which CopyRows copies.
func (x *Matrix) NewSample(rows int) *Matrix {
	size, columns := ColumnBytes(rows), 0
	for _, c := range x.Columns {
		if c != nil {
			columns++
		}
	}
	memory := x.memory.Like(columns * size)
	s := &Matrix{Rows: rows, Columns: make([][]uint8, len(x.Columns)), codes: memory.Bytes(), memory: memory}
	rest := s.codes
	for j, c := range x.Columns {
		if c != nil {
			s.Columns[j], rest = rest[:rows:rows], rest[size:]
		}
	}
	s.joint = x.memory.Like(len(x.Joint) * size)
	rest = s.joint.Bytes()
	for _, c := range x.Joint {
		s.Joint = append(s.Joint, &Joint{c.First, c.Second, rest[:rows:rows]})
		rest = rest[size:]
	}
	for _, g := range x.Sparse {
		s.Sparse = append(s.Sparse, &Sparse{Columns: g.Columns, Default: g.Default, Bins: g.Bins})
	}
	return s
}

// Like returns n bytes of memory of the kind that the matrix uses, see [mem.Block.Like].
func (x *Matrix) Like(n int) *mem.Block { return x.memory.Like(n) }

// Subset returns a copy of the given rows of x. If grouped is true, it also has the sparse and joint columns.
func (x *Matrix) Subset(rows []uint32, grouped bool, team *par.Team) *Matrix {
	if !grouped {
		x = &Matrix{Rows: x.Rows, Columns: x.Columns, memory: x.memory}
	}
	s := x.NewSample(len(rows))
	s.CopyRows(x, rows, team)
	return s
}

// CopyRows copies the given rows of x to s, which must come from x.NewSample for at least len(rows) rows.
func (s *Matrix) CopyRows(x *Matrix, rows []uint32, team *par.Team) {
	s.Rows = len(rows)
	columns, joint := len(x.Columns), len(x.Joint)
	team.Do(columns+joint+len(x.Sparse), func(_, i int) {
		switch {
		case i < columns:
			s.Columns[i] = copyRows(s.Columns[i], x.Columns[i], rows)
		case i < columns+joint:
			s.Joint[i-columns].Codes = copyRows(s.Joint[i-columns].Codes, x.Joint[i-columns].Codes, rows)
		default:
			s.Sparse[i-columns-joint].copyRows(x.Sparse[i-columns-joint], rows)
		}
	})
}

// copyRows copies rows of a column to dst, and returns dst with their number as its length.
func copyRows(dst, src []uint8, rows []uint32) []uint8 {
	if src == nil {
		return nil
	}
	dst = dst[:len(rows)]
	for i, row := range rows {
		dst[i] = src[row]
	}
	return dst
}

func (g *Sparse) copyRows(o *Sparse, rows []uint32) {
	g.First, g.Entries = g.First[:0], g.Entries[:0]
	for _, row := range rows {
		g.First = append(g.First, uint32(len(g.Entries)))
		g.Entries = append(g.Entries, o.Entries[o.First[row]:o.First[row+1]]...)
	}
	g.First = append(g.First, uint32(len(g.Entries)))
}
