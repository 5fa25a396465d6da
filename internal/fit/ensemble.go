package fit

import (
	"math"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
)

// ensemble is a model that averages the raw scores of several members. Rows are split into as many folds as there
// are members. Each member grows its trees without the rows of two folds, and each fold is held out by two members.
// Then the leaf values of all members are computed again, from all rows: rows that did not shape a tree make its
// leaf values better (S. Wager and S. Athey, Estimation and inference of heterogeneous treatment effects using
// random forests, 2018, call such trees honest).
type ensemble struct {
	job      *Job
	params   boost.Params // of a member
	scouted  *path        // of the scouts, the members that judged the settings
	from     *point       // of that path: where the members end
	grown    []*model.Forest
	refitted []*model.Forest // by member, as far as they are
	loss     float64         // sum of the training losses of the refitted members

	folds  []int8
	target data.Target  // held-out rows
	place  []int        // by row: its place in target
	parts  [2]part      // each without one of the two folds that the current member holds out
	scores [2][]float64 // raw scores of the rows in target, by members that hold them out as their first and as their second fold

	model  *model.Forest // the ensemble; nil: it is not complete
	held   *path         // of the rows in target
	factor float64       // of the ensemble's scores
}

// secondFold is the distance between the two folds that a member holds out. Folds deal out the rows of a class one
// after another, so that no member holds out both rows of a class of two.
const secondFold = 2

// heldFolds returns the two folds that a member holds out.
func heldFolds(member, members int) [2]int8 {
	return [2]int8{int8(member), int8((member + secondFold) % members)}
}

// memberParts returns the parts of some members.
func memberParts(j *Job, folds []int8, first, end int) (made []part) {
	for member := first; member < end; member++ {
		out := heldFolds(member, j.Folds)
		p := newPart(j.Train, folds, out[:], j.Team)
		p.member = member
		made = append(made, p)
	}
	return made
}

// newEnsemble begins an ensemble with the trees of its scouts.
func newEnsemble(j *Job, scouts *run, p boost.Params) *ensemble {
	e := &ensemble{job: j, params: p, scouted: scouts.path, from: scouts.path.last(), folds: j.folds(), place: make([]int, j.Train.Rows())}
	if j.Choose {
		e.from = scouts.path.picked()
	}
	t := &e.target
	t.Ranks, t.Classes = j.Train.Ranks, j.Train.Classes
	for row, fold := range e.folds {
		if fold == never {
			continue
		}
		e.place[row] = len(t.Labels)
		t.Labels, t.IDs = append(t.Labels, j.Train.Labels[row]), append(t.IDs, j.Train.ID(row))
		if j.Train.Weights != nil {
			t.Weights = append(t.Weights, j.Train.Weights[row])
		}
	}
	for side := range e.scores {
		e.scores[side] = make([]float64, len(t.Labels)*len(t.Classes))
	}
	e.addGrown(scouts)
	return e
}

// addGrown adds the trees of members.
func (e *ensemble) addGrown(r *run) {
	for _, engine := range r.engines {
		f := engine.Forest()
		e.grown = append(e.grown, f.Truncated(min(f.Trees(), e.params.NEstimators)))
	}
}

// growMembers starts growing the trees of the members that are not scouts; first counts the iterations before.
func (f *Fit) growMembers(first int) {
	f.parts = memberParts(&f.job, f.ensemble.folds, f.job.Scouts, f.job.Folds)
	f.run = newRun(&f.job, f.parts, f.ensemble.params, f.repeats(f.ensemble.params))
	f.run.first = first
}

// last reports whether the last member is being refitted.
func (e *ensemble) last() bool {
	return len(e.refitted) == len(e.grown)-1 && len(e.grown) == e.job.Folds
}

// count counts the trees that are complete.
func (e *ensemble) count(s *Status) {
	s.MaxTrees = e.job.Folds * e.params.NEstimators
	if len(e.grown) < e.job.Folds {
		s.Trees = 0
		return
	}
	for _, f := range e.refitted {
		s.Trees += f.Trees()
	}
}

// conclude ends a run of members and starts the next; first counts the iterations before.
func (e *ensemble) conclude(f *Fit, first int) {
	if f.refits() {
		e.addRefitted(f.run)
	} else {
		e.addGrown(f.run)
		f.run.free()
		f.freeParts()
		f.phase, first = Final, 0
	}
	f.run = e.refit()
	f.run.first = first
}

// refit starts computing the leaf values of the next member: twice without one of its two folds, which it then
// predicts, and once from all rows.
func (e *ensemble) refit() *run {
	member := len(e.refitted)
	r := &run{began: e.params}
	job := e.job.Job
	job.Params, job.Refit, job.Repeated, job.Others = e.params, e.grown[member], nil, nil
	job.Params.NEstimators, job.Params.StopLoss = job.Refit.Trees(), 0
	job.EvalEvery, job.Silent = math.MaxInt, true
	for side, fold := range heldFolds(member, e.job.Folds) {
		e.parts[side] = newPart(e.job.Train, e.folds, []int8{fold}, e.job.Team)
		job.Train, job.Valid = e.parts[side].train, e.parts[side].held
		r.engines = append(r.engines, boost.New(job))
	}
	job.Train, job.Valid = e.job.Train, nil
	r.engines = append(r.engines, boost.New(job))
	return r
}

// all returns the engine of a refit that has all rows.
func (r *run) all() *boost.Engine { return r.engines[len(r.engines)-1] }

// addRefitted adds the member that a run has refitted.
func (e *ensemble) addRefitted(r *run) {
	classes := len(e.target.Classes)
	for side := range e.parts {
		scores := r.engines[side].ValidScores()
		for i, row := range e.parts[side].rows {
			copy(e.scores[side][e.place[row]*classes:][:classes], scores[i*classes:])
		}
	}
	e.refitted = append(e.refitted, r.all().Forest())
	e.loss += r.all().TrainLoss()
	r.free()
	e.free()
}

// free releases the memory of rows.
func (e *ensemble) free() {
	for side := range e.parts {
		if e.parts[side].train != nil {
			e.parts[side].free()
			e.parts[side] = part{}
		}
	}
}

// finish completes the ensemble.
func (e *ensemble) finish(r *run) {
	e.addRefitted(r)
	e.model = e.average()
	e.calibrate()
}

// average returns the trees of all members with an equal share of their leaf values: first the first tree of each
// member, so that the first trees of the model are an ensemble too.
func (e *ensemble) average() *model.Forest {
	newton := loss.Newton{Shrinkage: e.params.LearningRate / float64(len(e.refitted))}
	m := e.refitted[0].Truncated(0)
	m.Reserve(e.refitted...)
	for t := range e.params.NEstimators {
		for _, f := range e.refitted {
			if t < f.Trees() {
				m.AddTree(f.Tree(t))
			}
		}
	}
	m.Scale(1/float64(len(e.refitted)), func(value float64) float32 { return newton.Round(value, m.Classes()) })
	return m
}

// calibrate finds the factor of the scores of the ensemble of M members. Training rows cannot tell it, and no row is
// held out by all members. But two effects can be measured, and extended to the whole ensemble:
//
//   - The factor rises with the share of rows that did not shape the trees. It is known for shares of 0 and, with leaf
//     values from one more fold, of 1/(M-1). In the ensemble the share is 2/M.
//   - Averaging cancels noise in the scores, which is in proportion to 1/M. Noise lowers the factor as it lowers the
//     slope of a regression. The factor is known for one member and for the mean of two.
func (e *ensemble) calibrate() {
	j := e.job
	both := make([]float64, len(e.scores[0]))
	for i := range both {
		both[i] = (e.scores[0][i] + e.scores[1][i]) / 2
	}
	e.held = newPath(&e.target, j.Temper, j.Kernels, j.Team)
	grown := e.from.factor
	now, _ := e.held.measure(e.from.iteration, both, grown, 1e-3)
	e.held.points = append(e.held.points, now)
	alone := 1.0 // the factor of a member with leaf values from one more fold
	for _, scores := range e.scores {
		s := e.held.scaling(scores, grown, 1e-3)
		alone *= math.Sqrt(s.Factor())
	}
	members := float64(len(e.refitted))
	noise := max(0, 2*(1/alone-1/now.factor))
	const most = 2. // of an effect: what few rows say may be far off
	averaging := 1 / max(1-float64(alone*noise*(1-1/members)), 1/most)
	more := (grown + float64((alone-grown)*(2*(members-1)/members))) / alone
	factor := alone * averaging * min(max(more, 1/most), most)
	e.factor = min(max(factor, 1./model.MaxTemperature), 1./model.MinTemperature)
	e.scores = [2][]float64{}
}

// result returns the ensemble; before it is complete, the first scout.
func (e *ensemble) result(f *Fit) Result {
	r := Result{Params: e.params, Phase: f.phase}
	held, at, factor := e.scouted, e.from, e.from.factor
	if f.interrupt {
		r.Stopped = boost.StoppedByInterrupt
	}
	if e.model == nil {
		r.Phase, r.Forest, r.TrainLoss = HoldOut, e.grown[0], math.NaN()
	} else {
		r.Stopped = f.run.stopped
		held, at, factor = e.held, e.held.last(), e.factor
		r.Forest, r.TrainLoss, r.Params.NEstimators = e.model, e.loss/float64(len(e.refitted)), max(1, e.model.Trees())
	}
	r.Iterations, r.BestIteration = r.Forest.Trees(), r.Forest.Trees()
	r.HeldOut, r.Scores = &HeldOut{held.rows, at.evaluation}, at.scores
	if e.job.Temper {
		r.Temperature = 1 / factor
	}
	return r
}
