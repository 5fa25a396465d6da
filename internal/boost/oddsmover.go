package boost

import (
	"cmp"
	"slices"

	"github.com/libaoso/aoso/internal/loss/odds"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// oddsMover moves residuals of likely classes.
type oddsMover struct {
	*state
	leaves  []tree.Leaf // of a tree
	reached []odds.LeafRows
}

func (m *oddsMover) odds() *odds.Residuals { return m.residuals.Form.(*odds.Residuals) }

func (m *oddsMover) begin(initial *initialScores) {
	m.setBound(m.odds().SetInitial(initial, m.team))
}

func (m *oddsMover) queue(leaves []tree.Leaf, segments []tree.Segment) {
	m.leaves, m.reached = leaves, reached(m.reached, segments)
}

func (m *oddsMover) apply() (sum float64, most float32) {
	steps := sparseSteps(m.leaves, m.residuals.Classes, m.team)
	sum, most = m.odds().Apply(steps, m.reached, m.team)
	m.reached = m.reached[:0]
	return sum, most
}

// reached appends the rows of segments.
func reached(to []odds.LeafRows, segments []tree.Segment) []odds.LeafRows {
	for _, s := range segments {
		to = append(to, odds.LeafRows(s))
	}
	return to
}

// sparseSteps returns the factors of the odds of leaves.
func sparseSteps(leaves []tree.Leaf, classes int, team *par.Team) []odds.Step {
	steps := make([]odds.Step, len(leaves))
	team.Do(len(steps), func(_, i int) { steps[i] = sparseStep(&leaves[i], classes) })
	return steps
}

// sparseStep returns the factors by which a leaf multiplies the odds of its classes.
func sparseStep(l *tree.Leaf, classes int) (s odds.Step) {
	order := make([]int, 0, len(l.Pairs))
	for i, pair := range l.Pairs {
		if int(pair.R) < classes {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(l.Pairs[a].R, l.Pairs[b].R) })
	for _, i := range order {
		s.Classes, s.By = append(s.Classes, uint32(l.Pairs[i].R)), append(s.By, kernel.Exp(float64(l.Steps[i])))
	}
	return s
}
