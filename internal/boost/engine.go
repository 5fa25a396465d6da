// Package boost is training: iteration after iteration, a boosting method grows
// trees on the residuals that the model so far leaves, until there is a reason
// to stop.
//
// An [Engine] has a state, where boosting stands on the training rows; what
// grows trees on rows and columns that a sampler draws; a method, which says
// what trees an iteration has; and, with a validation set, the model's scores
// there.
package boost

import (
	"context"
	"math"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Job is a training to be done.
type Job struct {
	Params      Params
	Train       *data.Set
	Start       *Start    // where it begins on the training set; nil: scores of zero
	Valid       *data.Set // nil: none
	ValidScores []float64 // where it begins on the validation set; nil: zero

	EvalEvery int  // iterations between two evaluations, at least 1
	Silent    bool // nobody reads the training loss on the way

	Kernels    *kernel.Funcs
	Team       *par.Team
	CacheBytes int // histograms filled at once
}

// Status is where a training stands after an iteration. TrainLoss and Valid
// are there if it was evaluated.
type Status struct {
	Iteration int // from 1
	Trees     int // in the model, those it continues included
	Evaluated bool
	TrainLoss float64 // Σ −log p_y over the training rows, weighted
	Valid     *Evaluation
	Best      int        // iteration of the best Valid so far; 0: none
	Stopped   StopReason // why this is the last iteration
}

// Engine is a training under way.
type Engine struct {
	job          Job
	method       method
	perIteration int // trees
	trees        *trees
	state        *state
	forest       *model.Forest
	validation   *validation // nil: none

	status  Status
	best    best
	grown   int        // trees added
	idle    bool       // the last iteration changed nothing, and so would the next
	stopped StopReason // also that of an interruption, which the status does not have
	freed   bool
}

// New is a training before its first iteration.
func New(j Job) *Engine {
	p, classes := &j.Params, len(j.Train.Classes)
	e := &Engine{job: j, method: newMethod(p), forest: model.NewForest(classes, p.Pairs, p.fullLeaf())}
	e.perIteration = p.TreesPerIteration(classes)
	if j.Start != nil {
		e.forest = j.Start.Forest.Clone()
	}
	e.status.Trees = e.forest.Trees()
	e.best = newBest(newMetric(p.Metric), e.forest.Trees())
	e.state = newState(&j.Train.Target, p.impossible(classes), j.Kernels, j.Team)
	j.Start.begin(e.state, p)
	e.trees = newTrees(&j, e.state.residuals)
	if j.Valid != nil {
		e.validation = newValidation(j.Valid, j.ValidScores)
	}
	if e.state.lossAtMost(p.StopLoss) {
		e.stopped = LossReached
	}
	return e
}

func (e *Engine) classes() int { return len(e.job.Train.Classes) }

// Free gives the memory back. After it, Step does nothing. Freeing twice does
// nothing.
func (e *Engine) Free() {
	if e.freed {
		return
	}
	e.freed = true
	e.state.free()
	e.trees.free()
	if e.validation != nil {
		e.validation.free()
	}
}

// Step does an iteration. It returns false, and nothing was done, if training
// is over. If ctx was cancelled, before the iteration or in it, it left no
// trace, and the next Step goes on as if there had been no interruption.
func (e *Engine) Step(ctx context.Context) bool {
	if e.stopped == Interrupted {
		e.stopped = ""
	}
	if e.freed || e.stopped != "" {
		return false
	}
	if ctx.Err() != nil || !e.iterate(ctx) {
		e.stopped = Interrupted
		return false
	}
	e.look()
	return true
}

// look notes where training stands after an iteration.
func (e *Engine) look() {
	e.status = Status{Iteration: e.status.Iteration + 1, Trees: e.forest.Trees()}
	now := &e.status
	now.Evaluated = now.Iteration%e.job.EvalEvery == 0
	if now.Evaluated {
		now.Valid = e.evaluate()
		if !e.job.Silent {
			now.TrainLoss = e.state.logLoss(nil)
		}
	}
	if now.Valid != nil && e.job.Params.EarlyStopping > 0 {
		e.best.see(now.Valid, now.Iteration, now.Trees)
	}
	e.stopped = e.stopReason()
	now.Best, now.Stopped = e.best.Iteration, e.stopped
}

// evaluate is how the model so far does on the validation set; nil: there is none.
func (e *Engine) evaluate() *Evaluation {
	if e.validation == nil {
		return nil
	}
	return e.validation.evaluate()
}

// TreesPerIteration is the number of trees that an iteration adds.
func (e *Engine) TreesPerIteration() int { return e.perIteration }

// Status is where training stands after the last iteration.
func (e *Engine) Status() Status { return e.status }

// Result is a model and how its training went.
type Result struct {
	Forest        *model.Forest
	Iterations    int
	BestIteration int         // the iteration that the model ends with
	TrainLoss     float64     // of the last iteration; NaN after Free
	Valid         *Evaluation // of the model; after Free only with early stopping
	Stopped       StopReason
}

// Result is the model so far: with early stopping, that of the best iteration.
// Later steps do not change it.
func (e *Engine) Result() Result {
	r := Result{
		Iterations:    e.status.Iteration,
		BestIteration: e.status.Iteration,
		TrainLoss:     math.NaN(),
		Stopped:       e.stopped,
	}
	if !e.freed {
		r.TrainLoss, r.Valid = e.state.logLoss(nil), e.evaluate()
	}
	r.Forest = e.forest.Truncated(e.forest.Trees())
	if best := e.best; e.job.Params.EarlyStopping > 0 && best.Iteration > 0 {
		if r.Valid != nil {
			best.see(r.Valid, r.Iterations, r.Forest.Trees())
		}
		r.BestIteration, r.Valid = best.Iteration, best.Valid
		r.Forest = e.forest.Truncated(best.Trees)
	}
	return r
}
