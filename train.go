package aoso

import (
	"context"
	"math"
	"time"
)

// The reasons for which training stops.
const (
	StoppedByLoss          = "stop_loss"
	StoppedByTrees         = "max_trees"
	StoppedByEarlyStopping = "early_stopping"
	StoppedByInterrupt     = "interrupted"
	StoppedByNoSplit       = "no_split" // nothing can be split, and no leaf moves
)

// TrainOptions are what training may be given beside data and parameters.
type TrainOptions struct {
	Valid *Dataset // evaluated after every EvalEvery-th iteration; from [Dataset.Aligned]

	EvalEvery int                 // iterations between two evaluations; 0: 1
	Callback  func(Progress) bool // called after each iteration; false stops training
}

// Evaluation is how well a model does on a dataset.
type Evaluation struct {
	Errors    int     // rows whose class is not predicted, those of unknown classes included
	ErrorRate float64 // share of the rows' weight that Errors have
	LogLoss   float64 // mean −log p_y, weighted, over the rows of known classes; NaN if there are none
}

// Progress is the state of training after an iteration. TrainLoss and Valid
// are there if it was evaluated.
type Progress struct {
	Iteration int // from 1
	Trees     int // in the model, those it continues included
	Elapsed   time.Duration
	Evaluated bool        // every EvalEvery-th iteration
	TrainLoss float64     // Σ −log p_y over the training rows, weighted
	Valid     *Evaluation // nil without a validation set
	Best      int         // iteration of the best Valid so far; 0: none
}

// Result is a trained model and how training went.
type Result struct {
	Model         *Model
	Iterations    int
	BestIteration int         // the iteration that the model ends with, if it was stopped early; else the last
	TrainLoss     float64     // of the last iteration: Σ −log p_y, weighted
	Valid         *Evaluation // of the model, if there was a validation set
	StoppedBy     string
	Elapsed       time.Duration
	Threads       int
	Level         string // the instruction-set level of the kernels
}

// Train trains a model. It ends at Trees trees, when nothing can be split any
// more, at a training loss of StopLoss, after EarlyStopping iterations without a better validation metric
// (the model is then that of the best iteration), when the callback returns
// false, or when ctx is cancelled: the last two keep the iterations done so
// far and are no error.
func Train(ctx context.Context, train *Dataset, p Params, o TrainOptions) (*Result, error) {
	if train == nil {
		return nil, badArgument("train", nil, "a dataset")
	}
	if o.EvalEvery < 0 {
		return nil, badArgument("eval_every", o.EvalEvery, "at least 0")
	}
	o.EvalEvery = max(o.EvalEvery, 1)
	if o.Valid != nil && o.Valid.mapper != train.mapper {
		return nil, badArgument("valid", "a dataset of other bins", "one made by Aligned from the training set")
	}
	if p.EarlyStopping > 0 && o.Valid == nil {
		return nil, badArgument("early_stopping", p.EarlyStopping, "0 without a validation set")
	}
	p, err := p.resolve(len(train.classes))
	if err != nil {
		return nil, err
	}
	b, err := newBooster(train, o.Valid, p)
	if err != nil {
		return nil, err
	}
	defer b.free()
	start := time.Now()
	r := &Result{Threads: b.team.Workers(), Level: b.kernels.Level}
	best := bestRound{value: math.Inf(1), trees: b.forest.Trees()}
	for r.StoppedBy == "" {
		switch {
		case ctx.Err() != nil:
			r.StoppedBy = StoppedByInterrupt
		case b.lossAtMost(p.StopLoss):
			r.StoppedBy = StoppedByLoss
		case r.Iterations > 0 && b.grown+b.perRound > p.Trees:
			r.StoppedBy = StoppedByTrees
		case !b.round(ctx):
			r.StoppedBy = StoppedByInterrupt
		default:
			r.Iterations++
			if b.stuck {
				r.StoppedBy = StoppedByNoSplit
			}
			progress := Progress{Iteration: r.Iterations, Trees: b.forest.Trees(), Evaluated: r.Iterations%o.EvalEvery == 0}
			if progress.Evaluated {
				progress.Valid = b.evaluate()
				if o.Callback != nil {
					progress.TrainLoss = b.loss()
				}
			}
			if progress.Valid != nil && p.EarlyStopping > 0 {
				best.see(progress.Valid, p.Metric, r.Iterations, b.forest.Trees())
				if r.Iterations-best.iteration >= p.EarlyStopping {
					r.StoppedBy = StoppedByEarlyStopping
				}
			}
			progress.Best, progress.Elapsed = best.iteration, time.Since(start)
			if o.Callback != nil && !o.Callback(progress) && r.StoppedBy == "" {
				r.StoppedBy = StoppedByInterrupt
			}
		}
	}
	r.TrainLoss = b.loss()
	r.BestIteration = r.Iterations
	r.Valid = b.evaluate()
	if p.EarlyStopping > 0 && best.iteration > 0 {
		if r.Valid != nil {
			best.see(r.Valid, p.Metric, r.Iterations, b.forest.Trees())
		}
		r.BestIteration, r.Valid = best.iteration, best.valid
		b.forest.Truncate(best.trees)
	}
	r.Elapsed = time.Since(start)
	r.Model = b.model()
	return r, nil
}

// bestRound is the best evaluation so far.
type bestRound struct {
	value     float64
	iteration int
	trees     int
	valid     *Evaluation
}

func (b *bestRound) see(e *Evaluation, metric string, iteration, trees int) {
	value := e.LogLoss
	if metric == "error" {
		value = e.ErrorRate
	}
	if value < b.value {
		*b = bestRound{value, iteration, trees, e}
	}
}
