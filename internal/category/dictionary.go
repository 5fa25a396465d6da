package category

import (
	"math"

	"github.com/libaoso/aoso/internal/bin"
)

// List lists categories in the order in which they were added.
type List struct {
	Names []string
	codes map[string]int32
}

// NewList returns an empty list.
func NewList() *List { return &List{[]string{}, map[string]int32{}} }

// Code returns the position of a category, and adds it if it is new.
func (l *List) Code(name string) int32 {
	code, known := l.codes[name]
	if !known {
		code = int32(len(l.Names))
		l.codes[name] = code
		l.Names = append(l.Names, name)
	}
	return code
}

// Dictionary collects the categories of a table whose rows come in blocks.
type Dictionary struct {
	lists []*List // by column; nil: the column is numeric
}

// Fits reports whether column j of a block agrees with the blocks before: it must have categories if and only if they do.
func (d *Dictionary) Fits(x bin.Source, j int) bool {
	return d.lists == nil || (Categories(x, j) != nil) == (d.lists[j] != nil)
}

// Categories lists the categories of a column so far; nil if the column is numeric.
func (d *Dictionary) Categories(j int) []string {
	if d.lists == nil || d.lists[j] == nil {
		return nil
	}
	return d.lists[j].Names
}

// Unite adds the categories that other ranks have, by column; nil: the column is numeric.
func (d *Dictionary) Unite(categories [][]string) {
	if d.lists == nil {
		d.lists = make([]*List, len(categories))
	}
	for j, names := range categories {
		if names == nil {
			continue
		}
		if d.lists[j] == nil {
			d.lists[j] = NewList()
		}
		for _, name := range names {
			d.lists[j].Code(name)
		}
	}
}

// Renumber adds the categories of a block to the dictionary, and returns the block with their positions in the dictionary as values.
func (d *Dictionary) Renumber(x bin.Source) bin.Source {
	r := &renumbered{Source: x, positions: make([][]float64, x.Cols())}
	if d.lists == nil {
		d.lists = make([]*List, x.Cols())
	}
	for j := range d.lists {
		names := Categories(x, j)
		if names == nil {
			continue
		}
		if d.lists[j] == nil {
			d.lists[j] = NewList()
		}
		r.positions[j] = make([]float64, len(names))
		for i, name := range names {
			r.positions[j][i] = float64(d.lists[j].Code(name))
		}
	}
	return r
}

// renumbered replaces the positions of a source's categories by others.
type renumbered struct {
	bin.Source
	positions [][]float64 // by column and category; nil: the column is numeric
}

func (r *renumbered) Column(j, first int, dst []float64) {
	r.Source.Column(j, first, dst)
	if r.positions[j] == nil {
		return
	}
	for i, v := range dst {
		dst[i] = math.NaN()
		if v >= 0 && v < float64(len(r.positions[j])) {
			dst[i] = r.positions[j][int(v)]
		}
	}
}
