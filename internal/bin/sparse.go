package bin

import (
	"cmp"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
)

// Sparse holds, row by row, the codes of a group of features of which most
// rows have the same one: that code has no entry. Histograms are filled from
// it with one update an entry, where columns would take one a feature. Of
// mutually exclusive indicators a row has a single entry, however many there
// are.
type Sparse struct {
	Columns []int    // the features, by falling number of codes
	Default []uint8  // the code without entries, by position in Columns
	Bins    []int    // codes of the tiles: of each SparseWidth features, the most
	First   []uint32 // where the entries of each row begin; one more than there are rows
	Entries []uint16 // tile's first cell + code·SparseWidth + place in the tile
	memory  *mem.Block
}

// SparseWidth is the number of features that a tile interleaves.
const SparseWidth = 8

// maxSparseCells keeps entries within 16 bits.
const maxSparseCells = 1 << 16

// SparseShare is the share of the rows that must have a feature's commonest
// code for it to be stored row by row: below it, columns are as fast.
const SparseShare = 0.7

// GroupSparse adds to the matrix its sparse features row by row.
func (x *Matrix) GroupSparse(m *Mapper, team *par.Team) {
	defaults := make([]int, len(x.Columns)) // −1: not sparse
	team.Do(len(x.Columns), func(_, j int) {
		var counts [256]int
		for _, code := range x.Columns[j] {
			counts[code]++
		}
		defaults[j] = -1
		share := SparseShare
		if m.Features[j].Codes() == 3 { // a column of two values hits the same bin row after row, which takes as long
			share = 0.5
		}
		for code, n := range counts {
			if x.Columns[j] != nil && float64(n) >= share*float64(x.Rows) {
				defaults[j] = code
			}
		}
	})
	var sparse []int
	for j, code := range defaults {
		if code >= 0 {
			sparse = append(sparse, j)
		}
	}
	codes := func(j int) int { return m.Features[j].Codes() }
	slices.SortStableFunc(sparse, func(a, b int) int { return cmp.Compare(codes(b), codes(a)) })

	var groups []*Sparse
	cells := maxSparseCells
	for len(sparse) > 0 {
		tile := sparse[:min(SparseWidth, len(sparse))]
		sparse = sparse[len(tile):]
		bins := codes(tile[0])
		if cells += bins * SparseWidth; cells > maxSparseCells {
			groups = append(groups, &Sparse{})
			cells = bins * SparseWidth
		}
		g := groups[len(groups)-1]
		g.Columns = append(g.Columns, tile...)
		g.Bins = append(g.Bins, bins)
	}
	team.Do(len(groups), func(_, i int) { groups[i].fill(x, defaults) })
	for _, g := range groups {
		// A lone feature or two gain nothing, and 32 bits must count the entries.
		if len(g.Columns) >= SparseWidth/2 && len(g.Entries) > 0 {
			x.Sparse = append(x.Sparse, g)
		} else {
			g.memory.Free()
		}
	}
}

// fill gathers the entries of a group's columns.
func (g *Sparse) fill(x *Matrix, defaults []int) {
	first := make([]uint32, x.Rows+1)
	total := 0
	for _, j := range g.Columns {
		code := uint8(defaults[j])
		g.Default = append(g.Default, code)
		for i, c := range x.Columns[j] {
			if c != code {
				first[i+1]++
				total++
			}
		}
	}
	if total > math.MaxUint32 {
		return
	}
	for i := range x.Rows {
		first[i+1] += first[i]
	}
	g.memory = mem.New(2 * total)
	g.First, g.Entries = first, mem.View[uint16](g.memory)
	next := slices.Clone(first[:x.Rows])
	cell := 0
	for p, j := range g.Columns {
		lane := p % SparseWidth
		if p > 0 && lane == 0 {
			cell += g.Bins[p/SparseWidth-1] * SparseWidth
		}
		for i, c := range x.Columns[j] {
			if c != g.Default[p] {
				g.Entries[next[i]] = uint16(cell + int(c)*SparseWidth + lane)
				next[i]++
			}
		}
	}
}
