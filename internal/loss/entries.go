package loss

import (
	"math/bits"
	"slices"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// entries is the probabilities of rows in a form that does not grow with the number of
// classes. The softmax does not see a step that all classes share, so a leaf moves its
// best classes by steps relative to those of all others. A row has an entry for each
// class that a leaf has moved: its odds against a class that none has moved. All
// classes without an entry have the probability rest.
type entries struct {
	labels  []int32
	classes int
	rows    []rowSums
	blocks  []entryBlock
	scratch []mover // by worker
}

// rowSums is what the entries of a row sum up to.
type rowSums struct {
	rest  float64 // probability of each class without an entry
	own   float64 // p_y
	other float64 // 1 − p_y, as the sum of the others
}

// entryBlock is the entries of kernel.RowBlock rows, one row after the other.
type entryBlock struct {
	memory  *mem.Block
	odds    []float64
	classes []uint32
	ends    []uint32 // by row
}

// Odds stay in these bounds, so that no sum overflows.
const leastOdds, mostOdds = 1e-150, 1e150

// NewSparse is NewResiduals in the form for many classes.
func NewSparse(labels []int32, weights []float32, classes, stride int) *Residuals {
	e := &entries{labels: labels, classes: classes, rows: make([]rowSums, len(labels)), blocks: make([]entryBlock, kernel.Blocks(len(labels)))}
	k := float64(classes)
	for i := range e.rows {
		e.rows[i] = rowSums{rest: 1 / k, own: 1 / k, other: (k - 1) / k}
	}
	for b := range e.blocks {
		first, end := kernel.Block(b, len(labels))
		e.blocks[b].ends = make([]uint32, end-first)
	}
	r := &Residuals{
		entries: e, Stride: stride, Classes: classes, Labels: labels, Weights: weights,
		memory: mem.New(0), rows: len(labels), maxWeight: 1,
	}
	if len(weights) > 0 {
		r.maxWeight = slices.Max(weights)
	}
	r.SetUnits(float32((k - 1) / k))
	return r
}

// Sparse tells whether the residuals have the form for many classes.
func (r *Residuals) Sparse() bool { return r.entries != nil }

// of is the entries of a row.
func (e *entries) of(row int) (classes []uint32, odds []float64) {
	b := &e.blocks[row/kernel.RowBlock]
	i, first := row%kernel.RowBlock, uint32(0)
	if i > 0 {
		first = b.ends[i-1]
	}
	end := b.ends[i]
	return b.classes[first:end], b.odds[first:end]
}

func (e *entries) free() {
	for b := range e.blocks {
		e.blocks[b].free()
	}
	e.blocks, e.rows = nil, nil
}

func (b *entryBlock) free() {
	b.odds, b.classes = nil, nil
	if b.memory != nil {
		b.memory.Free()
		b.memory = nil
	}
}

// set replaces the entries of a block. It keeps some room for more.
func (b *entryBlock) set(classes []uint32, odds []float64) {
	n := len(odds)
	if n > cap(b.odds) {
		b.free()
		room := (n + n/8 + 63) &^ 63
		b.memory = mem.New(12 * room)
		b.odds = mem.View[float64](b.memory)[:room:room]
		b.classes = mem.View[uint32](b.memory)[2*room:]
	}
	b.odds, b.classes = b.odds[:n], b.classes[:n]
	copy(b.odds, odds)
	copy(b.classes, classes)
}

// copy is entries of the same rows that share nothing with e.
func (e *entries) copy() *entries {
	c := &entries{labels: e.labels, classes: e.classes, rows: slices.Clone(e.rows), blocks: make([]entryBlock, len(e.blocks))}
	for b := range e.blocks {
		c.blocks[b].ends = slices.Clone(e.blocks[b].ends)
		c.blocks[b].set(e.blocks[b].classes, e.blocks[b].odds)
	}
	return c
}

// Step is what a leaf multiplies the odds of the classes by that it moves, at most
// MostNamed. No class is there twice.
type Step struct {
	Classes []uint32
	Factors []float64
}

// MostNamed is the most classes that a leaf can move by themselves.
const MostNamed = 63

// mover is the room that a worker needs to move rows.
type mover struct {
	slots   []uint8 // by class: its number in the step at hand, from 1; 0: it is not moved
	classes []uint32
	odds    []float64
}

// Move moves each row by a step, given its number, −1 for none. It returns Σ (1 − p_y)
// over all rows and the greatest of these.
func (r *Residuals) Move(steps []Step, of []int32, team *par.Team) (sum float64, most float32) {
	e := r.entries
	for len(e.scratch) < team.Workers() {
		e.scratch = append(e.scratch, mover{slots: make([]uint8, e.classes)})
	}
	sums, greatest := make([]float64, len(e.blocks)), make([]float64, len(e.blocks))
	team.Do(len(e.blocks), func(worker, b int) {
		first, end := kernel.Block(b, len(of))
		e.moveBlock(&e.scratch[worker], b, steps, of[first:end])
		for _, row := range e.rows[first:end] {
			sums[b] += row.other
			greatest[b] = max(greatest[b], row.other)
		}
	})
	for b := range sums {
		sum += sums[b]
		most = max(most, float32(greatest[b]))
	}
	return sum, most
}

func (e *entries) moveBlock(m *mover, b int, steps []Step, of []int32) {
	block, first := &e.blocks[b], b*kernel.RowBlock
	m.classes, m.odds = m.classes[:0], m.odds[:0]
	begin := uint32(0)
	for i := range of {
		end := block.ends[i]
		at := len(m.odds)
		m.classes, m.odds = append(m.classes, block.classes[begin:end]...), append(m.odds, block.odds[begin:end]...)
		if of[i] >= 0 {
			m.move(at, &steps[of[i]])
			e.sumRow(first+i, m.classes[at:], m.odds[at:])
		}
		begin, block.ends[i] = end, uint32(len(m.odds))
	}
	block.set(m.classes, m.odds)
}

// move multiplies the last row's odds, which begin at a place.
func (m *mover) move(at int, s *Step) {
	var factors [MostNamed + 1]float64
	factors[0] = 1
	for i, k := range s.Classes {
		m.slots[k] = uint8(i + 1)
		factors[i+1] = s.Factors[i]
	}
	found := uint64(0)
	odds := m.odds[at:]
	for i, k := range m.classes[at:] {
		slot := m.slots[k] & MostNamed
		found |= 1 << slot
		odds[i] = clampOdds(odds[i] * factors[slot])
	}
	for missing := (uint64(2)<<len(s.Classes) - 2) &^ found; missing != 0; missing &= missing - 1 {
		i := bits.TrailingZeros64(missing) - 1
		m.classes, m.odds = append(m.classes, s.Classes[i]), append(m.odds, clampOdds(s.Factors[i]))
	}
	for _, k := range s.Classes {
		m.slots[k] = 0
	}
}

func clampOdds(x float64) float64 { return min(max(x, leastOdds), mostOdds) }

// sumRow sums up the odds of a row.
func (e *entries) sumRow(row int, classes []uint32, odds []float64) {
	y, own, without := uint32(e.labels[row]), 1.0, e.classes-len(odds)
	others, found := 0.0, false
	for i, k := range classes {
		if k == y {
			own, found = odds[i], true
		} else {
			others += odds[i]
		}
	}
	if !found {
		without--
	}
	others += float64(without)
	z := others + own
	e.rows[row] = rowSums{rest: 1 / z, own: own / z, other: others / z}
}
