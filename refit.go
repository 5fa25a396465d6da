package aoso

import (
	"fmt"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/constraint"
	"github.com/libaoso/aoso/internal/par"
)

// RefitOptions say how to refit a model. The zero value is the default.
type RefitOptions struct {
	Weights []float64 // by row, as for a dataset; nil: all one
	Keep    float64   // share of its old values that a leaf keeps, 0 to 1
	Threads int       // 0: all cores that the process may use
}

// Refit returns a model of the same trees whose leaves have the values that
// other data give them. From scores of zero, one iteration after the other, a
// leaf takes the step that training would: a Newton step from the
// probabilities by the iterations before, as refitted, of the rows that reach
// it, for the leaf's class pairs, its best classes or all classes, with the model's
// shrinkage, MaxStep and L2. The new value is Keep of the old one and 1 − Keep
// of that step. Rows of weight zero count for nothing; a leaf that no row
// reaches stays as it is.
//
// Monotone constraints of the model hold afterwards: leaf values stay on their side of
// the middle between the old values on both sides of a split.
//
// Splits, class pairs, the classes of sparse leaves and gains stay; the numbers
// of rows of nodes and leaves become those of the new data. The refitted model
// has no temperature. Refit on its own training data, a model trained without
// trimming or on a subsample stays the same but for rounding.
func (m *Model) Refit(x Features, labels Labels, o RefitOptions) (*Model, error) {
	columns, err := m.columns(x)
	if err != nil {
		return nil, err
	}
	if len(labels) != x.Rows() {
		return nil, badArgument("labels", len(labels), "%d, one for each row", x.Rows())
	}
	if !(o.Keep >= 0 && o.Keep <= 1) {
		return nil, badArgument("keep", o.Keep, "0 to 1")
	}
	if err := checkThreads(o.Threads); err != nil {
		return nil, err
	}
	t, err := m.target(x.Rows(), labels, o.Weights)
	if err != nil {
		return nil, err
	}
	if t.Unknown > 0 {
		return nil, badArgument("labels", fmt.Sprintf("%d rows of unknown classes", t.Unknown), "the classes of the model: %s", listed(m.content.Classes))
	}
	p, err := m.params.complete(len(m.content.Classes))
	if err != nil {
		return nil, err
	}
	signs, err := constraint.Monotone(m.params.MonotoneConstraints, m.content.Features, m.content.Classes)
	if err != nil {
		return nil, badConstraint("monotone_constraints", err)
	}
	k, err := kernels("")
	if err != nil {
		return nil, err
	}
	team := par.NewTeam(o.Threads)
	defer team.Close()
	return m.with(boost.Refit(m.content.Forest, columns, t, boost.Params(p), signs, o.Keep, k, team)), nil
}
