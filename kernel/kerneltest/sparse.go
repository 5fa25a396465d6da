package kerneltest

import (
	"slices"

	"github.com/libaoso/aoso/kernel"
)

// sparseShapes use classes for the most entries a row has.
func sparseShapes() (shapes []shape) {
	for _, rows := range rowCounts {
		for pairs := 1; pairs <= kernel.MaxPairs; pairs *= 2 {
			for _, entries := range []int{0, 1, 3, 9, 40} {
				for range min(4, 1+1000/(rows+1)) {
					shapes = append(shapes, shape{rows: rows, pairs: pairs, classes: entries})
				}
			}
		}
	}
	return shapes
}

func sparse(d dice, s shape) call {
	rows, total := d.rows(s.rows)
	lead := d.lead(total, 4)
	shifted(rows, lead)
	cells := d.cells(s.rows, s.pairs)
	bins := pick(d, 1, 2, 100, 100, 5000, 1+d.IntN(1<<16))
	if d.IntN(50) == 0 {
		bins = 1 << 16
	}
	histogram := d.cells(bins, s.pairs)

	first, entries := []uint32{0}, []uint16{}
	for range total {
		n := 0
		if d.IntN(3) > 0 {
			n = d.IntN(min(s.classes, bins) + 1)
		}
		row := make([]uint16, 0, n)
		for len(row) < n { // no bin twice: a feature has one value
			if e := uint16(d.IntN(bins)); !slices.Contains(row, e) {
				row = append(row, e)
			}
		}
		entries = append(entries, row...)
		first = append(first, uint32(len(entries)))
	}
	return func(f *kernel.Funcs, m *memory) {
		list := input(m, "Entries", entries)
		if s.classes == 0 {
			list = nil // as of rows that all have the default codes
		}
		f.Sparse(&kernel.SparseJob{
			First:     inputAfter(m, "First", lead, first),
			Entries:   list,
			Histogram: inout(m, "Histogram", histogram),
			Rows:      input(m, "Rows", rows),
			Cells:     input(m, "Cells", cells),
			Pairs:     s.pairs,
		})
	}
}

func sumBins(d dice, s shape) call {
	width := pick(d, 1, 2, 4, 8, 8, 16, 24, 1+d.IntN(40))
	cells := d.narrow(s.rows / width * width)
	return func(f *kernel.Funcs, m *memory) {
		f.SumBins(output[int64](m, "sums", width), input(m, "cells", cells))
	}
}
