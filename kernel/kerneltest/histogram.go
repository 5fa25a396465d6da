package kerneltest

import (
	"fmt"
	"slices"

	"github.com/libaoso/aoso/kernel"
)

// histogramShapes use classes for the number of columns.
func histogramShapes() (shapes []shape) {
	for _, rows := range append(rowCounts, 65535, 65536) {
		for pairs := 1; pairs <= kernel.MaxPairs; pairs *= 2 {
			for columns := 1; columns <= kernel.TileLanes; columns++ {
				if rows > 60000 && columns != 1+(rows+pairs)%3 && columns != 8/pairs {
					continue
				}
				repeats := 1
				if rows < 300 {
					repeats = 4
				}
				for range repeats {
					shapes = append(shapes, shape{rows: rows, pairs: pairs, classes: columns})
				}
			}
		}
	}
	return shapes
}

func histogram(d dice, s shape) call {
	m, count := s.pairs, min(s.classes, kernel.TileLanes)
	job := kernel.HistogramJob{Count: count, Pairs: m}
	var rows []uint32
	var total int
	if d.yes() {
		job.First = pick(d, 0, 1, d.IntN(100))
		total = job.First + s.rows
	} else {
		rows, total = d.rows(s.rows)
	}
	lead := d.lead(total, 1)
	shifted(rows, lead)
	job.First += lead
	cells := d.cells(s.rows, m)

	// The columns lie side by side in tiles, as many as fit, in order or not.
	width := kernel.TileLanes / m
	order := d.Perm(count)
	if d.IntN(4) > 0 {
		slices.Sort(order)
	}
	columns := make([][]uint8, count)
	tiles := make([][]int64, (count+width-1)/width)
	bins := make([]int, len(tiles))
	for i := range tiles {
		bins[i] = pick(d, 1, 2, 16, 64, 255, 256)
		tiles[i] = d.cells(bins[i], kernel.TileLanes)
		if s.rows == kernel.SpillRows {
			clear(tiles[i])
		}
	}
	for c := range columns {
		columns[c] = d.codes(total, bins[order[c]/width])
	}
	return func(f *kernel.Funcs, mem *memory) {
		job := job
		job.Rows = input(mem, "Rows", rows)
		job.Cells = input(mem, "Cells", cells)
		memory := make([][]int64, len(tiles))
		for i, tile := range tiles {
			memory[i] = inout(mem, fmt.Sprintf("tile %d", i), tile)
		}
		for c, place := range order {
			job.Histograms[c] = memory[place/width][place%width*m:]
			job.Columns[c] = inputAfter(mem, fmt.Sprintf("Columns[%d]", c), lead, columns[c])
		}
		f.Histogram(&job)
	}
}

// cells returns packed gradients of rows: random ones, or the greatest.
func (d dice) cells(rows, pairs int) []int64 {
	cells := make([]int64, rows*pairs)
	kind := d.IntN(4)
	for i := range cells {
		g, h := int64(d.IntN(65535)-32767), int64(d.IntN(65536))
		switch kind {
		case 0:
			g, h = 32767, 65535
		case 1:
			g, h = -32767, 65535
		case 2: // either may round to zero
			g, h = g*int64(d.IntN(2)), h*int64(d.IntN(2))
		}
		cells[i] = g<<32 + h
	}
	return cells
}

func spillShapes() (shapes []shape) {
	for _, cells := range append(rowCounts, 24, 256*8, 54*65*8) {
		for range 6 {
			shapes = append(shapes, shape{rows: cells})
		}
	}
	return shapes
}

func spill(d dice, s shape) call {
	wideG, wideH := d.wide(s.rows), d.wide(s.rows)
	narrow := d.narrow(s.rows)
	return func(f *kernel.Funcs, m *memory) {
		f.Spill(
			inout(m, "wideG", wideG),
			inout(m, "wideH", wideH),
			inout(m, "narrow", narrow))
	}
}

func subtract(d dice, s shape) call {
	minuend, subtrahend := d.narrow(s.rows), d.narrow(s.rows)
	if d.yes() {
		minuend, subtrahend = d.wide(s.rows), d.wide(s.rows)
	}
	alias := d.IntN(3)
	return func(f *kernel.Funcs, m *memory) {
		switch alias {
		case 0:
			f.Subtract(
				output[int64](m, "dst", s.rows),
				input(m, "minuend", minuend),
				input(m, "subtrahend", subtrahend))
		case 1:
			dst := inout(m, "dst, minuend", minuend)
			f.Subtract(dst, dst, input(m, "subtrahend", subtrahend))
		case 2:
			minuend := input(m, "minuend", minuend)
			dst := inout(m, "dst, subtrahend", subtrahend)
			f.Subtract(dst, minuend, dst)
		}
	}
}

// narrow returns packed cells of up to SpillRows rows.
func (d dice) narrow(n int) []int64 {
	cells := make([]int64, n)
	for i := range cells {
		rows := pick(d, 1, 1000, kernel.SpillRows)
		g := int64(d.IntN(2*32767*rows+1) - 32767*rows)
		h := int64(d.IntN(65535*rows + 1))
		switch d.IntN(6) {
		case 0:
			g, h = 0, 0
		case 1:
			g, h = int64(32767*rows), int64(65535*rows)
		case 2:
			g, h = int64(-32767*rows), int64(65535*rows)
		}
		cells[i] = g<<32 + h
	}
	return cells
}

// wide returns sums of up to 2³² rows.
func (d dice) wide(n int) []int64 {
	cells := make([]int64, n)
	for i := range cells {
		cells[i] = int64(d.Uint64()) >> (16 + d.IntN(40))
	}
	return cells
}
