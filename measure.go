package aoso

import (
	"strings"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/metric"
	"github.com/libaoso/aoso/internal/par"
)

// Metric is a way to measure how well a model does on a dataset.
type Metric struct {
	Name           string `json:"name"`             // for [Model.Measure] and the parameter metric
	HigherIsBetter bool   `json:"higher_is_better"` // if false, lower is better
}

// Metrics lists the metrics that there are, besides error@K, the top_k_error of K
// classes: logloss, error, top_k_error (of 5 classes), auc_ovr, auc_ovr_weighted, auc_ovo,
// auc_ovo_weighted, balanced_error, f1_macro, kappa, brier and ece. They are computed as
// scikit-learn does, logloss and error as [Evaluation] has them, brier and ece as
// [Reliability]. Rows of unknown classes do not count for logloss, brier and the AUC;
// elsewhere they are of one more class, which is never predicted.
func Metrics() []Metric {
	all := []Metric{{Name: "logloss"}, {Name: "error"}}
	for _, name := range metric.Names() {
		m, _ := metric.Parse(name)
		all = append(all, Metric{name, m.HigherIsBetter})
	}
	return all
}

// Measure computes metrics of the model's predictions for x, by name; weights may be
// nil. A metric is NaN where it is not defined, such as the AUC of a single class.
func (m *Model) Measure(metrics []string, x Features, labels Labels, weights []float64, o PredictOptions) ([]float64, error) {
	raw, err := m.PredictRaw(x, o)
	if err != nil {
		return nil, err
	}
	return m.measure(metrics, raw, labels, weights, o.Threads)
}

// MeasureRaw is [Model.Measure] for rows whose raw scores, rows × classes, are known.
func (m *Model) MeasureRaw(metrics []string, raw []float64, labels Labels, weights []float64) ([]float64, error) {
	if err := m.checkRaw(raw); err != nil {
		return nil, err
	}
	return m.measure(metrics, raw, labels, weights, 0)
}

func (m *Model) measure(metrics []string, raw []float64, labels Labels, weights []float64, threads int) ([]float64, error) {
	t, err := m.target(len(raw)/len(m.content.Classes), labels, weights)
	if err != nil {
		return nil, err
	}
	team := par.NewTeam(threads)
	defer team.Close()
	return measured(metrics, raw, m.Temperature(), t, team)
}

// measured is metrics of raw scores.
func measured(metrics []string, raw []float64, temperature float64, t *data.Target, team *par.Team) (values []float64, err error) {
	k, err := kernels("")
	if err != nil {
		return nil, err
	}
	for _, name := range metrics {
		value, err := metric.Measure(name, raw, temperature, t, k, team)
		if err != nil {
			return nil, badArgument("metric", name, "logloss, error, %s or error@K", strings.Join(metric.Names(), ", "))
		}
		values = append(values, value)
	}
	return values, nil
}

// Measure computes metrics of the model so far on a validation set, numbered as for
// [Trainer.Scores], without a temperature. In PhaseHoldOut and after Free, there are none: the
// result is nil. With a collective, all ranks ask for the same at once; the AUC and ece
// bring the probabilities of all rows to every rank.
func (b *Trainer) Measure(set int, metrics []string) ([]float64, error) {
	scores, err := b.Scores(set)
	if err != nil || scores == nil {
		return nil, err
	}
	return measured(metrics, scores, 1, &b.valid[set].set.Target, b.team)
}
