package aoso

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/metric"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/settings"
)

// with returns a model of other trees, to which no temperature was fitted.
func (m *Model) with(f *model.Forest) *Model {
	return newModel(*m.content.WithForest(f), m.params)
}

// Truncated returns the model of the first trees of m, 1 to all of them. It has no
// temperature.
func (m *Model) Truncated(trees int) (*Model, error) {
	if trees < 1 || trees > m.Trees() {
		return nil, badArgument("trees", trees, "1 to %d, the trees of the model", m.Trees())
	}
	return m.with(m.content.Forest.Truncated(trees)), nil
}

// Merge returns a model of the trees of several, whose raw scores are the sums of
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
		case c.Crossed() != first.Crossed() || c.Crossed() && !slices.Equal(c.Encoder.Crosses, first.Encoder.Crosses):
			return nil, unlike("of other crosses", "of the same crosses; training with crosses=0 adds none")
		case !c.Encoder.Equal(first.Encoder):
			return nil, unlike("of other categories", "of the same categories")
		case c.Method != first.Method:
			return nil, unlike("of method "+string(c.Method), "of method "+string(first.Method))
		case c.Leaf != first.Leaf:
			return nil, unlike("of leaf "+c.Leaf, "of leaf "+first.Leaf)
		case c.Pairs != first.Pairs:
			return nil, unlike(fmt.Sprintf("of %d pairs", c.Pairs), fmt.Sprintf("of %d pairs", first.Pairs))
		}
		forests[i] = m.content.Forest
	}
	merged := models[0].with(model.Concat(forests...))
	if forest := merged.content.Forest; forest.Linear() != nil {
		merged.params.Start = forest.Start()
	}
	for _, m := range models[1:] { // what one of them breaks does not hold
		merged.params.settings().DropUnshared(m.params.settings())
		merged.content.Named = merged.content.Named || m.content.Named
	}
	return merged, nil
}

// RefitOptions say how to refit a model. The zero value is the default.
type RefitOptions struct {
	Weights []float64 // by row, as for a dataset; nil: all one
	Keep    float64   // share of its old values that a leaf keeps, 0 to 1
	NThread int       // 0: all cores that the process may use
}

// Refit returns a model of the same trees whose leaves have the values that
// other data give them. From scores of zero, one iteration after the other, a
// leaf takes the step that training would: a Newton step from the
// probabilities by the iterations before, as refitted, of the rows that reach
// it, for the leaf's class pairs, its best classes or all classes, with the model's
// LearningRate, MaxDeltaStep and RegLambda. The new value is Keep of the old one and 1 − Keep
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
func (m *Model) Refit(x Features, labels Labels, options ...RefitOptions) (*Model, error) {
	o := last(options)
	return m.refit(x, o, func() (*data.Target, error) { return m.target(x.Rows(), labels, o.Weights) })
}

func (m *Model) refit(x Features, o RefitOptions, target func() (*data.Target, error)) (*Model, error) {
	columns, err := m.columns(x)
	if err != nil {
		return nil, err
	}
	if !(o.Keep >= 0 && o.Keep <= 1) {
		return nil, badArgument("keep", o.Keep, "0 to 1")
	}
	if err := public(settings.CheckThreads(o.NThread)); err != nil {
		return nil, err
	}
	t, err := target()
	if err != nil {
		return nil, err
	}
	if t.Unknown > 0 {
		return nil, badArgument("labels", fmt.Sprintf("%d rows of unknown classes", t.Unknown), "the classes of the model: %s", listed(m.content.Classes))
	}
	p, err := m.params.settings().Complete(len(m.content.Classes))
	if err != nil {
		return nil, public(err)
	}
	signs, err := p.Monotone(m.content.Features, m.content.Classes)
	if err != nil {
		return nil, public(err)
	}
	k, err := kernels("")
	if err != nil {
		return nil, err
	}
	team := par.NewTeam(o.NThread)
	defer team.Close()
	return m.with(boost.Refit(m.content.Forest, columns, t, boost.Params(p), signs, o.Keep, k, team)), nil
}

// Calibration is what a temperature does for a model's probabilities.
type Calibration struct {
	Temperature   float64 // of the new model: [Model.Temperature]
	Before, After float64 // mean −log p_y on the data that it was fitted to
}

// Temperature returns what the raw scores are divided by before they become
// probabilities; 1 unless [Model.Calibrate] set it.
func (m *Model) Temperature() float64 {
	if m.content.Temperature == 0 {
		return 1
	}
	return m.content.Temperature
}

// Calibrate returns the model with a temperature (C. Guo et al., On
// calibration of modern neural networks, 2017): that which gives validation
// data, not those of training, the least log loss, between 1/64 and 64.
// weights may be nil; rows of classes that the model does not know count for
// nothing. The temperature is part of the model and its file. It changes
// probabilities and log losses, but neither raw scores nor predicted classes.
// For prediction sets, the model takes the scores of the same data, as by
// [Model.Conformalize].
func (m *Model) Calibrate(x Features, labels Labels, weights []float64, options ...PredictOptions) (*Model, *Calibration, error) {
	o := last(options)
	scores, err := m.PredictRaw(x, o)
	if err != nil {
		return nil, nil, err
	}
	t, err := m.target(x.Rows(), labels, weights)
	if err != nil {
		return nil, nil, err
	}
	return m.calibrate(scores, t, o)
}

// calibrate fits a temperature to rows with raw scores.
func (m *Model) calibrate(scores []float64, t *data.Target, o PredictOptions) (*Model, *Calibration, error) {
	if t.Unknown == t.Rows() {
		return nil, nil, badArgument("labels", fmt.Sprintf("%d rows of unknown classes", t.Unknown), "at least one row of the classes of the model: %s", listed(m.content.Classes))
	}
	k, err := kernels(o.Level)
	if err != nil {
		return nil, nil, err
	}
	team := par.NewTeam(o.NThread)
	defer team.Close()
	calibrated := *m
	scaling := metric.Scaling{Scores: scores, Target: t, Start: 1, Precision: 1e-12, Kernels: k, Team: team}
	calibrated.content.Temperature = 1 / scaling.Factor()
	calibrated.content.Scores = nil
	if cmp.Or(o.Trees, m.Trees()) == m.Trees() {
		calibrated.conformalize(scores, t, k, team)
	}
	return &calibrated, &Calibration{calibrated.content.Temperature, m.evaluate(scores, t).LogLoss, calibrated.evaluate(scores, t).LogLoss}, nil
}
