package metric

import (
	"slices"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/exact"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Evaluation is how well scores fit a target.
type Evaluation struct {
	Errors    int     // rows whose class is not predicted, those of unknown classes included
	ErrorRate float64 // share of the rows' weight that Errors have
	LogLoss   float64 // mean −log p_y, weighted, over the rows of known classes; NaN if there are none
}

// Evaluate compares raw scores, rows × classes, with a target, on all its machines. The log loss is
// that of the scores divided by the temperature, which changes no class.
func Evaluate(scores []float64, temperature float64, t *data.Target, k *kernel.Funcs, team *par.Team) *Evaluation {
	e, _ := EvaluateRows(scores, temperature, t, k, team)
	return e
}

// EvaluateRows returns −log p_y of each row as well, which is zero for those of unknown classes.
func EvaluateRows(scores []float64, temperature float64, t *data.Target, k *kernel.Funcs, team *par.Team) (*Evaluation, []float64) {
	rows, classes := t.Rows(), len(t.Classes)
	losses, wrong := make([]float64, rows), make([]bool, rows)
	together := rowsTogether(rows, classes)
	size := together * classes
	scratch := make([]float64, 2*size*team.Workers())
	team.Do(kernel.Blocks(rows), func(worker, b int) {
		tempered, p := scratch[2*worker*size:][:size], scratch[(2*worker+1)*size:][:size:size]
		first, end := kernel.Block(b, rows)
		for ; first < end; first += together {
			last := min(first+together, end)
			for i, f := range scores[first*classes : last*classes] {
				tempered[i] = f / temperature
			}
			p = p[:copy(p[:cap(p)], tempered[:(last-first)*classes])]
			k.Softmax(&kernel.SoftmaxJob{Scores: p, Classes: classes})
			for i := first; i < last; i++ {
				y, at := int(t.Labels[i]), (i-first)*classes
				if wrong[i] = y != Argmax(scores[i*classes:][:classes]); y >= 0 {
					f := tempered[at:][:classes]
					losses[i] = loss.NegLog(p[at:][:classes], f, y) + t.Soft.Gap(i, f, y)
				}
			}
		}
	})
	return NewEvaluation(t, wrong, losses), losses
}

// NewEvaluation evaluates rows of which some are predicted wrong, by the losses −log p_y.
func NewEvaluation(t *data.Target, wrong []bool, losses []float64) *Evaluation {
	e := &Evaluation{}
	var weight, wrongWeight, known, logLoss exact.Sum
	knownRows := 0
	for i, y := range t.Labels {
		w := t.Weight(i)
		if wrong[i] {
			e.Errors++
		}
		if y >= 0 {
			knownRows++
			logLoss.Add(w * losses[i])
		}
		if t.Weights == nil {
			continue
		}
		weight.Add(w)
		if wrong[i] {
			wrongWeight.Add(w)
		}
		if y >= 0 {
			known.Add(w)
		}
	}
	if t.Weights == nil {
		weight.Add(float64(t.Rows()))
		wrongWeight.Add(float64(e.Errors))
		known.Add(float64(knownRows))
	}
	if t.Ranks != nil {
		var errors exact.Sum
		errors.Add(float64(e.Errors))
		t.Ranks.Add(&errors, &weight, &wrongWeight, &known, &logLoss)
		e.Errors = int(errors.Float64())
	}
	if weight := weight.Float64(); weight > 0 {
		e.ErrorRate = wrongWeight.Float64() / weight
	}
	e.LogLoss = logLoss.Float64() / known.Float64() // NaN if there are none
	return e
}

// Measure returns a metric of raw scores, rows × classes, divided by the temperature, by
// name; NaN: it is not defined for the target.
func Measure(name string, scores []float64, temperature float64, t *data.Target, k *kernel.Funcs, team *par.Team) (float64, error) {
	switch name {
	case "logloss":
		return Evaluate(scores, temperature, t, k, team).LogLoss, nil
	case "error":
		return Evaluate(scores, temperature, t, k, team).ErrorRate, nil
	}
	m, err := Parse(name)
	if err != nil {
		return 0, err
	}
	return m.Measure(scores, temperature, t, k, team), nil
}

// Measure computes the metric of raw scores, rows × classes, divided by the temperature.
func (m Metric) Measure(scores []float64, temperature float64, t *data.Target, k *kernel.Funcs, team *par.Team) float64 {
	rows := &Rows{Target: t, Scores: scores, Kernels: k, Team: team}
	if m.NeedsProba {
		classes := len(t.Classes)
		rows.Proba = slices.Clone(scores)
		team.Do(kernel.Blocks(t.Rows()), func(_, b int) {
			first, end := kernel.Block(b, t.Rows())
			k.Softmax(&kernel.SoftmaxJob{Scores: rows.Proba[first*classes : end*classes], Classes: classes, Temperature: temperature})
		})
	}
	return m.of(rows)
}
