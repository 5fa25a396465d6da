package aoso

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/fit"
)

// StopReason says why training stopped; "": it goes on.
type StopReason string

// The stop reasons.
const (
	StoppedByStopLoss      StopReason = StopReason(boost.StoppedByStopLoss)      // stop_loss
	StoppedByTrees         StopReason = StopReason(boost.StoppedByTrees)         // trees
	StoppedByEarlyStopping StopReason = StopReason(boost.StoppedByEarlyStopping) // early_stopping
	StoppedByInterrupt     StopReason = StopReason(boost.StoppedByInterrupt)     // interrupt
	StoppedByNoSplit       StopReason = StopReason(boost.StoppedByNoSplit)       // no_split: nothing can be split, and no leaf moves
	StoppedByTimeLimit     StopReason = StopReason(boost.StoppedByTimeLimit)     // time_limit
)

// TrainOptions are what training may be given beside data and parameters.
type TrainOptions struct {
	// Valid is a validation set, from [Dataset.Aligned]. It is evaluated after every
	// EvalEvery-th iteration. It chooses the number of trees and the temperature, and
	// early stopping watches it.
	Valid *Dataset

	// Others are further validation sets. They are evaluated alike, and decide nothing.
	// The training set may be among them.
	Others []*Dataset

	// ClassWeights multiply the weights of the training rows, by class; nil: all are 1.
	// [Dataset.BalancedWeights] makes all classes weigh the same.
	ClassWeights []float64

	// Groups has the group of each training row, such as the patient or the speaker; nil: each row is
	// a group. A group is held out as a whole, so that the rows held out tell how well the model does
	// on new groups. Only groups of which every class has rows in other groups, too, are held out.
	// At least two are needed; there are no more folds, or members of an ensemble, than such groups.
	Groups []uint64

	// Times has the time of each training row, in any unit; nil: they are not known. The latest fifth
	// of the rows is held out, so that later rows judge what was learned from earlier ones. There
	// are no folds, and the model is a single one. Groups and Times exclude each other. With a
	// validation set, and where no rows are held out, neither has an effect.
	Times []float64

	// Objective is a loss to train by in place of the log loss; nil: there is none. It computes
	// the gradient and the diagonal of the Hessian of the loss from the raw scores of the
	// training rows. All are rows × classes, row by row. The gradient is that of the loss, so for
	// the log loss p − y; Hessians are not negative. Weights of rows are the objective's business.
	// It is called before the first iteration and after each, with the rows of this rank if there
	// are several. An error ends the training.
	//
	// A leaf adds −G/(H + RegLambda) to the score of a class, G and H being the sums of its rows,
	// less the mean over the classes. A class pair has the Hessian of both classes added up. What
	// needs probabilities is not there: no rows are held out, there is no temperature, StopLoss
	// has no effect, and Trim leaves rows out of nodes only. The method must be aoso. The training
	// takes 4·S + 24·K bytes more for each row, S and K being as in [Estimate].
	Objective func(scores, gradient, hessian []float64) error

	// Checkpoint is a file that keeps how far training has come; "": none. If it
	// exists, training takes the trees from it and goes on from there. The model is
	// that of a training that was never interrupted. The file is saved as well when
	// training ends, and stays. With a collective, rank 0 reads and writes it, and the
	// next time the same rows may be on another number of ranks.
	Checkpoint      string
	CheckpointEvery time.Duration // between two saves; 0: a minute

	// Warn is told, during a step, what went wrong without ending training. If the checkpoint
	// cannot be written, training tries again after CheckpointEvery, and says no more
	// until a save has worked; [Result] has the last error. If ranks are slower than one of them
	// alone would be, rank 0 says so once, after a second or more. nil: nobody is told.
	Warn func(error)

	EvalEvery int                 // iterations between two evaluations; 0: 1
	Callback  func(Progress) bool // called by [Train] after each iteration; false stops training
}

// Phase is a phase of a training or a search.
type Phase string

// The phases.
const (
	PhaseSearch  Phase = "search"           // of a [Tuner]: tries parameters; PhaseTrain follows
	PhaseHoldOut Phase = Phase(fit.HoldOut) // trains without the rows held out, to choose parameters
	PhaseTrain   Phase = Phase(fit.Final)   // trains the model itself
)

// Progress is the state of training after an iteration. TrainLoss, Valid and
// Others are there if it was evaluated. In PhaseHoldOut, Valid is the evaluation on
// the rows held out, and there are no Others.
type Progress struct {
	Phase     Phase         // PhaseHoldOut, which comes first if there is any, or PhaseTrain
	Iteration int           // from 1 in each phase
	Trees     int           // in the model, those it continues included
	MaxTrees  int           // the most that the model in training can have
	Elapsed   time.Duration // spent in iterations
	Evaluated bool          // every EvalEvery-th iteration; of an ensemble, only while its first members choose parameters
	TrainLoss float64       // mean log loss of the training rows, weighted
	Valid     *Evaluation   // of raw scores; nil without a validation set
	Others    []*Evaluation // likewise, of the other validation sets
	Best      int           // iteration of the best Valid so far; 0: none
	StoppedBy StopReason    // why this is the last iteration; "": it is not
}

// Result is a trained model and how training went.
type Result struct {
	Model         *Model        // the model; it never changes
	Phase         Phase         // PhaseHoldOut: training ended there, and the model has not seen the rows held out
	Iterations    int           // in this phase
	BestIteration int           // the iteration that the model ends with, if it was stopped early; else the last
	TrainLoss     float64       // mean log loss of the training rows after the last iteration, weighted
	Valid         *Evaluation   // of the model, if there was a validation set
	HeldOut       *Evaluation   // of a training without the rows held out, on them; nil: none were
	HeldOutRows   int           // rows held out in the first phase
	StoppedBy     StopReason    // why training ended: a constant such as StoppedByTrees
	Capped        bool          // the held-out rows chose the number of trees, and it is the most allowed: more may be better
	Checkpoint    error         // why the last save of the checkpoint failed; nil: it did not
	Elapsed       time.Duration // spent in iterations
	Threads       int           // that trained
	Level         string        // the instruction-set level of the kernels

	held *fit.HeldOut // nil: no rows were held out
}

// Train trains a model. Unless all parameters are given, it first trains without
// a part of the rows, to choose parameters by them and to calibrate the model.
// Of few rows, the model is by default the average of six: see Params.Ensemble.
// Training ends at NEstimators trees, when nothing can be split any
// more, when the log losses of the training rows sum to at most StopLoss, after
// EarlyStoppingRounds iterations without a better validation metric (the model is
// then that of the best iteration), after TimeLimit seconds, when the callback
// returns false, or when ctx is cancelled. The last two are no errors and keep
// the iterations so far. With a collective, all ranks stop if one does, and an error
// of the collective ends the training: a [Trainer] then still has the model so far.
//
// With the metric custom, use a [Trainer], which takes the values of the metric.
func Train(ctx context.Context, train *Dataset, p Params, options ...TrainOptions) (*Result, error) {
	o := last(options)
	if p.Metric == MetricCustom && p.EarlyStoppingRounds > 0 {
		return nil, badArgument("metric", string(p.Metric), "another for Train; a Trainer takes it")
	}
	b, err := makeTrainer(train, p, o, o.Callback == nil)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	until := &stoppable{Context: ctx}
	for {
		progress, more := b.Step(until)
		if !more {
			break
		}
		if o.Callback != nil && !o.Callback(progress) {
			until.stopped.Store(true) // of which all ranks hear in the next step
		}
	}
	if err := b.Err(); err != nil {
		return nil, err
	}
	r := b.Result()
	r.StoppedBy = cmp.Or(r.StoppedBy, StoppedByInterrupt)
	return r, nil
}

// stoppable is a context that is also cancelled once it is stopped.
type stoppable struct {
	context.Context
	stopped atomic.Bool
}

func (s *stoppable) Err() error {
	if s.stopped.Load() {
		return context.Canceled
	}
	return s.Context.Err()
}
