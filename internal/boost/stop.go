package boost

// StopReason says why training is over; "" means that it is not.
type StopReason string

const (
	StoppedByStopLoss      StopReason = "stop_loss"
	StoppedByTrees         StopReason = "trees"
	StoppedByEarlyStopping StopReason = "early_stopping"
	StoppedByInterrupt     StopReason = "interrupt"
	StoppedByNoSplit       StopReason = "no_split" // nothing can be split, and no leaf moves
	StoppedByTimeLimit     StopReason = "time_limit"
)

// stopReason tells why the iteration that the status describes is the last; "":
// it is not.
func (e *Engine) stopReason() StopReason {
	p, now := &e.job.Params, &e.status
	switch {
	case e.seen && now.Iteration-e.best.iteration >= p.EarlyStopping:
		return StoppedByEarlyStopping
	case e.idle:
		return StoppedByNoSplit
	case e.job.Objective == nil && e.state.lossAtMost(p.StopLoss):
		return StoppedByStopLoss
	case e.grown+e.perIteration > p.Trees:
		return StoppedByTrees
	}
	return ""
}
