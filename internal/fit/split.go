package fit

import (
	"cmp"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/hash"
)

// Split says how rows are chosen that are held out. By default, they are drawn by their ids.
type Split struct {
	Groups *Groups // a fold holds out all rows of a group, or none; nil: each row is a group
	Latest []int8  // the folds of the rows, from [Latest]; nil: their times do not matter
}

// Folds returns how many of the folds there can be.
func (s Split) Folds(folds int) int {
	switch {
	case s.Groups != nil:
		return min(folds, s.Groups.Len())
	case s.Latest != nil:
		return min(folds, 1)
	}
	return folds
}

// Groups are the groups of the rows of all ranks.
type Groups struct {
	of     []uint64        // the group of each row
	sizes  []groupSize     // of the groups that can be held out
	totals map[int32]int64 // rows with weight, by class
}

// groupSize has the rows of a group that have weight.
type groupSize struct {
	id     uint64
	rows   int64
	counts []classCount // in the order of classes
}

type classCount struct {
	class int32
	rows  int64
}

// NewGroups returns the groups of the rows of all ranks; of has the group of each row of this one.
func NewGroups(t *data.Target, of []uint64) *Groups {
	type part struct {
		group uint64
		class int32
	}
	mine := map[part]uint64{}
	for row, group := range of {
		if t.Weight(row) > 0 {
			mine[part{group, t.Labels[row]}]++
		}
	}
	var packed []uint64
	for p, rows := range mine {
		packed = append(packed, p.group, uint64(p.class), rows)
	}
	g := &Groups{of: of, totals: map[int32]int64{}}
	var all [][]uint64
	for _, b := range t.Ranks.Gather(collective.Pack(packed), 24) {
		all = slices.AppendSeq(all, slices.Chunk(collective.Unpack(b), 3))
	}
	slices.SortFunc(all, func(a, b []uint64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	for i, p := range all {
		class, rows := int32(p[1]), int64(p[2])
		g.totals[class] += rows
		if i == 0 || p[0] != all[i-1][0] {
			g.sizes = append(g.sizes, groupSize{id: p[0]})
		}
		size := &g.sizes[len(g.sizes)-1]
		size.rows += rows
		if last := len(size.counts) - 1; last >= 0 && size.counts[last].class == class { // from another rank
			size.counts[last].rows += rows
		} else {
			size.counts = append(size.counts, classCount{class, rows})
		}
	}
	// Training would not know a class of which all rows are held out.
	g.sizes = slices.DeleteFunc(g.sizes, func(s groupSize) bool {
		return slices.ContainsFunc(s.counts, func(c classCount) bool { return c.rows == g.totals[c.class] })
	})
	return g
}

// Len returns the number of groups that can be held out.
func (g *Groups) Len() int { return len(g.sizes) }

// folds assigns the groups to folds, the largest first, each to the fold whose classes it keeps most even. It splits the
// rows into as many parts, of which the first few are folds. Members of an ensemble hold out two folds, which should not
// have the same groups of a class.
func (g *Groups) folds(parts, folds int, members bool, seed uint64) map[uint64]int8 {
	sizes := slices.Clone(g.sizes)
	slices.SortFunc(sizes, func(a, b groupSize) int {
		return cmp.Or(cmp.Compare(b.rows, a.rows), cmp.Compare(hash.Row(seed, a.id), hash.Row(seed, b.id)))
	})
	bins := folds
	if parts > folds {
		bins++ // the last is never held out
	}
	share := func(bin int) float64 {
		if bin == folds {
			return float64(parts-folds) / float64(parts)
		}
		return 1 / float64(parts)
	}
	counts, empty := make([]map[int32]int64, bins), folds
	for bin := range counts {
		counts[bin] = map[int32]int64{}
	}
	fold := make(map[uint64]int8, len(sizes))
	for i, s := range sizes {
		best, least := 0, math.Inf(1)
		for bin, count := range counts {
			if len(sizes)-i <= empty && (bin == folds || len(count) > 0) {
				continue // the groups left are just enough for the folds without any
			}
			sum := 0.
			for _, c := range s.counts {
				there := float64(count[c.class])
				if members {
					there += float64(counts[(bin+folds/2)%folds][c.class]) / 2
				}
				sum += float64(c.rows) * (2*there + float64(c.rows)) / float64(g.totals[c.class])
			}
			if sum /= share(bin); sum < least {
				best, least = bin, sum
			}
		}
		if best < folds && len(counts[best]) == 0 {
			empty--
		}
		for _, c := range s.counts {
			counts[best][c.class] += c.rows
		}
		if best < folds {
			fold[s.id] = int8(best)
		}
	}
	return fold
}

// assign returns the fold of each row.
func (g *Groups) assign(t *data.Target, parts, folds int, members bool, seed uint64) []int8 {
	of := g.folds(parts, folds, members, seed)
	fold := make([]int8, t.Rows())
	for row, group := range g.of {
		fold[row] = never
		if f, held := of[group]; held && t.Weight(row) > 0 {
			fold[row] = f
		}
	}
	return fold
}

// Latest puts the latest rows into the only fold. No other row is as late as one of them, unless its class has no earlier
// rows. It returns nil if no row can be held out.
func Latest(t *data.Target, times []float64) []int8 {
	parts := Parts(t.AllRows(), 1, len(t.Classes))
	var mine []float64
	for row, time := range times {
		if t.Weight(row) > 0 {
			mine = append(mine, time)
		}
	}
	n := max(1, t.Ranks.Int(len(mine))/parts)
	late := make([]uint64, 0, n)
	slices.Sort(mine)
	for _, time := range mine[max(0, len(mine)-n):] {
		late = append(late, math.Float64bits(time))
	}
	var all []float64
	for _, b := range t.Ranks.Gather(collective.Pack(late), 8) {
		for _, bits := range collective.Unpack(b) {
			all = append(all, math.Float64frombits(bits))
		}
	}
	if len(all) < n { // after an error of the collective
		return nil
	}
	slices.Sort(all)
	first := all[len(all)-n]
	held := func(row int) bool { return times[row] >= first && t.Weight(row) > 0 }
	from := func() (left []int64) {
		left = make([]int64, len(t.Classes)+1) // rows that are not held out, by class; then those that are
		for row, y := range t.Labels {
			switch {
			case held(row):
				left[len(t.Classes)]++
			case t.Weight(row) > 0:
				left[y]++
			}
		}
		t.Ranks.Sum(left)
		return left
	}
	left := from()
	if left[len(t.Classes)] > int64(2*n) { // many rows have this time
		held = func(row int) bool { return times[row] > first && t.Weight(row) > 0 }
		left = from()
	}
	fold := make([]int8, t.Rows())
	any := false
	for row, y := range t.Labels {
		fold[row] = never
		if held(row) && left[y] > 0 {
			fold[row], any = 0, true
		}
	}
	if !t.Ranks.Any(any) {
		return nil
	}
	return fold
}
