package fit

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/linear"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/model"
)

// ensemble is a model that averages the raw scores of an even number of members, in two halves. Rows are split into as
// many folds as there are members. Each member grows its trees without the rows of two folds, which a member of the
// other half holds out too. Then the leaf values of all members are computed again, from all rows: rows that did not
// shape a tree make its leaf values better (S. Wager and S. Athey, Estimation and inference of heterogeneous treatment
// effects using random forests, 2018, call such trees honest).
type ensemble struct {
	job      *Job
	halves   [2]half
	kinds    []boost.Params         // settings of the kinds of members that are still to be tried
	tried    []half                 // of each kind tried so far
	refitted int                    // number of members refitted so far
	loss     float64                // sum of the training losses of the refitted members
	linear   map[int8]*model.Linear // linear scores by the fold without which they are fitted; never: of all rows

	folds  []int8
	target data.Target  // held-out rows
	place  []int        // by row: its place in target
	parts  [2]part      // each without one of the two folds that the current member holds out
	scores [2][]float64 // raw scores of the rows in target, by the members of each half that hold them out

	model  *model.Forest // the ensemble; nil: it is not complete
	held   *path         // of the rows in target
	factor float64       // of the ensemble's scores
}

// half is one half of the members. Its scouts, the first members, judged the settings.
type half struct {
	params  boost.Params    // of a member
	scouted *path           // of the scouts
	capped  bool            // the members have the most trees that the settings allow
	from    *point          // of that path: where the members end
	members []*model.Forest // as they were grown, then, one after the other, refitted
}

// newHalf returns a half with the trees of its scouts.
func newHalf(j *Job, scouts *run) half {
	h := half{params: scouts.chosen(j), scouted: scouts.path, from: scouts.pick(j), capped: scouts.capped(j)}
	h.members = scouts.forests(h.params.NEstimators)
	h.scouted.keep(h.from)
	mem.Collect()
	return h
}

// heldFolds returns the two folds that a member holds out. Folds deal out the rows of a class one after another, so that
// no member holds out both rows of a class of two.
func heldFolds(member, members int) [2]int8 {
	first := int8(member % (members / 2))
	return [2]int8{first, first + int8(members/2)}
}

// memberParts returns the parts of some members.
func memberParts(j *Job, folds []int8, first, end int) (made []part) {
	for member := first; member < end; member++ {
		out := heldFolds(member, j.Folds)
		p := newPart(j, folds, out[:])
		p.member = member
		made = append(made, p)
	}
	return made
}

// newEnsemble begins an ensemble with the trees of its scouts.
func newEnsemble(j *Job, scouts *run) *ensemble {
	e := &ensemble{job: j, linear: map[int8]*model.Linear{}, folds: j.folds(), place: make([]int, j.Train.Rows())}
	e.tried = []half{newHalf(j, scouts)}
	t := &e.target
	t.Ranks, t.Classes = j.Train.Ranks, j.Train.Classes
	var held []uint32
	for row, fold := range e.folds {
		if fold == never {
			continue
		}
		e.place[row], held = len(t.Labels), append(held, uint32(row))
		t.Labels, t.IDs = append(t.Labels, j.Train.Labels[row]), append(t.IDs, j.Train.ID(row))
		if j.Train.Weights != nil {
			t.Weights = append(t.Weights, j.Train.Weights[row])
		}
	}
	t.Soft = j.Train.Soft.Subset(held)
	return e
}

// From manyNoisy rows with noisy labels, symmetric trees take time and improve little.
const manyNoisy = 1000

// trainEnsemble starts training the members that are not scouts; first counts the iterations before.
func (f *Fit) trainEnsemble(first int) {
	e := newEnsemble(&f.job, f.best)
	f.ensemble = e
	began, zero := f.best.began, f.best.began
	zero.Unmix()
	if began.Start == "mixed" {
		linear := zero
		linear.Start = "linear"
		e.kinds = append(e.kinds, linear)
	}
	if began.GrowPolicy == "mixed" && !(f.best.path.noisy() && f.job.Train.AllRows() >= manyNoisy) {
		e.kinds = append(e.kinds, f.job.Symmetric(zero))
	}
	f.scoutKinds(first)
}

// scoutKinds starts training scouts of the next kind, with the best settings, or else the members; first counts the iterations before.
func (f *Fit) scoutKinds(first int) {
	e, half := f.ensemble, f.job.Folds/2
	for len(e.kinds) > 0 {
		p := e.kinds[0]
		e.kinds = e.kinds[1:]
		f.freeParts()
		f.parts = memberParts(&f.job, e.folds, half, half+f.job.Scouts)
		f.hold(p, newJudge(&f.job, f.parts), first)
		if p.Start != "linear" || f.run.path.setLinear(f.run.scores()) {
			return
		}
		f.run.free() // linear scores explain little
	}
	e.chooseKinds()
	f.growMembers(first)
}

// A kind of members is given up if its refined loss can hardly fall to this many times the least.
const unlike = 1.15

// Averages of two kinds are better than the rows that scouts hold out show, by which one kind would often seem as good. And
// linear scores should be better by that much: rows of other origin lie further out, where they are less reliable than trees.
const alike = 1.01

// chooseKinds gives the halves the two kinds of members whose average predicts best, or one kind to both.
func (e *ensemble) chooseKinds() {
	e.halves = [2]half{e.tried[0], e.tried[0]}
	least := math.Inf(1)
	for i := range e.tried {
		a := &e.tried[i]
		for k := range e.tried[i:] {
			b := &e.tried[i+k]
			loss := alike * a.from.loss
			if k > 0 {
				loss = a.lossWith(b)
			}
			if a.params.Start == "linear" || b.params.Start == "linear" {
				loss *= alike
			}
			if loss < least {
				least, e.halves = loss, [2]half{*a, *b}
			}
		}
	}
	if e.halves[0].scouted == e.halves[1].scouted {
		e.halves[1].members = nil
	}
	e.tried = nil
}

// lossWith returns the refined loss of the average of the scouts of two kinds.
func (h *half) lossWith(other *half) float64 {
	mean := make([]float64, len(h.from.raw))
	for i := range mean {
		mean[i] = (float64(h.from.raw[i]*h.from.factor) + float64(other.from.raw[i]*other.from.factor)) / 2
	}
	now, _ := h.scouted.measure(h.from.iteration, mean, 1, 1e-3)
	return now.loss
}

// growMembers starts growing the trees of members, or else refitting; first counts the iterations before.
func (f *Fit) growMembers(first int) {
	f.freeParts()
	e, members := f.ensemble, f.job.Folds/2
	growing, repeats := e.growing(), &RunRecord{}
	if growing == nil {
		f.phase, f.run = Final, e.refit()
		return
	}
	for i, half := range growing {
		h := &e.halves[half]
		parts, before := memberParts(&f.job, e.folds, half*members+len(h.members), (half+1)*members), f.repeats(h.params, i)
		for k := range parts {
			parts[k].params = &h.params
			repeats.Forests = append(repeats.Forests, before.forest(k))
		}
		repeats.TimeOut = before != nil && before.TimeOut
		f.parts = append(f.parts, parts...)
	}
	f.run = newRun(&f.job, f.parts, e.halves[growing[0]].params, repeats)
	f.run.first = first
}

// growing returns the halves whose members grow next: both, if together they lack no more than a half has; nil: they have all.
func (e *ensemble) growing() (halves []int) {
	members, lack := e.job.Folds/2, 0
	for i, h := range e.halves {
		if n := members - len(h.members); n > 0 && lack+n <= members {
			halves, lack = append(halves, i), lack+n
		}
	}
	return halves
}

// addGrown adds the members of a run.
func (e *ensemble) addGrown(r *run) {
	first := 0
	for _, half := range e.growing() {
		h := &e.halves[half]
		end := first + e.job.Folds/2 - len(h.members)
		h.members = append(h.members, r.forests(h.params.NEstimators)[first:end]...)
		first = end
	}
}

// params returns the parameters of the ensemble.
func (e *ensemble) params() boost.Params {
	p := e.halves[0].params
	other := &e.halves[1].params
	if p.Start != other.Start {
		p.Start = "mixed"
	}
	if p.GrowPolicy != other.GrowPolicy {
		p.GrowPolicy = "mixed"
	}
	return p
}

// halfOf returns the number of the half of a member, and the member's number there.
func (e *ensemble) halfOf(member int) (half, number int) {
	members := e.job.Folds / 2
	return member / members, member % members
}

// last reports whether the last member is being refitted.
func (e *ensemble) last() bool { return e.refitted == e.job.Folds-1 }

// count counts the trees that are complete.
func (e *ensemble) count(s *Status) {
	s.MaxTrees = 0
	for _, h := range e.halves {
		s.MaxTrees += (e.job.Folds/2 - len(h.members)) * h.params.NEstimators
		for _, f := range h.members {
			s.MaxTrees += f.Trees()
		}
	}
	if e.growing() != nil {
		s.Trees = 0
	}
	for member := range e.refitted {
		half, number := e.halfOf(member)
		s.Trees += e.halves[half].members[number].Trees()
	}
}

// conclude ends a run of members and starts the next; first counts the iterations before.
func (e *ensemble) conclude(f *Fit, first int) {
	if f.run.refits {
		e.addRefitted(f.run)
		f.run = e.refit()
		f.run.first = first
		return
	}
	f.run.free()
	if f.run.path != nil {
		e.tried = append(e.tried, newHalf(e.job, f.run))
		f.scoutKinds(first)
	} else {
		e.addGrown(f.run)
		f.growMembers(first)
	}
}

// refit starts computing the leaf values of the next member: twice without one of its two folds, which it then
// predicts, and once from all rows.
func (e *ensemble) refit() *run {
	half, number := e.halfOf(e.refitted)
	h := &e.halves[half]
	r := &run{began: h.params, refits: true}
	folds := heldFolds(e.refitted, e.job.Folds)
	for side, fold := range folds {
		part := &e.parts[side]
		*part = newPart(e.job, e.folds, []int8{fold})
		part.linear = e.linearWithout(h, fold, part.train)
	}
	scores := e.linearWithout(h, never, e.job.Train)
	r.start(e.job, len(folds)+1, func(i int, job *boost.Job) {
		job.Params, job.Refit, job.Repeated, job.Others = h.params, h.members[number], nil, nil
		job.Params.NEstimators, job.Params.StopLoss = job.Refit.Trees(), 0
		job.EvalEvery, job.Silent = math.MaxInt, true
		job.Valid, job.LinearScores = nil, scores
		if i < len(folds) {
			part := &e.parts[i]
			job.Train, job.Valid, job.LinearScores = part.train, part.held, part.linear
		}
	})
	return r
}

// linearWithout returns the linear scores that members start from, of the rows without a fold; nil: they start from zero.
func (e *ensemble) linearWithout(h *half, fold int8, rows *data.Set) *model.Linear {
	if h.params.Start != "linear" {
		return nil
	}
	if e.linear[fold] == nil {
		e.linear[fold] = linear.Fit(rows, e.job.Kernels, e.job.Team)
	}
	return e.linear[fold]
}

// all returns the engine of a refit that has all rows.
func (r *run) all() *boost.Engine { return r.engines[len(r.engines)-1] }

// addRefitted adds the member that a run has refitted.
func (e *ensemble) addRefitted(r *run) {
	classes := len(e.target.Classes)
	half, number := e.halfOf(e.refitted)
	if number == 0 {
		e.scores[half] = make([]float64, len(e.target.Labels)*classes)
	}
	for side := range e.parts {
		scores := r.engines[side].ValidScores()
		for i, row := range e.parts[side].rows {
			copy(e.scores[half][e.place[row]*classes:][:classes], scores[i*classes:])
		}
	}
	e.halves[half].members[number] = r.all().Forest()
	e.refitted++
	e.loss += r.all().TrainLoss()
	r.free()
	e.free()
	mem.Collect()
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
	e.calibrate()
	e.model = e.average()
}

// average returns the trees of all members with an equal share of their leaf values and linear scores: first the first
// tree of each member, so that the first trees of the model are an ensemble too.
func (e *ensemble) average() *model.Forest {
	members := slices.Concat(e.halves[0].members, e.halves[1].members)
	share := 1 / float64(len(members))
	newton := loss.Newton{Shrinkage: e.halves[0].params.LearningRate * share}
	m, linear := members[0].Truncated(0), 0.0
	for _, f := range members {
		if f.Linear() != nil { // all are of all rows
			m.SetLinear(f.Linear())
			linear += share
		}
	}
	if linear > 0 {
		m.SetLinear(m.Linear().Scaled(linear))
	}
	m.Reserve(members...)
	for t := range max(e.halves[0].params.NEstimators, e.halves[1].params.NEstimators) {
		for _, f := range members {
			if t < f.Trees() {
				m.AddTree(f.Tree(t))
			}
		}
	}
	m.Scale(share, func(value float64) float32 { return newton.Round(value, m.Classes()) })
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
	e.held.from = make([]uint32, len(e.target.Labels))
	for row, fold := range e.folds {
		if fold != never {
			e.held.from[e.place[row]] = uint32(row)
		}
	}
	now, _ := e.held.measure(e.halves[0].from.iteration, both, e.halves[0].from.factor, 1e-3)
	e.held.conclude(&now, both)
	e.held.points = append(e.held.points, now)
	grown, alone := 1.0, 1.0 // factors of a member as it was grown, and with leaf values from one more fold
	for i, scores := range e.scores {
		from := e.halves[i].from
		s := e.held.scaling(scores, from.factor, 1e-3)
		grown, alone = grown*math.Sqrt(from.factor), alone*math.Sqrt(s.Factor())
	}
	members := float64(e.refitted)
	noise := max(0, 2*(1/alone-1/now.factor))
	const most = 2. // of an effect: what few rows say may be far off
	averaging := 1 / max(1-float64(alone*noise*(1-1/members)), 1/most)
	more := (grown + float64((alone-grown)*(2*(members-1)/members))) / alone
	factor := alone * averaging * min(max(more, 1/most), most)
	e.factor = min(max(factor, 1./model.MaxTemperature), 1./model.MinTemperature)
	e.scores = [2][]float64{}
}

// result returns the complete ensemble.
func (e *ensemble) result(f *Fit, look bool) Result {
	r := Result{Set: f.job.Train, Params: e.params(), Phase: f.phase, Capped: e.halves[0].capped || e.halves[1].capped}
	r.Forest, r.TrainLoss, r.Params.NEstimators = e.model, e.loss/float64(e.refitted), max(1, e.model.Trees())
	if r.Stopped = f.run.stopped; f.interrupt {
		r.Stopped = boost.StoppedByInterrupt
	}
	r.Iterations, r.BestIteration = r.Forest.Trees(), r.Forest.Trees()
	at := e.held.last()
	r.HeldOut, r.Scores = &HeldOut{e.held.rows, at.evaluation, nil}, e.held.scoresAt(at, look)
	if look {
		r.HeldOut.Suspects = e.held.suspects(at)
	}
	if e.job.Temper {
		r.Temperature = 1 / e.factor
	}
	return r
}
