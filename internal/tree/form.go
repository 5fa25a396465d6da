package tree

import (
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/loss/odds"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// form is what an evaluator does with residuals of one form: denseForm or oddsForm.
type form interface {
	// newTotals returns class totals to keep with a node.
	newTotals() *loss.Totals
	// recycle takes back totals that are no longer used.
	recycle(t *loss.Totals)
	// lend gives a node memory of the evaluator for its totals, unless it has some: i is 0 or 1.
	// They are valid until it is lent again.
	lend(n *node, i int)
	// count sums up the class totals of rows.
	count(t *loss.Totals, rows []uint32)
	// choosePairs chooses the class pairs of a node by its totals.
	choosePairs(n *node, team *par.Team)
	// inheritPairs chooses the pairs of both children of n if this takes only a pass over the
	// smaller one's rows.
	inheritPairs(n, small, large *node)
	// keepsPairs reports whether children often have their parent's pair, if nodes have one pair.
	keepsPairs() bool
	// compute computes the gradients of rows along pairs into those of g from first to last-1.
	compute(g *gradients, job *kernel.GradientsJob, rows []uint32, pairs []kernel.Pair, first, last int)
	// sumCounts sets the numbers of rows, weights and class totals of nodes to the sums over all
	// machines, and sums up flags.
	sumCounts(g shared, nodes []*node, flags []int64)
	// choosePairsShared chooses the class pairs of the children of families.
	choosePairsShared(g shared, families []family)
}

func newForm(e *evaluator) form {
	if r := oddsOf(e.residuals); r != nil {
		return newOddsForm(e, r)
	}
	return &denseForm{evaluator: e, dense: e.residuals.Form.(*loss.Dense)}
}

// oddsOf returns residuals of the form of package odds; nil: they have the other form.
func oddsOf(r *loss.Residuals) *odds.Residuals {
	o, _ := r.Form.(*odds.Residuals)
	return o
}
