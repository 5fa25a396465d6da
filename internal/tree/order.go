package tree

import (
	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Segment lists the rows of a partition that reach one leaf. It is valid until the partition
// changes.
type Segment struct {
	Leaf int
	Rows []uint32
}

// run is a range of a partition's rows that reach one leaf.
type run struct{ leaf, start, end int }

// routeRows is the number of rows that are sent through a tree at once: enough for whole vectors
// at most leaves, few enough for their codes to stay in cache.
const routeRows = 8 * kernel.RowBlock

// route sorts each block of routeRows rows by the leaves of a tree that they reach, stably. It
// returns the runs by block.
func (p *Partition) route(t *Tree, k *kernel.Funcs, x *bin.Matrix, team *par.Team) [][]run {
	byBlock := make([][]run, (len(p.Rows)+routeRows-1)/routeRows)
	team.Do(len(byBlock), func(_, b int) {
		runs := make([]run, 0, min(len(t.Leaves), routeRows))
		var walk func(child int32, start, end int)
		walk = func(child int32, start, end int) {
			switch {
			case start == end:
			case child < 0:
				runs = append(runs, run{int(^child), start, end})
			default:
				n := &t.Nodes[child]
				middle := p.splitBlock(k, x.Columns[n.Split.Feature], n.test(), start, end)
				walk(n.Left, start, middle)
				walk(n.Right, middle, end)
			}
		}
		walk(t.root(), b*routeRows, min((b+1)*routeRows, len(p.Rows)))
		byBlock[b] = runs
	})
	return byBlock
}

// Order sorts the rows by the leaves of a tree that they reach, stably. A leaf that no row
// reaches has no segment.
func (p *Partition) Order(t *Tree, k *kernel.Funcs, x *bin.Matrix, team *par.Team) (segments []Segment) {
	byBlock := p.route(t, k, x, team)
	rows := make([]int, len(t.Leaves))
	for _, runs := range byBlock {
		for _, r := range runs {
			rows[r.leaf] += r.end - r.start
		}
	}
	next := rows // by leaf: where its next rows go
	end := 0
	for leaf, n := range rows {
		if n > 0 {
			segments = append(segments, Segment{leaf, p.left[end : end+n]})
		}
		next[leaf], end = end, end+n
	}
	places := make([][]int, len(byBlock)) // by block: where each run goes
	for b, runs := range byBlock {
		places[b] = make([]int, len(runs))
		for i, r := range runs {
			places[b][i] = next[r.leaf]
			next[r.leaf] += r.end - r.start
		}
	}
	team.Do(len(byBlock), func(_, b int) {
		for i, r := range byBlock[b] {
			copy(p.left[places[b][i]:], p.Rows[r.start:r.end])
		}
	})
	n := len(p.Rows)
	p.Rows, p.left = p.left[:n], p.Rows[:cap(p.Rows)]
	return segments
}
