package tree

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

func TestPartitionSplit(t *testing.T) {
	const rows = 3*kernel.RowBlock + 100
	r := rand.New(rand.NewPCG(23, 0))
	x := &bin.Matrix{Rows: rows, Columns: [][]uint8{nil, make([]uint8, rows)}}
	for i := range rows {
		x.Columns[1][i] = uint8(r.IntN(10))
	}
	for _, threads := range []int{1, 3} {
		team := par.NewTeam(threads)
		defer team.Close()
		for _, run := range [][2]int{{0, rows}, {0, 1}, {5, 5}, {17, 17 + kernel.RowBlock}, {100, 2*kernel.RowBlock + 101}, {rows - 3, rows}} {
			for _, s := range []SplitInfo{{Feature: 1, Bin: 4}, {Feature: 1, Bin: 4, MissingLeft: true}, {Feature: 1, Bin: 9}, {Feature: 1, Bin: 255}, {Feature: 1, Bin: 255, MissingLeft: true}} {
				p := NewPartition(rows)
				p.Fill(rows)
				before := slices.Clone(p.Rows)
				var left, right []uint32
				for _, row := range before[run[0]:run[1]] {
					if c := x.Columns[1][row]; c > 0 && c <= s.Bin || c == 0 && s.MissingLeft {
						left = append(left, row)
					} else {
						right = append(right, row)
					}
				}
				want := slices.Concat(before[:run[0]], left, right, before[run[1]:])
				middle := p.Split(kernel.Generic, x, s, run[0], run[1], team)
				if middle != run[0]+len(left) || !slices.Equal(p.Rows, want) {
					t.Fatalf("%d threads, rows %v, %+v: middle %d, want %d", threads, run, s, middle, run[0]+len(left))
				}
			}
		}
	}
}

func TestFill(t *testing.T) {
	p := NewPartition(10)
	if p.Fill(4); !slices.Equal(p.Rows, []uint32{0, 1, 2, 3}) {
		t.Error(p.Rows)
	}
}
