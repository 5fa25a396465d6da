package fit

import (
	"context"
	"math"

	"github.com/libaoso/aoso/internal/boost"
)

// run is a training with one choice of settings: of one model, or of a model for
// each part held out, side by side.
type run struct {
	engines   []*boost.Engine
	began     boost.Params // with: the engines' own change with SetShrinkage
	path      *path        // on rows that the training does not see; nil: there are none
	first     int          // iterations of the settings tried before, in this phase
	iteration int
	stopped   boost.StopReason // "": it goes on
	pooled    []float64
	kept      *boost.Result
	repeats   *RunRecord // of the same run; nil: it is new
}

// newRun trains without the rows held out of each part.
func newRun(j *Job, parts []part, p boost.Params, repeats *RunRecord) *run {
	r := &run{path: newPath(pool(parts), j.Temper, j.Kernels, j.Team), began: p, repeats: repeats}
	for i, part := range parts {
		job := j.Job
		job.Params, job.Train, job.Valid, job.Others = p, part.train, part.held, nil
		job.EvalEvery, job.Silent, job.Repeated = math.MaxInt, true, repeats.forest(i)
		r.engines = append(r.engines, boost.New(job))
	}
	return r
}

func (r *run) params() *boost.Params { return r.engines[0].Params() }

// mostIterations is the most that there may be.
func (r *run) mostIterations() int { return r.params().Trees / r.engines[0].TreesPerIteration() }

// over tells whether a training of the run is over.
func over(e *boost.Engine) bool {
	return e.Stopped() != "" && e.Stopped() != boost.StoppedByInterrupt
}

// step does an iteration of all trainings. It returns false if ctx is cancelled
// before it is complete; the next step completes it.
func (r *run) step(ctx context.Context) bool {
	for _, e := range r.engines {
		if e.Status().Iteration == r.iteration && !over(e) && !e.Step(ctx) {
			return false
		}
	}
	r.iteration++
	r.end()
	return true
}

// end notes whether all trainings are over.
func (r *run) end() {
	for _, e := range r.engines {
		if !over(e) {
			return
		}
	}
	r.stopped = r.engines[0].Stopped()
}

// look adds a point to the path where it is time, and tells whether it was. If the
// number of trees is to be chosen, it ends a run that only gets worse.
func (r *run) look(choose bool) bool {
	if r.stopped == "" && r.iteration < r.path.next {
		return false
	}
	r.path.look(r.iteration, r.scores())
	if choose && r.path.over() && r.stopped == "" {
		r.stopped = boost.StoppedByEarlyStopping
	}
	return true
}

// scores is the raw scores of the rows held out, one part after another.
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

// trainLoss is the mean of the trainings' losses.
func (r *run) trainLoss() float64 {
	sum := 0.0
	for _, e := range r.engines {
		sum += e.TrainLoss()
	}
	return sum / float64(len(r.engines))
}

// result is the model so far, of the first training.
func (r *run) result(look bool) boost.Result {
	switch {
	case r.kept != nil:
		return *r.kept
	case look:
		return r.engines[0].Result()
	}
	return r.engines[0].Snapshot()
}

// keep frees all but the result.
func (r *run) keep() {
	kept := r.result(true)
	r.kept = &kept
	r.free()
}

func (r *run) free() {
	for _, e := range r.engines {
		e.Free()
	}
}

// overfits tells whether the settings were at their best early, so that others,
// which learn more slowly, may be better.
func (r *run) overfits() bool {
	const early = 5 // the first part of so many
	return r.path.excess > clearEnding.rise || r.path.over() || r.path.best().iteration < r.path.last().iteration/early
}

// better is the run with the lower refined loss, or b if there is no a.
func better(a, b *run) *run {
	if a != nil && a.path.lowest() <= b.path.lowest() {
		return a
	}
	return b
}
