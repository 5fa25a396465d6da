package fit

import (
	"cmp"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/data"
)

// crossing is a trial of crosses. The scouts of an ensemble are grown again with crosses of the features that they split on most: first
// a few trees with all of them, which show whether any help and which are split on most; then all trees with these.
type crossing struct {
	plain    *data.Set // the training set without crosses
	crosses  []category.Cross
	screened bool
}

const (
	crossParents = 5  // features of a kind that are crossed with one another
	screenTrees  = 11 // of a scout with all crosses; the path has a point there
	// Where more than this share of the rows is predicted wrong, crosses never helped clearly, and there is no trial.
	mostWrong = 0.25
	// The refined loss must fall below these shares of the loss without crosses, after the first trees and in the end, and in the end by
	// this many standard errors of the difference.
	promising, worthwhile, significant = 0.9, 0.97, 1.
)

// tryCrosses starts a trial of crosses, and returns false if there is none. first counts the iterations before.
func (f *Fit) tryCrosses(first int) bool {
	j := &f.job
	if j.Crosses == 0 || f.best.path.best().evaluation.ErrorRate > mostWrong || j.Train.Ranks.Any(j.Train.Values == nil) {
		return false
	}
	crosses := candidates(j.Train, f.best)
	if len(crosses) == 0 {
		return false
	}
	f.crossing = &crossing{plain: j.Train}
	f.scoutCrosses(crosses, screenTrees, first)
	return true
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

// screens reports whether the current run has the first trees with all crosses.
func (f *Fit) screens() bool { return f.crossing != nil && !f.crossing.screened }

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

// scoutCrosses starts growing at most that many trees of the scouts with crosses; first counts the iterations before.
func (f *Fit) scoutCrosses(crosses []category.Cross, trees, first int) {
	j, c, p := &f.job, f.crossing, f.best.began
	set, err := c.plain.Crossed(crosses, j.Team)
	if err != nil {
		c.plain.Ranks.Abort(err)
		f.endCrossing(first)
		return
	}
	f.freeParts()
	j.Train, c.crosses = set, crosses
	p.NEstimators = min(p.NEstimators, trees)
	f.parts = memberParts(j, j.folds(), 0, j.Scouts)
	f.run = newRun(j, f.parts, p, nil)
	f.run.judge(j, f.parts)
	f.run.first = first
}

// concludeCrossing ends a run with crosses.
func (f *Fit) concludeCrossing() {
	r, c, without := f.run, f.crossing, f.best.path
	first := r.first + r.iteration
	r.free()
	if c.screened {
		gained := without.lowest() - r.path.lowest()
		if r.path.lowest() < worthwhile*without.lowest() && gained > significant*without.standardError(r.path.losses) {
			f.best, f.plain, f.crossing = r, c.plain, nil
			f.trainEnsemble(first)
			return
		}
		f.endCrossing(first)
		return
	}
	if last := r.path.last(); last.loss >= promising*without.pointAt(last.iteration).loss {
		f.endCrossing(first)
		return
	}
	columns := c.plain.Encoder.Columns(len(c.plain.Names))
	var best []category.Cross
	for _, i := range byGain(gainsOf(r, columns+len(c.crosses))[columns:]) {
		if len(best) < f.job.Crosses {
			best = append(best, c.crosses[i])
		}
	}
	if len(best) == 0 {
		f.endCrossing(first)
		return
	}
	c.screened = true
	f.scoutCrosses(best, math.MaxInt, first)
}

// endCrossing goes on without crosses.
func (f *Fit) endCrossing(first int) {
	f.job.Train, f.crossing = f.crossing.plain, nil
	f.freeParts()
	f.trainEnsemble(first)
}
