// Package boost trains models. In each iteration a boosting method grows trees
// that fit the residuals of the model so far, until there is a reason to stop.
//
// An [Engine] combines four things: the state, which holds the residuals of the
// training rows; trees, which samples rows and columns and grows a tree on them;
// the method, which chooses how many trees an iteration adds and their class
// pairs; and the validation, which holds the model's scores on a validation set.
package boost

import (
	"context"
	"math"

	"github.com/libaoso/aoso/internal/constraint"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/linear"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/metric"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// Job describes a training run.
type Job struct {
	Params      Params
	Train       *data.Set
	Start       *Start    // of a run that continues a model; nil: all scores are zero
	Valid       *data.Set // nil: none
	ValidScores []float64 // of the continued model; nil: all are zero
	Others      []Other   // further validation sets, for evaluation only

	Objective Objective // nil: the log loss of the softmax

	// Repeated has the trees that an interrupted run of the same job has grown, Start's
	// included: they are not grown again. Nil: none.
	Repeated *model.Forest

	// Refit has the trees of a model of other rows: training takes these trees and computes their leaf values from its
	// own rows, as it does linear scores. The method is AOSO. Sparse leaves keep their classes. Nil: none.
	Refit *model.Forest

	// LinearScores are those of the training rows, if they are known and the parameters start from them. Nil: fit them.
	LinearScores *model.Linear

	Signs        [][]int8                 // by column and class: how raw scores may change as the column rises; nil: unconstrained
	Interactions *constraint.Interactions // nil: unconstrained

	EvalEvery int  // iterations between two evaluations, at least 1
	Silent    bool // nobody reads the training loss before the end

	Kernels    *kernel.Funcs
	Team       *par.Team
	CacheBytes int // size of the histograms that are filled at once
}

// Other is a validation set for evaluation only.
type Other struct {
	Set    *data.Set
	Scores []float64 // of the continued model; nil: all are zero
}

// Status describes a training run after an iteration. TrainLoss, Valid and Others are set if the
// iteration was evaluated.
type Status struct {
	Iteration int // from 1
	Trees     int // in the model, the continued model's included
	Evaluated bool
	TrainLoss float64 // mean log loss of the training rows, weighted
	Valid     *metric.Evaluation
	Others    []*metric.Evaluation
	Best      int        // iteration of the best Valid so far; 0: none
	Stopped   StopReason // "": not the last iteration
}

// Engine is a training run in progress.
type Engine struct {
	job          Job
	method       method
	perIteration int // trees
	trees        *trees
	state        *state
	forest       *model.Forest
	refits       *model.Forest // the trees of job.Refit, of which forest has the first, with new leaf values
	refitted     tree.Tree     // the last of these
	validation   *validation   // nil: none
	others       []*validation
	weight       float64 // of all training rows

	status  Status
	best    best
	seen    bool       // the metric after the last iteration is known
	grown   int        // trees added
	idle    bool       // the last iteration changed nothing, and neither would the next
	stopped StopReason // unlike the status, includes interruptions
	freed   bool
}

// New prepares a training run for its first iteration.
func New(j Job) *Engine {
	p, classes := &j.Params, len(j.Train.Classes)
	e := &Engine{job: j, method: newMethod(p), forest: p.newForest(classes), weight: j.Train.TotalWeight()}
	e.perIteration = p.TreesPerIteration(classes)
	if j.Start != nil {
		e.forest = j.Start.Forest.Clone()
	} else if p.Start == "prior" {
		e.forest.SetLinear(linear.Prior(j.Train, j.Team))
	} else if p.Start == "linear" {
		if j.LinearScores == nil {
			j.LinearScores = linear.Fit(j.Train, j.Kernels, j.Team)
		}
		e.forest.SetLinear(j.LinearScores)
	}
	initial := func(set *data.Set) *initialScores {
		if j.Start != nil { // its scores are given
			return nil
		}
		return binnedScores(e.forest.Linear(), set, j.Kernels)
	}
	e.status.Trees = e.forest.Trees()
	e.best = best{value: math.Inf(1), trees: e.forest.Trees()}
	if j.Objective != nil {
		e.job.Kernels = loss.CustomKernels(j.Kernels)
		j.Kernels = e.job.Kernels
		e.state = newCustomState(j.Objective, &j.Train.Target, j.Start.first(), p.Padding(classes), j.Kernels, j.Team)
	} else {
		e.state = newState(&j.Train.Target, p, initial(j.Train), j.Kernels, j.Team)
		j.Start.initState(e.state, p)
	}
	e.trees = newTrees(&j, e.state.residuals)
	if j.Valid != nil {
		e.validation = newValidation(j.Valid, j.ValidScores, initial(j.Valid), p.Wide(j.Valid.AllRows(), classes))
	}
	for _, o := range j.Others {
		e.others = append(e.others, newValidation(o.Set, o.Scores, initial(o.Set), p.Wide(o.Set.AllRows(), classes)))
	}
	if j.Objective == nil && e.state.lossAtMost(p.StopLoss) {
		e.stopped = StoppedByStopLoss
	}
	if j.Refit != nil {
		e.refits = j.Refit.Emptied()
		e.refits.SetLinear(e.forest.Linear())
		e.forest = e.refits.Truncated(0)
		if j.Refit.Trees() == 0 {
			e.stopped = StoppedByTrees
		}
	} else {
		e.forest.ReserveValues(p.NEstimators, min(p.MaxLeaves, max(1, j.Train.Rows())))
	}
	return e
}

func (e *Engine) classes() int { return len(e.job.Train.Classes) }

// Free releases the memory. Step then does nothing. A second call does nothing.
func (e *Engine) Free() {
	if e.freed {
		return
	}
	e.freed = true
	e.state.free()
	e.trees.free()
	for _, v := range e.validations() {
		v.free()
	}
}

// Step does one iteration. It returns false without an effect if training is over, or if ctx is
// cancelled before or during the iteration. After a cancellation, the next Step resumes as if
// there had been none.
func (e *Engine) Step(ctx context.Context) bool {
	if e.stopped == StoppedByInterrupt {
		e.stopped = ""
	}
	if e.freed || e.stopped != "" || e.job.Train.Ranks.Err() != nil || e.Err() != nil {
		return false
	}
	if e.cancelled(ctx) || !e.iterate(ctx) {
		e.stopped = StoppedByInterrupt
		return false
	}
	e.evaluate()
	return true
}

// cancelled reports whether ctx is cancelled on any machine.
func (e *Engine) cancelled(ctx context.Context) bool { return e.job.Train.Ranks.Any(ctx.Err() != nil) }

// evaluate updates the status after an iteration.
func (e *Engine) evaluate() {
	e.status = Status{Iteration: e.status.Iteration + 1, Trees: e.forest.Trees()}
	now := &e.status
	now.Evaluated = now.Iteration%e.job.EvalEvery == 0
	if now.Evaluated {
		now.Valid = e.Evaluate(1)
		for _, v := range e.others {
			now.Others = append(now.Others, v.evaluate(1, e.job.Kernels, e.job.Team))
		}
		if !e.job.Silent {
			now.TrainLoss = e.TrainLoss()
		}
	}
	e.stopped, e.seen = "", false
	if now.Valid != nil && e.job.Params.EarlyStoppingRounds > 0 && !e.judged() {
		e.recordMetric(e.monitored(now.Valid))
		return
	}
	e.decide()
}

// recordMetric records the metric after the last iteration.
func (e *Engine) recordMetric(value float64) {
	e.seen = true
	e.best.update(value, e.job.Params.MinDelta, &e.status)
	e.decide()
}

// decide records why the last iteration ends training, if it does.
func (e *Engine) decide() {
	if e.stopped == "" {
		e.stopped = e.stopReason()
	}
	e.status.Best, e.status.Stopped = e.best.iteration, e.stopped
}

// SetShrinkage changes the shrinkage of later iterations.
func (e *Engine) SetShrinkage(shrinkage float64) {
	p := &e.job.Params
	if e.freed || p.LearningRate == shrinkage {
		return
	}
	p.LearningRate = shrinkage
	if e.trees.grower != nil {
		e.trees.grower.SetShrinkage(shrinkage)
	}
	e.trees.values.Newton.Shrinkage = shrinkage
	switch period := p.Period(); {
	case period == 0 || e.job.Objective != nil:
	case e.state.scores == nil:
		e.keepScores()
	default:
		e.state.period = min(e.state.period, period)
	}
}

// judged reports whether the caller computes the metric that early stopping monitors.
func (e *Engine) judged() bool { return e.job.Params.Metric == "custom" }

// Judge records the value of the caller's metric after the last iteration. Lower is better.
func (e *Engine) Judge(value float64) {
	if e.status.Valid == nil {
		e.status.Valid = e.Evaluate(1)
	}
	e.recordMetric(value)
}

// TrainLoss returns the weighted mean log loss of the training rows.
func (e *Engine) TrainLoss() float64 {
	if e.job.Objective != nil {
		return metric.Evaluate(e.state.scores, 1, &e.job.Train.Target, e.job.Kernels, e.job.Team).LogLoss
	}
	return e.state.logLoss(nil) / e.weight
}

// Stopped returns why training is over or was interrupted; "": it goes on.
func (e *Engine) Stopped() StopReason { return e.stopped }

// Params returns the parameters of the run.
func (e *Engine) Params() *Params { return &e.job.Params }

// ValidScores returns the raw scores of the model so far on the validation set, rows × classes;
// nil: it has sparse class scores. The next step changes them.
func (e *Engine) ValidScores() []float64 { return e.validation.scores }

// validations returns all validation sets, first the one that decides, if there is one.
func (e *Engine) validations() []*validation {
	if e.validation == nil {
		return e.others
	}
	return append([]*validation{e.validation}, e.others...)
}

// Scores returns the raw scores of the model so far on a validation set, by its number among all
// of them; nil: it has sparse class scores.
func (e *Engine) Scores(set int) []float64 { return e.validations()[set].scores }

// Evaluate evaluates the model so far on the validation set, its scores divided by the
// temperature; nil: there is none.
func (e *Engine) Evaluate(temperature float64) *metric.Evaluation {
	if e.validation == nil {
		return nil
	}
	return e.validation.evaluate(temperature, e.job.Kernels, e.job.Team)
}

// TreesPerIteration returns the number of trees that an iteration adds.
func (e *Engine) TreesPerIteration() int { return e.perIteration }

// Status returns the state of training after the last iteration.
func (e *Engine) Status() Status { return e.status }

// Result is a model and the outcome of its training.
type Result struct {
	Forest        *model.Forest
	Iterations    int
	BestIteration int                // iteration at which the model ends
	TrainLoss     float64            // after the last iteration; NaN after Free
	Valid         *metric.Evaluation // of the model; after Free only with early stopping
	Stopped       StopReason
}

// Forest returns all trees so far. The next step adds to it.
func (e *Engine) Forest() *model.Forest { return e.forest }

// Result returns the model so far: with early stopping, up to the best iteration. Later steps do
// not change it.
func (e *Engine) Result() Result { return e.result(!e.freed) }

// Snapshot is Result without new evaluations, as after Free. It needs no other machine.
func (e *Engine) Snapshot() Result { return e.result(false) }

func (e *Engine) result(look bool) Result {
	r := Result{
		Iterations:    e.status.Iteration,
		BestIteration: e.status.Iteration,
		TrainLoss:     math.NaN(),
		Stopped:       e.stopped,
	}
	if look {
		r.TrainLoss, r.Valid = e.TrainLoss(), e.Evaluate(1)
	}
	r.Forest = e.forest.Truncated(e.forest.Trees())
	if best := e.best; e.job.Params.EarlyStoppingRounds > 0 && best.iteration > 0 {
		if r.Valid != nil && !e.judged() {
			best.update(e.monitored(r.Valid), e.job.Params.MinDelta, &Status{Iteration: r.Iterations, Trees: r.Forest.Trees(), Valid: r.Valid})
		}
		r.BestIteration, r.Valid = best.iteration, best.valid
		r.Forest = e.forest.Truncated(best.trees)
	}
	return r
}
