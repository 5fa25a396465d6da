package aoso

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/checkpoint"
	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/fit"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/settings"
	"github.com/libaoso/aoso/kernel"
	"github.com/libaoso/aoso/spec"
)

// Trainer is a training under way, which its caller takes from iteration to
// iteration; [Train] does the same in one call. One goroutine at a time may
// use it.
type Trainer struct {
	train      *Dataset
	valid      []*Dataset // all validation sets; the fit reads them
	params     Params
	kernels    *kernel.Funcs
	team       *par.Team
	fit        *fit.Fit
	checkpoint *checkpoint.File // nil: none
	saved      bool             // it has the last iteration
	pace       *pace            // nil: it is on one machine
	last       Progress
}

// NewTrainer makes a training ready for its first iteration. It takes what
// [Train] takes and makes its checks, and leaves o.Callback alone: each step
// returns what the callback would be told. The datasets may not be freed
// before the trainer is.
func NewTrainer(train *Dataset, p Params, options ...TrainOptions) (*Trainer, error) {
	o := last(options)
	return makeTrainer(train, p, o, false)
}

// makeTrainer is NewTrainer for a caller who, if silent, does not read the
// training loss on the way.
func makeTrainer(train *Dataset, p Params, o TrainOptions, silent bool) (*Trainer, error) {
	p = Params(*p.settings())
	job, file, err := newJob(train, p, o, silent)
	if train != nil && train.set.Ranks.Err() != nil {
		err = train.set.Ranks.Err() // what the checks found is of no use then
	}
	if err != nil {
		if train != nil {
			train.set.Ranks.Abort(err)
		}
		return nil, err
	}
	t := &Trainer{train: train, valid: o.validSets(), params: p, kernels: job.Kernels, team: job.Team, fit: fit.New(job), checkpoint: file}
	if err := t.fit.Err(); err != nil {
		t.Close()
		return nil, err
	}
	t.pace, t.last = newPace(train.set.Ranks, o.Warn), t.progress()
	return t, nil
}

// newJob checks a training and describes it. The team is to be closed.
func newJob(train *Dataset, p Params, o TrainOptions, silent bool) (job fit.Job, c *checkpoint.File, err error) {
	if err := checkTrainable(train); err != nil {
		return job, nil, err
	}
	if job.Split, err = o.split(train.set); err != nil {
		return job, nil, err
	}
	options, err := checkTraining(train, p, o, job.Split)
	if err != nil {
		return job, nil, err
	}
	if err := checkWide(&options[0], o); err != nil {
		return job, nil, err
	}
	funcs, err := kernels(p.Level)
	if err != nil {
		return job, nil, err
	}
	set, err := reweighted(train.set, o.ClassWeights)
	if err != nil {
		return job, nil, err
	}
	job.Job = boost.Job{
		Train: set, EvalEvery: max(o.EvalEvery, 1), Kernels: funcs, CacheBytes: cacheBytes(),
	}
	for _, setting := range options {
		job.Settings = append(job.Settings, boost.Params(setting))
	}
	var before *settings.Params
	if m := train.continued(); m != nil {
		before = m.params.settings()
	}
	if job.Signs, job.Interactions, err = p.settings().Constraints(train.set, before); err != nil {
		return job, nil, public(err)
	}
	if m := train.continued(); m != nil {
		if err := options[0].CheckContinued(&m.content, len(train.set.Classes), train.start.grown); err != nil {
			return job, nil, public(err)
		}
		begin := train.start.Start
		begin.Forest = begin.Forest.WithPairs(options[0].Pairs)
		job.Start = &begin
	}
	shape := train.shape()
	if o.Valid != nil {
		job.Valid, job.ValidScores, shape.ValidRows = o.Valid.set, o.Valid.startScores(), o.Valid.set.AllRows()
	}
	for _, other := range o.Others {
		job.Others = append(job.Others, boost.Other{Set: other.set, Scores: other.startScores()})
	}
	if err := cmp.Or(agree(train.set.Ranks, &p), checkKnownByAny(train.set.Ranks, o.validSets())); err != nil {
		return job, nil, err
	}
	planned := *p.settings()
	planned.Ensemble = options[0].Ensemble
	plan := planned.Plan(shape, train.start != nil)
	if o.Objective != nil {
		job.Objective, plan = boost.Objective(o.Objective), settings.Plan{}
	}
	if err := planned.CheckEnsemble(shape, plan); err != nil {
		return job, nil, public(err)
	}
	job.Folds, job.Scouts = job.Split.Folds(plan.Folds), plan.Scouts
	job.Choose, job.Temper, job.Thorough = plan.Choose, plan.Temper, plan.Thorough
	job.Symmetric = func(of boost.Params) boost.Params {
		return boost.Params(p.settings().Symmetric(settings.Params(of)))
	}
	job.Linear = len(options) > 1 && options[0].Start != options[1].Start
	if job.Signs == nil && job.Interactions == nil {
		job.Crosses = p.Crosses
	}
	job.Silent = !train.set.Ranks.Any(!silent)
	if err := checkSavable(train, (*Params)(&options[0])); err != nil {
		return job, nil, err
	}
	if err := affordTraining(train, options, job.Folds, o); err != nil {
		return job, nil, err
	}
	kept := checkpoint.Options{
		Path: o.Checkpoint, Every: o.CheckpointEvery, Warn: o.Warn, Set: train.set,
		Of: func() (checkpoint.Training, error) { return trainingOf(train, p, o) },
	}
	if c, job.Record, err = checkpoint.Open(kept, &job); err != nil {
		return job, nil, public(err)
	}
	job.Keep = c != nil
	job.Team = par.NewTeam(p.NThread)
	return job, c, nil
}

// trainingOf describes a training for its checkpoint. Its threads, its level and its time limit do not matter.
func trainingOf(train *Dataset, p Params, o TrainOptions) (t checkpoint.Training, err error) {
	p.TimeLimit = 0
	if t.Params, err = p.settings().Encode(); err != nil {
		return t, err
	}
	t.Train = train.set.Digest()
	if o.Valid != nil {
		t.Valid = o.Valid.set.Digest()
	}
	if p.EarlyStoppingRounds > 0 {
		t.EvalEvery = max(o.EvalEvery, 1)
	}
	switch {
	case train.set.Ranks.Any(o.Groups != nil):
		t.Split = train.set.DigestRows(func(row int) uint64 { return o.Groups[row] })
	case train.set.Ranks.Any(o.Times != nil):
		t.Split = train.set.DigestRows(func(row int) uint64 { return math.Float64bits(o.Times[row]) })
	}
	t.Weights, t.Objective = o.ClassWeights, o.Objective != nil
	if train.start != nil {
		t.Continues = train.start.model.Fingerprint()
	}
	return t, nil
}

// checkWide returns an error if training needs raw scores of a validation set that is too large for them.
func checkWide(p *settings.Params, o TrainOptions) error {
	for i, d := range o.validSets() {
		switch {
		case !(*boost.Params)(p).Wide(d.set.AllRows(), len(d.set.Classes)):
		case d.startScores() != nil:
			return badArgument(fmt.Sprintf("validation set %d", i), d.set.AllRows(), "at most %d rows, to continue a model of %d classes",
				boost.MostScores/len(d.set.Classes), len(d.set.Classes))
		case d == o.Valid && p.EarlyStoppingRounds > 0 && !slices.Contains([]Metric{MetricLogLoss, MetricError, MetricCustom}, p.Metric):
			return badArgument("metric", string(p.Metric), "logloss or error, for a validation set of %d rows and %d classes: others need all raw scores",
				d.set.AllRows(), len(d.set.Classes))
		}
	}
	return nil
}

// agree returns an error unless all ranks train with the same parameters. The number of threads
// and the level are each rank's own.
func agree(ranks *collective.Group, p *Params) error {
	if ranks == nil {
		return nil
	}
	mine := *p
	mine.NThread, mine.Level = 0, ""
	text := fmt.Sprintf("%+v", mine)
	for rank, theirs := range ranks.Gather([]byte(text), 1) {
		if string(theirs) != text {
			return badArgument("params", "others than on rank "+strconv.Itoa(rank), "the same on all ranks")
		}
	}
	return ranks.Err()
}

// checkKnownByAny returns an error if the classes of all rows of a validation set, on
// all ranks, are unknown.
func checkKnownByAny(ranks *collective.Group, sets []*Dataset) error {
	if ranks == nil {
		return nil
	}
	counts := make([]int64, 2*len(sets))
	for i, d := range sets {
		counts[2*i], counts[2*i+1] = int64(d.Unknown()), int64(d.Rows())
	}
	ranks.Sum(counts)
	for i := range sets {
		if unknown, rows := counts[2*i], counts[2*i+1]; unknown == rows && rows > 0 && ranks.Err() == nil {
			return badArgument(fmt.Sprintf("validation set %d", i), fmt.Sprintf("%d rows of unknown classes", rows), "at least one row of a class of the training set")
		}
	}
	return ranks.Err()
}

// checkTrainable returns an error unless models can be trained on a dataset.
func checkTrainable(train *Dataset) error {
	if train == nil {
		return badArgument("train", nil, "a dataset")
	}
	rows := train.set.AllRows()
	if rows == 0 {
		return badArgument("train", "a dataset without rows", "at least one row")
	}
	if err := checkRows(rows); err != nil {
		return err
	}
	if train.set.Unknown > 0 {
		return badArgument("train", fmt.Sprintf("%d rows of unknown classes", train.set.Unknown), "a dataset made by NewDataset")
	}
	return train.checkFreed("train")
}

// split says how Groups or Times split the rows.
func (o *TrainOptions) split(train *data.Set) (by fit.Split, err error) {
	rows, ranks := train.Rows(), train.Ranks
	grouped, timed := ranks.Any(o.Groups != nil), ranks.Any(o.Times != nil)
	switch {
	case grouped && timed:
		return by, badArgument("times", len(o.Times), "none with groups")
	case grouped && len(o.Groups) != rows:
		return by, badArgument("groups", len(o.Groups), "%d, one for each row", rows)
	case timed && len(o.Times) != rows:
		return by, badArgument("times", len(o.Times), "%d, one for each row", rows)
	case grouped:
		if by.Groups = fit.NewGroups(&train.Target, o.Groups); by.Groups.Len() < 2 {
			return by, badArgument("groups", fmt.Sprintf("%d that can be held out", by.Groups.Len()), "at least 2 groups of which each class has rows in other groups")
		}
	case timed:
		if i := slices.IndexFunc(o.Times, func(t float64) bool { return math.IsNaN(t) || math.IsInf(t, 0) }); i >= 0 {
			return by, badArgument(fmt.Sprintf("times[%d]", i), o.Times[i], "finite numbers")
		}
		if by.Latest = fit.Latest(&train.Target, o.Times); by.Latest == nil {
			return by, badArgument("times", "no rows that are later than others of their class", "different times")
		}
	}
	return by, nil
}

// checkTraining checks how a dataset is to be trained on. It returns the settings to try.
func checkTraining(train *Dataset, p Params, o TrainOptions, by fit.Split) ([]settings.Params, error) {
	if o.EvalEvery < 0 {
		return nil, badArgument("eval_every", o.EvalEvery, "at least 0")
	}
	if o.Valid != nil {
		if err := o.Valid.checkAligned("valid", train); err != nil {
			return nil, err
		}
	}
	for i, other := range o.Others {
		if err := other.checkAligned(fmt.Sprintf("others[%d]", i), train); err != nil {
			return nil, err
		}
	}
	if p.EarlyStoppingRounds > 0 && o.Valid == nil {
		return nil, badArgument("early_stopping_rounds", p.EarlyStoppingRounds, "0 without a validation set")
	}
	if err := checkClassWeights(o.ClassWeights, len(train.set.Classes)); err != nil {
		return nil, err
	}
	checked := p.settings()
	if m := train.continued(); m != nil {
		if err := checked.Continue(&m.content, train.start.grown); err != nil {
			return nil, public(err)
		}
	}
	if o.Objective != nil {
		if err := checked.UseObjective(train.start != nil); err != nil {
			return nil, public(err)
		}
	}
	if o.Valid != nil || len(o.Others) > 0 || o.Objective != nil || train.start != nil {
		if checked.Ensemble > 1 {
			return nil, badArgument("ensemble", checked.Ensemble, "0 or 1 with a validation set, a custom objective or a model to continue")
		}
		checked.Ensemble = cmp.Or(checked.Ensemble, 1)
	}
	if folds := checked.Plan(train.shape(), train.start != nil).Folds; folds != by.Folds(folds) {
		if checked.Ensemble > 1 {
			return nil, badArgument("ensemble", checked.Ensemble, "0 or 1 with times, or with fewer groups than members")
		}
		checked.Ensemble = 1
	}
	options, err := checked.Resolve(train.shape())
	return options, public(err)
}

// validSets returns all validation sets, that which decides first.
func (o *TrainOptions) validSets() []*Dataset {
	if o.Valid == nil {
		return o.Others
	}
	return append([]*Dataset{o.Valid}, o.Others...)
}

// checkAligned returns an error unless a validation set suits the training set.
func (d *Dataset) checkAligned(argument string, train *Dataset) error {
	if d == nil {
		return badArgument(argument, nil, "a dataset")
	}
	if !d.binnedAs(train) {
		return badArgument(argument, "a dataset of other bins", "one made by Aligned from the training set")
	}
	return d.checkFreed(argument)
}

// Close brings the checkpoint up to date, if there is one, and gives the
// trainer's memory and threads back. After it, Step does nothing. The error is
// always nil. Closing twice does nothing.
func (t *Trainer) Close() error {
	t.save(true)
	t.team.Close()
	t.fit.Free()
	runtime.KeepAlive(t.train)
	runtime.KeepAlive(t.valid)
	return nil
}

// Err returns why a training cannot go on. On several machines it wraps [ErrCollective],
// and the model so far is that of the last iteration that all ranks have done. On one
// machine it is an error of the objective.
func (t *Trainer) Err() error { return cmp.Or(t.fit.Err(), t.train.set.Ranks.Err()) }

// Step does an iteration and returns the state after it. More is false, and
// nothing was done, if training is over, for a reason that Result names: the
// state is then that after the last iteration. If ctx was cancelled, before
// the iteration or in it, it left no trace, and the next Step goes on as if
// there had been no interruption.
func (t *Trainer) Step(ctx context.Context) (p Progress, more bool) {
	end := t.pace.step()
	if more = t.fit.Step(ctx); more {
		end()
		t.last, t.saved = t.progress(), false
	}
	t.save(!more || t.last.StoppedBy != "")
	return t.last, more
}

// save brings the checkpoint up to date if it is time, or training is over.
func (t *Trainer) save(over bool) {
	if t.checkpoint != nil && t.Err() == nil && !t.saved {
		t.checkpoint.Update(t.fit, over)
		t.saved = over
	}
}

// CheckpointErr returns why the last save of the checkpoint failed; nil: it did not.
func (t *Trainer) CheckpointErr() error { return t.checkpoint.Err() }

// Scores returns the raw scores of the model so far on a validation set, rows ×
// classes: set 0 is TrainOptions.Valid, and its Others follow; without Valid they
// begin at 0. The next step changes the scores. They are nil in PhaseHoldOut, and after
// Free. With sparse leaves, a set of more than 2²⁷ scores has none: the result is an error.
func (t *Trainer) Scores(set int) ([]float64, error) {
	if set < 0 || set >= len(t.valid) {
		return nil, badArgument("set", set, "less than %d, the number of validation sets", len(t.valid))
	}
	if d := t.valid[set].set; t.fit.Wide(d.AllRows(), len(d.Classes)) {
		return nil, badArgument("set", set, "a validation set of at most %d rows: training keeps no more raw scores of %d classes",
			boost.MostScores/len(d.Classes), len(d.Classes))
	}
	return t.fit.Scores(set), nil
}

// Judge tells the value of the caller's own metric after the last step, for early
// stopping: lower is better. The parameter metric must be custom. Judge returns the
// state, whose StoppedBy says whether training goes on.
func (t *Trainer) Judge(value float64) (Progress, error) {
	if t.params.Metric != MetricCustom || t.params.EarlyStoppingRounds == 0 {
		return t.last, badArgument("metric", string(t.params.Metric), "custom, with early_stopping_rounds above 0")
	}
	t.fit.Judge(value)
	t.last = t.progress()
	return t.last, nil
}

// SetLearningRate changes the parameter learning_rate from the next iteration on. A training
// that begins with other settings, or after the rows were held out, has its own again:
// Progress.Trees is then less than before. With a collective, all ranks make the same change.
func (t *Trainer) SetLearningRate(rate float64) error {
	if known, _, _ := spec.Find("learning_rate"); rate == 0 || !known.Allows(rate) {
		return badArgument("learning_rate", rate, "%s", known.Allowed())
	}
	t.fit.SetShrinkage(rate)
	return nil
}

// progress returns the engine's status at this time.
func (t *Trainer) progress() Progress { return newProgress(t.fit.Status(), t.fit.Elapsed()) }

func newProgress(s fit.Status, elapsed time.Duration) Progress {
	var others []*Evaluation
	for _, e := range s.Others {
		others = append(others, (*Evaluation)(e))
	}
	return Progress{
		Phase:     Phase(s.Phase),
		Iteration: s.Iteration,
		Trees:     s.Trees,
		MaxTrees:  s.MaxTrees,
		Elapsed:   elapsed,
		Evaluated: s.Evaluated,
		TrainLoss: s.TrainLoss,
		Valid:     (*Evaluation)(s.Valid),
		Others:    others,
		Best:      s.Best,
		StoppedBy: StopReason(s.Stopped),
	}
}

// Result returns the model so far and how training went, as [Train] returns it:
// with early stopping the model is that of the best iteration. Later steps do
// not change it. With a collective, all ranks ask for it at once. StoppedBy is empty while training goes on. After Free,
// TrainLoss is NaN, and Valid is there with early stopping only.
func (t *Trainer) Result() *Result {
	r := newResult(t.train, t.fit.Result())
	r.Elapsed, r.Threads, r.Level = t.fit.Elapsed(), t.team.Workers(), t.kernels.Level
	r.Checkpoint = t.CheckpointErr()
	return r
}

// LocalModel returns the model so far, as Result has it, without a look at the rows: with
// a collective, each rank can ask for it by itself. Its temperature is that of the
// last evaluation that training made for itself.
func (t *Trainer) LocalModel() *Model {
	return newResult(t.train, t.fit.Snapshot()).Model
}

// newResult returns the result of a training on a dataset, time and machine aside.
func newResult(train *Dataset, r fit.Result) *Result {
	content := model.New(r.Params.Method, r.Forest, train.set.Classes, train.set.Names, r.Set.Encoder)
	content.Temperature, content.Scores, content.Named, content.LabelName = r.Temperature, r.Scores, train.set.Named, train.set.LabelName
	if before := train.continued(); before != nil {
		content.Temperature, content.LabelType = cmp.Or(r.Temperature, before.content.Temperature), before.content.LabelType
		content.LabelName = cmp.Or(content.LabelName, before.content.LabelName)
	}
	result := &Result{
		Model:         newModel(*content, Params(r.Params)),
		Phase:         Phase(r.Phase),
		Iterations:    r.Iterations,
		BestIteration: r.BestIteration,
		TrainLoss:     r.TrainLoss,
		Valid:         (*Evaluation)(r.Valid),
		StoppedBy:     StopReason(r.Stopped),
		Capped:        r.Capped,
	}
	if held := r.HeldOut; held != nil {
		result.HeldOut, result.HeldOutRows, result.held = (*Evaluation)(&held.Evaluation), held.Rows, held
	}
	return result
}
