package fit

import (
	"context"
	"math"
	"time"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/metric"
)

// Judge tries settings on one data set. Rows that a training does not see judge
// them: the rows held out, or else the validation set.
type Judge struct {
	job   Job
	parts []part // nil: the validation set judges
}

// NewJudge returns nil if there is nothing to judge by.
func NewJudge(j Job) *Judge {
	judge := &Judge{job: j}
	switch {
	case j.Folds > 0:
		if judge.parts = newParts(&j); judge.parts == nil {
			return nil
		}
	case j.Valid == nil || j.Settings[0].Wide(j.Valid.AllRows(), len(j.Valid.Classes)) || newPath(&j.Valid.Target, j.Temper, j.Kernels, j.Team) == nil:
		return nil
	}
	return judge
}

// Free gives the memory back. Its trials must have been freed.
func (j *Judge) Free() { freeParts(j.parts) }

// Growth is how much longer a training on all rows takes than a trial.
func (j *Judge) Growth() float64 {
	n, folds := float64(parts(j.job.Train.Rows(), j.job.Folds, len(j.job.Train.Classes))), float64(j.job.Folds)
	return n / (n - 1) / folds
}

// Try begins a trial of settings.
func (j *Judge) Try(p boost.Params) *Trial {
	if j.parts != nil {
		return &Trial{judge: j, run: newRun(&j.job, j.parts, p, nil)}
	}
	job := j.job.Job
	job.Params, job.EvalEvery, job.Silent = p, math.MaxInt, true
	return &Trial{judge: j, run: &run{
		path:    newPath(&job.Valid.Target, j.job.Temper, job.Kernels, job.Team),
		engines: []*boost.Engine{boost.New(job)},
	}}
}

// Trial is a training whose settings are judged. It can pause after any iteration.
type Trial struct {
	judge   *Judge
	run     *run
	elapsed time.Duration
	raw     float64 // log loss at the pick, without a temperature
}

// Step does an iteration. It returns false without an effect if training is over
// or ctx is cancelled.
func (t *Trial) Step(ctx context.Context) bool {
	if t.run.stopped != "" {
		return false
	}
	start := time.Now()
	defer func() { t.elapsed += time.Since(start) }()
	if !t.run.step(ctx) {
		return false
	}
	path := t.run.path
	t.run.look(t.judge.job.Choose)
	if path.picked() == path.last() {
		t.raw = metric.Evaluate(t.run.scores(), 1, path.target).LogLoss
	}
	return true
}

// Over tells whether the training has ended.
func (t *Trial) Over() bool { return t.run.stopped != "" }

// Looked tells whether the rows have judged the last iteration.
func (t *Trial) Looked() bool { return t.run.path.last().iteration == t.run.iteration }

// Iteration is the number of iterations so far.
func (t *Trial) Iteration() int { return t.run.iteration }

// Elapsed is the time that training took.
func (t *Trial) Elapsed() time.Duration { return t.elapsed }

// Verdict is how good settings are.
type Verdict struct {
	Iterations  int     // of the model that they lead to
	Refined     float64 // the least refined loss on the way
	Least       int     // the iteration where it was
	Raw         float64 // log loss without a temperature, after Iterations
	Errors      int     // likewise
	Temperature float64 // likewise
}

// Verdict judges the settings after the iterations so far. There must have been one.
func (t *Trial) Verdict() Verdict {
	path := t.run.path
	at := t.pick()
	v := Verdict{
		Iterations: at.iteration, Refined: path.lowest(), Least: path.best().iteration,
		Raw: t.raw, Errors: at.evaluation.Errors, Temperature: 1 / at.factor,
	}
	if !t.judge.job.Choose {
		v.Refined, v.Least = at.loss, at.iteration
	}
	return v
}

// pick is where the model would end.
func (t *Trial) pick() *point {
	if t.judge.job.Choose {
		return t.run.path.picked()
	}
	return t.run.path.last()
}

// Keep frees all but the model. The trial takes no further step.
func (t *Trial) Keep() {
	if t.run.kept == nil {
		t.run.keep()
	}
	if t.run.stopped == "" {
		t.run.stopped = boost.StoppedByEarlyStopping
	}
}

// Free gives the memory back.
func (t *Trial) Free() { t.run.free() }

// Result is the model of the trial, which has not seen the rows held out.
func (t *Trial) Result() Result {
	f := &Fit{job: t.judge.job, phase: HoldOut, run: t.run}
	if t.judge.parts == nil {
		f.phase = Final
		return f.Result()
	}
	r, at := f.Result(), t.pick()
	r.Forest = r.Forest.Truncated(min(r.Forest.Trees(), at.iteration*f.TreesPerIteration()))
	r.BestIteration = at.iteration
	r.temper(f, at, !f.freed)
	return r
}

// Finish trains the model itself on all rows, as a trial found best. It counts the
// time from elapsed on. Where a validation set judges, the trial's model is
// already that, and there is nothing left to do.
func (t *Trial) Finish(elapsed time.Duration) *Fit {
	t.Keep()
	params := *t.run.params()
	f := &Fit{job: t.judge.job, phase: Final, elapsed: elapsed, run: t.run}
	f.job.Settings = []boost.Params{params}
	if t.judge.parts != nil {
		if f.job.Choose {
			params.Trees = t.run.path.picked().iteration * f.TreesPerIteration()
		}
		f.best = t.run
		f.begin(params, 0)
	}
	f.observe()
	return f
}

// Worse tells whether the rows say that a model of so many iterations on all rows
// is worse than that of the trial, which has seen fewer rows.
func (t *Trial) Worse(iterations int) bool {
	const worth = 1.05 // of the rows it has not seen
	return t.run.path.at(iterations).loss > worth*t.pick().loss
}
