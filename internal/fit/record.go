package fit

import (
	"fmt"
	"slices"
	"time"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/tree"
)

// Record holds the trees that a training run has grown, from which all else follows. A run of
// the same rows that is given the record takes its trees instead of growing them, makes the same
// decisions, and goes on where the record ends.
type Record struct {
	Runs    []RunRecord // in order; the last is in progress
	Elapsed time.Duration
}

// RunRecord holds the trees of a run with one choice of settings.
type RunRecord struct {
	Params  boost.Params    // initial ones: the caller may change the shrinkage on the way
	Forests []*model.Forest // of its models: one, or one for each fold
	TimeOut bool            // the time limit ended it, so that the next one started
	scout   bool            // its trees are repeated as new ones
}

// forest returns the trees of a model of the run; nil: there is no record.
func (r *RunRecord) forest(model int) *model.Forest {
	if r == nil || model >= len(r.Forests) {
		return nil
	}
	return r.Forests[model]
}

// Record returns the trees so far. The next step adds to its forests.
func (f *Fit) Record() Record {
	if !f.recorded() {
		return Record{f.past, f.elapsed}
	}
	return Record{append(slices.Clip(f.past), f.run.records()...), f.elapsed}
}

// records returns the record of a run, or one for each half of an ensemble.
func (r *run) records() []RunRecord {
	record := func(p boost.Params, engines []*boost.Engine) RunRecord {
		record := RunRecord{Params: p, TimeOut: r.stopped == boost.StoppedByTimeLimit}
		for _, e := range engines {
			record.Forests = append(record.Forests, e.Forest())
		}
		return record
	}
	if r.second == nil {
		return []RunRecord{record(r.began, r.engines)}
	}
	return []RunRecord{record(r.began, r.engines[:r.split]), record(*r.second, r.engines[r.split:])}
}

// repeats returns the record of the run that comes next, or after some others, with these parameters, or the scout's trees with them;
// nil: there are none.
func (f *Fit) repeats(p boost.Params, others int) *RunRecord {
	if next := f.runs + others; f.recorded() && f.job.Record != nil && next < len(f.job.Record.Runs) {
		if r := &f.job.Record.Runs[next]; r.began(p) {
			return r
		}
	}
	if f.scout != nil {
		p.NEstimators = f.scout.Params.NEstimators
		if f.scout.began(p) {
			return f.scout
		}
	}
	return nil
}

// began reports whether the run began with settings p. Threads, level and time limit do not matter.
func (r *RunRecord) began(p boost.Params) bool {
	before := r.Params
	before.NThread, before.Level, before.TimeLimit = p.NThread, p.Level, p.TimeLimit
	return before == p
}

// Check returns what shows that a record is not of this training: runs that it does not try, and
// models that these runs cannot grow.
func (r *Record) Check(j *Job) error {
	most := len(j.Settings) + 1
	if j.Linear { // the scout
		most++
	}
	if j.Scouts > 0 { // scouts of two more kinds, and the other members of each half
		most = len(j.Settings) + 4
	}
	if len(r.Runs) > most {
		return fmt.Errorf("there are %d runs, and %d at most in this training", len(r.Runs), most)
	}
	for i := range r.Runs {
		run := &r.Runs[i]
		if !slices.ContainsFunc(j.Settings, func(p boost.Params) bool { return run.tried(j, p) }) {
			return fmt.Errorf("run %d has settings that this training does not try", i)
		}
		if n := len(run.Forests); n != 1 && n != j.Folds && n != j.Scouts && n != j.Folds/2 && n != j.Folds/2-j.Scouts {
			return fmt.Errorf("run %d has %d models", i, n)
		}
		for _, f := range run.Forests {
			if err := run.check(f, j); err != nil {
				return fmt.Errorf("run %d: %w", i, err)
			}
		}
	}
	return nil
}

// tried reports whether the run may be that of settings p. Where rows held out choose the number of
// trees, the model itself may have fewer.
func (r *RunRecord) tried(j *Job, p boost.Params) bool {
	if j.Choose && r.Params.NEstimators < p.NEstimators {
		p.NEstimators = r.Params.NEstimators
	}
	if p.Start == "mixed" {
		p.Start = r.Params.Start
	}
	if p.GrowPolicy == "mixed" && r.Params.GrowPolicy == "symmetric" {
		p = j.Symmetric(p)
	} else if p.GrowPolicy == "mixed" {
		p.GrowPolicy = r.Params.GrowPolicy
	}
	return r.began(p)
}

// check returns what shows that the run has not grown a forest.
func (r *RunRecord) check(f *model.Forest, j *Job) error {
	p, first := &r.Params, 0
	if j.Start != nil {
		first = j.Start.Forest.Trees()
	}
	per := p.TreesPerIteration(len(j.Train.Classes))
	switch grown := f.Trees() - first; {
	case f.LeafKind() != p.Leaf:
		return fmt.Errorf("its model has leaf %s in place of %s", f.LeafKind(), p.Leaf)
	case f.Pairs() != p.Pairs:
		return fmt.Errorf("its model has pairs %d in place of %d", f.Pairs(), p.Pairs)
	case p.Leaf == "sparse" && f.Named() != p.LeafClasses:
		return fmt.Errorf("its model has leaf_classes %d in place of %d", f.Named(), p.LeafClasses)
	case !f.StartsFrom(p.Start):
		return fmt.Errorf("its model has start %s in place of %s", f.Start(), p.Start)
	case grown < 0 || grown > p.NEstimators || grown%per != 0:
		return fmt.Errorf("its model has %d trees, and %d to %d in steps of %d are possible", f.Trees(), first, first+p.NEstimators, per)
	}
	for t := range f.Trees() - first {
		if err := tree.Fits(f.Tree(first+t), j.Train.Mapper, p.MaxLeaves); err != nil {
			return fmt.Errorf("tree %d: %w", first+t, err)
		}
	}
	return nil
}

// Repeating reports whether the record has the next iteration.
func (f *Fit) Repeating() bool { return f.run.repeating() }

func (r *run) repeating() bool {
	if r.repeats == nil || r.repeats.scout {
		return false
	}
	for i, e := range r.engines {
		if forest := r.repeats.forest(i); forest != nil && e.Forest().Trees() < forest.Trees() {
			return true
		}
	}
	return false
}

// endRepeated ends a run at the end of its record if its time was over there. The last run goes
// on with the time that is left.
func (f *Fit) endRepeated() {
	last := f.runs+len(f.run.records()) == len(f.job.Record.Runs)
	switch {
	case last:
		f.checkTime(f.elapsed)
	case f.run.repeats.TimeOut && f.run.stopped == "":
		f.run.stopped = boost.StoppedByTimeLimit
	}
}
