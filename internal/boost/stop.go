package boost

// StopReason says why training is over; "" means that it is not.
type StopReason string

const (
	LossReached   StopReason = "stop_loss"
	TreesReached  StopReason = "max_trees"
	NoImprovement StopReason = "early_stopping"
	Interrupted   StopReason = "interrupted"
	NoSplit       StopReason = "no_split" // nothing can be split, and no leaf moves
)

// stopReason tells why the iteration that the status describes is the last; "":
// it is not.
func (e *Engine) stopReason() StopReason {
	p, now := &e.job.Params, &e.status
	switch {
	case now.Valid != nil && p.EarlyStopping > 0 && now.Iteration-e.best.iteration >= p.EarlyStopping:
		return NoImprovement
	case e.idle:
		return NoSplit
	case e.state.lossAtMost(p.StopLoss):
		return LossReached
	case e.grown+e.perIteration > p.Trees:
		return TreesReached
	}
	return ""
}
