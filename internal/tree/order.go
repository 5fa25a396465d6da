package tree

import (
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Segment lists rows of a partition that reach one leaf. It is valid until the partition
// changes.
type Segment struct {
	Leaf int
	Rows []uint32
}

// run is a range of a partition's rows that reach one leaf, and the place where they go.
type run struct{ leaf, start, end, place int }

// routeRows is the number of rows that are sent through a tree at once: enough for whole vectors
// at most leaves, few enough for their codes to stay in cache.
const routeRows = 8 * kernel.RowBlock

// route sorts each block of routeRows rows by the leaves of a tree that they reach, stably. It
// returns the runs by block.
func (p *Partition) route(t *Tree, k *kernel.Funcs, x *bin.Matrix, fill bool, team *par.Team) [][]run {
	n := (len(p.Rows) + routeRows - 1) / routeRows
	p.runs = slices.Grow(p.runs[:0], n)[:n]
	par.Run(team, n, router{p, t, k, x, fill})
	return p.runs
}

// router routes a block of rows.
type router struct {
	*Partition
	tree    *Tree
	kernels *kernel.Funcs
	matrix  *bin.Matrix
	fill    bool // the rows are those of the matrix, which are not listed yet
}

func (r router) Do(_, b int) {
	first, end := b*routeRows, min((b+1)*routeRows, len(r.Rows))
	if r.fill {
		r.list(first, end)
	}
	r.runs[b] = r.walk(r.runs[b][:0], r.tree.root(), first, end)
}

// walk routes the rows from start to end-1 from a node or leaf on, and appends their runs.
func (r *router) walk(runs []run, child int32, start, end int) []run {
	switch {
	case start == end:
		return runs
	case child < 0:
		return append(runs, run{int(^child), start, end, 0})
	}
	n := &r.tree.Nodes[child]
	middle := r.SplitAlone(&r.jobs[start/kernel.RowBlock], r.kernels, r.matrix.Columns[n.Split.Feature], n.test(), start, end)
	return r.walk(r.walk(runs, n.Left, start, middle), n.Right, middle, end)
}

// A pass over values of all rows, leaf after leaf, would read each line of memory several times: the rows of a leaf lie
// far apart. So where rows have few values, rangeRows rows are worked on at a time, which stay in the second-level cache.
const rangeRows, fewValues = 8 * routeRows, 16

// Order sorts the rows by the leaves of a tree that they reach, stably. A leaf that no row reaches has no segment. Where
// the segments are for passes over few values of each row, a leaf may have several: the rows are sorted within ranges.
func (p *Partition) Order(t *Tree, k *kernel.Funcs, x *bin.Matrix, values int, team *par.Team) []Segment {
	return p.order(t, p.route(t, k, x, false, team), values, team)
}

// OrderAll sets the partition to all rows of x, in that order.
func (p *Partition) OrderAll(t *Tree, k *kernel.Funcs, x *bin.Matrix, values int, team *par.Team) []Segment {
	p.Rows = p.Rows[:x.Rows]
	return p.order(t, p.route(t, k, x, true, team), values, team)
}

// order joins the runs of the blocks.
func (p *Partition) order(t *Tree, byBlock [][]run, values int, team *par.Team) (segments []Segment) {
	segments = p.segments[:0]
	if len(byBlock) == 1 { // in order
		for _, r := range byBlock[0] {
			segments = append(segments, Segment{r.leaf, p.Rows[r.start:r.end]})
		}
		p.segments = segments
		return segments
	}
	together := len(byBlock)
	if values <= fewValues {
		together = rangeRows / routeRows
	}
	p.next = slices.Grow(p.next[:0], len(t.Leaves))[:len(t.Leaves)]
	next, end := p.next, 0
	for first := 0; first < len(byBlock); first += together {
		inRange := byBlock[first:min(first+together, len(byBlock))]
		clear(next)
		for _, runs := range inRange {
			for _, r := range runs {
				next[r.leaf] += r.end - r.start
			}
		}
		for leaf, n := range next {
			if n > 0 {
				segments = append(segments, Segment{leaf, p.left[end : end+n]})
			}
			next[leaf], end = end, end+n
		}
		for _, runs := range inRange {
			for i := range runs {
				r := &runs[i]
				r.place = next[r.leaf]
				next[r.leaf] += r.end - r.start
			}
		}
	}
	team.Do(len(byBlock), func(_, b int) {
		for _, r := range byBlock[b] {
			copy(p.left[r.place:], p.Rows[r.start:r.end])
		}
	})
	p.segments = segments
	n := len(p.Rows)
	p.Rows, p.left = p.left[:n], p.Rows[:cap(p.Rows)]
	return segments
}
