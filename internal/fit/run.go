package fit

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
)

// run is training with one choice of settings: of one model, or of a model for each fold, side
// by side.
type run struct {
	engines   []*boost.Engine
	leaders   *par.Team     // step the engines, at the same time or in turns
	began     boost.Params  // initial ones: SetShrinkage changes those of the engines
	second    *boost.Params // of the engines from number split on, members of the second half of an ensemble; nil: all began with the same
	split     int
	path      *path // on the rows that judge; nil: none
	first     int   // iterations of the settings before, in this phase
	iteration int
	stopped   boost.StopReason // "": it goes on
	pooled    []float64
	kept      *boost.Result
	refits    bool       // it computes leaf values of trees that are grown
	repeats   *RunRecord // record of the same run, or of the scout with its settings; nil: none
}

// newRun starts a run: a model for each part, without its held-out rows.
func newRun(j *Job, parts []part, p boost.Params, repeats *RunRecord) *run {
	r := &run{began: p, repeats: repeats}
	for i := range parts {
		if r.second == nil && parts[i].params != parts[0].params {
			r.second, r.split = parts[i].params, i
		}
	}
	r.start(j, len(parts), func(i int, job *boost.Job) {
		part, p := &parts[i], p
		if part.params != nil {
			p = *part.params
		}
		job.Params, job.Train, job.Valid, job.Others = p, part.train, part.held, nil
		job.Start, job.ValidScores = part.start, part.heldScores
		job.Params.Seed += uint64(part.member)
		job.Params.Unmix() // the kinds of the other members are tried later
		job.LinearScores = part.linear
		job.EvalEvery, job.Silent, job.Repeated = math.MaxInt, true, repeats.forest(i)
	})
	return r
}

// start starts engines. set completes what differs from j in the job of each. They train at the same time, each with its share of the team. But
// they take turns, each with the whole team, on several machines, which must send messages in the same order, and with the caller's objective.
func (r *run) start(j *Job, engines int, set func(i int, job *boost.Job)) {
	divide := j.Team.Split
	if j.Train.Ranks != nil || j.Objective != nil {
		divide = j.Team.Turns
	}
	split := divide(engines)
	r.leaders, r.engines = split.Leaders, make([]*boost.Engine, engines)
	r.leaders.Do(engines, func(_, i int) {
		job := j.Job
		job.Team = split.Groups[i]
		set(i, &job)
		r.engines[i] = boost.New(job)
	})
}

// newJudge returns a path on the held-out rows of the parts; nil: none of a known class has weight.
func newJudge(j *Job, parts []part) *path {
	p := newPath(pool(parts), j.Temper, j.Kernels, j.Team)
	if p != nil {
		p.from, p.scouts = []uint32{}, j.Scouts > 0
		p.share = float64(p.rows) / float64(len(parts)*j.Train.AllRows())
		for i := range parts {
			p.from = append(p.from, parts[i].rows...)
		}
	}
	return p
}

func (r *run) params() *boost.Params { return r.engines[0].Params() }

// pick returns the point of the path at which a model of the run's settings ends.
func (r *run) pick(j *Job) *point { return r.path.end(j.Choose) }

// worse reports whether a model trained on all rows for that many iterations probably is worse than the run's, which was trained on fewer rows.
func (r *run) worse(j *Job, iterations int) bool {
	const worth = 1.05 // what the held-out rows are worth
	return r.path.pointAt(iterations).loss > worth*r.pick(j).loss
}

// chosen returns the parameters of a model that ends there.
func (r *run) chosen(j *Job) boost.Params {
	p := *r.params()
	p.Seed = r.began.Seed // not that of a member
	if j.Choose {
		p.NEstimators = r.path.picked().iteration * r.engines[0].TreesPerIteration()
	}
	return p
}

// settled reports whether to keep the trees, and to compute only their leaf values from all rows. More rows would hardly change trees whose
// scores are about as large as the rows that judge want them, so that they do not fit chance, and of which the last half adds little. With very
// many residuals, which sparse leaves are for, growing trees again would take minutes, and would hardly lower the loss. Sparse leaves keep
// their classes.
func (r *run) settled(j *Job) bool {
	const least, slope, mostResiduals = 0.7, 1.03, 1 << 27
	p := r.params()
	if len(r.engines) > 1 || j.Start != nil || j.Signs != nil || j.Objective != nil || p.Method != model.AOSO || p.Leaf == "pair" || p.LearningRate != r.began.LearningRate {
		return false
	}
	at, many := r.pick(j), float64(j.Train.AllRows())*float64(len(j.Train.Classes)) > mostResiduals
	return r.engines[0].Forest().Trees() >= r.chosen(j).NEstimators &&
		(many || p.Leaf == "full" && at.factor >= least && r.path.flat(at, slope))
}

// forests returns the trees of each model, at most that many.
func (r *run) forests(most int) (made []*model.Forest) {
	for _, engine := range r.engines {
		f := engine.Forest()
		made = append(made, f.Truncated(min(f.Trees(), most)))
	}
	return made
}

// capped reports whether the number of trees was chosen, and is the most that the settings allow.
func (r *run) capped(j *Job) bool { return j.Choose && r.path.picked().iteration == r.mostIterations() }

// mostIterations returns the most iterations that the run may have.
func (r *run) mostIterations() int { return r.params().NEstimators / r.engines[0].TreesPerIteration() }

// over reports whether an engine has stopped for good.
func over(e *boost.Engine) bool {
	return e.Stopped() != "" && e.Stopped() != boost.StoppedByInterrupt
}

// step does an iteration of all engines. It returns false if ctx is cancelled before it is
// complete; the next step completes it.
func (r *run) step(ctx context.Context) bool {
	var cancelled atomic.Bool
	r.leaders.Do(len(r.engines), func(_, i int) {
		if e := r.engines[i]; !cancelled.Load() && e.Status().Iteration == r.iteration && !over(e) && !e.Step(ctx) {
			cancelled.Store(true)
		}
	})
	if cancelled.Load() {
		return false
	}
	r.iteration++
	r.end()
	return true
}

// end stops the run if all engines have stopped.
func (r *run) end() {
	for _, e := range r.engines {
		if !over(e) {
			return
		}
	}
	r.stopped = r.engines[0].Stopped()
}

// checkPath adds a point to the path where one is due, and reports whether it did. If the number
// of trees is to be chosen, it ends a run that only gets worse.
func (r *run) checkPath(choose bool) bool {
	if r.stopped == "" && r.iteration < r.path.next {
		return false
	}
	r.path.addPoint(r.iteration, r.scores())
	if choose && r.path.over() && r.stopped == "" {
		r.stopped = boost.StoppedByEarlyStopping
	}
	return true
}

// scores returns the raw scores of the held-out rows, part after part.
func (r *run) scores() []float64 {
	if len(r.engines) == 1 {
		return r.engines[0].ValidScores()
	}
	r.pooled = r.pooled[:0]
	for _, e := range r.engines {
		r.pooled = append(r.pooled, e.ValidScores()...)
	}
	return r.pooled
}

// trainLoss returns the mean training loss of the engines.
func (r *run) trainLoss() float64 {
	sum := 0.0
	for _, e := range r.engines {
		sum += e.TrainLoss()
	}
	return sum / float64(len(r.engines))
}

// result returns the model so far of the first engine.
func (r *run) result(look bool) boost.Result {
	switch {
	case r.kept != nil:
		return *r.kept
	case look:
		return r.engines[0].Result()
	}
	return r.engines[0].Snapshot()
}

// freeState frees all but the result.
func (r *run) freeState() {
	if r.path != nil && !r.path.scouts {
		r.path.settle(r.path.last())
		r.path.spare = nil
	}
	kept := r.result(true)
	r.kept = &kept
	r.free()
}

func (r *run) free() {
	r.pooled = nil
	for _, e := range r.engines {
		e.Free()
	}
}

// overfits reports whether the settings were best early, so that others, which learn more
// slowly, may be better.
func (r *run) overfits() bool {
	const early = 5 // early: in the first 1/early of the iterations
	return r.path.excess > clearEnding.rise || r.path.over() || r.path.best().iteration < r.path.last().iteration/early
}

// fitsChance reports whether its scores are much larger than the rows that judge want them.
func (r *run) fitsChance() bool {
	const most = 0.6
	return r.path.best().factor < most
}

// fitsNoise reports whether large steps from class frequencies fit noise, which the first half of the iterations shows: labels are very
// noisy, the scores are too large, and the loss falls slowly.
func (r *run) fitsNoise() bool {
	const most, slope, veryNoisy = 0.9, 1.2, 1.0 / 3
	best := r.path.best()
	return r.began.Start == "prior" && 2*r.iteration <= r.began.NEstimators &&
		best.factor < most && best.evaluation.ErrorRate > veryNoisy && r.path.flat(best, slope)
}

// flat reports whether the last half of all its trees hardly lowered the refined loss. Trees of smaller steps may lower it further.
func (r *run) flat() bool {
	const slope = 1.01
	return r.stopped == boost.StoppedByTrees && r.path.flat(r.path.best(), slope)
}

// better returns b if its refined loss is below that share of a's, or if a is nil; else a.
func better(a, b *run, share float64) *run {
	if a != nil && share*a.path.lowest() <= b.path.lowest() {
		return a
	}
	return b
}

// behind reports whether the run, which learns more slowly than another, is clearly worse than that after as much shrinkage in all. Its
// refined loss should become that share of the other's at most. A tenth of the iterations suffices to decide.
func (r *run) behind(other *run, share float64) bool {
	const slack = 1.1
	if 10*r.iteration < r.mostIterations() || r.began.Start != other.began.Start {
		return false
	}
	slower := r.params().LearningRate / other.params().LearningRate
	then := other.path.pointAt(max(1, int(float64(r.iteration)*slower)))
	return slower < 1 && r.path.last().loss > slack*share*then.loss
}
