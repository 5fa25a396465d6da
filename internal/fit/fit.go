// Package fit trains models some of whose settings are chosen by the data. It first trains on a
// part of the rows and evaluates on the others, which it holds out. They decide which settings
// are best, how many trees to grow, and which temperature turns the scores into good
// probabilities. Then it trains on all rows.
package fit

import (
	"cmp"
	"context"
	"time"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/conformal"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/linear"
	"github.com/libaoso/aoso/internal/metric"
)

// Job describes a training run.
type Job struct {
	boost.Job // its Params are ignored

	// Settings are the parameters to try, the first always. The others are tried only if those
	// before overfit the data, or predict many rows wrong and Thorough is set; or, after those
	// of Linear, if trees have improved much on the linear scores or the scout seems to predict better.
	Settings []boost.Params
	Thorough bool
	Linear   bool // the first settings start from linear scores, which only held-out rows may judge
	Folds    int  // 0: no hold-out; 1: hold out one part; else hold out each of Folds parts in turn
	Scouts   int  // above 0: the model is an ensemble of as many members as Folds, and this many of them judge settings
	Choose   bool // choose the number of trees; the settings' own is the most
	Temper   bool // fit a temperature
	Crosses  int  // the most crosses of features that an ensemble may add; 0: none

	Symmetric func(boost.Params) boost.Params // the settings of symmetric members, given those of the others

	Split Split // how rows are chosen that are held out

	Record *Record // of an interrupted run of the same job, whose trees are not grown again; nil: none
	Keep   bool    // keep the trees of all settings, for Fit.Record
}

// Phase is a phase of a training run.
type Phase string

const (
	HoldOut Phase = "holdout" // trains without the held-out rows
	Final   Phase = "train"   // trains the model itself
)

// Status describes a training run after an iteration. Iterations count from 1 in each phase.
// During hold-out, Valid is the evaluation on the held-out rows.
type Status struct {
	boost.Status
	Phase    Phase
	MaxTrees int // the most trees that the model in training can have
}

// Fit is a training run in progress.
type Fit struct {
	job       Job
	phase     Phase
	parts     []part      // during hold-out
	setting   int         // number of the settings in training
	scouting  bool        // the run in training is the scout
	baffled   bool        // the scout explained little
	run       *run        // trains them
	best      *run        // best of the settings tried in hold-out, freed; nil: none
	ensemble  *ensemble   // after hold-out; nil: the model is not an ensemble
	crossing  *crossing   // the trial of crosses in progress; nil: none
	crossed   bool        // crosses were chosen
	rival     *run        // best of the settings tried before on all rows, with a validation set; nil: none
	past      []RunRecord // of earlier runs, if they are kept
	scout     *RunRecord  // trees with which the settings after linear scores begin; nil: none
	runs      int         // number of finished runs
	tried     int         // iterations of the hold-out phase, once it is over
	status    Status
	elapsed   time.Duration // time in steps
	interrupt bool          // the last step was interrupted
	freed     bool
}

// Hold out one row in heldOut, but at most mostHeldOut rows, and with many classes few enough that
// evaluating them takes less time than growing trees: enoughScores raw scores, or those of
// enoughRows if they number at most mostScores, or else those of fewestRows if they number at most boost.MostScores.
const (
	heldOut, mostHeldOut     = 5, 50_000
	enoughRows, fewestRows   = 5_000, 1_000
	enoughScores, mostScores = 1 << 23, 1 << 25
)

// Parts returns the number of parts into which rows are split for hold-out.
func Parts(rows, folds, classes int) int {
	if folds > 1 {
		return folds
	}
	enough := max(enoughScores/classes, min(enoughRows, max(fewestRows, mostScores/classes), boost.MostScores/classes))
	most := max(1, min(mostHeldOut, enough))
	return max(heldOut, (rows+most-1)/most)
}

// New prepares a training run for its first iteration.
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

// start starts the first phase of the job.
func (f *Fit) start() {
	j := &f.job
	if j.Folds > 0 {
		if f.parts = newParts(j); f.parts != nil {
			f.scouting = j.Linear && j.Choose
			if f.scouting || !f.tryCrosses(j.Settings[0]) {
				f.try(0)
			}
			return
		}
	}
	if p := &j.Settings[0]; j.Choose && p.EarlyStoppingRounds == 0 && f.judges(j.Valid, p) {
		f.scouting = j.Linear
	} else if j.Linear {
		f.setting++
	}
	f.trainFinal(f.settings(), 0)
}

// judges reports whether a validation set judges settings.
func (f *Fit) judges(valid *data.Set, p *boost.Params) bool {
	return valid != nil && (f.job.Choose || f.job.Temper) && !p.Wide(valid.AllRows(), len(valid.Classes))
}

// startsLinear reports whether the current run starts from linear scores beside which others may
// be tried.
func (f *Fit) startsLinear() bool { return f.job.Linear && f.setting == 0 && !f.scouting }

// The scout is the first scoutTrees trees with the settings that follow those of Linear. If they predict better than linear
// scores with as many trees, or would with twice as many, linear scores are abandoned.
const scoutTrees = 5

// weakTrees is the number of trees that should improve linear scores that explain little.
const weakTrees = 20

// settings returns the settings to train next.
func (f *Fit) settings() boost.Params {
	if f.scouting {
		p := f.job.Settings[1]
		p.NEstimators = min(p.NEstimators, scoutTrees)
		return p
	}
	return f.job.Settings[f.setting]
}

// advance goes on to the next settings. Those of a scout that explained little learn too fast: they are left out, unless rows are few
// or the next have twice as many trees.
func (f *Fit) advance() {
	all := f.job.Settings
	switch {
	case f.scouting:
	case f.baffled && !f.job.Thorough && f.setting == 0 && len(all) > 2 && f.quick(2):
		f.setting = 2
	default:
		f.setting++
	}
	f.scouting = false
}

// quick reports whether settings have less than twice as many trees as those before.
func (f *Fit) quick(setting int) bool {
	return f.job.Settings[setting].NEstimators < 2*f.job.Settings[setting-1].NEstimators
}

// try starts training the next settings without the held-out rows; first counts the iterations
// of the settings before.
func (f *Fit) try(first int) {
	path := newJudge(&f.job, f.parts)
	if f.startsLinear() && (path == nil || !f.linearHelps(path, f.fitLinear())) {
		f.advance()
	}
	f.hold(f.settings(), path, first)
}

// hold starts a run without the held-out rows, which judge it by the path; first counts the iterations before.
func (f *Fit) hold(p boost.Params, path *path, first int) {
	f.run = newRun(&f.job, f.parts, p, f.repeats(p, 0))
	f.run.path, f.run.first = path, first
}

// fitLinear fits linear scores to the rows that each part trains on, and returns those of the held-out rows. It takes much less time
// than to begin a run with them.
func (f *Fit) fitLinear() (scores []float64) {
	for i := range f.parts {
		part := &f.parts[i]
		part.linear = linear.Fit(part.train, f.job.Kernels, f.job.Team)
		scores = append(scores, boost.LinearScores(part.linear, part.held, f.job.Kernels)...)
	}
	return scores
}

// linearHelps reports whether linear scores of the rows that judge are worth trees.
func (f *Fit) linearHelps(path *path, scores []float64) bool {
	const trees = 0.93 // what twice the scout's number of trees can lower the loss of linear scores to
	scout := cmp.Or(f.best, f.rival)
	helps := path.setLinear(scores) && (scout == nil || trees*path.linear <= scout.path.extrapolate(2*scout.iteration))
	if !helps {
		path.linear = 0
	}
	return helps
}

// trainFinal starts training the model itself; first counts the iterations of other settings.
func (f *Fit) trainFinal(p boost.Params, first int) {
	job := f.job.Job
	p.Unmix() // there are too few rows for an ensemble
	job.Params = p
	next := &run{began: p, first: first, refits: f.best != nil && f.best.settled(&f.job)}
	if next.refits {
		job.Refit = f.best.forests(p.NEstimators)[0]
	} else {
		next.repeats = f.repeats(p, 0)
		job.Repeated = next.repeats.forest(0)
	}
	next.engines = []*boost.Engine{boost.New(job)}
	next.end()
	f.phase, f.run = Final, next
	if f.best == nil && f.judges(job.Valid, &p) {
		f.run.path = newPath(&job.Valid.Target, f.job.Temper, job.Kernels, job.Team)
		if path := f.run.path; f.scouting && path == nil || path != nil && f.startsLinear() && !f.linearHelps(path, f.run.scores()) {
			f.run.free()
			f.advance()
			f.trainFinal(f.settings(), first)
		}
	}
}

// Free releases the memory. Step then does nothing. A second call does nothing.
func (f *Fit) Free() {
	f.freed = true
	f.run.free()
	f.freeParts()
	if f.crossing != nil && f.crossing.scouts != nil {
		f.crossing.free()
	}
	if f.ensemble != nil {
		f.ensemble.free()
	}
}

func (f *Fit) freeParts() {
	freeParts(f.parts)
	f.parts = nil
}

// Step does one iteration. It returns false without an effect if training is over, or if ctx is
// cancelled before or during the iteration. After a cancellation, the next Step resumes as if
// there had been none.
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
	f.checkPath()
	switch {
	case f.run.repeating():
	case repeating:
		f.endRepeated()
	default:
		f.checkTime(f.elapsed + time.Since(start))
	}
	if f.interrupt = f.failed(); f.interrupt {
		return false
	}
	f.observe()
	if (f.run.stopped != "" || f.screened()) && !f.failed() {
		if f.continues() {
			f.conclude()
		} else if f.ensemble != nil {
			f.ensemble.finish(f.run)
		}
	}
	return true
}

// failed reports whether the other machines are lost. Evaluations are then meaningless.
func (f *Fit) failed() bool { return f.job.Train.Ranks.Err() != nil }

// continues reports whether another run follows the current one.
func (f *Fit) continues() bool {
	return f.phase == HoldOut || f.ensemble != nil && !f.ensemble.last() || f.tryNext()
}

// recorded reports whether the current run is recorded: it grows trees, and has no crosses. Only small sets have some, on which training
// takes seconds.
func (f *Fit) recorded() bool {
	return (f.run == nil || !f.run.refits) && f.crossing == nil && !f.crossed
}

// handicap returns the share of the least refined loss so far below which that of other settings must be. Averaging
// members improves settings that fit the rows closely, which come first, more than those that learn slowly.
func (f *Fit) handicap() float64 {
	switch {
	case f.ensemble != nil: // the settings of its other half
		return unlike
	case f.job.Scouts > 0:
		return 0.94
	}
	return 1
}

// lastSettings reports whether no other settings follow the current ones.
func (f *Fit) lastSettings() bool { return f.setting+1 >= len(f.job.Settings) }

// tryNext reports whether to try the next settings because they may be better than the run's.
func (f *Fit) tryNext() bool {
	r := f.run
	if f.crossing != nil || f.ensemble != nil || f.phase == Final && (f.best != nil || r.path == nil || !f.job.Choose || r.params().EarlyStoppingRounds > 0) {
		return false
	}
	if f.lastSettings() || r.stopped == boost.StoppedByTimeLimit {
		return false
	}
	if f.scouting {
		return true
	}
	if f.startsLinear() {
		return r.path.weak || r.path.improved() || f.beatsLinear()
	}
	return r.overfits() || f.job.Scouts == 0 && r.fitsChance() || f.fitsNoise() || r.path.noisy() && (f.job.Thorough || f.job.Linear && r.flat() && f.quick(f.setting+1))
}

// beatsLinear reports whether the scout would predict better with twice as many trees than the current run, which starts from
// linear scores.
func (f *Fit) beatsLinear() bool {
	scout, path := cmp.Or(f.best, f.rival), f.run.path
	if !f.startsLinear() || scout == nil || f.run.iteration < scout.iteration {
		return false
	}
	twice := 2 * scout.iteration
	return min(path.lowest(), path.extrapolate(twice)) > scout.path.extrapolate(twice)
}

// startsWeakly reports whether neither linear scores, nor the first trees after them, nor those of the scout explain much. Where the classes
// can be told apart at all, trees of smaller steps from class frequencies then do it best.
func (f *Fit) startsWeakly() bool {
	r := f.run
	return f.startsLinear() && f.baffled && r.path.weak && r.iteration >= weakTrees && !r.path.improved()
}

// fitsNoise reports whether the run fits noise, and whether settings follow that do not take much longer.
func (f *Fit) fitsNoise() bool {
	return f.job.Scouts == 0 && !f.lastSettings() && f.quick(f.setting+1) && f.run.fitsNoise()
}

// checkPath adds a point to the path where one is due, and ends a run that only gets worse or
// that other settings beat.
func (f *Fit) checkPath() {
	r := f.run
	if r.path == nil || f.follows() || !r.checkPath(f.job.Choose) || !f.job.Choose || r.stopped != "" || f.crossing != nil {
		return
	}
	best, share := cmp.Or(f.best, f.rival), f.handicap()
	worse := best != nil && (r.path.beaten(share*best.path.lowest(), r.mostIterations()) || f.comparable(best) && r.behind(best, share))
	if f.beatsLinear() || f.startsWeakly() || worse || f.fitsNoise() {
		r.stopped = boost.StoppedByEarlyStopping
	}
}

// comparable reports whether a few iterations suffice to compare the current run with another. A tree of much fewer leaves moves few
// rows, or classes, apart. Of many classes, most have few rows in a leaf, and a larger RegLambda moves those little.
func (f *Fit) comparable(other *run) bool {
	now, then := &f.run.began, &other.began
	return 2*now.MaxLeaves > then.MaxLeaves && (now.Start != "prior" || now.RegLambda <= then.RegLambda)
}

// checkTime ends a run when its time is over.
func (f *Fit) checkTime(elapsed time.Duration) {
	limit := f.run.params().TimeLimit
	if f.phase == HoldOut {
		limit *= 0.4 // as many trees on all rows take longer
	}
	if limit > 0 && f.job.Train.Ranks.Any(elapsed.Seconds() >= limit) && f.run.stopped == "" {
		f.run.stopped = boost.StoppedByTimeLimit
	}
}

// follows reports whether the engine itself chooses the iteration at which the model ends, and
// the path adds its point there.
func (f *Fit) follows() bool {
	r := f.run
	if r.params().EarlyStoppingRounds == 0 {
		return false
	}
	if s := r.engines[0].Status(); s.Best == s.Iteration {
		r.path.addPoint(r.iteration, r.scores())
	}
	return true
}

// observe updates the status after an iteration, or before the first.
func (f *Fit) observe() {
	r := f.run
	f.status = Status{Status: r.engines[0].Status(), Phase: f.phase, MaxTrees: r.params().NEstimators}
	now := &f.status
	if start := f.job.Start; start != nil {
		now.MaxTrees += start.Forest.Trees()
	}
	if f.ensemble != nil && r.path == nil { // else scouts are in training
		f.ensemble.count(now)
	}
	now.Iteration = r.first + r.iteration
	if now.Stopped = r.stopped; f.continues() {
		now.Stopped = ""
	}
	if f.phase == Final || r.path == nil {
		return
	}
	if now.Evaluated = now.Iteration > 0 && !f.job.Silent && now.Iteration%f.job.EvalEvery == 0; now.Evaluated {
		now.TrainLoss, now.Valid = r.trainLoss(), metric.Evaluate(r.scores(), 1, r.path.target, f.job.Kernels, f.job.Team)
	}
}

// conclude ends a run and starts the next: of other settings, or of the model itself.
func (f *Fit) conclude() {
	if f.crossing != nil {
		f.concludeCrossing()
		return
	}
	r, next := f.run, f.tryNext()
	first := r.first + r.iteration
	if f.recorded() {
		records := r.records()
		f.runs += len(records)
		if f.job.Keep {
			f.past = append(f.past, records...)
		}
	}
	if f.ensemble != nil {
		f.ensemble.conclude(f, first)
		return
	}
	if f.scouting {
		f.baffled = r.path.unexplained(r.path.lowest()) > 1-improvement
		if r.params().LearningRate == r.began.LearningRate { // the caller may have changed it
			scout := r.records()[0]
			scout.scout, f.scout = true, &scout
		}
	}
	f.advance()
	if f.phase == Final {
		f.rival = better(f.rival, r, 1)
		r.freeState()
		f.trainFinal(f.settings(), first)
		return
	}
	r.freeState()
	f.best = better(f.best, r, f.handicap())
	if next {
		f.try(first)
		return
	}
	f.trainBest(first)
}

// trainBest starts training the model itself, with the best settings; first counts the iterations before.
func (f *Fit) trainBest(first int) {
	f.scout = nil
	if f.job.Scouts > 0 {
		f.trainEnsemble(first)
		return
	}
	f.freeParts()
	f.tried = first
	f.trainFinal(f.best.chosen(&f.job), 0)
}

// SetShrinkage changes the shrinkage of later iterations, until other settings are trained.
func (f *Fit) SetShrinkage(shrinkage float64) {
	for _, e := range f.run.engines {
		e.SetShrinkage(shrinkage)
	}
}

// Err returns the error of the objective that ended training, or nil.
func (f *Fit) Err() error { return f.run.engines[0].Err() }

// Judge records the value of the caller's metric on the validation set after the last step.
// Lower is better. It has no effect during hold-out.
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

// Scores returns the raw scores of the model so far on a validation set, by its number among all
// of them; nil during hold-out and after Free.
func (f *Fit) Scores(set int) []float64 {
	if f.freed || f.phase == HoldOut {
		return nil
	}
	return f.run.engines[0].Scores(set)
}

// Wide reports whether a validation set of that size has no raw scores.
func (f *Fit) Wide(rows, classes int) bool { return f.run.params().Wide(rows, classes) }

// Elapsed returns the time spent in steps.
func (f *Fit) Elapsed() time.Duration { return f.elapsed }

// Status returns the state of training after the last iteration.
func (f *Fit) Status() Status { return f.status }

// Result is a model and the outcome of its training.
type Result struct {
	boost.Result
	Set         *data.Set         // with the columns that the model splits on
	Params      boost.Params      // of the model
	Phase       Phase             // HoldOut: interrupted there; the model was not trained on the held-out rows
	Temperature float64           // 0: none
	Capped      bool              // the number of trees was chosen, and is the most that the settings allow
	HeldOut     *HeldOut          // nil: no rows were held out
	Scores      *conformal.Scores // of the held-out rows, or of the validation set; nil: neither chose anything
}

// HeldOut describes how well a model trained without the held-out rows predicted them.
type HeldOut struct {
	Rows       int
	Evaluation metric.Evaluation
	Suspects   []Suspect // the rows of this machine, at the end of that model; nil: not asked for
}

// Result returns the model so far. With folds, interrupting the hold-out phase leaves the model
// of the first fold.
func (f *Fit) Result() Result { return f.result(!f.freed) }

// Snapshot is Result without new evaluations, so that it needs no other machine. It has only
// evaluations made on the way, and the temperature of the last one.
func (f *Fit) Snapshot() Result { return f.result(false) }

func (f *Fit) result(look bool) Result {
	if f.ensemble != nil && f.ensemble.model != nil {
		return f.ensemble.result(f, look)
	}
	if f.ensemble != nil || f.early() {
		r := heldOutResult(f.job, f.best, look)
		if r.Stopped = f.run.stopped; f.interrupt {
			r.Stopped = boost.StoppedByInterrupt
		}
		if r.Iterations = f.tried; f.phase == HoldOut {
			r.Iterations = f.run.first + f.run.iteration
		}
		return r
	}
	run, set := better(f.rival, f.judged(), 1), f.job.Train
	if f.crossing != nil {
		set = f.crossing.plain
	}
	r := Result{Result: run.result(look), Set: set, Params: *run.params(), Phase: f.phase}
	if r.Stopped = f.run.stopped; f.interrupt {
		r.Stopped = boost.StoppedByInterrupt
	}
	switch held := f.heldOut(); {
	case held != nil:
		r.temper(f, held.pointAt(f.reached()), look)
	case run.path != nil:
		r.validate(f, run, look)
	}
	r.Capped = f.phase == Final && f.best != nil && f.best.capped(&f.job)
	r.BestIteration += run.first
	r.Iterations = f.run.first + f.run.iteration
	return r
}

// early reports whether the model of the current run is still worse than that of the best settings tried before, without the held-out rows.
func (f *Fit) early() bool {
	over := f.run.stopped != "" && f.run.stopped != boost.StoppedByTimeLimit
	switch {
	case f.best == nil || f.crossing != nil || over:
		return false
	case f.phase == HoldOut:
		return f.best.path.lowest() <= f.run.path.lowest()
	}
	return f.job.Choose && f.best.worse(&f.job, f.run.iteration)
}

// heldOutResult returns the model of a run without the held-out rows, with as many trees as they chose.
func heldOutResult(j Job, of *run, look bool) Result {
	f := &Fit{job: j, phase: HoldOut, run: of}
	r, at := f.result(look), of.pick(&j)
	r.Forest = r.Forest.Truncated(min(r.Forest.Trees(), at.iteration*f.TreesPerIteration()))
	r.BestIteration = at.iteration
	r.temper(f, at, look)
	return r
}

// judged returns the run whose model would be the result if training ended in hold-out: during a trial of crosses, one without them.
func (f *Fit) judged() *run {
	if f.crossing == nil {
		return f.run
	}
	return cmp.Or(f.best, f.crossing.scouts, f.run)
}

// heldOut returns the path on the held-out rows that the model follows; nil: none.
func (f *Fit) heldOut() *path {
	switch {
	case f.phase == HoldOut:
		return f.judged().path
	case f.best != nil:
		return f.best.path
	}
	return nil
}

// reached returns the iteration of that path that the model has reached.
func (f *Fit) reached() int {
	if f.phase == HoldOut || f.job.Choose {
		return f.judged().iteration
	}
	return f.best.path.last().iteration
}

// temper sets the temperature and the evaluation from the held-out rows after an iteration.
func (r *Result) temper(f *Fit, at *point, look bool) {
	if f.phase == HoldOut {
		r.Valid = nil // it is of the rows of the first fold
	}
	if at.iteration == 0 {
		return
	}
	held := f.heldOut()
	r.HeldOut = &HeldOut{held.rows, at.evaluation, nil}
	if look {
		r.HeldOut.Suspects = held.suspects(held.end(f.job.Choose))
	}
	r.Scores = held.scoresAt(at, look)
	if !f.job.Temper {
		return
	}
	r.Temperature = 1 / at.factor
	if f.phase == Final {
		r.Temperature = held.withAllRows(r.Temperature)
	}
	if r.Valid != nil && look {
		r.Valid = f.run.engines[0].Evaluate(r.Temperature)
	}
}

// validate sets the number of trees and the temperature from the validation set.
func (r *Result) validate(f *Fit, run *run, look bool) {
	path, end := run.path, r.BestIteration
	if f.job.Choose && r.Params.EarlyStoppingRounds == 0 {
		end = path.picked().iteration
	}
	at := path.pointAt(end)
	if at.iteration < end && look { // the path has no point there
		now, _ := path.measure(end, run.scores(), 1, 1e-12)
		path.conclude(&now, run.scores())
		at = &now
	}
	if at.iteration == 0 {
		return
	}
	r.Scores = path.scoresAt(at, look)
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

// TreesPerIteration returns the number of trees that an iteration adds.
func (f *Fit) TreesPerIteration() int { return f.run.engines[0].TreesPerIteration() }
