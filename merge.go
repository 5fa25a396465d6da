package aoso

import (
	"fmt"
	"slices"

	"github.com/libaoso/aoso/internal/model"
)

// with is a model of other trees, to which no temperature was fitted.
func (m *Model) with(f *model.Forest) *Model {
	return newModel(*m.content.WithForest(f), m.params)
}

// Truncated is the model of the first trees of m, 1 to all of them. It has no
// temperature.
func (m *Model) Truncated(trees int) (*Model, error) {
	if trees < 1 || trees > m.Trees() {
		return nil, badArgument("trees", trees, "1 to %d, the trees of the model", m.Trees())
	}
	return m.with(m.content.Forest.Truncated(trees)), nil
}

// Merge is a model of the trees of several, whose raw scores are the sums of
// theirs. The models must have the same classes, features, method, kind of
// leaf and number of pairs; the parameters are those of the first, but for
// constraints that others do not have. Scores of
// models that were trained apart are too sure of themselves when summed:
// [Model.Calibrate] mends that. The merged model has no temperature.
func Merge(models ...*Model) (*Model, error) {
	if len(models) == 0 {
		return nil, badArgument("models", 0, "at least one")
	}
	if i := slices.Index(models, nil); i >= 0 {
		return nil, badArgument(fmt.Sprintf("models[%d]", i), nil, "a model")
	}
	forests := make([]*model.Forest, len(models))
	first := &models[0].content
	for i, m := range models {
		c := &m.content
		unlike := func(value, allowed string) error {
			return badArgument(fmt.Sprintf("models[%d]", i), value, "%s, as models[0]", allowed)
		}
		switch {
		case !slices.Equal(c.Classes, first.Classes):
			return nil, unlike("of other classes", "of the classes "+listed(first.Classes))
		case !slices.Equal(c.Features, first.Features):
			return nil, unlike("of other features", "of the features "+listed(first.Features))
		case !c.Encoder.Equal(first.Encoder):
			return nil, unlike("of other categories", "of the same categories")
		case c.Method != first.Method:
			return nil, unlike("of method "+c.Method, "of method "+first.Method)
		case c.Leaf != first.Leaf:
			return nil, unlike("of leaf "+c.Leaf, "of leaf "+first.Leaf)
		case c.Pairs != first.Pairs:
			return nil, unlike(fmt.Sprintf("of %d pairs", c.Pairs), fmt.Sprintf("of %d pairs", first.Pairs))
		}
		forests[i] = m.content.Forest
	}
	merged := models[0].with(model.Concat(forests...))
	if merged.content.Forest.Linear() != nil {
		merged.params.Start = "linear"
	}
	for _, m := range models[1:] { // what one of them breaks does not hold
		merged.params.constrainedAs(&m.params)
		merged.content.Named = merged.content.Named || m.content.Named
	}
	return merged, nil
}
