package tree

import (
	"errors"
	"fmt"

	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/loss/odds"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// oddsForm works with residuals of likely classes. Totals list classes.
type oddsForm struct {
	*evaluator
	odds    *odds.Residuals
	scratch odds.Scratch
	lent    [2]loss.Totals
}

func newOddsForm(e *evaluator, r *odds.Residuals) *oddsForm {
	return &oddsForm{evaluator: e, odds: r, lent: [2]loss.Totals{{Sparse: true}, {Sparse: true}}}
}

func (e *oddsForm) newTotals() *loss.Totals { return &loss.Totals{Sparse: true} }

func (e *oddsForm) recycle(*loss.Totals) {}

func (e *oddsForm) lend(n *node, i int) { n.totals = &e.lent[i] }

func (e *oddsForm) count(t *loss.Totals, rows []uint32) {
	e.odds.SumTotals(t, rows, &e.scratch, e.teamFor(len(rows)))
}

func (e *oddsForm) choosePairs(n *node, team *par.Team) {
	pairs, known := e.odds.ChoosePairs(n.totals, n.list, min(e.Pairs, e.odds.Classes/2), e.Selection, &e.scratch, team)
	n.pairs, e.gradients.known = e.padded(pairs), known
}

func (e *oddsForm) inheritPairs(_, _, _ *node) {}

func (e *oddsForm) keepsPairs() bool { return false }

func (e *oddsForm) compute(g *gradients, job *kernel.GradientsJob, rows []uint32, pairs []kernel.Pair, first, last int) {
	e.odds.Gradients(job, rows, pairs, g.floats(first, last), g.known, first)
}

// Machines exchange the totals of the classes that they list, not of all classes. Every machine
// adds them up.

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

func (e *oddsForm) sumCounts(g shared, nodes []*node, flags []int64) {
	var mine []uint64
	for i, n := range nodes {
		mine = n.own.Pack(append(mine, uint64(n.rows()), uint64(flags[i]), uint64(e.weight(n))))
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

func (e *oddsForm) choosePairsShared(g shared, families []family) {
	r := e.odds
	var nodes []*node
	var choices []*odds.PairChoice
	var sums []int64
	var ends []int // by node: where its sums end
	for i := range families {
		for _, n := range families[i].children() {
			if g.isEvaluated(n) {
				c := r.StartChoice(n.totals, min(g.Pairs, r.Classes/2), g.Selection)
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
