package odds

import (
	"slices"

	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// InitialScores are the raw scores of rows before the first tree, if they are not zero.
type InitialScores interface {
	// Stride returns the distance between the scores of two rows, at least the number of classes.
	Stride() int
	// Scores writes the scores of all classes for the rows from first up to end, rows × Stride.
	Scores(first, end int, scores []float64)
	// ScoresOf writes the scores of some classes for some rows, rows × classes.
	ScoresOf(rows, classes []uint32, scores []float64)
	// Common reports whether all rows have the same scores.
	Common() bool
}

// initialOdds are the odds of rows before the first tree, against the most likely class of each row.
type initialOdds struct {
	InitialScores
	most   []float64   // by row: the greatest score
	common *commonOdds // instead, if all rows have the same; else nil
}

func newInitialOdds(of InitialScores, rows, classes int) *initialOdds {
	if of.Common() {
		return &initialOdds{InitialScores: of, common: newCommonOdds(of, classes)}
	}
	return &initialOdds{InitialScores: of, most: make([]float64, rows)}
}

// leastExponent is what e to the power of is above leastOdds, but not by much.
const leastExponent = -69

// odds is those of a score of a row.
func (b *initialOdds) odds(row int, score float64) float64 { return oddsOf(score - b.most[row]) }

// oddsOf is the odds of a score, given how much it is above the greatest.
func oddsOf(score float64) float64 {
	if score > leastExponent {
		return kernel.Exp(score)
	}
	return leastOdds
}

// all replaces the scores of all classes of a row by odds.
func (b *initialOdds) all(row int, scores []float64) {
	b.most[row] = slices.Max(scores)
	for k, score := range scores {
		scores[k] = b.odds(row, score)
	}
}

// pick writes the odds of some classes of rows. Room holds their scores.
func (b *initialOdds) pick(rows, classes []uint32, scratch []float64, odds []float32) {
	if b.common != nil {
		for i, k := range classes {
			odds[i] = float32(b.common.odds[k])
		}
		for i := len(classes); i < len(odds); i += len(classes) {
			copy(odds[i:], odds[:len(classes)])
		}
		return
	}
	scratch = scratch[:len(rows)*len(classes)]
	b.ScoresOf(rows, classes, scratch)
	for i, score := range scratch {
		odds[i] = float32(b.odds(int(rows[i/len(classes)]), score))
	}
}

// SetInitial sets the scores of rows before the first tree, in the form for many classes. Nothing has moved them
// yet. It returns Σ (1 − p_y) over all rows and the greatest of these.
func (r *Residuals) SetInitial(scores InitialScores, team *par.Team) (sum float64, most float32) {
	e := r.entries
	e.base = newInitialOdds(scores, len(e.rows), e.classes)
	if e.base.common != nil {
		e.setCommon(e.base.common)
		return r.Bound()
	}
	const together = 16 // rows whose scores stay in the cache
	buffers, stride := make([][]float64, team.Workers()), scores.Stride()
	team.Do((len(e.rows)+together-1)/together, func(worker, i int) {
		if buffers[worker] == nil {
			buffers[worker] = make([]float64, together*stride)
		}
		first, end := i*together, min((i+1)*together, len(e.rows))
		scores.Scores(first, end, buffers[worker])
		for row := first; row < end; row++ {
			e.setInitial(row, buffers[worker][(row-first)*stride:][:e.classes])
		}
	})
	for i := range e.rows {
		e.mean += int(e.rows[i].entries)
	}
	e.mean /= max(len(e.rows), 1)
	return r.Bound()
}

// setCommon gives the most likely classes entries, in all rows but for their labels.
func (e *entries) setCommon(common *commonOdds) {
	top := common.order[:min(e.likely+1, e.classes)]
	light := 0.0
	for _, k := range common.order[len(top):] {
		light += float64(float32(common.odds[k]))
	}
	for row := range e.rows {
		s, all, n := &e.rows[row], e.all[row*e.likely:][:e.likely], 0
		s.own, s.light = float32(common.odds[s.label]), light
		for _, k := range top {
			switch {
			case k == s.label:
			case n < e.likely:
				all[n] = entry{k, float32(common.odds[k])}
				n++
			default: // the label is not among them
				s.light += float64(float32(common.odds[k])) - float64(s.own)
			}
		}
		s.entries = uint32(n)
		s.normalize(all[:n], e.classes)
	}
	e.mean = min(e.likely, e.classes-1)
}

// setInitial gives the most likely classes of a row with these scores entries. Most of many classes
// are so far below the most likely that they have the least odds.
func (e *entries) setInitial(row int, scores []float64) {
	b := e.base
	b.most[row] = slices.Max(scores)
	s, all, n, least := &e.rows[row], e.all[row*e.likely:][:e.likely], 0, 0
	s.own, s.light = float32(b.odds(row, scores[s.label])), 0
	far, near := len(scores)-1, b.most[row]+leastExponent
	for k, score := range scores {
		if !(score > near) || k == int(s.label) {
			continue
		}
		far--
		x := float32(b.odds(row, score))
		switch {
		case n < e.likely:
			all[n] = entry{uint32(k), x}
			if n++; n == e.likely {
				least = leastEntry(all)
			}
		case n > 0 && x > all[least].odds:
			s.light += float64(all[least].odds)
			all[least] = entry{uint32(k), x}
			least = leastEntry(all)
		default:
			s.light += float64(x)
		}
	}
	s.light += float64(far) * float64(float32(leastOdds))
	s.entries = uint32(n)
	s.normalize(all[:n], e.classes)
}
