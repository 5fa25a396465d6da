package boost

import "github.com/libaoso/aoso/internal/metric"

// StopReason says why training is over; "" means that it is not.
type StopReason string

const (
	StoppedByStopLoss      StopReason = "stop_loss"
	StoppedByTrees         StopReason = "trees"
	StoppedByEarlyStopping StopReason = "early_stopping"
	StoppedByInterrupt     StopReason = "interrupt"
	StoppedByNoSplit       StopReason = "no_split" // nothing can be split, and no leaf changes a score
	StoppedByTimeLimit     StopReason = "time_limit"
)

// stopReason returns why the status's iteration is the last; "": it is not.
func (e *Engine) stopReason() StopReason {
	p, now := &e.job.Params, &e.status
	switch {
	case e.seen && now.Iteration-e.best.iteration >= p.EarlyStoppingRounds:
		return StoppedByEarlyStopping
	case e.idle:
		return StoppedByNoSplit
	case e.job.Objective == nil && e.state.lossAtMost(p.StopLoss):
		return StoppedByStopLoss
	case e.grown+e.perIteration > p.NEstimators:
		return StoppedByTrees
	}
	return ""
}

// monitored returns the value that early stopping monitors: lower is better.
func (e *Engine) monitored(v *metric.Evaluation) float64 {
	p := &e.job.Params
	switch p.Metric {
	case "logloss":
		return v.LogLoss
	case "error":
		return v.ErrorRate
	}
	m, err := metric.Parse(string(p.Metric))
	if err != nil {
		panic(err) // the parameters were checked
	}
	if p.Metric == "top_k_error" {
		m = metric.TopKError(p.TopK)
	}
	value := m.Measure(e.validation.scores, 1, &e.job.Valid.Target, e.job.Kernels, e.job.Team)
	if p.Metric.HigherIsBetter() {
		return -value
	}
	return value
}

// best is the best evaluation so far.
type best struct {
	value     float64 // of the metric
	iteration int     // 0: none was evaluated
	trees     int
	valid     *metric.Evaluation
}

// update records the metric of one iteration. It is better if it is lower by more than minDelta.
func (b *best) update(value, minDelta float64, at *Status) {
	if value < b.value-minDelta {
		*b = best{value, at.Iteration, at.Trees, at.Valid}
	}
}
