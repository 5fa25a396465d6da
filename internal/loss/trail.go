package loss

import (
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
)

// trail is which leaf of each tree a row has reached, and what the leaves do to their
// classes. It has a number for each row and class in room that does not grow with the
// number of classes: all numbers begin as one, and each leaf of a row multiplies those of
// its classes. They are multiplied up anew, row by row, when they are asked for.
type trail[N number] struct {
	classes int
	trees   []leafChanges[N]
	spans   []span
	walkers []walker[N] // by worker
	rows    int
}

type number interface{ float32 | float64 }

// SpanTrees is how many leaves of a row lie side by side: a line of the cache. Training
// takes room for so many trees at once.
const SpanTrees = 16

// span is the leaves of all rows in so many trees: rows × SpanTrees numbers of leaves,
// from 1; 0: none.
type span struct {
	memory *mem.Block
	leaves []uint32
}

// leafChanges is the changes of the leaves of a tree, the same number for each.
type leafChanges[N number] struct {
	width   int
	changes []change[N] // by leaf, from 1
}

// change is a factor of the number of a class.
type change[N number] struct {
	class uint32
	by    N
}

// Step is what a leaf multiplies the odds of some classes by.
type Step struct {
	Classes []uint32
	By      []float64
}

// Reached is rows that reach a leaf.
type Reached struct {
	Leaf int
	Rows []uint32
}

// Odds stay in these bounds, so that no sum overflows.
const leastOdds, mostOdds = 1e-30, 1e30

func newTrail[N number](rows, classes int) trail[N] { return trail[N]{classes: classes, rows: rows} }

// add adds a tree of leaves with steps, and the rows that reach them.
func (t *trail[N]) add(steps []Step, reached []Reached, team *par.Team) {
	at := len(t.trees) % SpanTrees
	if at == 0 {
		memory := mem.New(4 * t.rows * SpanTrees)
		t.spans = append(t.spans, span{memory, mem.View[uint32](memory)})
	}
	t.trees = append(t.trees, newLeafChanges[N](steps, t.classes))
	leaves := t.spans[len(t.spans)-1].leaves
	team.Do(len(reached), func(_, i int) {
		for _, row := range reached[i].Rows {
			leaves[int(row)*SpanTrees+at] = uint32(reached[i].Leaf + 1)
		}
	})
}

// newLeafChanges pads the steps with changes of a class that does not exist.
func newLeafChanges[N number](steps []Step, classes int) leafChanges[N] {
	width := 0
	for i := range steps {
		width = max(width, len(steps[i].Classes))
	}
	c := leafChanges[N]{width, make([]change[N], (len(steps)+1)*width)}
	for i := range c.changes {
		c.changes[i] = change[N]{uint32(classes), 1}
	}
	for i, step := range steps {
		for j, k := range step.Classes {
			c.changes[(i+1)*width+j] = change[N]{k, N(min(max(step.By[j], leastOdds), mostOdds))}
		}
	}
	return c
}

// copy is a trail of the same rows that shares nothing that changes with t.
func (t *trail[N]) copy() trail[N] {
	c := newTrail[N](t.rows, t.classes)
	c.trees = append(c.trees, t.trees...)
	for _, s := range t.spans {
		memory := mem.New(4 * len(s.leaves))
		leaves := mem.View[uint32](memory)
		copy(leaves, s.leaves)
		c.spans = append(c.spans, span{memory, leaves})
	}
	return c
}

func (t *trail[N]) free() {
	for _, s := range t.spans {
		s.memory.Free()
	}
	t.spans = nil
}

// rowsTogether is the rows of a leaf that a worker walks one after another. Rows of one
// leaf have many others in common, whose changes are then in the cache.
const rowsTogether = 256

// walk shows the numbers of rows that are not one, in an order that depends on the row
// alone. They are good until show returns.
func (t *trail[N]) walk(reached []Reached, team *par.Team, show func(worker, row int, w *walker[N])) {
	for len(t.walkers) < team.Workers() {
		t.walkers = append(t.walkers, newWalker[N](t.classes))
	}
	var tasks [][]uint32
	for i := range reached {
		for rows := reached[i].Rows; len(rows) > 0; {
			n := min(len(rows), rowsTogether)
			tasks, rows = append(tasks, rows[:n]), rows[n:]
		}
	}
	team.Do(len(tasks), func(worker, i int) {
		w := &t.walkers[worker]
		for _, row := range tasks[i] {
			w.visit(t, int(row))
			show(worker, int(row), w)
			w.leave()
		}
	})
}

// walker has the numbers of a row.
type walker[N number] struct {
	numbers []N // by class; zero stands for one, but for the class that does not exist
	changed []uint32
	changes int // of changed, which has room for more
}

func newWalker[N number](classes int) walker[N] {
	w := walker[N]{numbers: make([]N, classes+1)}
	w.numbers[classes] = 1
	return w
}

// visit finds the numbers of a row.
func (w *walker[N]) visit(t *trail[N], row int) {
	n, numbers := 0, w.numbers
	for s := range t.spans {
		trees := t.trees[s*SpanTrees : min((s+1)*SpanTrees, len(t.trees))]
		for i, leaf := range t.spans[s].leaves[row*SpanTrees:][:len(trees)] {
			of := &trees[i]
			if n+of.width > len(w.changed) {
				w.changed = append(w.changed, make([]uint32, len(w.changed)+of.width)...)
			}
			changed := w.changed
			for _, c := range of.changes[int(leaf)*of.width:][:of.width] {
				x := numbers[c.class]
				if x == 0 {
					changed[n] = c.class
					n++
					numbers[c.class] = c.by
					continue
				}
				if x *= c.by; x < leastOdds {
					x = leastOdds
				} else if x > mostOdds {
					x = mostOdds
				}
				numbers[c.class] = x
			}
		}
	}
	w.changes = n
}

// leave forgets the numbers of a row.
func (w *walker[N]) leave() {
	for _, k := range w.changed[:w.changes] {
		w.numbers[k] = 0
	}
}
