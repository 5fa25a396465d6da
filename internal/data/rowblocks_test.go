package data

import (
	"math"
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/par"
)

// columns is a bin.Source.
type columns [][]float64

func (c columns) Rows() int                          { return len(c[0]) }
func (c columns) Cols() int                          { return len(c) }
func (c columns) Column(j, first int, dst []float64) { copy(dst, c[j][first:]) }

func same(a, b float64) bool { return a == b || a != a && b != b }

// TestRowBlocks: a block of a column has bytes or float32 until a value does not fit.
func TestRowBlocks(t *testing.T) {
	const rows = 2*blockRows + 300
	x := make(columns, 4)
	for j := range x {
		x[j] = make([]float64, rows)
		for i := range x[j] {
			x[j][i] = float64((i*7 + j) % 1000)
		}
	}
	for i := range rows {
		if x[3][i] = float64(i % 255); i%7 == 0 {
			x[3][i] = math.NaN()
		}
	}
	x[3][rows-1] = 255
	for i := range rows {
		x[1][i] *= 1.0000001
	}
	for i := 70_000; i < rows; i += 100 {
		x[2][i] = -1e300
	}
	for _, chunk := range []int{rows, blockRows, blockRows - 1, 30_000} {
		team := par.NewTeam(2)
		r := NewRowBlocks(4)
		for first := 0; first < rows; first += chunk {
			part := make(columns, 4)
			for j := range x {
				part[j] = x[j][first:min(first+chunk, rows)]
			}
			r.Append(part, team)
		}
		team.Close()
		if r.Rows() != rows || r.Cols() != 4 {
			t.Fatalf("%d × %d", r.Rows(), r.Cols())
		}
		for j, kinds := range []string{"fff", "ddd", "fdd", "bbf"} {
			for k, block := range r.blocks {
				c := block[j]
				if kind := map[bool]string{c.bytes != nil: "b", c.narrow != nil: "f", c.wide != nil: "d"}[true]; kind != kinds[k:k+1] {
					t.Errorf("column %d, block %d: %d bytes, %d narrow cells and %d wide", j, k, len(c.bytes), len(c.narrow), len(c.wide))
				}
			}
			got := make([]float64, rows-5)
			if r.Column(j, 5, got); !slices.EqualFunc(got, x[j][5:], same) {
				t.Errorf("column %d in chunks of %d is not what was appended", j, chunk)
			}
		}
	}
}
