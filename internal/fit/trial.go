package fit

import (
	"context"
	"math"
	"time"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/metric"
)

// Judge tries settings on one dataset. Rows that training does not use judge them: the held-out
// rows, or else the validation set.
type Judge struct {
	job   Job
	parts []part // nil: the validation set judges
}

// NewJudge returns nil if there are no rows to judge by.
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

// Free releases the memory. Its trials must have been freed.
func (j *Judge) Free() { freeParts(j.parts) }

// Growth returns how many times longer training on all rows takes than a trial.
func (j *Judge) Growth() float64 {
	n, folds := float64(Parts(j.job.Train.Rows(), j.job.Folds, len(j.job.Train.Classes))), float64(j.job.Folds)
	return n / (n - 1) / folds
}

// Try starts a trial of settings.
func (j *Judge) Try(p boost.Params) *Trial {
	if j.parts != nil {
		run := newRun(&j.job, j.parts, p, nil)
		run.path = newJudge(&j.job, j.parts)
		return &Trial{judge: j, run: run}
	}
	job := j.job.Job
	job.Params, job.EvalEvery, job.Silent = p, math.MaxInt, true
	return &Trial{judge: j, run: &run{
		began:   p,
		path:    newPath(&job.Valid.Target, j.job.Temper, job.Kernels, job.Team),
		engines: []*boost.Engine{boost.New(job)},
	}}
}

// Trial is a training run whose settings are judged. It can pause after any iteration.
type Trial struct {
	judge   *Judge
	run     *run
	elapsed time.Duration
	raw     float64 // log loss at the pick, at temperature 1
}

// Step does one iteration. It returns false without an effect if training is over or ctx is
// cancelled.
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
	t.run.checkPath(t.judge.job.Choose)
	if path.picked() == path.last() {
		t.raw = metric.Evaluate(t.run.scores(), 1, path.target, path.kernels, path.team).LogLoss
	}
	return true
}

// Over reports whether the trial has ended.
func (t *Trial) Over() bool { return t.run.stopped != "" }

// AtPoint reports whether the last iteration was evaluated.
func (t *Trial) AtPoint() bool { return t.run.path.last().iteration == t.run.iteration }

// Iteration returns the number of iterations so far.
func (t *Trial) Iteration() int { return t.run.iteration }

// Elapsed returns the time that training took.
func (t *Trial) Elapsed() time.Duration { return t.elapsed }

// Verdict is a judgement of settings.
type Verdict struct {
	Iterations  int     // of the model that they lead to
	Refined     float64 // least refined loss so far
	Least       int     // its iteration
	Raw         float64 // log loss at temperature 1, after Iterations
	Errors      int     // after Iterations
	Temperature float64 // after Iterations
}

// Verdict judges the settings after the iterations so far. There must have been one.
func (t *Trial) Verdict() Verdict {
	path := t.run.path
	at := t.run.pick(&t.judge.job)
	v := Verdict{
		Iterations: at.iteration, Refined: path.lowest(), Least: path.best().iteration,
		Raw: t.raw, Errors: at.evaluation.Errors, Temperature: 1 / at.factor,
	}
	if !t.judge.job.Choose {
		v.Refined, v.Least = at.loss, at.iteration
	}
	return v
}

// FreeState frees all but the model. The trial takes no further step.
func (t *Trial) FreeState() {
	if t.run.kept == nil {
		t.run.freeState()
	}
	if t.run.stopped == "" {
		t.run.stopped = boost.StoppedByEarlyStopping
	}
}

// Free releases the memory.
func (t *Trial) Free() { t.run.free() }

// Result returns the model of the trial, which was not trained on the held-out rows.
func (t *Trial) Result() Result {
	if t.judge.parts == nil {
		f := &Fit{job: t.judge.job, phase: Final, run: t.run}
		return f.Result()
	}
	return heldOutResult(t.judge.job, t.run, true)
}

// Finish trains the final model on all rows with a trial's settings, counting time from elapsed
// on. Where a validation set judges, the trial's model is already final, and nothing is left to
// do.
func (t *Trial) Finish(elapsed time.Duration) *Fit {
	t.FreeState()
	f := &Fit{job: t.judge.job, phase: Final, elapsed: elapsed, run: t.run}
	f.job.Settings = []boost.Params{t.run.began}
	if t.judge.parts != nil {
		f.phase, f.best = HoldOut, t.run
		if !f.tryCrosses(t.run.began) {
			f.trainBest(0)
		}
	}
	f.observe()
	return f
}

// Worse reports whether a model trained on all rows for that many iterations probably is worse
// than the trial's, which was trained on fewer rows.
func (t *Trial) Worse(iterations int) bool { return t.run.worse(&t.judge.job, iterations) }
