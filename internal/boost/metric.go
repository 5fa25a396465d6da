package boost

import (
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
func Evaluate(scores []float64, temperature float64, t *data.Target) *Evaluation {
	e, _ := EvaluateRows(scores, temperature, t, &par.Team{})
	return e
}

// EvaluateRows does the same on a team. It returns −log p_y of each row as well,
// which is zero for those of unknown classes.
func EvaluateRows(scores []float64, temperature float64, t *data.Target, team *par.Team) (*Evaluation, []float64) {
	rows, classes := t.Rows(), len(t.Classes)
	losses, wrong := make([]float64, rows), make([]bool, rows)
	team.Do(kernel.Blocks(rows), func(_, b int) {
		tempered := make([]float64, classes)
		first, end := kernel.Block(b, rows)
		for i := first; i < end; i++ {
			f, y := scores[i*classes:][:classes], int(t.Labels[i])
			if wrong[i] = y != Argmax(f); y < 0 {
				continue
			}
			for k := range f {
				tempered[k] = f[k] / temperature
			}
			losses[i] = loss.NegLogSoftmax(tempered, y)
		}
	})
	e := &Evaluation{}
	var weight, wrongWeight, known, logLoss exact.Sum
	for i, y := range t.Labels {
		w := t.Weight(i)
		weight.Add(w)
		if wrong[i] {
			e.Errors++
			wrongWeight.Add(w)
		}
		if y >= 0 {
			known.Add(w)
			logLoss.Add(w * losses[i])
		}
	}
	if t.Ranks != nil {
		e.Errors = t.Ranks.Int(e.Errors)
		t.Ranks.Add(&weight, &wrongWeight, &known, &logLoss)
	}
	if weight := weight.Float64(); weight > 0 {
		e.ErrorRate = wrongWeight.Float64() / weight
	}
	e.LogLoss = logLoss.Float64() / known.Float64() // NaN if there are none
	return e, losses
}

// Argmax is the position of the greatest value, the first where some tie.
func Argmax(v []float64) int {
	best := 0
	for k := range v {
		if v[k] > v[best] {
			best = k
		}
	}
	return best
}

// CustomMetric is the name of a metric that the caller computes.
const CustomMetric = "custom"

// watched is the value that early stopping watches: lower is better.
func (e *Engine) watched(v *Evaluation) float64 {
	if e.job.Params.Metric == "error" {
		return v.ErrorRate
	}
	return v.LogLoss
}

// best is the best evaluation so far.
type best struct {
	value     float64 // of the metric
	iteration int     // 0: none was evaluated
	trees     int
	valid     *Evaluation
}

// see takes the value of the metric after an iteration into account.
func (b *best) see(value float64, at *Status) {
	if value < b.value {
		*b = best{value, at.Iteration, at.Trees, at.Valid}
	}
}
