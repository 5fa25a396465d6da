// Package fit trains models some of whose settings the data are to choose. It
// first trains on a part of the rows and looks at the others, which it holds out.
// They tell which settings are best, how many trees to grow, and at which
// temperature the scores become good probabilities. Then it trains on all rows.
package fit

import (
	"cmp"
	"context"
	"time"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/conformal"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/metric"
)

// Job describes a training.
type Job struct {
	boost.Job // its Params are not used

	// Settings are the parameters to try. All but the first are tried only if those
	// before overfit the data, or predict many rows wrong and Thorough is set; or, after
	// those of Linear, if trees have improved the linear scores by much.
	Settings []boost.Params
	Thorough bool
	Linear   bool // the first settings begin with linear scores, for nothing but the rows held out to judge
	Folds    int  // 0: hold no rows out; 1: a part of them; else each of so many parts in turn
	Choose   bool // the number of trees; the settings' own is then the most
	Temper   bool // find a temperature

	Record *Record // of the same training, as far as it came: its trees are not grown again; nil: none
	Keep   bool    // the trees of all settings, for Fit.Record
}

// Phase is a part of a training.
type Phase string

const (
	HoldOut Phase = "holdout" // trains without the rows held out
	Final   Phase = "train"   // trains the model itself
)

// Status describes a training after an iteration. Iterations count from 1 in each
// phase. While rows are held out, Valid is the evaluation on them.
type Status struct {
	boost.Status
	Phase    Phase
	MaxTrees int // the most that the model in training can have
}

// Fit is a training under way.
type Fit struct {
	job       Job
	phase     Phase
	parts     []part      // while rows are held out
	setting   int         // the settings in training
	run       *run        // their training
	best      *run        // of the settings tried without the rows held out, freed; nil: none
	rival     *run        // the best of the settings tried before on all rows, with a validation set; nil: none
	past      []RunRecord // of the runs before, if they are to be kept
	runs      int         // that are over
	status    Status
	elapsed   time.Duration // in steps
	interrupt bool          // the last step was interrupted
	freed     bool
}

// Rows that are held out: one in so many, but no more than so many, and no more than have
// so many scores, a gigabyte of them.
const heldOut, mostHeldOut, mostScores = 5, 50_000, boost.MostScores

// parts is the number of parts that rows are dealt to.
func parts(rows, folds, classes int) int {
	if folds > 1 {
		return folds
	}
	most := max(1, min(mostHeldOut, mostScores/classes))
	return max(heldOut, (rows+most-1)/most)
}

// New prepares a training for its first iteration.
func New(j Job) *Fit {
	f := &Fit{job: j, phase: HoldOut}
	if j.Record != nil {
		f.elapsed = j.Record.Elapsed
	}
	f.start()
	if !f.failed() {
		f.observe()
	}
	return f
}

// start begins the first phase that there is.
func (f *Fit) start() {
	j := &f.job
	if j.Folds > 0 {
		if f.parts = newParts(j); f.parts != nil {
			f.try(0)
			return
		}
	}
	if p := &j.Settings[0]; j.Linear && !(j.Choose && p.EarlyStopping == 0 && f.judges(j.Valid, p)) {
		f.setting++
	}
	f.begin(j.Settings[f.setting], 0)
}

// judges tells whether a validation set judges settings.
func (f *Fit) judges(valid *data.Set, p *boost.Params) bool {
	return valid != nil && (f.job.Choose || f.job.Temper) && !p.Wide(valid.AllRows(), len(valid.Classes))
}

// beginsLinear tells whether the run under way is that of linear scores which others may
// be tried beside.
func (f *Fit) beginsLinear() bool { return f.job.Linear && f.setting == 0 }

// try begins to train the next settings without the rows held out, after so many
// iterations of others.
func (f *Fit) try(first int) {
	f.run = newRun(&f.job, f.parts, f.job.Settings[f.setting], f.repeats(f.job.Settings[f.setting]))
	f.run.first = first
	if f.beginsLinear() && !f.run.path.begins(f.run.scores()) {
		f.run.free()
		f.setting++
		f.try(first)
	}
}

// begin begins to train the model itself, after so many iterations with other
// settings.
func (f *Fit) begin(p boost.Params, first int) {
	job := f.job.Job
	job.Params = p
	repeats := f.repeats(p)
	job.Repeated = repeats.forest(0)
	f.phase = Final
	f.run = &run{engines: []*boost.Engine{boost.New(job)}, began: p, first: first, repeats: repeats}
	f.run.end()
	if f.best == nil && f.judges(job.Valid, &p) {
		f.run.path = newPath(&job.Valid.Target, f.job.Temper, job.Kernels, job.Team)
		if f.run.path != nil && f.beginsLinear() && !f.run.path.begins(f.run.scores()) {
			f.run.free()
			f.setting++
			f.begin(f.job.Settings[f.setting], first)
		}
	}
}

// Free gives the memory back. After it, Step does nothing. Freeing twice does
// nothing.
func (f *Fit) Free() {
	f.freed = true
	f.run.free()
	f.freeParts()
}

func (f *Fit) freeParts() {
	freeParts(f.parts)
	f.parts = nil
}

// Step does an iteration. It returns false without an effect if training is
// over, or if ctx is cancelled before or during the iteration. After that, the
// next Step resumes as if there had been no interruption.
func (f *Fit) Step(ctx context.Context) bool {
	if f.freed || f.run.stopped != "" || f.failed() {
		return false
	}
	start, repeating := time.Now(), f.run.repeating()
	defer func() {
		if !repeating { // else the record has the time
			f.elapsed += time.Since(start)
		}
	}()
	if f.interrupt = !f.run.step(ctx); f.interrupt {
		return false
	}
	f.look()
	switch {
	case f.run.repeating():
	case repeating:
		f.repeated()
	default:
		f.watch(f.elapsed + time.Since(start))
	}
	if f.interrupt = f.failed(); f.interrupt {
		return false
	}
	f.observe()
	if f.run.stopped != "" && f.continues() && !f.failed() {
		f.conclude()
	}
	return true
}

// failed tells whether the other machines of the training are lost. What the rows say
// is then of no use.
func (f *Fit) failed() bool { return f.job.Train.Ranks.Err() != nil }

// continues tells whether another run follows the one under way.
func (f *Fit) continues() bool { return f.phase == HoldOut || f.tryNext() }

// tryNext tells whether the next settings are to be tried, because they may be
// better than those of the run.
func (f *Fit) tryNext() bool {
	r := f.run
	if f.phase == Final && (f.best != nil || r.path == nil || !f.job.Choose || r.params().EarlyStopping > 0) {
		return false
	}
	if f.setting+1 == len(f.job.Settings) || r.stopped == boost.StoppedByTimeLimit {
		return false
	}
	if f.beginsLinear() {
		return r.path.improved()
	}
	return r.overfits() || f.job.Thorough && r.path.noisy()
}

// look adds a point to the path where it is time, and ends a run that only gets
// worse or that other settings beat.
func (f *Fit) look() {
	r := f.run
	if r.path == nil || f.follows() || !r.look(f.job.Choose) || !f.job.Choose || r.stopped != "" {
		return
	}
	if best := cmp.Or(f.best, f.rival); best != nil && r.path.beaten(best.path, r.mostIterations()) {
		r.stopped = boost.StoppedByEarlyStopping
	}
}

// watch ends a run when its time is over.
func (f *Fit) watch(elapsed time.Duration) {
	limit := f.run.params().TimeLimit
	if f.phase == HoldOut {
		limit *= 0.4 // as many trees on all rows take longer
	}
	if limit > 0 && f.job.Train.Ranks.Any(elapsed.Seconds() >= limit) && f.run.stopped == "" {
		f.run.stopped = boost.StoppedByTimeLimit
	}
}

// follows tells whether the engine itself chooses the iteration that the model
// ends with, and has the path look there.
func (f *Fit) follows() bool {
	r := f.run
	if r.params().EarlyStopping == 0 {
		return false
	}
	if s := r.engines[0].Status(); s.Best == s.Iteration {
		r.path.look(r.iteration, r.scores())
		r.path.forget() // there may be thousands of points
	}
	return true
}

// observe updates the status after an iteration, or before the first.
func (f *Fit) observe() {
	r := f.run
	f.status = Status{Status: r.engines[0].Status(), Phase: f.phase, MaxTrees: r.params().Trees}
	now := &f.status
	if start := f.job.Start; start != nil {
		now.MaxTrees += start.Forest.Trees()
	}
	now.Iteration = r.first + r.iteration
	if now.Stopped = r.stopped; f.continues() {
		now.Stopped = ""
	}
	if f.phase == Final {
		return
	}
	if now.Evaluated = now.Iteration > 0 && !f.job.Silent && now.Iteration%f.job.EvalEvery == 0; now.Evaluated {
		now.TrainLoss, now.Valid = r.trainLoss(), metric.Evaluate(r.scores(), 1, r.path.target)
	}
}

// conclude ends a run and begins the next: of other settings, or that of the model
// itself.
func (f *Fit) conclude() {
	r, next := f.run, f.tryNext()
	first := r.first + r.iteration
	f.setting++
	f.runs++
	if f.job.Keep {
		f.past = append(f.past, r.record())
	}
	if f.phase == Final {
		f.rival = better(f.rival, r)
		r.keep()
		f.begin(f.job.Settings[f.setting], first)
		return
	}
	r.free()
	f.best = better(f.best, r)
	if next {
		f.try(first)
		return
	}
	f.freeParts()
	params := *f.best.params()
	if f.job.Choose {
		params.Trees = f.best.path.picked().iteration * f.best.engines[0].TreesPerIteration()
	}
	f.begin(params, 0)
}

// SetShrinkage changes the shrinkage from the next iteration on, until other settings
// are trained.
func (f *Fit) SetShrinkage(shrinkage float64) {
	for _, e := range f.run.engines {
		e.SetShrinkage(shrinkage)
	}
}

// Err is why an objective has ended the training; nil: it has not.
func (f *Fit) Err() error { return f.run.engines[0].Err() }

// Judge tells the value of the caller's metric after the last step, on the
// validation set. Lower is better. It has no effect while rows are held out.
func (f *Fit) Judge(value float64) {
	if f.freed || f.phase == HoldOut || f.failed() {
		return
	}
	r := f.run
	r.engines[0].Judge(value)
	if r.path != nil {
		f.follows()
	}
	r.end()
	f.observe()
}

// Scores is the raw scores of the model so far on a validation set, by its number
// among all of them; nil while rows are held out and after Free.
func (f *Fit) Scores(set int) []float64 {
	if f.freed || f.phase == HoldOut {
		return nil
	}
	return f.run.engines[0].Scores(set)
}

// Wide tells whether a validation set of so many rows has no raw scores.
func (f *Fit) Wide(rows, classes int) bool { return f.run.params().Wide(rows, classes) }

// Elapsed is the time spent in steps.
func (f *Fit) Elapsed() time.Duration { return f.elapsed }

// Status describes the training after its last iteration.
func (f *Fit) Status() Status { return f.status }

// Result is a model and how its training went.
type Result struct {
	boost.Result
	Params      boost.Params      // of the model
	Phase       Phase             // HoldOut: it was interrupted there, and the model has not seen the rows held out
	Temperature float64           // 0: none
	HeldOut     *HeldOut          // nil: no rows were held out
	Scores      *conformal.Scores // of the rows held out, or of the validation set; nil: neither chose anything
}

// HeldOut is how well a training without the rows held out predicted them.
type HeldOut struct {
	Rows       int
	Evaluation metric.Evaluation
}

// Result is the model so far. With folds, an interrupted hold-out phase leaves
// that of the first.
func (f *Fit) Result() Result { return f.result(!f.freed) }

// Snapshot is Result without a look at the rows, so that it asks nothing of other
// machines. There are no evaluations but those that were made on the way, and the
// temperature is that of the last one.
func (f *Fit) Snapshot() Result { return f.result(false) }

func (f *Fit) result(look bool) Result {
	run := better(f.rival, f.run)
	r := Result{Result: run.result(look), Params: *run.params(), Phase: f.phase}
	if r.Stopped = f.run.stopped; f.interrupt {
		r.Stopped = boost.StoppedByInterrupt
	}
	switch held := f.heldOut(); {
	case held != nil:
		r.temper(f, held.at(f.reached()), look)
	case run.path != nil:
		r.validate(f, run, look)
	}
	r.BestIteration += run.first
	r.Iterations = f.run.first + f.run.iteration
	return r
}

// heldOut is the path on the rows held out that the model goes by; nil: none are.
func (f *Fit) heldOut() *path {
	switch {
	case f.phase == HoldOut:
		return f.run.path
	case f.best != nil:
		return f.best.path
	}
	return nil
}

// reached is the iteration on that path that the model is at.
func (f *Fit) reached() int {
	if f.phase == HoldOut || f.job.Choose {
		return f.run.iteration
	}
	return f.best.path.last().iteration
}

// temper takes what the rows held out say after an iteration.
func (r *Result) temper(f *Fit, at *point, look bool) {
	if f.phase == HoldOut {
		r.Valid = nil // it is that of the rows of the first fold
	}
	if at.iteration == 0 {
		return
	}
	r.HeldOut = &HeldOut{f.heldOut().rows, at.evaluation}
	r.Scores = at.scores
	if !f.job.Temper {
		return
	}
	r.Temperature = 1 / at.factor
	if r.Valid != nil && look {
		r.Valid = f.run.engines[0].Evaluate(r.Temperature)
	}
}

// validate takes what the validation set says: how many trees the model has, and
// its temperature.
func (r *Result) validate(f *Fit, run *run, look bool) {
	path, end := run.path, r.BestIteration
	if f.job.Choose && r.Params.EarlyStopping == 0 {
		end = path.picked().iteration
	}
	at := path.at(end)
	if at.iteration < end && look { // the path has not looked there
		now, _ := path.measure(end, run.scores(), 1, 1e-12)
		at = &now
	}
	if at.iteration == 0 {
		return
	}
	r.Scores = at.scores
	if end < r.BestIteration {
		r.Forest = r.Forest.Truncated(r.Forest.Trees() - (r.BestIteration-end)*f.TreesPerIteration())
		r.BestIteration, r.Valid = end, &at.evaluation
	}
	if !f.job.Temper {
		return
	}
	r.Temperature = 1 / at.factor
	if r.Valid != nil {
		r.Valid = &at.evaluation
	}
}

// TreesPerIteration is the number of trees that an iteration adds.
func (f *Fit) TreesPerIteration() int { return f.run.engines[0].TreesPerIteration() }
