package boost

import (
	"math"
	"math/bits"
	"slices"

	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/hash"
	"github.com/libaoso/aoso/internal/par"
)

// rowDraw draws the rows whose ids have the least hashes. So the rows drawn depend on the seed
// and on the set of ids, not on the order of the rows.
//
// The hashes are uniform, so the bound of a share of all rows lies near that share of their
// range. One pass over the rows decides all but the few near the bound; only these are sorted.
type rowDraw struct {
	ids    []uint64 // by row; nil: the row numbers
	rows   int      // number of rows on this machine
	all    int      // number of rows on all machines
	size   int      // number of rows drawn on all machines
	ranks  *collective.Group
	words  []uint64   // a bit for each row: it is drawn
	near   [][]hashed // by block: rows near the bound
	edge   []uint64   // hashes of the rows near the bound
	starts []int      // by block: how many rows of earlier blocks are drawn
	drawn  []uint32
}

// hashed is a row with the hash of its id.
type hashed struct {
	hash uint64
	row  uint32
}

// drawBlock is the number of rows in a block, whole words of bits.
const drawBlock = 1 << 14

func newRowDraw(ids []uint64, rows, all, size int, ranks *collective.Group) *rowDraw {
	blocks := (rows + drawBlock - 1) / drawBlock
	return &rowDraw{
		ids: ids, rows: rows, all: all, size: size, ranks: ranks, words: make([]uint64, (rows+63)/64),
		near: make([][]hashed, blocks), starts: make([]int, blocks+1), drawn: make([]uint32, min(size, rows)),
	}
}

// draw returns the rows that a seed draws, in order. The list is valid until the next draw.
func (d *rowDraw) draw(seed uint64, team *par.Team) []uint32 {
	low, high := d.window()
	if !d.drawWithin(seed, low, high, team) { // one seed in a million
		d.drawWithin(seed, 0, math.MaxUint64, team)
	}
	team.Do(len(d.near), func(_, b int) { d.list(b) })
	return d.drawn[:d.starts[len(d.near)]]
}

// window returns bounds of the hash at the bound: five standard deviations around the share that
// is drawn.
func (d *rowDraw) window() (low, high uint64) {
	share := float64(d.size) / float64(d.all)
	width := 5 * math.Sqrt(share*(1-share)/float64(d.all))
	return hash.Fraction(share - width), hash.Fraction(share + width)
}

// drawWithin sets the bits of the rows drawn. It returns false if the last of them has no hash
// from low up to high.
func (d *rowDraw) drawWithin(seed, low, high uint64, team *par.Team) bool {
	team.Do(len(d.near), func(_, b int) { d.starts[b+1] = d.hash(b, seed, low, high) })
	edge, below := d.edge[:0], 0
	for b, near := range d.near {
		below += d.starts[b+1]
		for _, row := range near {
			edge = append(edge, row.hash)
		}
	}
	below, edge = d.gather(below, edge)
	d.edge = edge
	if missing := d.size - below; missing < 0 || missing > len(edge) {
		return false
	} else if missing > 0 {
		slices.Sort(edge)
		d.addNear(edge[missing-1])
	}
	for b := range d.near {
		d.starts[b+1] += d.starts[b]
	}
	return true
}

// gather adds the counts below the window and the hashes in it of the other machines.
func (d *rowDraw) gather(below int, edge []uint64) (int, []uint64) {
	if d.ranks == nil {
		return below, edge
	}
	all := d.ranks.Gather(collective.Pack(append(edge, uint64(below))), 8)
	below, edge = 0, edge[:0]
	for _, b := range all {
		if theirs := collective.Unpack(b); len(theirs) > 0 {
			last := len(theirs) - 1
			edge = append(edge, theirs[:last]...)
			below += int(theirs[last])
		}
	}
	return below, edge
}

// hash sets the bits of the rows of a block whose hashes are below low, and counts them. It
// lists the rows with hashes up to high.
func (d *rowDraw) hash(b int, seed, low, high uint64) (below int) {
	near, width := d.near[b][:0], high-low
	end := min((b+1)*drawBlock, d.rows)
	var hashes [64]uint64
	for first := b * drawBlock; first < end; first += 64 {
		n := min(64, end-first)
		if d.ids == nil {
			for i := range hashes[:n] {
				hashes[i] = hash.Row(seed, uint64(first+i))
			}
		} else {
			for i, id := range d.ids[first:][:n] {
				hashes[i] = hash.Row(seed, id)
			}
		}
		word := uint64(0)
		for i, h := range hashes[:n] {
			distance, less := bits.Sub64(h, low, 0)
			word = word>>1 | less<<63
			if distance <= width {
				near = append(near, hashed{h, uint32(first + i)})
			}
		}
		d.words[first/64] = word >> (64 - n)
		below += bits.OnesCount64(word)
	}
	d.near[b] = near
	return below
}

// addNear sets the bits of the rows near the bound whose hashes are at most most.
func (d *rowDraw) addNear(most uint64) {
	for b, near := range d.near {
		for _, row := range near {
			if row.hash <= most {
				d.words[row.row/64] |= 1 << (row.row % 64)
				d.starts[b+1]++
			}
		}
	}
}

// list lists the rows of a block that are drawn.
func (d *rowDraw) list(b int) {
	drawn := d.drawn[d.starts[b]:d.starts[b+1]]
	first, at := b*drawBlock/64, 0
	for i, word := range d.words[first:min(first+drawBlock/64, len(d.words))] {
		for ; word != 0; word &= word - 1 {
			drawn[at] = uint32(64*(first+i) + bits.TrailingZeros64(word))
			at++
		}
	}
}
