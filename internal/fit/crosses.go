package fit

import (
	"cmp"
	"slices"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/data"
)

// crossing is a trial of crosses before others: the first trees of the scouts of an ensemble, and these trees again with crosses of the
// features that they split on most. It shows whether crosses help, and which are split on most.
type crossing struct {
	plain   *data.Set // the training set without crosses
	scouts  *run      // without crosses; nil: in training
	crosses []category.Cross
}

const (
	crossParents = 5  // features of a kind that are crossed with one another
	screenTrees  = 11 // of a scout; the path has a point there
	// Where the first trees predict more than this share of the rows wrong, crosses never helped clearly.
	mostWrong = 0.35
	// What share of the refined loss without crosses that with them must be at most.
	promising = 0.9
)

// tryCrosses starts a trial of crosses with settings p, and returns false if there is none.
func (f *Fit) tryCrosses(p boost.Params) bool {
	j := &f.job
	if j.Crosses == 0 || j.Scouts == 0 || j.Train.Ranks.Any(j.Train.Values == nil) {
		return false
	}
	if f.parts == nil { // after a search
		f.parts = newParts(j)
	}
	f.crossing = &crossing{plain: j.Train}
	p.NEstimators = min(p.NEstimators, screenTrees)
	f.scoutCrosses(p, 0)
	return true
}

// scoutCrosses starts growing the first trees of the scouts on the training set; first counts the iterations before.
func (f *Fit) scoutCrosses(p boost.Params, first int) {
	f.run = newRun(&f.job, f.parts, p, nil)
	f.run.judge(&f.job, f.parts)
	f.run.first = first
}

// candidates lists the crosses of the features of each kind that scouts have split on most.
func candidates(set *data.Set, scouts *run) (crosses []category.Cross) {
	e := set.Encoder.WithCrosses(len(set.Names), []category.Cross{{}})
	gains := gainsOf(scouts, set.Encoder.Columns(len(set.Names)))
	for _, ops := range [][]category.Op{{category.Difference, category.Ratio}, {category.Pair}} {
		var parents []int
		for _, column := range byGain(gains) {
			if column < len(set.Names) && !e.Features[column].Rated && (e.Features[column].Categories != nil) == (ops[0] == category.Pair) && len(parents) < crossParents {
				parents = append(parents, column)
			}
		}
		for i, first := range parents {
			for _, second := range parents[i+1:] {
				for _, op := range ops {
					if c := (category.Cross{First: first, Second: second, Op: op}); e.Crossable(c) {
						crosses = append(crosses, c)
					}
				}
			}
		}
	}
	return crosses
}

// gainsOf returns the gain of the splits on each column.
func gainsOf(scouts *run, columns int) []float64 {
	gains := make([]float64, columns)
	for _, engine := range scouts.engines {
		for n := range engine.Forest().AllNodes() {
			gains[n.Split().Feature] += float64(n.Gain())
		}
	}
	return gains
}

// byGain lists the positions of gains above 0, the greatest first.
func byGain(gains []float64) (positions []int) {
	for i, gain := range gains {
		if gain > 0 {
			positions = append(positions, i)
		}
	}
	slices.SortStableFunc(positions, func(a, b int) int { return cmp.Compare(gains[b], gains[a]) })
	return positions
}

// concludeCrossing ends a run of the trial.
func (f *Fit) concludeCrossing() {
	j, r, c := &f.job, f.run, f.crossing
	first, late := r.first+r.iteration, r.stopped == boost.StoppedByTimeLimit
	if c.scouts == nil {
		r.freeState()
		c.scouts = r
		if !late && r.path.best().evaluation.ErrorRate <= mostWrong {
			c.crosses = candidates(j.Train, r)
		}
		if f.cross(c.crosses) {
			f.scoutCrosses(r.began, first)
			return
		}
	} else {
		r.free()
		var best []category.Cross
		if without := c.scouts.path; !late && r.path.last().loss < promising*without.pointAt(r.iteration).loss {
			columns := c.plain.Encoder.Columns(len(c.plain.Names))
			for _, i := range byGain(gainsOf(r, columns+len(c.crosses))[columns:]) {
				if len(best) < j.Crosses {
					best = append(best, c.crosses[i])
				}
			}
		}
		f.cross(best)
	}
	f.endCrossing(first, late)
}

// cross makes the training set one with these crosses, and returns true, or else one without any.
func (f *Fit) cross(crosses []category.Cross) bool {
	j, set := &f.job, f.crossing.plain
	if len(crosses) > 0 {
		crossed, err := set.Crossed(crosses, j.Team)
		if err != nil {
			set.Ranks.Abort(err)
		} else {
			set = crossed
		}
	}
	if set != j.Train {
		f.freeParts()
		j.Train = set
		f.parts = memberParts(j, j.folds(), 0, j.Scouts)
	}
	return set != f.crossing.plain
}

// endCrossing goes on with settings: without crosses, from the scouts' trees; but with the scouts if time is over, and after a search, to the
// ensemble.
func (f *Fit) endCrossing(first int, late bool) {
	c := f.crossing
	f.crossing = nil
	switch crossed := f.job.Train != c.plain; {
	case crossed:
		f.best, f.crossed = nil, true
		f.try(first)
	case f.best != nil || late:
		f.best = cmp.Or(f.best, c.scouts)
		f.trainBest(first)
	default:
		f.keepScout(c.scouts)
		f.try(first)
	}
}
