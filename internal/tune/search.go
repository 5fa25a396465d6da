// Package tune searches for settings that suit the data by successive halving: many settings
// train for a while, and the best of them train on, until one is left (K. Jamieson and A.
// Talwalkar, Non-stochastic best arm identification and hyperparameter optimization, 2016). New
// settings are drawn near the best so far. Every decision depends only on the data, the seed and
// earlier results, except that time ends the search.
package tune

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/fit"
)

// Job describes a search.
type Job struct {
	fit.Job        // its Settings are tried first
	Axes    []Axis // the parameters that other settings differ in
	Trials  int    // the most settings to try; 0: as many as time allows
	Known   []Record
}

// Record is the result of a trial at a rung.
type Record struct {
	Trial, Rung int // from 1
	Params      boost.Params
	Trained     int // iterations
	fit.Verdict
	Seconds float64 // time spent on the trial
}

// candidate is settings under trial.
type candidate struct {
	number  int // from 1
	params  boost.Params
	trial   *fit.Trial // nil: not in training
	records []Record   // of the rungs reached
}

// Search is a search in progress.
type Search struct {
	job      Job
	judge    *fit.Judge
	round    int
	numbered int          // number of candidates so far
	started  int          // number of trials started
	field    []*candidate // candidates left in the round
	rung     int          // rung that they train for, from 0
	current  int          // index in field of the candidate in training
	best     *candidate   // of earlier rounds; nil: none
	slowed   boost.Params // settings that were tried with half the learning rate
	ending   bool         // only the best is left to train, whose record was known
	records  []Record
	final    *fit.Fit // nil: the search goes on
	elapsed  time.Duration
	paused   bool // the last step was interrupted
}

const (
	fieldSize = 6 // candidates in a round
	survivors = 2 // one in survivors goes on to the next rung, which takes twice as many iterations
	fullRung  = 2 // the last rung, except for candidates that more iterations still improve
	lastRung  = 5
)

// New returns nil if there are no rows to judge settings by.
func New(j Job) *Search {
	judge := fit.NewJudge(j.Job)
	if judge == nil {
		return nil
	}
	s := &Search{job: j, judge: judge}
	s.startRound([]*candidate{s.newCandidate(j.Settings[0])})
	return s
}

// Free releases the memory.
func (s *Search) Free() {
	if s.final != nil {
		s.final.Free()
	}
	for _, c := range append(s.field, s.best) {
		c.free()
	}
	s.judge.Free()
}

func (c *candidate) free() {
	if c != nil && c.trial != nil {
		c.trial.Free()
	}
}

// newCandidate numbers settings. They may have as many trees as the last rung needs.
func (s *Search) newCandidate(p boost.Params) *candidate {
	s.numbered++
	p.NEstimators = s.mostTrees(&p)
	return &candidate{number: s.numbered, params: p}
}

// iterations returns the iterations of a rung: more for settings of a smaller learning rate.
func (s *Search) iterations(p *boost.Params, rung int) int {
	first := &s.job.Settings[0]
	full := float64(first.NEstimators / s.TreesPerIteration())
	if s.job.Choose {
		full *= first.LearningRate / p.LearningRate
	}
	return int(math.Ceil(math.Ldexp(full, rung-fullRung)))
}

// startRound starts a round with a field of candidates.
func (s *Search) startRound(field []*candidate) {
	s.field, s.rung, s.current = field, 0, 0
	s.advance()
}

// advance uses the results that are known already, and moves on to the next training run.
func (s *Search) advance() {
	for s.final == nil && !s.ending {
		if s.current == len(s.field) {
			s.nextRung()
			continue
		}
		c := s.field[s.current]
		known, ok := s.known(c)
		if !ok {
			return
		}
		s.record(c, known)
	}
}

// known returns the result of an earlier search for a candidate at this rung.
func (s *Search) known(c *candidate) (Record, bool) {
	for _, r := range s.job.Known {
		if r.Trial == c.number && r.Rung == s.rung+1 && c.trial == nil {
			r.Params = c.params
			return r, true
		}
	}
	return Record{}, false
}

// record records the result of a candidate that has reached the rung.
func (s *Search) record(c *candidate, r Record) {
	s.started = max(s.started, c.number)
	c.records = append(c.records, r)
	s.records = append(s.records, r)
	s.current++
	s.drop(s.current)
}

// drop frees the candidates that will not go on, of the first that reached the rung.
func (s *Search) drop(reached int) {
	left := slices.Clone(s.field[:reached])
	rank(left)
	for i, c := range left {
		if i >= s.quota() && c.trial != nil {
			c.trial.Free()
			c.trial = nil
		}
	}
}

// quota returns how many candidates go on from the rung.
func (s *Search) quota() int {
	if s.rung >= fullRung {
		return 1
	}
	return (len(s.field) + survivors - 1) / survivors
}

func (c *candidate) last() *Record { return &c.records[len(c.records)-1] }

func rank(field []*candidate) {
	slices.SortStableFunc(field, func(a, b *candidate) int { return cmp.Compare(a.last().Refined, b.last().Refined) })
}

// nextRung starts the next rung, or the next round.
func (s *Search) nextRung() {
	rank(s.field)
	s.field = s.field[:s.quota()]
	c := s.field[0]
	if s.rung < fullRung || s.rung < lastRung && s.improves(c) && s.challenges(c) {
		s.rung, s.current = s.rung+1, 0
		return
	}
	switch {
	case s.best == nil || c.last().Refined < s.bar(c, s.best.last()) && !s.late(c):
		s.best.free()
		s.best = c
		if c.trial != nil {
			c.trial.FreeState()
		}
	default:
		c.free()
	}
	s.nextRound()
}

// improves reports whether more trees are likely to make a candidate better.
func (s *Search) improves(c *candidate) bool {
	const enough, recently = 0.99, 0.8
	now := c.last()
	if !s.job.Choose || now.Trained < s.iterations(&c.params, s.rung) {
		return false
	}
	before := &c.records[len(c.records)-2]
	return now.Refined < enough*before.Refined && float64(now.Least) > recently*float64(now.Trained)
}

// challenges reports whether a candidate is better than the best after as much training.
func (s *Search) challenges(c *candidate) bool {
	return s.best == nil || c.last().Refined < s.bar(c, &s.best.records[min(s.rung, len(s.best.records)-1)])
}

// bar returns the refined loss that a candidate must fall below to be better than the best. The
// fewer errors there are, the larger the margin, since chance matters more, unless the candidate
// merely learns more slowly.
func (s *Search) bar(c *candidate, r *Record) float64 {
	const doubt = 0.1
	slow := s.best.params
	if s.halve(&slow); slow == c.params {
		return r.Refined
	}
	return r.Refined * (1 - doubt/math.Sqrt(1+float64(r.Errors)))
}

// nextRound starts the next round, or ends the search.
func (s *Search) nextRound() {
	s.round++
	size := fieldSize
	if s.job.Trials > 0 {
		size = min(size, s.job.Trials-s.numbered)
	}
	var field []*candidate
	if s.round == 1 {
		for _, p := range s.job.Settings[1:] {
			if len(field) < size {
				field = append(field, s.newCandidate(p))
			}
		}
	}
	if s.round%2 == 0 && size > 0 {
		if slow, ok := s.slower(); ok {
			field, size = append(field, s.newCandidate(slow)), 1
		}
	}
	if len(s.job.Axes) > 0 {
		for len(field) < size {
			field = append(field, s.newCandidate(s.draw(len(field))))
		}
	}
	if len(field) == 0 {
		s.field = nil
		s.end(s.best)
		return
	}
	s.startRound(field)
}

// slower returns the best settings with half the learning rate, unless these were tried. They are
// often better, but not early, so they get a round of their own.
func (s *Search) slower() (boost.Params, bool) {
	p := s.best.params
	i := slices.IndexFunc(s.job.Axes, func(a Axis) bool { return a.Name == "learning_rate" })
	if !s.job.Choose || i < 0 || p.LearningRate/2 < s.job.Axes[i].low || p == s.slowed {
		return p, false
	}
	s.slowed = p
	s.halve(&p)
	return p, true
}

// halve halves the learning rate, and doubles the most trees.
func (s *Search) halve(p *boost.Params) {
	p.LearningRate /= 2
	p.NEstimators = s.mostTrees(p)
}

// mostTrees returns the most trees that settings may have: those of the last rung.
func (s *Search) mostTrees(p *boost.Params) int {
	if !s.job.Choose {
		return p.NEstimators
	}
	return s.iterations(p, lastRung) * s.TreesPerIteration()
}

// draw draws the settings of the next candidate, near the best. Two in three move along few
// axes; later rounds move less far.
func (s *Search) draw(i int) boost.Params {
	r := rand.New(rand.NewPCG(s.best.params.Seed, uint64(s.numbered)))
	radius, share := 1.0, 0.35
	if i%3 != 0 {
		radius = max(0.35, 1/math.Sqrt(float64(s.round)))
		share = 0.2
	}
	p := s.best.params
	for p == s.best.params {
		for i := range s.job.Axes {
			if r.Float64() < share {
				s.job.Axes[i].move(&p, radius, r)
			}
		}
	}
	return p
}

// end ends the search; leader becomes the model.
func (s *Search) end(leader *candidate) {
	for _, c := range append(s.field, s.best) {
		if c != leader {
			c.free()
		}
	}
	s.best, s.field, s.current, s.ending = leader, nil, 0, true
	if leader.trial != nil {
		s.finish()
		return
	}
	s.field = []*candidate{leader} // its record was known, so it must train
	leader.trial = s.judge.Try(leader.params)
}

func (s *Search) finish() {
	s.field = nil
	s.final = s.best.trial.Finish(s.elapsed)
}

// late reports whether there is just enough time left to train a candidate on all rows.
func (s *Search) late(c *candidate) bool {
	limit := c.params.TimeLimit
	return limit > 0 && s.elapsed.Seconds()+s.timeNeeded(c) >= limit
}

// timeNeeded returns the seconds to train a candidate on all rows.
func (s *Search) timeNeeded(c *candidate) float64 {
	if s.job.Folds == 0 {
		return 0 // it is trained already
	}
	const slack = 1.2
	seconds, trained, picked := 0.0, 1, 0
	if c.trial != nil && c.trial.Iteration() > 0 {
		seconds, trained, picked = c.trial.Elapsed().Seconds(), c.trial.Iteration(), c.trial.Verdict().Iterations
	} else if len(c.records) > 0 {
		last := c.last()
		seconds, trained, picked = last.Seconds, last.Trained, last.Iterations
	}
	return slack * s.judge.Growth() * seconds * float64(picked) / float64(trained)
}

// Step does one iteration. It returns false without an effect if the search is over or ctx is
// cancelled. The next step then goes on.
func (s *Search) Step(ctx context.Context) bool {
	if s.final != nil {
		return s.final.Step(ctx)
	}
	start := time.Now()
	defer func() { s.elapsed += time.Since(start) }()
	c := s.field[s.current]
	if c.trial == nil {
		s.started, c.trial = max(s.started, c.number), s.judge.Try(c.params)
	}
	if s.paused = !c.trial.Over() && !c.trial.Step(ctx); s.paused {
		return false
	}
	switch {
	case s.ending && (c.trial.Over() || c.trial.Iteration() >= c.last().Trained || s.late(c)):
		s.finish()
	case s.ending:
	case c.trial.Over() || c.trial.AtPoint() && c.trial.Iteration() >= s.iterations(&c.params, s.rung):
		s.record(c, Record{
			Trial: c.number, Rung: s.rung + 1, Params: c.params,
			Trained: c.trial.Iteration(), Verdict: c.trial.Verdict(), Seconds: c.trial.Elapsed().Seconds(),
		})
		s.advance()
	default:
		if leader := s.leader(); s.late(leader) {
			s.end(leader)
		}
	}
	return true
}

// leader returns the candidate that becomes the model if the search ends now: the best, or the
// one in training if that is better already.
func (s *Search) leader() *candidate {
	if len(s.field) == 0 || s.ending {
		return s.best
	}
	c := s.field[s.current]
	if s.best == nil || c.trial != nil && c.trial.Iteration() > 0 && c.trial.Verdict().Refined < s.bar(c, s.best.last()) {
		return c
	}
	return s.best
}

// Status describes a search after a step.
type Status struct {
	Trial, Rung int     // in training, from 1
	Iteration   int     // of the trial
	Tried       int     // trials started
	Refined     float64 // least refined loss of a finished trial; infinite: none
	Errors      int     // of that trial
	Final       *fit.Status
}

// Status returns the state of the search after its last step.
func (s *Search) Status() Status {
	now := Status{Tried: s.started, Refined: math.Inf(1)}
	if s.best != nil && len(s.best.records) > 0 {
		now.Refined, now.Errors = s.best.last().Refined, s.best.last().Errors
	}
	if s.final != nil {
		status := s.final.Status()
		now.Final = &status
		return now
	}
	c := s.field[s.current]
	now.Trial, now.Rung = c.number, s.rung+1
	if c.trial != nil {
		now.Iteration = c.trial.Iteration()
	}
	return now
}

// Records returns the results of the trials, in order.
func (s *Search) Records() []Record { return s.records }

// Elapsed returns the time spent in steps.
func (s *Search) Elapsed() time.Duration {
	if s.final != nil {
		return s.final.Elapsed()
	}
	return s.elapsed
}

// TreesPerIteration returns the number of trees that an iteration adds.
func (s *Search) TreesPerIteration() int {
	return s.job.Settings[0].TreesPerIteration(len(s.job.Train.Classes))
}

// Result returns the best model so far. During the search, and if the last training run was too
// short to make a better one, it was not trained on the held-out rows.
func (s *Search) Result() fit.Result {
	best := s.leader()
	if s.final != nil {
		r := s.final.Result()
		stopped := r.Stopped == boost.StoppedByInterrupt || r.Stopped == boost.StoppedByTimeLimit
		if s.job.Folds == 0 || !stopped || !best.trial.Worse(r.Iterations) {
			return r
		}
		held := best.trial.Result()
		held.Stopped = r.Stopped
		return held
	}
	if best.trial == nil {
		best.trial = s.judge.Try(best.params) // its record was known, so there is no model yet
	}
	r := best.trial.Result()
	r.Stopped = ""
	if s.paused {
		r.Stopped = boost.StoppedByInterrupt
	}
	return r
}
