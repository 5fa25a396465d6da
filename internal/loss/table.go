package loss

import (
	"slices"
	"unsafe"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// table has a number for each row and class, in room that does not grow with the number
// of classes. All begin with the same number. A row has an entry for each class that a
// step has changed, in the order of the classes.
type table[N number] struct {
	begin  N
	change func(number N, by float64) N
	blocks []entryBlock[N]
	rooms  []entryRoom[N] // by worker
}

type number interface{ float32 | float64 }

// entryBlock is the entries of kernel.RowBlock rows, one row after the other.
type entryBlock[N number] struct {
	memory  *mem.Block
	numbers []N
	classes []uint32
	ends    []uint32 // by row
}

// entryRoom is where a worker puts the new entries of a block.
type entryRoom[N number] struct {
	classes []uint32
	numbers []N
}

// Step is what a leaf does to the classes that it moves by themselves, in the order of the
// classes. All other classes stay.
type Step struct {
	Classes []uint32
	By      []float64
}

func newTable[N number](rows int, begin N, change func(number N, by float64) N) table[N] {
	t := table[N]{begin: begin, change: change, blocks: make([]entryBlock[N], kernel.Blocks(rows))}
	for b := range t.blocks {
		first, end := kernel.Block(b, rows)
		t.blocks[b].ends = make([]uint32, end-first)
	}
	return t
}

// of is the entries of a row.
func (t *table[N]) of(row int) (classes []uint32, numbers []N) {
	b := &t.blocks[row/kernel.RowBlock]
	i, first := row%kernel.RowBlock, uint32(0)
	if i > 0 {
		first = b.ends[i-1]
	}
	end := b.ends[i]
	return b.classes[first:end], b.numbers[first:end]
}

// mean is the number of entries that a row has on average, rounded down.
func (t *table[N]) mean() int {
	entries, rows := 0, 0
	for b := range t.blocks {
		entries, rows = entries+len(t.blocks[b].classes), rows+len(t.blocks[b].ends)
	}
	return entries / max(rows, 1)
}

// copy is a table of the same numbers that shares nothing with t.
func (t *table[N]) copy() table[N] {
	c := table[N]{begin: t.begin, change: t.change, blocks: make([]entryBlock[N], len(t.blocks))}
	for b := range t.blocks {
		c.blocks[b].ends = slices.Clone(t.blocks[b].ends)
		c.blocks[b].set(t.blocks[b].classes, t.blocks[b].numbers)
	}
	return c
}

func (t *table[N]) free() {
	for b := range t.blocks {
		t.blocks[b].free()
	}
	t.blocks = nil
}

func (b *entryBlock[N]) free() {
	b.numbers, b.classes = nil, nil
	if b.memory != nil {
		b.memory.Free()
		b.memory = nil
	}
}

// roomShare is the part of its entries that a block has room for beside them.
const roomShare = 16

// set replaces the entries of a block.
func (b *entryBlock[N]) set(classes []uint32, numbers []N) {
	n := len(numbers)
	if n > cap(b.numbers) {
		b.free()
		room, size := (n+n/roomShare+63)&^63, int(unsafe.Sizeof(numbers[0]))
		b.memory = mem.New((size + 4) * room)
		b.numbers = mem.View[N](b.memory)[:room:room]
		b.classes = mem.View[uint32](b.memory)[size/4*room:]
	}
	b.numbers, b.classes = b.numbers[:n], b.classes[:n]
	copy(b.numbers, numbers)
	copy(b.classes, classes)
}

// move changes each row by a step, given its number, −1 for none. It shows the new
// entries of each row that has a step.
func (t *table[N]) move(steps []Step, of []int32, team *par.Team, show func(row int, classes []uint32, numbers []N)) {
	for len(t.rooms) < team.Workers() {
		t.rooms = append(t.rooms, entryRoom[N]{})
	}
	team.Do(len(t.blocks), func(worker, b int) {
		block, room, first := &t.blocks[b], &t.rooms[worker], b*kernel.RowBlock
		room.classes, room.numbers = room.classes[:0], room.numbers[:0]
		begin := uint32(0)
		for i, end := range block.ends {
			classes, numbers := block.classes[begin:end], block.numbers[begin:end]
			at := len(room.classes)
			if step := of[first+i]; step >= 0 {
				t.merge(room, classes, numbers, &steps[step])
				show(first+i, room.classes[at:], room.numbers[at:])
			} else {
				room.classes, room.numbers = append(room.classes, classes...), append(room.numbers, numbers...)
			}
			begin, block.ends[i] = end, uint32(len(room.classes))
		}
		block.set(room.classes, room.numbers)
	})
}

// merge appends the entries of a row after a step.
func (t *table[N]) merge(room *entryRoom[N], classes []uint32, numbers []N, s *Step) {
	all := len(classes) + len(s.Classes)
	c, x := slices.Grow(room.classes, all), slices.Grow(room.numbers, all)
	for i, k := range s.Classes {
		n, old := below(classes, k), t.begin
		c, x = append(c, classes[:n]...), append(x, numbers[:n]...)
		if n < len(classes) && classes[n] == k {
			old = numbers[n]
			n++
		}
		c, x = append(c, k), append(x, t.change(old, s.By[i]))
		classes, numbers = classes[n:], numbers[n:]
	}
	room.classes, room.numbers = append(c, classes...), append(x, numbers...)
}

// below is how many of sorted classes are less than k.
func below(classes []uint32, k uint32) int {
	first, n := 0, len(classes)
	for n > 0 {
		half := n / 2
		if classes[first+half] < k {
			first += n - half
		}
		n = half
	}
	return first
}
