package aoso

import (
	"fmt"
	"strings"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/metric"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/spec"
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
func (m *Model) Evaluate(x Features, labels Labels, weights []float64, options ...PredictOptions) (*Evaluation, error) {
	o := last(options)
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

// target returns labels and weights of rows as the model's classes.
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
	return (*Evaluation)(metric.Evaluate(scores, m.Temperature(), t, levels[0], nil))
}

// Metric is the name of a measure of how well a model does on a dataset, for [Model.Measure]
// and [Params]. Its method HigherIsBetter reports whether higher values are better.
//
// Metrics are computed as scikit-learn does, MetricLogLoss and MetricError as [Evaluation] has
// them, MetricBrier and MetricECE as [Reliability]. Rows of unknown classes do not count for
// MetricLogLoss, MetricBrier and the AUC; elsewhere they are of one more class, which is never
// predicted.
type Metric = spec.Metric

// The metrics.
const (
	MetricLogLoss        Metric = "logloss"          // mean of −log p
	MetricError          Metric = "error"            // fraction of rows whose predicted class is wrong
	MetricTopKError      Metric = "top_k_error"      // fraction of rows whose class is not among the 5, in training TopK, most likely ones; "error@3": among 3
	MetricAUCOvR         Metric = "auc_ovr"          // mean area under the ROC curve of a class against the rest
	MetricAUCOvRWeighted Metric = "auc_ovr_weighted" // as MetricAUCOvR, weighted by the weight of the classes
	MetricAUCOvO         Metric = "auc_ovo"          // mean area under the ROC curve of the class pairs
	MetricAUCOvOWeighted Metric = "auc_ovo_weighted" // as MetricAUCOvO, weighted by the weight of the class pairs
	MetricBalancedError  Metric = "balanced_error"   // 1 minus the mean recall of the classes
	MetricF1Macro        Metric = "f1_macro"         // mean F1 score of the classes
	MetricKappa          Metric = "kappa"            // Cohen's kappa
	MetricBrier          Metric = "brier"            // mean squared error of the probabilities, summed over the classes
	MetricECE            Metric = "ece"              // expected calibration error of the most likely class
	MetricCustom         Metric = "custom"           // for early stopping only: the program computes it, for [Trainer.Judge]
)

// Metrics lists the metrics that [Model.Measure] computes, besides error@K.
func Metrics() []Metric {
	all := []Metric{MetricLogLoss, MetricError}
	for _, name := range metric.Names() {
		all = append(all, Metric(name))
	}
	return all
}

// Measure computes metrics of the model's predictions for x, by name; weights may be
// nil. A metric is NaN where it is not defined, such as the AUC of a single class.
func (m *Model) Measure(metrics []Metric, x Features, labels Labels, weights []float64, options ...PredictOptions) ([]float64, error) {
	o := last(options)
	raw, err := m.PredictRaw(x, o)
	if err != nil {
		return nil, err
	}
	return m.measure(metrics, raw, labels, weights, o.NThread)
}

// MeasureRaw is [Model.Measure] for rows whose raw scores, rows × classes, are known.
func (m *Model) MeasureRaw(metrics []Metric, raw []float64, labels Labels, weights []float64) ([]float64, error) {
	if err := m.checkRaw(raw); err != nil {
		return nil, err
	}
	return m.measure(metrics, raw, labels, weights, 0)
}

func (m *Model) measure(metrics []Metric, raw []float64, labels Labels, weights []float64, threads int) ([]float64, error) {
	t, err := m.target(len(raw)/len(m.content.Classes), labels, weights)
	if err != nil {
		return nil, err
	}
	team := par.NewTeam(threads)
	defer team.Close()
	return measured(metrics, raw, m.Temperature(), t, team)
}

// measured returns metrics of raw scores.
func measured(metrics []Metric, raw []float64, temperature float64, t *data.Target, team *par.Team) (values []float64, err error) {
	k, err := kernels("")
	if err != nil {
		return nil, err
	}
	for _, name := range metrics {
		value, err := metric.Measure(string(name), raw, temperature, t, k, team)
		if err != nil {
			return nil, badArgument("metric", string(name), "logloss, error, %s or error@K", strings.Join(metric.Names(), ", "))
		}
		values = append(values, value)
	}
	return values, nil
}

// Measure computes metrics of the model so far on a validation set, numbered as for
// [Trainer.Scores], without a temperature. In PhaseHoldOut and after Free, there are none: the
// result is nil. With a collective, all ranks ask for the same at once; the AUC and ece
// bring the probabilities of all rows to every rank.
func (b *Trainer) Measure(set int, metrics []Metric) ([]float64, error) {
	scores, err := b.Scores(set)
	if err != nil || scores == nil {
		return nil, err
	}
	return measured(metrics, scores, 1, &b.valid[set].set.Target, b.team)
}

// Confusion is two classes that a model takes for one another.
type Confusion struct {
	First, Second int // classes of the model; First < Second
	FirstAsSecond int // rows of First that the model predicts to be of Second
	SecondAsFirst int // rows of Second that the model predicts to be of First
	FirstRows     int // rows of First in all
	SecondRows    int // rows of Second in all
}

// Rows returns how many rows of the two classes are predicted to be of the other one.
func (c *Confusion) Rows() int { return c.FirstAsSecond + c.SecondAsFirst }

// Confusions returns the n pairs of classes that the model confuses most often on x,
// those with most rows first, and equal ones in the order of their classes; 0: all
// pairs that it confuses. Rows of classes that the model does not know do not count.
// It needs memory for the wrong rows, not for classes × classes.
func (m *Model) Confusions(x Features, labels Labels, n int, options ...PredictOptions) ([]Confusion, error) {
	o := last(options)
	if n < 0 {
		return nil, badArgument("n", n, "at least 0")
	}
	t, err := m.target(x.Rows(), labels, nil)
	if err != nil {
		return nil, err
	}
	predicted, err := m.Predict(x, o)
	if err != nil {
		return nil, err
	}
	var all []Confusion
	for _, c := range metric.Confusions(t.Labels, predicted, len(m.content.Classes), n) {
		all = append(all, Confusion(c))
	}
	return all, nil
}

// Reliability tells how good a model's probabilities are.
type Reliability struct {
	// Brier is the mean of Σ (p_k − y_k)², y_k being 1 for the row's class and else 0,
	// weighted, over the rows of known classes: 0 to 2; NaN if there are none (G. Brier,
	// Verification of forecasts expressed in terms of probability, 1950).
	Brier float64

	// ECE is the expected calibration error: the mean over the bins, weighted, of the
	// difference between Confidence and Accuracy; NaN if no row has weight.
	ECE float64

	// Bins are those of a reliability diagram, in the order of confidence.
	Bins []ReliabilityBin
}

// ReliabilityBin is rows whose most likely class has about the same probability.
type ReliabilityBin struct {
	Rows       int     // how many there are
	Share      float64 // of all rows, weighted
	Confidence float64 // mean probability of the most likely class, weighted
	Accuracy   float64 // share of the rows that have this class, weighted; rows of unknown classes have not
}

// Reliability compares the model's probabilities for x with labels; weights may be
// nil. The expected calibration error is that of the most likely class (C. Guo et al.,
// On calibration of modern neural networks, 2017), but in 15 bins that have equal
// weight, because bins of equal width leave most rows of a good model in one bin (J.
// Nixon et al., Measuring calibration in deep learning, 2019). Equal confidences are
// in one bin, so there can be fewer bins.
func (m *Model) Reliability(x Features, labels Labels, weights []float64, options ...PredictOptions) (*Reliability, error) {
	o := last(options)
	j, err := m.job(x, o)
	if err != nil {
		return nil, err
	}
	t, err := m.target(x.Rows(), labels, weights)
	if err != nil {
		return nil, err
	}
	rows := make([]metric.Forecast, x.Rows())
	m.predictor.Scores(j, nil, func(first int, scores []float64) {
		best, classes := make([]int, len(scores)/len(m.content.Classes)), len(m.content.Classes)
		for i := range best {
			best[i] = metric.Argmax(scores[i*classes:][:classes])
		}
		m.softmax(j.Kernels, scores)
		for i, k := range best {
			rows[first+i].Set(scores[i*classes:][:classes], k, int(t.Labels[first+i]), t.Weight(first+i), nil, nil)
		}
	})
	found := metric.NewReliability(rows, t)
	r := &Reliability{Brier: found.Brier, ECE: found.ECE}
	for _, b := range found.Bins {
		r.Bins = append(r.Bins, ReliabilityBin(b))
	}
	return r, nil
}
