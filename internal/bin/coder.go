package bin

import (
	"math"
	"math/bits"
	"slices"

	"github.com/libaoso/aoso/internal/par"
)

// Coder finds the bins of many values. It has lookup tables for each feature of a mapper.
type Coder struct {
	coders []coder
	first  []uint8  // the memory of the coders' tables first
	edges  []uint64 // the memory of their edges
}

// Coder returns the coder of a mapper.
func (m *Mapper) Coder() *Coder {
	c := new(Coder)
	c.fit(m.Features)
	return c
}

// fit computes the tables of some features, in memory of earlier tables if there is enough.
func (c *Coder) fit(features []Feature) {
	cells, keys := 0, 0
	for j := range features {
		n := len(features[j].Edges)
		cells, keys = cells+cellsOf(n), keys+keysOf(n)
	}
	c.coders = slices.Grow(c.coders[:0], len(features))[:len(features)]
	c.first, c.edges = slices.Grow(c.first[:0], cells)[:cells], slices.Grow(c.edges[:0], keys)[:keys]
	first, edges := c.first, c.edges
	for j := range features {
		n := len(features[j].Edges)
		cells, keys = cellsOf(n), keysOf(n)
		c.coders[j] = coder{first: first[:cells:cells], edges: edges[:keys:keys]}
		c.coders[j].fit(&features[j])
		first, edges = first[cells:], edges[keys:]
	}
}

// A source may store its values row by row. Map reads the columns of a tile one after another,
// while its cache lines are in cache.
const tileRows, tileColumns = 256, 16

// Map writes the bins of all rows of a source to columns, from row first on. It
// leaves out columns that are nil.
func (c *Coder) Map(s Source, columns [][]uint8, first int, team *par.Team) {
	rows, cols := s.Rows(), len(columns)
	team.Do((rows+rowBlock-1)/rowBlock, func(_, b int) {
		var values [tileRows]float64
		from, end := b*rowBlock, min((b+1)*rowBlock, rows)
		for left := 0; left < cols; left += tileColumns {
			for row := from; row < end; row += tileRows {
				n := min(tileRows, end-row)
				for j := left; j < min(left+tileColumns, cols); j++ {
					if columns[j] != nil {
						s.Column(j, row, values[:n])
						c.coders[j].code(columns[j][first+row:][:n], values[:n])
					}
				}
			}
		}
	})
}

// Map quantizes a source, which need not be the one that the mapper was fitted
// to.
func (m *Mapper) Map(s Source, team *par.Team) *Matrix {
	const group = 1024 // columns whose tables exist at the same time
	x, c := m.NewMatrix(s.Rows()), new(Coder)
	for first := 0; first < len(m.Features); first += group {
		end := min(first+group, len(m.Features))
		c.fit(m.Features[first:end])
		c.Map(columnsFrom{s, first}, x.Columns[first:end], 0, team)
	}
	return x
}

// columnsFrom has the columns of a source from first on.
type columnsFrom struct {
	Source
	first int
}

func (s columnsFrom) Column(j, row int, dst []float64) { s.Source.Column(s.first+j, row, dst) }

// coder finds the bins of many values of a feature. The range of the edges is divided into many cells of equal width. The coder computes
// the cell of a value, and then searches the few edges in the cell by bisection, without branches: half of them would be mispredicted.
type coder struct {
	least, greatest float64  // the first edge and the last
	scale           float64  // cells per unit of the values
	half            uint64   // length of the first search step
	first           []uint8  // by cell: the position in edges at which the search starts
	edges           []uint64 // the keys of the edges, padded with MaxUint64
}

// cellsOf returns the number of cells of a feature with this many edges: a power of two, at least four times their number.
func cellsOf(edges int) int { return 4 << bits.Len(uint(edges)) }

// CoderBytes returns the memory in bytes of the coder of a feature with this many bins.
func CoderBytes(bins int) float64 {
	const itself = 96
	return float64(itself + cellsOf(bins-1) + 8*keysOf(bins-1))
}

// keysOf returns the length of coder.edges: a power of two above the number of edges.
func keysOf(edges int) int { return 1 << bits.Len(uint(edges)) }

// fit computes the tables of a feature. first and edges must have their lengths.
func (c *coder) fit(f *Feature) {
	for i := range c.edges {
		c.edges[i] = math.MaxUint64
	}
	clear(c.first)
	edges := f.Edges
	if len(edges) == 0 {
		return
	}
	for i, edge := range edges {
		c.edges[i] = Key(edge)
	}
	c.least, c.greatest = edges[0], edges[len(edges)-1]
	c.scale = float64(len(c.first)-1) / (c.greatest - c.least)
	if !(c.scale > 0 && c.scale <= math.MaxFloat64) { // there is one edge, or the distance overflows: use a single cell
		c.least, c.greatest, c.scale = 0, 0, 0
	}
	var counts [mostCells]int
	most := 0
	for _, edge := range edges {
		i := c.cell(edge) & (len(c.first) - 1)
		counts[i]++
		most = max(most, counts[i])
	}
	c.half = 1 << bits.Len(uint(most)) >> 1
	before := 0
	for i, n := range counts[:len(c.first)] {
		// The search must not go past the end of edges.
		c.first[i] = uint8(max(0, min(before, len(edges)+1-2*int(c.half))))
		before += n
	}
}

// mostCells is the number of cells of a feature with MaxValueBins bins.
const mostCells = 1 << 10

// cell returns the cell of a value, to be masked by len(c.first)−1. NaN may have any cell. The cell never falls as values rise, so an
// edge in a lower cell than a value is below the value.
func (c *coder) cell(x float64) int {
	return int(int64((min(max(x, c.least), c.greatest) - c.least) * c.scale))
}

// code writes the bins of values to dst, as Feature.Code computes them.
func (c *coder) code(dst []uint8, values []float64) {
	first, edges, dst := c.first, c.edges, dst[:len(values)]
	if len(first) == 0 || len(edges) == 0 {
		return // never reached; it tells the compiler that masked indices are in range
	}
	for i, x := range values {
		k, n := Key(x), uint64(first[c.cell(x)&(len(first)-1)])
		for step := c.half; step > 0; step >>= 1 {
			_, below := bits.Sub64(k, edges[int(n+step-1)&(len(edges)-1)], 0)
			n += step & (below - 1)
		}
		code := uint8(n + 1)
		if x != x {
			code = 0
		}
		dst[i] = code
	}
}
