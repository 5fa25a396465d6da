package tree

import (
	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/collective"
)

// sharding assigns the columns of a layout to ranks. A rank fills the histograms of all columns
// from its rows, and searches only its own columns for splits.
type sharding struct {
	columns []int    // of rank 0, then of rank 1, …
	ends    []int    // by rank: where its columns end
	codes   []int    // by rank: the bins of its columns
	places  [][3]int // for each of columns: its first cell in the layout, the stride and the number of bins

	own      *layout  // of this rank's columns
	ownPlace [][3]int // for each of own's columns, in own
}

// newSharding assigns runs of columns with about equal numbers of bins to the ranks.
func newSharding(l *layout, columns []int, x *bin.Matrix, m *bin.Mapper, cacheBytes int, group *collective.Group) *sharding {
	ranks := group.Size()
	d := &sharding{columns: columns, ends: make([]int, ranks), codes: make([]int, ranks)}
	all := 0
	for _, c := range columns {
		all += m.Features[c].Codes()
	}
	before := 0
	for i, c := range columns {
		n := m.Features[c].Codes()
		rank := (2*before + n) * ranks / (2 * all)
		d.ends[rank], d.codes[rank] = i+1, d.codes[rank]+n
		before += n
	}
	for rank := 1; rank < ranks; rank++ {
		d.ends[rank] = max(d.ends[rank], d.ends[rank-1])
	}
	own := d.columnsOf(group.Rank())
	d.own = newLayout(x, m, l.order, own, l.pairs, cacheBytes)
	d.places, d.ownPlace = l.places(columns, m), d.own.places(own, m)
	return d
}

// columnsOf returns the columns of a rank.
func (d *sharding) columnsOf(rank int) []int {
	if rank == 0 {
		return d.columns[:d.ends[0]]
	}
	return d.columns[d.ends[rank-1]:d.ends[rank]]
}

// places returns for each column its first cell, its stride and its number of bins.
func (l *layout) places(columns []int, m *bin.Mapper) [][3]int {
	of := make(map[int][3]int, len(columns))
	for i := range l.tiles {
		t := &l.tiles[i]
		for c := t.firstColumn; c < t.endColumn; c++ {
			column := l.columns[c]
			of[column] = [3]int{t.firstCell + (c-t.firstColumn)*l.pairs, t.stride, m.Features[column].Codes()}
		}
	}
	places := make([][3]int, len(columns))
	for i, c := range columns {
		places[i] = of[c]
	}
	return places
}

// pack appends the cells at some places of a histogram, column by column: one number a pair for
// each bin, or two if they are wide.
func (h *Histogram) pack(v []int64, places [][3]int, pairs int, wide bool) []int64 {
	for _, p := range places {
		for b := range p[2] {
			at := p[0] + b*p[1]
			if !wide {
				//lint:ignore S1011 faster for so few cells
				for _, cell := range h.cells[at : at+pairs] {
					v = append(v, cell)
				}
				continue
			}
			//lint:ignore S1011 faster for so few cells
			for _, g := range h.wideG[at : at+pairs] {
				v = append(v, g)
			}
			//lint:ignore S1011 faster for so few cells
			for _, h := range h.wideH[at : at+pairs] {
				v = append(v, h)
			}
		}
	}
	return v
}

// unpack sets a histogram to the cells that pack appended, and returns the rest of v.
func (h *Histogram) unpack(v []int64, places [][3]int, pairs int, wide bool) []int64 {
	h.clear()
	for _, p := range places {
		for b := range p[2] {
			at := p[0] + b*p[1]
			if wide {
				copy(h.wideG[at:at+pairs], v)
				v = v[pairs:]
				copy(h.wideH[at:at+pairs], v)
			} else {
				copy(h.cells[at:at+pairs], v)
			}
			v = v[pairs:]
		}
	}
	return v
}
