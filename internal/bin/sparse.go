package bin

import (
	"cmp"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
)

// Sparse has the codes of a group of sparse features row by row. A feature is sparse if most rows have the same code, its default; a row
// has entries for the other codes only. Filling a histogram takes one update for each entry, instead of one for each row and feature. If the
// features are mutually exclusive indicators, a row has a single entry for all of them.
//
// The features are divided into tiles of SparseWidth features with interleaved histograms. A cell is a code of a feature.
type Sparse struct {
	Columns []int    // the features, in decreasing order of their number of codes
	Default []uint8  // by feature of Columns: its default code
	Bins    []int    // by tile: the largest number of codes of its features
	First   []uint32 // by row: the position of its first entry; last, the number of entries
	Entries []uint16 // cells: first cell of the tile + code·SparseWidth + position of the feature in the tile
	memory  *mem.Block
}

// SparseWidth is the number of features in a tile.
const SparseWidth = 8

// MostSparseCells is the largest number of cells of a group, all that 16-bit entries can address.
const MostSparseCells = 1 << 16

// SparseShare is the share of rows that must have a feature's default code for the feature to be stored row by row. Below it, columns are
// as fast.
const SparseShare = 0.7

// GroupSparse adds the sparse features of the matrix to x.Sparse, in groups.
func (x *Matrix) GroupSparse(m *Mapper, team *par.Team) {
	defaults := make([]int, len(x.Columns)) // −1 if the feature is not sparse
	team.Do(len(x.Columns), func(_, j int) {
		var counts [256]int
		for _, code := range x.Columns[j] {
			counts[code]++
		}
		defaults[j] = -1
		share := SparseShare
		if m.Features[j].Codes() == 3 { // as a column with two values, it is slow: consecutive rows often update the same bin
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
	cells := MostSparseCells
	for len(sparse) > 0 {
		tile := sparse[:min(SparseWidth, len(sparse))]
		sparse = sparse[len(tile):]
		bins := codes(tile[0])
		if cells += bins * SparseWidth; cells > MostSparseCells {
			groups = append(groups, &Sparse{})
			cells = bins * SparseWidth
		}
		g := groups[len(groups)-1]
		g.Columns = append(g.Columns, tile...)
		g.Bins = append(g.Bins, bins)
	}
	team.Do(len(groups), func(_, i int) { groups[i].fill(x, defaults) })
	for _, g := range groups {
		// A group of few features saves nothing. fill leaves a group empty if it would have too many entries.
		if len(g.Columns) >= SparseWidth/2 && len(g.Entries) > 0 {
			x.Sparse = append(x.Sparse, g)
		} else {
			g.memory.Free()
		}
	}
}

// fill sets the entries of the group. It leaves them empty if their number does not fit into 32 bits.
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
	if uint64(total) > math.MaxUint32 {
		return
	}
	for i := range x.Rows {
		first[i+1] += first[i]
	}
	g.memory = x.memory.Like(2 * total)
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
