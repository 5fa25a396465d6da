package tree

import (
	"cmp"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/kernel"
)

// layout says where the histograms of a set of columns lie: a tile holds those
// of a few columns side by side, bin by bin, and a group of tiles is filled
// at once.
type layout struct {
	columns []int
	tiles   []tile
	groups  []group
	cells   int
	pairs   int
	deal    *deal // to the ranks; nil: one machine searches all
}

type tile struct {
	firstColumn, endColumn int
	firstCell, bins        int
	stride                 int     // cells from bin to bin
	defaults               []uint8 // of a sparse tile: codes that filling leaves out
}

// group is tiles that are filled at once: those of a sparse group, of joint
// columns (one tile of first features, then one of second ones, and so on), or
// of plain columns.
type group struct {
	firstTile, endTile int
	sparse             *bin.Sparse
	joint              []*bin.Joint
}

func (t *tile) endCell() int { return t.firstCell + t.bins*t.stride }

// newLayout puts sparse groups first, if all their features are among the
// columns, then joint columns likewise, then columns of alike numbers of bins
// into common tiles.
func newLayout(x *bin.Matrix, m *bin.Mapper, columns []int, pairs, cacheBytes int) *layout {
	l := &layout{pairs: pairs}
	left := make([]bool, len(x.Columns)) // columns not yet laid out
	for _, c := range columns {
		left[c] = true
	}
	for _, s := range x.Sparse {
		if slices.ContainsFunc(s.Columns, func(c int) bool { return !left[c] }) {
			continue
		}
		for _, c := range s.Columns {
			left[c] = false
		}
		l.groups = append(l.groups, group{len(l.tiles), len(l.tiles), s, nil})
		for i, bins := range s.Bins {
			c := i * bin.SparseWidth
			end := min(c+bin.SparseWidth, len(s.Columns))
			first := len(l.columns)
			l.columns = append(l.columns, s.Columns[c:end]...)
			l.addTile(tile{first, len(l.columns), l.cells, bins, bin.SparseWidth * pairs, s.Default[c:end]})
		}
	}
	l.addJoint(x, left, pairs, cacheBytes)
	dense := slices.DeleteFunc(slices.Clone(columns), func(c int) bool { return !left[c] })
	codes := func(c int) int { return m.Features[c].Codes() }
	slices.SortStableFunc(dense, func(a, b int) int { return cmp.Compare(codes(b), codes(a)) })
	for len(dense) > 0 {
		n := min(kernel.TileLanes/pairs, len(dense))
		first := len(l.columns)
		l.columns = append(l.columns, dense[:n]...)
		t := tile{first, first + n, l.cells, codes(dense[0]), kernel.TileLanes, nil}
		if last := len(l.groups) - 1; last < 0 || !l.groups[last].takes(l, &t, cacheBytes) {
			l.groups = append(l.groups, group{len(l.tiles), len(l.tiles), nil, nil})
		}
		l.addTile(t)
		dense = dense[n:]
	}
	return l
}

// addJoint lays out the joint columns whose features are both still left.
func (l *layout) addJoint(x *bin.Matrix, left []bool, pairs, cacheBytes int) {
	width := kernel.TileLanes / pairs
	most := max(width, min(kernel.TileLanes, cacheBytes/(8*jointCells)*width))
	var joint []*bin.Joint
	for _, c := range x.Joint {
		if left[c.First] && left[c.Second] {
			left[c.First], left[c.Second] = false, false
			joint = append(joint, c)
		}
	}
	for together := range slices.Chunk(joint, most) {
		l.groups = append(l.groups, group{len(l.tiles), len(l.tiles), nil, together})
		for side := range slices.Chunk(together, width) {
			n := len(side)
			first := len(l.columns)
			for _, c := range side {
				l.columns = append(l.columns, c.First)
			}
			for _, c := range side {
				l.columns = append(l.columns, c.Second)
			}
			l.addTile(tile{first, first + n, l.cells, bin.JointBins + 1, kernel.TileLanes, nil})
			l.addTile(tile{first + n, first + 2*n, l.cells, bin.JointBins + 1, kernel.TileLanes, nil})
		}
	}
}

// jointCells is the cells of a tile of joint columns.
const jointCells = bin.JointBins * bin.JointBins * kernel.TileLanes

// addTile adds a tile to the last group.
func (l *layout) addTile(t tile) {
	g := &l.groups[len(l.groups)-1]
	l.tiles = append(l.tiles, t)
	g.endTile++
	l.cells = t.endCell()
}

// takes tells whether a tile can be filled along with the group: its columns
// fit one job, and the histograms the cache.
func (g *group) takes(l *layout, t *tile, cacheBytes int) bool {
	first := &l.tiles[g.firstTile]
	return g.sparse == nil && g.joint == nil && t.endColumn-first.firstColumn <= kernel.TileLanes && (t.endCell()-first.firstCell)*8 <= cacheBytes
}
