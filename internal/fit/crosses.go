package fit

import (
	"cmp"
	"slices"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/data"
)

// crossing is a trial of crosses before others: the scouts of an ensemble pause after their first trees, and these trees are grown again
// with crosses of the features that they split on most. It shows whether crosses help, and which are split on most.
type crossing struct {
	plain   *data.Set // the training set without crosses
	scouts  *run      // without crosses, once they pause
	parts   []part    // of theirs
	crosses []category.Cross
}

const (
	crossParents = 5  // features of a kind that are crossed with one another
	screenTrees  = 11 // of a scout; the path has a point there
	// Where the first trees predict more than this share of the rows wrong, crosses of numbers never helped clearly.
	mostWrong = 0.35
	// What share of the refined loss without crosses that with them must be at most: for all crosses, and for pairs of categories
	// alone. More trees add to what pairs gain, and pairs that gain nothing hardly harm if there are many rows.
	promising, promisingPairs = 0.9, 0.99
	pairRows                  = 20 // with fewer than 2000 rows, pairs must gain this much divided by the number of rows
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
	f.hold(p, newJudge(j, f.parts), 0)
	f.crossing = &crossing{plain: j.Train}
	return true
}

// screened reports whether the current run has the first trees of the trial.
func (f *Fit) screened() bool { return f.crossing != nil && f.run.iteration == screenTrees }

// candidates lists the crosses of the features of each kind that scouts have split on most. There are none of numbers if the scouts
// predict many rows wrong.
func candidates(set *data.Set, scouts *run) (crosses []category.Cross) {
	e := set.Encoder.WithCrosses(len(set.Names), []category.Cross{{}})
	gains := gainsOf(scouts, set.Encoder.Columns(len(set.Names)))
	for _, ops := range [][]category.Op{{category.Difference, category.Ratio}, {category.Pair}} {
		if ops[0] != category.Pair && scouts.path.best().evaluation.ErrorRate > mostWrong {
			continue
		}
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
		c.scouts, c.parts = r, f.parts
		if !late {
			c.crosses = candidates(j.Train, r)
		}
		if f.cross(c.crosses) {
			f.hold(r.began, newJudge(&f.job, f.parts), first)
			return
		}
	} else {
		r.free()
		f.freeParts()
		if !late && f.cross(c.best(r, j.Crosses)) {
			c.free()
			f.crossing, f.crossed, f.best = nil, true, nil
			f.try(first)
			return
		}
	}
	f.crossing, j.Train, f.run, f.parts = nil, c.plain, c.scouts, c.parts
	f.run.first = first - f.run.iteration
	switch {
	case f.best != nil: // after a search
		f.run.free()
		f.trainBest(first)
	case f.run.stopped != "":
		f.conclude()
	}
}

// best returns the crosses that a run with all of them split on most, at most that many; none if they do not help.
func (c *crossing) best(r *run, most int) (best []category.Cross) {
	last := r.path.last()
	share := last.loss / c.scouts.path.pointAt(last.iteration).loss
	if pairs := min(promisingPairs, 1-pairRows/float64(c.plain.AllRows())); !(share < max(promising, pairs)) {
		return nil
	}
	columns := c.plain.Encoder.Columns(len(c.plain.Names))
	for _, i := range byGain(gainsOf(r, columns+len(c.crosses))[columns:]) {
		if len(best) < most && (share < promising || c.crosses[i].Op == category.Pair) {
			best = append(best, c.crosses[i])
		}
	}
	return best
}

// cross adds crosses to the training set and splits it into parts. It returns false without an effect if there are none.
func (f *Fit) cross(crosses []category.Cross) bool {
	j, plain := &f.job, f.crossing.plain
	if len(crosses) == 0 {
		return false
	}
	set, err := plain.Crossed(crosses, j.Team)
	if err != nil {
		plain.Ranks.Abort(err)
		return false
	}
	j.Train = set
	f.parts = newParts(j)
	return true
}

// free releases the memory of the scouts.
func (c *crossing) free() {
	c.scouts.free()
	freeParts(c.parts)
}
