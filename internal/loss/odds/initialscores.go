package odds

import (
	"cmp"
	"slices"

	"github.com/libaoso/aoso/internal/loss"
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
	// Same reports whether all rows have the same scores.
	Same() bool
}

// initialOdds are the odds of rows before the first tree, against the most likely class of each row.
type initialOdds struct {
	InitialScores
	most []float64 // by row: the greatest score
	same *sameOdds // of all rows; nil: rows differ
}

// sameOdds are the odds of the classes before the first tree where all rows have the same.
type sameOdds struct {
	odds  []float64 // by class
	order []uint32  // the classes from the most likely one on
	sum   float64
}

func newInitialOdds(of InitialScores, rows, classes int) *initialOdds {
	if b := (&initialOdds{InitialScores: of}); of.Same() {
		b.most = make([]float64, 1)
		b.same = b.ofAllRows(classes)
		return b
	}
	return &initialOdds{InitialScores: of, most: make([]float64, rows)}
}

func (b *initialOdds) ofAllRows(classes int) *sameOdds {
	s := &sameOdds{odds: make([]float64, b.Stride()), order: make([]uint32, classes)}
	b.Scores(0, 1, s.odds)
	s.odds = s.odds[:classes]
	b.all(0, s.odds)
	for k, odds := range s.odds {
		s.order[k] = uint32(k)
		s.sum += odds
	}
	slices.SortStableFunc(s.order, func(i, j uint32) int { return cmp.Compare(s.odds[j], s.odds[i]) })
	return s
}

// at returns the odds of scores that are divided by the temperature.
func (s *sameOdds) at(temperature float64) *sameOdds {
	if temperature == 1 {
		return s
	}
	t := &sameOdds{odds: make([]float64, len(s.odds)), order: s.order}
	for k, odds := range s.odds {
		t.odds[k] = kernel.Exp(loss.Log(odds) / temperature)
		t.sum += t.odds[k]
	}
	return t
}

// of returns the odds of a class. Without any, the odds of all classes are one.
func (s *sameOdds) of(class uint32) float64 {
	if s == nil {
		return 1
	}
	return s.odds[class]
}

// ranked returns the class that is the most likely one but for i others, the lowest where some tie.
func (s *sameOdds) ranked(i int) uint32 {
	if s == nil {
		return uint32(i)
	}
	return s.order[i]
}

// total returns the sum of the odds of all classes.
func (s *sameOdds) total(classes int) float64 {
	if s == nil {
		return float64(classes)
	}
	return s.sum
}

// leastExponent is what e to the power of is above leastOdds, but not by much.
const leastExponent = -69

// odds is those of a score of a row.
func (b *initialOdds) odds(row int, score float64) float64 {
	if x := score - b.most[row]; x > leastExponent {
		return kernel.Exp(x)
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
	if b.same != nil {
		for i, k := range classes {
			odds[i] = float32(b.same.odds[k])
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
	if same := e.base.same; same != nil {
		e.setSame(same)
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

// setSame gives the most likely classes entries, in all rows but for their labels.
func (e *entries) setSame(same *sameOdds) {
	top := same.order[:min(e.likely+1, e.classes)]
	light := 0.0
	for _, k := range same.order[len(top):] {
		light += float64(float32(same.odds[k]))
	}
	for row := range e.rows {
		s, all, n := &e.rows[row], e.all[row*e.likely:][:e.likely], 0
		s.own, s.light = float32(same.odds[s.label]), light
		for _, k := range top {
			switch {
			case k == s.label:
			case n < e.likely:
				all[n] = entry{k, float32(same.odds[k])}
				n++
			default: // the label is not among them
				s.light += float64(float32(same.odds[k])) - float64(s.own)
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
