package aoso

import (
	"fmt"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/metric"
)

// Evaluation is how well a model does on a dataset.
type Evaluation struct {
	Errors    int     // rows whose class is not predicted, those of unknown classes included
	ErrorRate float64 // share of the rows' weight that Errors have
	LogLoss   float64 // mean −log p_y, weighted, over the rows of known classes; NaN if there are none
}

// Evaluate compares the model's predictions for x with labels; weights may be
// nil. Labels that the model does not know count as errors; if it knows none of
// them, the result is an error. [Labels.Unknown] counts them.
func (m *Model) Evaluate(x Features, labels Labels, weights []float64, o PredictOptions) (*Evaluation, error) {
	scores, err := m.PredictRaw(x, o)
	if err != nil {
		return nil, err
	}
	t, err := m.target(x.Rows(), labels, weights)
	if err != nil {
		return nil, err
	}
	return m.evaluate(scores, t), nil
}

// EvaluateRaw is [Model.Evaluate] for rows whose raw scores, rows × classes,
// are known, such as those of a stage.
func (m *Model) EvaluateRaw(raw []float64, labels Labels, weights []float64) (*Evaluation, error) {
	if err := m.checkRaw(raw); err != nil {
		return nil, err
	}
	t, err := m.target(len(raw)/len(m.content.Classes), labels, weights)
	if err != nil {
		return nil, err
	}
	return m.evaluate(raw, t), nil
}

// checkRaw checks raw scores of the caller.
func (m *Model) checkRaw(raw []float64) error {
	if len(raw)%len(m.content.Classes) != 0 {
		return badArgument("raw", len(raw), "a multiple of %d, the number of classes", len(m.content.Classes))
	}
	for i, f := range raw {
		if f-f != 0 {
			return badArgument(fmt.Sprintf("raw[%d]", i), f, "finite numbers")
		}
	}
	return nil
}

// target is labels and weights of rows as the model's classes.
func (m *Model) target(rows int, labels Labels, weights []float64) (*data.Target, error) {
	if len(labels) != rows {
		return nil, badArgument("labels", len(labels), "%d, one for each row", rows)
	}
	narrow, err := checkWeights(weights, rows)
	if err != nil {
		return nil, err
	}
	t := data.NewTarget(labels, m.content.Classes)
	t.Weights = narrow
	return &t, checkKnown(labels, &t)
}

// evaluate compares raw scores, rows × classes, with labels.
func (m *Model) evaluate(scores []float64, t *data.Target) *Evaluation {
	return (*Evaluation)(metric.Evaluate(scores, m.Temperature(), t))
}
