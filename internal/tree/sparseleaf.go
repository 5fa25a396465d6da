package tree

import (
	"errors"
	"fmt"

	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/loss"
)

// With sparse leaves, machines exchange the totals of the classes that they list, not of all
// classes. Every machine adds them up.

var errTotals = errors.New("has given class totals that cannot be")

// addTotals unpacks one machine's totals from v and adds them to all, in order. It returns the
// rest of v.
func addTotals(all []*loss.Totals, v []uint64, classes int) (rest []uint64, ok bool) {
	theirs := loss.Totals{Sparse: true}
	for _, t := range all {
		if v, ok = theirs.Unpack(v, classes); !ok {
			return nil, false
		}
		before := *t
		*t = loss.Totals{Sparse: true}
		t.AddSparse(&before, &theirs)
	}
	return v, true
}

// countSparse is sumCounts for totals that list classes.
func (g shared) countSparse(nodes []*node, flags []int64) {
	var mine []uint64
	for i, n := range nodes {
		weight := int64(0)
		if g.Trim > 0 {
			weight = g.residuals.SumWeights(n.list)
		}
		mine = n.own.Pack(append(mine, uint64(n.rows()), uint64(flags[i]), uint64(weight)))
		n.count, n.weight, flags[i] = 0, 0, 0
	}
	for rank, b := range g.group.Gather(collective.Pack(mine), 8) {
		theirs := collective.Unpack(b)
		for i, n := range nodes {
			ok := len(theirs) >= 3
			if ok {
				n.count, flags[i], n.weight = n.count+int(theirs[0]), flags[i]+int64(theirs[1]), n.weight+int64(theirs[2])
				theirs, ok = addTotals([]*loss.Totals{n.totals}, theirs[3:], g.residuals.Classes)
			}
			if !ok || i == len(nodes)-1 && len(theirs) > 0 {
				g.group.Abort(fmt.Errorf("rank %d %w", rank, errTotals))
				return
			}
		}
	}
}

// chooseSparsePairs chooses the class pairs of the children of families whose totals list classes.
func (g shared) chooseSparsePairs(families []family) {
	e, r := g.evaluator, g.residuals
	var nodes []*node
	var choices []*loss.PairChoice
	var sums []int64
	var ends []int // by node: where its sums end
	for i := range families {
		for _, n := range families[i].children() {
			if g.isEvaluated(n) {
				c := r.ChoosePairs(n.totals, min(g.Pairs, r.Classes/2), g.Selection)
				sums = append(sums, c.Cross(r, n.list, &e.scratch, e.teamFor(n.rows()))...)
				nodes, choices, ends = append(nodes, n), append(choices, c), append(ends, len(sums))
			}
		}
	}
	g.group.Sum(sums)
	first := 0
	for i, n := range nodes {
		n.pairs = e.padded(choices[i].Pairs(sums[first:ends[i]]))
		first = ends[i]
	}
}

// leavesPerMessage is the number of leaves whose totals are exchanged at once.
const leavesPerMessage = 256

// setSparse is setBest for the rows of all machines. All of them have the same segments, some of
// which may have no rows here.
func (v *LeafValues) setSparse(leaves []Leaf, segments []Segment) {
	for len(segments) > 0 && v.Group.Err() == nil {
		n := min(leavesPerMessage, len(segments))
		v.setSparseOf(leaves, segments[:n])
		segments = segments[n:]
	}
}

func (v *LeafValues) setSparseOf(leaves []Leaf, segments []Segment) {
	own, all := make([]*loss.Totals, len(segments)), make([]*loss.Totals, len(segments))
	v.Team.Do(len(segments), func(worker, i int) {
		own[i], all[i] = &loss.Totals{Sparse: true}, &loss.Totals{Sparse: true}
		v.Residuals.SparseTotals(own[i], segments[i].Rows, &v.scratch[worker].sums, alone)
	})
	var mine []uint64
	for _, s := range segments {
		mine = append(mine, uint64(len(s.Rows)))
	}
	for _, t := range own {
		mine = t.Pack(mine)
	}
	for rank, b := range v.Group.Gather(collective.Pack(mine), 8) {
		theirs := collective.Unpack(b)
		ok := len(theirs) >= len(segments)
		if ok {
			for i, s := range segments {
				leaves[s.Leaf].Rows += int(theirs[i])
			}
			theirs, ok = addTotals(all, theirs[len(segments):], v.Residuals.Classes)
		}
		if !ok || len(theirs) > 0 {
			v.Group.Abort(fmt.Errorf("rank %d %w", rank, errTotals))
			return
		}
	}
	v.Team.Do(len(segments), func(_, i int) {
		if leaf := &leaves[segments[i].Leaf]; leaf.Rows > 0 {
			leaf.setSteps(&v.Newton, all[i], nil, v.Residuals)
		}
	})
}
