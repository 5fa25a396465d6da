package aoso

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"time"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/fit"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Trainer is a training under way, which its caller takes from iteration to
// iteration; [Train] does the same in one call. One goroutine at a time may
// use it.
type Trainer struct {
	train, valid *Dataset // which the fit reads
	kernels      *kernel.Funcs
	team         *par.Team
	fit          *fit.Fit
	last         Progress
}

// NewTrainer makes a training ready for its first iteration. It takes what
// [Train] takes and makes its checks, and leaves o.Callback alone: each step
// returns what the callback would be told. The datasets may not be freed
// before the trainer is.
func NewTrainer(train *Dataset, p Params, o TrainOptions) (*Trainer, error) {
	return makeTrainer(train, p, o, false)
}

// makeTrainer is NewTrainer for a caller who, if silent, does not read the
// training loss on the way.
func makeTrainer(train *Dataset, p Params, o TrainOptions, silent bool) (*Trainer, error) {
	job, err := newJob(train, p, o, silent)
	if train != nil && train.set.Ranks.Err() != nil {
		err = train.set.Ranks.Err() // what the checks found is of no use then
	}
	if err != nil {
		if train != nil {
			train.set.Ranks.Abort(err)
		}
		return nil, err
	}
	b := &Trainer{train: train, valid: o.Valid, kernels: job.Kernels, team: job.Team, fit: fit.New(job)}
	b.last = b.progress()
	return b, nil
}

// newJob checks a training and describes it. The team is to be closed.
func newJob(train *Dataset, p Params, o TrainOptions, silent bool) (job fit.Job, err error) {
	settings, err := checkTraining(train, p, o)
	if err != nil {
		return job, err
	}
	funcs, err := kernels(p.Level)
	if err != nil {
		return job, err
	}
	job.Job = boost.Job{
		Train: train.set, EvalEvery: max(o.EvalEvery, 1), Kernels: funcs, CacheBytes: cacheBytes(),
	}
	for _, setting := range settings {
		job.Settings = append(job.Settings, boost.Params(setting))
	}
	if err := constrain(&job, train, &p); err != nil {
		return job, err
	}
	if train.start != nil {
		if err := train.start.model.checkContinued(&settings[0], job.Settings[0].TreesPerIteration(len(train.set.Classes))); err != nil {
			return job, err
		}
		job.Start = &train.start.Start
	}
	shape := train.shape()
	if o.Valid != nil {
		job.Valid, shape.ValidRows = o.Valid.set, o.Valid.set.AllRows()
		if o.Valid.start != nil {
			job.ValidScores = o.Valid.start.Scores
		}
	}
	if err := agree(train.set.Ranks, &p); err != nil {
		return job, err
	}
	plan := p.plan(shape, train.start != nil)
	job.Folds, job.Choose, job.Temper, job.Thorough = plan.folds, plan.choose, plan.temper, plan.thorough
	job.Silent = !train.set.Ranks.Any(!silent)
	job.Team = par.NewTeam(p.Threads)
	return job, nil
}

// agree tells whether all ranks train with the same parameters. The number of threads
// and the level are each rank's own.
func agree(ranks *collective.Group, p *Params) error {
	if ranks == nil {
		return nil
	}
	mine := *p
	mine.Threads, mine.Level = 0, ""
	text := fmt.Sprintf("%+v", mine)
	for rank, theirs := range ranks.Gather([]byte(text), 1) {
		if string(theirs) != text {
			return badArgument("params", "others than on rank "+strconv.Itoa(rank), "the same on all ranks")
		}
	}
	return ranks.Err()
}

// checkTraining checks what is to be trained on and how. It returns the settings
// to try.
func checkTraining(train *Dataset, p Params, o TrainOptions) ([]Params, error) {
	if train == nil {
		return nil, badArgument("train", nil, "a dataset")
	}
	if o.EvalEvery < 0 {
		return nil, badArgument("eval_every", o.EvalEvery, "at least 0")
	}
	if train.set.AllRows() == 0 {
		return nil, badArgument("train", "a dataset without rows", "at least one row")
	}
	if train.set.Unknown > 0 {
		return nil, badArgument("train", fmt.Sprintf("%d rows of unknown classes", train.set.Unknown), "a dataset made by NewDataset")
	}
	if err := train.checkFreed("train"); err != nil {
		return nil, err
	}
	if valid := o.Valid; valid != nil {
		if !valid.binnedAs(train) {
			return nil, badArgument("valid", "a dataset of other bins", "one made by Aligned from the training set")
		}
		if err := valid.checkFreed("valid"); err != nil {
			return nil, err
		}
	}
	if p.EarlyStopping > 0 && o.Valid == nil {
		return nil, badArgument("early_stopping", p.EarlyStopping, "0 without a validation set")
	}
	return p.resolve(train.shape())
}

// Free gives the trainer's memory and threads back. After it, Step does
// nothing. Freeing twice does nothing.
func (b *Trainer) Free() {
	b.team.Close()
	b.fit.Free()
	runtime.KeepAlive(b.train)
	runtime.KeepAlive(b.valid)
}

// Err is why a training on several machines cannot go on: it wraps [ErrCollective].
// The model so far is that of the last iteration that all ranks have done.
func (b *Trainer) Err() error { return b.train.set.Ranks.Err() }

// Step does an iteration and returns the state after it. More is false, and
// nothing was done, if training is over, for a reason that Result names: the
// state is then that after the last iteration. If ctx was cancelled, before
// the iteration or in it, it left no trace, and the next Step goes on as if
// there had been no interruption.
func (b *Trainer) Step(ctx context.Context) (p Progress, more bool) {
	if more = b.fit.Step(ctx); more {
		b.last = b.progress()
	}
	return b.last, more
}

// progress is the engine's status at this time.
func (b *Trainer) progress() Progress { return newProgress(b.fit.Status(), b.fit.Elapsed()) }

func newProgress(s fit.Status, elapsed time.Duration) Progress {
	return Progress{
		Phase:     string(s.Phase),
		Iteration: s.Iteration,
		Trees:     s.Trees,
		MaxTrees:  s.MaxTrees,
		Elapsed:   elapsed,
		Evaluated: s.Evaluated,
		TrainLoss: s.TrainLoss,
		Valid:     (*Evaluation)(s.Valid),
		Best:      s.Best,
		StoppedBy: string(s.Stopped),
	}
}

// Result is the model so far and how training went, as [Train] returns it:
// with early stopping the model is that of the best iteration. Later steps do
// not change it. With a collective, all ranks ask for it at once. StoppedBy is empty while training goes on. After Free,
// TrainLoss is NaN, and Valid is there with early stopping only.
func (b *Trainer) Result() *Result {
	r := newResult(b.train, b.fit.Result(), b.fit.TreesPerIteration())
	r.Elapsed, r.Threads, r.Level = b.fit.Elapsed(), b.team.Workers(), b.kernels.Level
	return r
}

// newResult is the result of a training on a dataset, time and machine aside.
func newResult(train *Dataset, r fit.Result, treesPerIteration int) *Result {
	m := newModel(r.Forest, train.set.Classes, train.set.Names, train.set.Encoder, r.Params.Method, treesPerIteration, Params(r.Params))
	m.temperature, m.scores = r.Temperature, r.Scores
	if before := train.continued(); before != nil && m.temperature == 0 {
		m.temperature = before.temperature
	}
	result := &Result{
		Model:         m,
		Phase:         string(r.Phase),
		Iterations:    r.Iterations,
		BestIteration: r.BestIteration,
		TrainLoss:     r.TrainLoss,
		Valid:         (*Evaluation)(r.Valid),
		StoppedBy:     string(r.Stopped),
	}
	if held := r.HeldOut; held != nil {
		result.HeldOut, result.HeldOutRows = (*Evaluation)(&held.Evaluation), held.Rows
	}
	return result
}
