package bin

import (
	"math"
	"math/bits"

	"github.com/libaoso/aoso/internal/par"
)

// Coder finds the bins of many values with the tables of a mapper's features.
type Coder []coder

// Coder returns the coder of a mapper.
func (m *Mapper) Coder() Coder {
	c := make(Coder, len(m.Features))
	for j := range c {
		c[j].fit(&m.Features[j])
	}
	return c
}

// A source may store its values row by row. Map reads the columns of a tile one
// after another, while its cache lines are at hand.
const tileRows, tileColumns = 256, 16

// Map writes the bins of all rows of a source to columns, from row first on. It
// leaves out columns that are nil.
func (c Coder) Map(s Source, columns [][]uint8, first int, team *par.Team) {
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
						c[j].code(columns[j][first+row:][:n], values[:n])
					}
				}
			}
		}
	})
}

// coder finds the bins of many values of a feature. A value falls into one of
// many cells of equal width. A binary search among the few edges in the cell
// follows. It has no branches, because half of them would be mispredicted.
type coder struct {
	least, greatest float64 // the first edge and the last
	scale           float64 // cells for each unit
	first           [cells]uint8
	half            uint64                   // length of the first search step
	edges           [MaxValueBins + 1]uint64 // their keys
}

const cells = 1 << 10

func (c *coder) fit(f *Feature) {
	for i := range c.edges {
		c.edges[i] = math.MaxUint64
	}
	edges := f.Edges
	if len(edges) == 0 {
		return
	}
	for i, edge := range edges {
		c.edges[i] = Key(edge)
	}
	c.least, c.greatest = edges[0], edges[len(edges)-1]
	c.scale = (cells - 1) / (c.greatest - c.least)
	if !(c.scale > 0 && c.scale <= math.MaxFloat64) { // one edge, or the distance overflows: a single cell
		c.least, c.greatest, c.scale = 0, 0, 0
	}
	var counts [cells]int
	most := 0
	for _, edge := range edges {
		i := c.cell(edge)
		counts[i]++
		most = max(most, counts[i])
	}
	c.half = 1 << bits.Len(uint(most)) >> 1
	before := 0
	for i, n := range counts {
		// The search must not go past the last edges.
		c.first[i] = uint8(max(0, min(before, len(edges)+1-2*int(c.half))))
		before += n
	}
}

// cell is the cell of a value; of NaN, any. It never falls as values rise, so
// each edge in a lower cell than a value's is below the value.
func (c *coder) cell(x float64) uint64 {
	return uint64(int64((min(max(x, c.least), c.greatest)-c.least)*c.scale)) % cells
}

// code writes the bins of values to dst. They are those of Feature.Code.
func (c *coder) code(dst []uint8, values []float64) {
	for i, x := range values {
		k, n := Key(x), uint64(c.first[c.cell(x)])
		for step := c.half; step > 0; step >>= 1 {
			_, below := bits.Sub64(k, c.edges[(n+step-1)%uint64(len(c.edges))], 0)
			n += step & (below - 1)
		}
		code := uint8(n + 1)
		if x != x {
			code = 0
		}
		dst[i] = code
	}
}
