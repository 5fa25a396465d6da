package tree

import (
	"cmp"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/kernel"
)

// layout says where the histograms of columns lie: a tile holds the histograms of a few columns
// side by side, bin by bin, and a group of tiles is filled at once.
type layout struct {
	columns  []int
	tiles    []tile
	groups   []group
	cells    int
	pairs    int
	sharding *sharding // nil: one machine searches all columns

	order []int  // all columns, those with the most codes first
	left  []bool // columns not yet laid out
	dense []int  // columns not yet laid out that are neither sparse nor joint

	hashes []uint64 // memory for drawing columns
}

type tile struct {
	firstColumn, endColumn int
	firstCell, bins        int
	stride                 int     // cells from one bin to the next
	defaults               []uint8 // of a sparse tile: default codes, which filling omits
}

// group is a run of tiles that are filled at once: a sparse group, joint columns (a tile of
// first features, then one of second features, and so on), or plain columns.
type group struct {
	firstTile, endTile int
	sparse             *bin.Sparse
	joint              []*bin.Joint
}

func (t *tile) endCell() int { return t.firstCell + t.bins*t.stride }

// newLayout lays out sparse groups and then joint columns, if all their features are among the
// columns, then the others, columns of similar numbers of bins in common tiles. order is byCodes(m).
func newLayout(x *bin.Matrix, m *bin.Mapper, order, columns []int, pairs, cacheBytes int) *layout {
	l := &layout{order: order}
	l.layOut(x, m, columns, pairs, cacheBytes)
	return l
}

// byCodes lists all columns, those with the most codes first.
func byCodes(m *bin.Mapper) []int {
	columns := make([]int, len(m.Features))
	for c := range columns {
		columns[c] = c
	}
	slices.SortStableFunc(columns, func(a, b int) int { return cmp.Compare(m.Features[b].Codes(), m.Features[a].Codes()) })
	return columns
}

// layOut replaces the layout by one of other columns, reusing its memory.
func (l *layout) layOut(x *bin.Matrix, m *bin.Mapper, columns []int, pairs, cacheBytes int) {
	l.columns, l.tiles, l.groups = l.columns[:0], l.tiles[:0], l.groups[:0]
	l.cells, l.pairs, l.sharding = 0, pairs, nil
	l.left = slices.Grow(l.left[:0], len(x.Columns))[:len(x.Columns)]
	clear(l.left)
	for _, c := range columns {
		l.left[c] = true
	}
	l.addSparse(x)
	l.addJoint(x, cacheBytes)
	l.addDense(m, cacheBytes)
}

// addSparse lays out the sparse groups whose features are all among the columns.
func (l *layout) addSparse(x *bin.Matrix) {
	left := l.left
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
			l.addTile(tile{first, len(l.columns), l.cells, bins, bin.SparseWidth * l.pairs, s.Default[c:end]})
		}
	}
}

// addDense lays out the columns that are left, those of similar numbers of bins together.
func (l *layout) addDense(m *bin.Mapper, cacheBytes int) {
	l.dense = l.dense[:0]
	for _, c := range l.order {
		if l.left[c] {
			l.dense = append(l.dense, c)
		}
	}
	for chunk := range slices.Chunk(l.dense, kernel.TileLanes/l.pairs) {
		first := len(l.columns)
		l.columns = append(l.columns, chunk...)
		t := tile{first, len(l.columns), l.cells, m.Features[chunk[0]].Codes(), kernel.TileLanes, nil}
		if last := len(l.groups) - 1; last < 0 || !l.groups[last].fits(l, &t, cacheBytes) {
			l.groups = append(l.groups, group{len(l.tiles), len(l.tiles), nil, nil})
		}
		l.addTile(t)
	}
}

// addJoint lays out the joint columns whose features are both still left.
func (l *layout) addJoint(x *bin.Matrix, cacheBytes int) {
	left, width := l.left, kernel.TileLanes/l.pairs
	most := max(width, min(kernel.TileLanes, cacheBytes/(8*jointCells)*width))
	var joint []*bin.Joint
	for _, c := range x.Joint {
		if left[c.First] && left[c.Second] {
			left[c.First], left[c.Second] = false, false
			joint = append(joint, c)
		}
	}
	for chunk := range slices.Chunk(joint, most) {
		l.groups = append(l.groups, group{len(l.tiles), len(l.tiles), nil, chunk})
		for side := range slices.Chunk(chunk, width) {
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

// jointCells is the number of cells of a tile of joint columns.
const jointCells = bin.JointBins * bin.JointBins * kernel.TileLanes

// GroupBytes bounds the histograms, for narrow nodes, of a group of columns, some of which may
// be sparse.
func GroupBytes(pairs int, sparse bool) float64 {
	const mostCache = 192 << 10 // cache of a core, which the histograms filled at once should fit
	bytes := max(mostCache, 8*kernel.MaxBins*kernel.TileLanes, 8*2*pairs*(bin.JointBins+1)*kernel.TileLanes)
	if sparse {
		bytes = max(bytes, 8*pairs*bin.MostSparseCells)
	}
	return float64(bytes)
}

// JointBytes bounds the histograms of joint columns that are filled at once.
func JointBytes(pairs int) float64 { return float64(8 * pairs * jointCells) }

// addTile adds a tile to the last group.
func (l *layout) addTile(t tile) {
	g := &l.groups[len(l.groups)-1]
	l.tiles = append(l.tiles, t)
	g.endTile++
	l.cells = t.endCell()
}

// fits reports whether a tile can be filled along with the group: its columns fit one job, and
// the histograms fit the cache.
func (g *group) fits(l *layout, t *tile, cacheBytes int) bool {
	first := &l.tiles[g.firstTile]
	return g.sparse == nil && g.joint == nil && t.endColumn-first.firstColumn <= kernel.TileLanes && (t.endCell()-first.firstCell)*8 <= cacheBytes
}
