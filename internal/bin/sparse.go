package bin

import (
	"cmp"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
)

// Sparse holds the codes of a group of sparse features row by row. A feature is
// sparse if most rows have the same code, its default. Only other codes have
// entries. Filling a histogram takes one update for each entry, where columns
// take one for each feature. If the features are mutually exclusive indicators,
// a row has a single entry, however many features there are.
type Sparse struct {
	Columns []int    // the features, in decreasing order of their number of codes
	Default []uint8  // default code of each feature in Columns
	Bins    []int    // for each tile the largest number of codes of its features
	First   []uint32 // index of each row's first entry, and the number of entries; length rows+1
	Entries []uint16 // first cell of the tile + code·SparseWidth + position in the tile
	memory  *mem.Block
}

// SparseWidth is the number of features in a tile, whose histograms are
// interleaved.
const SparseWidth = 8

// MostSparseCells is the most cells of a group, which 16-bit entries can address.
const MostSparseCells = 1 << 16

// SparseShare is the share of rows that must have the most common code for a
// feature to be stored row by row. Below it, columns are as fast.
const SparseShare = 0.7

// GroupSparse stores the sparse features of the matrix row by row as well, in
// x.Sparse.
func (x *Matrix) GroupSparse(m *Mapper, team *par.Team) {
	defaults := make([]int, len(x.Columns)) // −1 if the feature is not sparse
	team.Do(len(x.Columns), func(_, j int) {
		var counts [256]int
		for _, code := range x.Columns[j] {
			counts[code]++
		}
		defaults[j] = -1
		share := SparseShare
		if m.Features[j].Codes() == 3 { // with two values, consecutive rows often update the same bin, which is slow
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
		// A group of few features gains nothing. fill leaves a group empty if it has too many entries.
		if len(g.Columns) >= SparseWidth/2 && len(g.Entries) > 0 {
			x.Sparse = append(x.Sparse, g)
		} else {
			g.memory.Free()
		}
	}
}

// fill collects the entries of the group's columns. It leaves them empty if
// there are more than 32 bits can count.
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
