package fit

import (
	"slices"
	"time"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/model"
)

// Record is how far a training came: the trees that it has grown. All else follows
// from them. A training of the same rows that is given the record takes its trees
// rather than to grow them, makes the same decisions, and goes on where the record
// ends.
type Record struct {
	Runs    []RunRecord // one after another; the last is under way
	Elapsed time.Duration
}

// RunRecord is the trees of a training with one choice of settings.
type RunRecord struct {
	Params  boost.Params
	Forests []*model.Forest // of its models: one, or one for each part held out
	TimeOut bool            // the time limit ended it, so that the next began
}

// forest is the trees of a model of the run; nil: there is no record.
func (r *RunRecord) forest(model int) *model.Forest {
	if r == nil || model >= len(r.Forests) {
		return nil
	}
	return r.Forests[model]
}

// Record is how far the training has come. The next step adds to its forests.
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

// repeats is the record of the run that is to begin with some parameters; nil: there
// is none.
func (f *Fit) repeats(p boost.Params) *RunRecord {
	if f.job.Record == nil || f.runs >= len(f.job.Record.Runs) {
		return nil
	}
	r := &f.job.Record.Runs[f.runs]
	before := r.Params
	before.Threads, before.Level, before.TimeLimit = p.Threads, p.Level, p.TimeLimit
	if before != p { // another version of the library has chosen them
		return nil
	}
	return r
}

// Repeating tells whether the record has the next iteration.
func (f *Fit) Repeating() bool { return f.run.repeating() }

func (r *run) repeating() bool {
	for i, e := range r.engines {
		if forest := r.repeats.forest(i); forest != nil && e.Forest().Trees() < forest.Trees() {
			return true
		}
	}
	return false
}

// repeated ends a run that has come as far as in the record, if the time was over
// there. The last run goes on with the time that is left.
func (f *Fit) repeated() {
	last := f.runs == len(f.job.Record.Runs)-1
	switch {
	case last:
		f.watch(f.elapsed)
	case f.run.repeats.TimeOut && f.run.stopped == "":
		f.run.stopped = boost.StoppedByTimeLimit
	}
}
