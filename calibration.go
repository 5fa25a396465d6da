package aoso

import (
	"cmp"
	"fmt"

	"github.com/libaoso/aoso/internal/metric"
	"github.com/libaoso/aoso/internal/par"
)

// Calibration is what a temperature does for a model's probabilities.
type Calibration struct {
	Temperature   float64 // of the new model: [Model.Temperature]
	Before, After float64 // mean −log p_y on the data that it was fitted to
}

// Temperature is what the raw scores are divided by before they become
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
func (m *Model) Calibrate(x Features, labels Labels, weights []float64, o PredictOptions) (*Model, *Calibration, error) {
	scores, err := m.PredictRaw(x, o)
	if err != nil {
		return nil, nil, err
	}
	t, err := m.target(x.Rows(), labels, weights)
	if err != nil {
		return nil, nil, err
	}
	if t.Unknown == len(labels) {
		return nil, nil, badArgument("labels", fmt.Sprintf("%d rows of unknown classes", t.Unknown), "at least one row of the classes of the model: %s", listed(m.content.Classes))
	}
	k, err := kernels(o.Level)
	if err != nil {
		return nil, nil, err
	}
	team := par.NewTeam(o.Threads)
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
