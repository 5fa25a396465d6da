// Package conformal makes prediction sets: for each row, classes among which its
// own is with a probability that the caller chooses (split conformal prediction; V.
// Vovk, A. Gammerman and G. Shafer, Algorithmic learning in a random world, 2005).
//
// A score says how badly a class fits the probabilities that a model gives a row.
// Rows that the model was not trained on tell how bad the scores of true classes
// are. A prediction set has the classes whose scores are no worse.
package conformal

import (
	"slices"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/hash"
	"github.com/libaoso/aoso/internal/par"
)

// MaxRows is the most rows whose scores a model keeps.
const MaxRows = 20_000

// Scores are those of rows that a model was not trained on, each row's for its own
// class. They do not change.
type Scores struct {
	Classes int
	Labels  []uint16  // by row: the class
	Weights []float32 // by row; nil: all one
	LAC     []float32 // 1 − the class's probability
	APS     []float32 // the probability of the classes ahead of it, and a part of its own
	Ranks   []uint16  // how many classes are ahead of it

	Penalty
	Tuning int // the first so many rows chose the penalty
}

// Penalty is what method raps adds to the scores of classes beyond the likeliest.
type Penalty struct {
	Lambda float64 // for each class beyond
	Free   int     // the likeliest classes, which have none
}

// of is the penalty of a class that so many are ahead of.
func (p Penalty) of(rank int) float64 {
	return float64(p.Lambda * float64(max(0, rank+1-p.Free)))
}

// Rows is the number of rows.
func (s *Scores) Rows() int { return len(s.Labels) }

func (s *Scores) weight(row int) float64 {
	if s.Weights == nil {
		return 1
	}
	return float64(s.Weights[row])
}

// Sample is the rows of a target whose scores a model keeps, in a random order: all
// that have a known class and weight, or MaxRows of them.
type Sample struct {
	classes int
	rows    []int
	labels  []uint16
	weights []float32
}

// NewSample draws by the ids of the rows.
func NewSample(t *data.Target) *Sample {
	type place struct {
		hash uint64
		row  int
	}
	var places []place
	for row, y := range t.Labels {
		if y >= 0 && t.Weight(row) > 0 {
			places = append(places, place{hash.Mix(t.ID(row)), row})
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		if a.hash < b.hash { // no two are equal
			return -1
		}
		return 1
	})
	s := &Sample{classes: len(t.Classes)}
	for _, p := range places[:min(len(places), MaxRows)] {
		s.rows = append(s.rows, p.row)
		s.labels = append(s.labels, uint16(t.Labels[p.row]))
		if t.Weights != nil {
			s.weights = append(s.weights, t.Weights[p.row])
		}
	}
	return s
}

// Scores measures the rows of the sample. raw is the raw scores of all rows of the
// target, and proba replaces some by probabilities. It returns nil if the sample is
// empty.
func (s *Sample) Scores(raw []float64, proba func(scores []float64), team *par.Team) *Scores {
	n := len(s.rows)
	if n == 0 {
		return nil
	}
	scores := &Scores{
		Classes: s.classes, Labels: s.labels, Weights: s.weights,
		LAC: make([]float32, n), APS: make([]float32, n), Ranks: make([]uint16, n),
	}
	tuning := newTuning(n, s.classes)
	const block = 64
	team.Do((n+block-1)/block, func(_, b int) {
		first, end := b*block, min((b+1)*block, n)
		p := make([]float64, 0, (end-first)*s.classes)
		for _, row := range s.rows[first:end] {
			p = append(p, raw[row*s.classes:][:s.classes]...)
		}
		proba(p)
		for i := first; i < end; i++ {
			row, y := newRow(p[(i-first)*s.classes:][:s.classes]), int(s.labels[i])
			above, rank := row.ahead(y)
			scores.LAC[i], scores.APS[i], scores.Ranks[i] = row.lac(y), row.aps(y, above), uint16(rank)
			tuning.add(i, row)
		}
	})
	scores.Penalty, scores.Tuning = tuning.penalty(scores), tuning.rows
	return scores
}
