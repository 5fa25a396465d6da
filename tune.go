package aoso

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/libaoso/aoso/internal/fit"
	"github.com/libaoso/aoso/internal/trials"
	"github.com/libaoso/aoso/internal/tune"
)

// defaultTrials is the most trials of a search that has no other limit.
const defaultTrials = 50

// TuneOptions are what a search may be given beside data and parameters.
type TuneOptions struct {
	Valid    *Dataset                // judges the parameters, in place of rows held out; from [Dataset.Aligned]
	Groups   []uint64                // as in [TrainOptions]
	Times    []float64               // as in [TrainOptions]
	Trials   int                     // the most parameters to try; 0: as many as the parameter time_limit allows, or 50 without one
	Table    string                  // a file for the trials table; if it has the trials of an earlier search, this one goes on from there
	Callback func(TuneProgress) bool // called by [Tune] after each iteration; false ends the search
}

// TuneProgress is the state of a search after an iteration.
type TuneProgress struct {
	Phase     Phase         // PhaseSearch, then PhaseTrain, which trains the model itself on all rows
	Elapsed   time.Duration // spent in iterations
	Trial     int           // in training, from 1; 0 in PhaseTrain
	Rung      int           // that the trial is to reach, from 1
	Iteration int           // of the trial, or of the model
	Trials    int           // begun so far
	LogLoss   float64       // refined loss of the best trial; NaN: none is complete
	Errors    int           // of the best trial
	StoppedBy StopReason    // why this is the last iteration; "": it is not
}

// TuneResult is the model with the best parameters.
type TuneResult struct {
	Result         // Phase is PhaseSearch if the model has not seen the rows held out
	Params Params  // those found; [Train] with them trains such a model
	Trials []Trial // the trials table
}

// Tune searches for the parameters that suit the data, and trains a model with
// them. It tries parameters by successive halving, first those that [Train]
// tries, and judges them by the refined loss on rows held out (or on
// o.Valid): the log loss with the temperature that suits these rows best.
// Parameters that are not at their defaults stay as they are. The search ends
// after o.Trials trials, or when the parameter time_limit leaves just enough
// time for the model itself, which is trained on all rows. With trials alone,
// equal data, parameters and seed give the same model and the same table,
// seconds aside, with any number of threads. If ctx is cancelled or the callback returns
// false, the result is the best model so far.
//
// An error of writing the table comes with a result.
func Tune(ctx context.Context, train *Dataset, p Params, options ...TuneOptions) (*TuneResult, error) {
	o := last(options)
	t, err := NewTuner(train, p, o)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	stopped := StopReason("")
	var failed error
	for stopped == "" {
		progress, more, err := t.Step(ctx)
		if err != nil {
			failed = err
		}
		if stopped = progress.StoppedBy; !more || o.Callback != nil && !o.Callback(progress) {
			break
		}
	}
	r := t.Result()
	if r.StoppedBy == "" {
		r.StoppedBy = StoppedByInterrupt
	}
	return r, failed
}

// Tuner is a search under way, which its caller takes from iteration to
// iteration; [Tune] does the same in one call. One goroutine at a time may use it.
type Tuner struct {
	train, valid *Dataset // which the search reads
	params       Params
	job          fit.Job
	search       *tune.Search
	plain        *fit.Fit // in place of a search, where there is nothing to judge by
	table        *trials.Table
	last         TuneProgress
}

// NewTuner makes a search ready for its first iteration. It takes what [Tune]
// takes and makes its checks, and leaves o.Callback alone. The datasets may
// not be freed before the tuner is.
func NewTuner(train *Dataset, p Params, options ...TuneOptions) (*Tuner, error) {
	o := last(options)
	p = Params(*p.settings())
	if err := checkTuning(train, p, o); err != nil {
		return nil, err
	}
	job, _, err := newJob(train, p, TrainOptions{Valid: o.Valid, Groups: o.Groups, Times: o.Times, EvalEvery: math.MaxInt}, true)
	if err != nil {
		return nil, err
	}
	t := &Tuner{train: train, valid: o.Valid, params: p, job: job}
	if err := t.begin(o); err != nil {
		t.Close()
		return nil, err
	}
	t.last = t.progress()
	return t, nil
}

func checkTuning(train *Dataset, p Params, o TuneOptions) error {
	switch {
	case o.Trials < 0:
		return badArgument("trials", o.Trials, "at least 0")
	case p.Preset == PresetPaper:
		return badArgument("preset", string(p.Preset), "auto or fast for a search")
	case train != nil && train.set.Ranks != nil:
		return badArgument("train", "a dataset of a collective", "one of a single machine")
	case p.EarlyStoppingRounds > 0:
		return badArgument("early_stopping_rounds", p.EarlyStoppingRounds, "0 for a search, which chooses the number of trees")
	case train != nil && train.start != nil && o.Valid == nil:
		return badArgument("train", "a dataset that continues a model", "one made without Init; or with it, and a validation set: the model has seen the rows already")
	}
	return nil
}

// begin begins the search, or a plain training if nothing can be searched.
func (t *Tuner) begin(o TuneOptions) error {
	s, p := t.train.shape(), t.params.settings()
	if o.Valid == nil && t.job.Scouts == 0 {
		t.job.Folds = t.job.Split.Folds(p.SearchFolds(s))
	}
	open := *p
	if t.train.start != nil { // the model has its pairs
		open.Pairs = t.job.Settings[0].Pairs
	}
	search := tune.Job{Job: t.job, Axes: open.Axes(s), Trials: o.Trials}
	if o.Trials == 0 && t.params.TimeLimit == 0 {
		search.Trials = defaultTrials
	}
	if o.Table != "" {
		var err error
		if t.table, search.Known, err = trials.Open(o.Table, t.describe()); err != nil {
			return public(err)
		}
	}
	if s.Classes > 1 {
		t.search = tune.New(search)
	}
	if t.search == nil {
		t.plain = fit.New(t.job)
	}
	return nil
}

// describe describes the search: a trials table with another description is of another one.
func (t *Tuner) describe() string {
	p := t.params
	p.NThread, p.Level, p.TimeLimit = 0, "", 0
	return fmt.Sprintf("aoso trials, version 1; data %s; validation %s; params %s", digest(t.train), digest(t.valid), p.Changes())
}

// Close gives the tuner's memory and threads back, and closes the trials table, whose error
// it returns. After it, Step does nothing. Closing twice does nothing.
func (t *Tuner) Close() error {
	t.job.Team.Close()
	if t.search != nil {
		t.search.Free()
	}
	if t.plain != nil {
		t.plain.Free()
	}
	err := t.table.Close()
	t.table = nil
	runtime.KeepAlive(t.train)
	runtime.KeepAlive(t.valid)
	return err
}

// Step does an iteration and returns the state after it. More is false, and
// nothing was done, if all is done or ctx was cancelled; after the latter, the
// next Step goes on. If the trials table cannot be written, err says so once,
// and the search goes on without it.
func (t *Tuner) Step(ctx context.Context) (p TuneProgress, more bool, err error) {
	if t.plain != nil {
		more = t.plain.Step(ctx)
	} else {
		more = t.search.Step(ctx)
		if err = t.table.Write(t.search.Records(), t.job.Choose); err != nil {
			t.table.Close()
			t.table = nil
		}
	}
	if more {
		t.last = t.progress()
	}
	return t.last, more, err
}

func (t *Tuner) progress() TuneProgress {
	if t.plain != nil {
		return finalProgress(t.plain.Status(), t.plain.Elapsed(), math.NaN(), 0)
	}
	s := t.search.Status()
	loss := s.Refined
	if math.IsInf(loss, 1) {
		loss = math.NaN()
	}
	if s.Final != nil {
		p := finalProgress(*s.Final, t.search.Elapsed(), loss, s.Errors)
		p.Trials = s.Tried
		return p
	}
	return TuneProgress{
		Phase: PhaseSearch, Elapsed: t.search.Elapsed(), Trial: s.Trial, Rung: s.Rung, Iteration: s.Iteration,
		Trials: s.Tried, LogLoss: loss, Errors: s.Errors,
	}
}

func finalProgress(s fit.Status, elapsed time.Duration, loss float64, errors int) TuneProgress {
	return TuneProgress{
		Phase: Phase(s.Phase), Elapsed: elapsed, Iteration: s.Iteration, LogLoss: loss, Errors: errors, StoppedBy: StopReason(s.Stopped),
	}
}

// Result returns the best model so far, as [Tune] returns it. StoppedBy is empty while
// the search goes on.
func (t *Tuner) Result() *TuneResult {
	var r fit.Result
	per, elapsed := 0, time.Duration(0)
	if t.plain != nil {
		r, per, elapsed = t.plain.Result(), t.plain.TreesPerIteration(), t.plain.Elapsed()
	} else {
		r, per, elapsed = t.search.Result(), t.search.TreesPerIteration(), t.search.Elapsed()
	}
	result := &TuneResult{Result: *newResult(t.train, r), Params: Params(r.Params)}
	if t.job.Choose {
		result.Params.NEstimators = result.BestIteration * per
	}
	result.Params.TimeLimit = 0
	result.Elapsed, result.Threads, result.Level = elapsed, t.job.Team.Workers(), t.job.Kernels.Level
	if result.Phase == PhaseHoldOut && t.plain == nil {
		result.Phase = PhaseSearch
	}
	if t.search != nil {
		for _, record := range t.search.Records() {
			result.Trials = append(result.Trials, Trial(trials.New(&record, t.job.Choose)))
		}
	}
	return result
}

// Trial is a line of the trials table: what parameters have shown after some
// training.
type Trial struct {
	Number      int     `json:"trial"`          // from 1
	Rung        int     `json:"rung"`           // step of successive halving, from 1
	Params      string  `json:"params"`         // those that differ from the defaults, as [ParseParams] reads them
	Trained     int     `json:"trained"`        // iterations so far
	Best        int     `json:"best_iteration"` // iteration of the least refined loss
	Iterations  int     `json:"iterations"`     // of the model that the parameters would lead to
	RefinedLoss float64 `json:"refined_loss"`   // the least so far: log loss with the best temperature
	LogLoss     float64 `json:"log_loss"`       // after Iterations, without a temperature
	Errors      int     `json:"errors"`         // after Iterations, of the rows that judge
	Temperature float64 `json:"temperature"`    // that suits these rows best
	Seconds     float64 `json:"seconds"`        // of training
}

// digest returns a text that differs between datasets.
func digest(d *Dataset) string {
	if d == nil {
		return "none"
	}
	sum := d.set.Writer().Hash()
	text := fmt.Sprintf("%x", sum[:8])
	if m := d.continued(); m != nil {
		text += " after " + m.Fingerprint()
	}
	return text
}
