package odds

import (
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
)

// leafPath records which leaf of each tree a row has reached, and what the leaves do to their
// classes. It tells the odds of each class of a row, in memory that does not grow with the
// number of classes: each leaf of a row multiplies the odds of its classes.
type leafPath[N number] struct {
	classes int
	base    *initialOdds // nil: all odds begin as one
	trees   []leafChanges[N]
	spans   []span
	rows    int
}

type number interface{ float32 | float64 }

// SpanTrees is how many leaves of a row lie side by side: a line of the cache. Training
// allocates this many trees at once.
const SpanTrees = 16

// span is the leaves of all rows in this many trees: rows × SpanTrees numbers of leaves,
// from 1; 0: none.
type span struct {
	memory *mem.Block
	leaves []uint32
	index  *index // of what its trees change; nil: there is none
}

// leafChanges is the changes of the leaves of a tree, the same number for each.
type leafChanges[N number] struct {
	leaves  uint32 // and one, for none
	width   int
	changes []change[N] // by leaf, from 1
}

// change is a factor of the odds of a class.
type change[N number] struct {
	class uint32
	by    N
}

// Step is what a leaf multiplies the odds of some classes by.
type Step struct {
	Classes []uint32
	By      []float64
}

// LeafRows are rows that reach a leaf.
type LeafRows struct {
	Leaf int
	Rows []uint32
}

// Odds stay in these bounds, so that no sum overflows.
const leastOdds, mostOdds = 1e-30, 1e30

// times is odds multiplied by a factor.
func times[N number](x, by N) N {
	if x *= by; x < leastOdds {
		return leastOdds
	} else if x > mostOdds {
		return mostOdds
	}
	return x
}

func newLeafPath[N number](rows, classes int) leafPath[N] {
	return leafPath[N]{classes: classes, rows: rows}
}

// add adds a tree of leaves with steps, and the rows that reach them.
func (t *leafPath[N]) add(steps []Step, reached []LeafRows, team *par.Team) {
	at := len(t.trees) % SpanTrees
	if at == 0 {
		memory := mem.New(4 * t.rows * SpanTrees)
		t.spans = append(t.spans, span{memory, mem.View[uint32](memory), nil})
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
	c := leafChanges[N]{uint32(len(steps) + 1), width, make([]change[N], (len(steps)+1)*width)}
	for i := range c.changes {
		c.changes[i] = change[N]{uint32(classes), 1}
	}
	for i, step := range steps {
		for j, k := range step.Classes {
			c.changes[(i+1)*width+j] = change[N]{k, factor[N](step.By[j])}
		}
	}
	return c
}

// factor returns what a step multiplies odds by.
func factor[N number](by float64) N { return N(min(max(by, leastOdds), mostOdds)) }

// of returns the changes of a leaf.
func (c *leafChanges[N]) of(leaf uint32) []change[N] { return c.changes[int(leaf)*c.width:][:c.width] }

// spanTrees returns the trees of a span.
func (t *leafPath[N]) spanTrees(s int) []leafChanges[N] {
	return t.trees[s*SpanTrees : min((s+1)*SpanTrees, len(t.trees))]
}

// copy returns a leaf path of the same rows that shares nothing that changes with t.
func (t *leafPath[N]) copy() leafPath[N] {
	c := newLeafPath[N](t.rows, t.classes)
	c.base = t.base
	c.trees = append(c.trees, t.trees...)
	for _, s := range t.spans {
		memory := mem.New(4 * len(s.leaves))
		leaves := mem.View[uint32](memory)
		copy(leaves, s.leaves)
		c.spans = append(c.spans, span{memory, leaves, s.index})
	}
	return c
}

func (t *leafPath[N]) free() {
	for _, s := range t.spans {
		s.memory.Free()
	}
	t.spans = nil
}

// rowsTogether is the most rows that a worker takes one after another.
const rowsTogether = 512

// together splits the rows of leaves into tasks.
func together(reached []LeafRows) (tasks []LeafRows) {
	for _, r := range reached {
		for rows := r.Rows; len(rows) > 0; {
			n := min(len(rows), rowsTogether)
			tasks = append(tasks, LeafRows{r.Leaf, rows[:n]})
			rows = rows[n:]
		}
	}
	return tasks
}
