package fit

import (
	"slices"
	"time"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/model"
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
	Params  boost.Params
	Forests []*model.Forest // of its models: one, or one for each fold
	TimeOut bool            // the time limit ended it
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
	return Record{append(slices.Clip(f.past), f.run.record()), f.elapsed}
}

func (r *run) record() RunRecord {
	record := RunRecord{Params: *r.params(), TimeOut: r.stopped == boost.StoppedByTimeLimit}
	for _, e := range r.engines {
		record.Forests = append(record.Forests, e.Forest())
	}
	return record
}

// repeats returns the record of the run that comes next with these parameters; nil: there is
// none.
func (f *Fit) repeats(p boost.Params) *RunRecord {
	if f.job.Record == nil || f.runs >= len(f.job.Record.Runs) {
		return nil
	}
	r := &f.job.Record.Runs[f.runs]
	before := r.Params
	before.Threads, before.Level, before.TimeLimit = p.Threads, p.Level, p.TimeLimit
	if before != p { // chosen by another version of the library
		return nil
	}
	return r
}

// Repeating reports whether the record has the next iteration.
func (f *Fit) Repeating() bool { return f.run.repeating() }

func (r *run) repeating() bool {
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
	last := f.runs == len(f.job.Record.Runs)-1
	switch {
	case last:
		f.checkTime(f.elapsed)
	case f.run.repeats.TimeOut && f.run.stopped == "":
		f.run.stopped = boost.StoppedByTimeLimit
	}
}
