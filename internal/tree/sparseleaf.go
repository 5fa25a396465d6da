package tree

import (
	"fmt"

	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/loss"
)

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
		oddsOf(v.Residuals).SumTotals(own[i], segments[i].Rows, &v.scratch[worker].sums, alone)
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
			v.setSparseSteps(leaf, all[i])
		}
	})
}
