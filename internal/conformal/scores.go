// Package conformal makes prediction sets: for each row, classes among which its
// own is with a probability that the caller chooses (split conformal prediction; V.
// Vovk, A. Gammerman and G. Shafer, Algorithmic learning in a random world, 2005).
//
// A score says how badly a class fits the probabilities that a model gives a row.
// Rows that the model was not trained on tell how bad the scores of true classes
// are. A prediction set has the classes whose scores are no worse.
package conformal

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/hash"
	"github.com/libaoso/aoso/internal/par"
)

// mostClasses is the most classes for which scores are kept: their numbers have 16 bits.
const mostClasses = 1 << 16

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
	Tuning int // the number of first rows, which chose the penalty
}

// Penalty is what method raps adds to the scores of classes beyond the most likely.
type Penalty struct {
	Lambda float64 // for each class beyond
	Free   int     // the most likely classes, which have none
}

// of returns the penalty of a class that this many are ahead of.
func (p Penalty) of(rank int) float64 {
	return float64(p.Lambda * float64(max(0, rank+1-p.Free)))
}

// Rows returns the number of rows.
func (s *Scores) Rows() int { return len(s.Labels) }

func (s *Scores) weight(row int) float64 {
	if s.Weights == nil {
		return 1
	}
	return float64(s.Weights[row])
}

// Target is the classes of the rows that scores can be kept of.
type Target struct {
	Ranks   *collective.Group // whose other machines have more rows; nil: these are all
	Classes int
	Labels  []int32   // by row; below 0: none of the classes
	Weights []float32 // by row; nil: all one
	IDs     []uint64  // by row, no two the same; nil: the rows' positions
}

func (t *Target) weight(row int) float32 {
	if t.Weights == nil {
		return 1
	}
	return t.Weights[row]
}

func (t *Target) id(row int) uint64 {
	if t.IDs == nil {
		return uint64(row)
	}
	return t.IDs[row]
}

// Sample is the rows of a target whose scores a model keeps, in a random order: all
// that have a known class and weight, or MaxRows of them.
type Sample struct {
	classes int
	ranks   *collective.Group
	from    []int // by row: the rank that has it
	rows    []int // by row: where
	labels  []uint16
	weights []float32
}

// place is where a row of a sample is.
type place struct {
	hash   uint64
	from   int
	row    int
	label  uint16
	weight float32
}

// NewSample draws by the ids of the rows.
func NewSample(t Target) *Sample {
	places := least(placesOf(&t))
	if t.Ranks != nil {
		places = least(gather(places, t.Ranks))
	}
	s := &Sample{classes: t.Classes, ranks: t.Ranks}
	for _, p := range places {
		s.from, s.rows, s.labels = append(s.from, p.from), append(s.rows, p.row), append(s.labels, p.label)
		if t.Weights != nil {
			s.weights = append(s.weights, p.weight)
		}
	}
	return s
}

// placesOf returns the rows of a target that may be drawn.
func placesOf(t *Target) (places []place) {
	if t.Classes > mostClasses {
		return nil
	}
	for row, y := range t.Labels {
		if w := t.weight(row); y >= 0 && w > 0 {
			places = append(places, place{hash.Mix(t.id(row)), t.Ranks.Rank(), row, uint16(y), w})
		}
	}
	return places
}

// least returns the MaxRows places with the least hashes, in order.
func least(places []place) []place {
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.hash, b.hash) }) // no two are equal
	return places[:min(len(places), MaxRows)]
}

// gather returns the places of all machines.
func gather(mine []place, ranks *collective.Group) (all []place) {
	const size = 8 + 8 + 2 + 4
	order := binary.LittleEndian
	b := make([]byte, 0, size*len(mine))
	for _, p := range mine {
		b = order.AppendUint64(b, p.hash)
		b = order.AppendUint64(b, uint64(p.row))
		b = order.AppendUint16(b, p.label)
		b = order.AppendUint32(b, math.Float32bits(p.weight))
	}
	for rank, theirs := range ranks.Gather(b, size) {
		for ; len(theirs) > 0; theirs = theirs[size:] {
			all = append(all, place{
				order.Uint64(theirs), rank, int(order.Uint64(theirs[8:])),
				order.Uint16(theirs[16:]), math.Float32frombits(order.Uint32(theirs[18:])),
			})
		}
	}
	return all
}

// gatherScores returns the raw scores of the sample, rows × classes.
func (s *Sample) gatherScores(raw []float64) []float64 {
	var mine []uint64
	for i, row := range s.rows {
		if s.from[i] == s.ranks.Rank() {
			for _, score := range raw[row*s.classes:][:s.classes] {
				mine = append(mine, math.Float64bits(score))
			}
		}
	}
	left := make([][]uint64, s.ranks.Size()) // by rank
	for rank, b := range s.ranks.Gather(collective.Pack(mine), 8*s.classes) {
		left[rank] = collective.Unpack(b)
	}
	scores := make([]float64, len(s.rows)*s.classes)
	for i, rank := range s.from {
		if len(left[rank]) < s.classes {
			break // the collective has failed
		}
		for k := range s.classes {
			scores[i*s.classes+k] = math.Float64frombits(left[rank][k])
		}
		left[rank] = left[rank][s.classes:]
	}
	return scores
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
	at := func(i int) int { return s.rows[i] }
	if s.ranks != nil {
		raw = s.gatherScores(raw)
		at = func(i int) int { return i }
	}
	tuning := newTuning(n, s.classes)
	const block = 64
	rooms := make([][]float64, team.Workers())
	team.Do((n+block-1)/block, func(worker, b int) {
		first, end := b*block, min((b+1)*block, n)
		p := slices.Grow(rooms[worker][:0], (end-first)*s.classes)
		for i := first; i < end; i++ {
			p = append(p, raw[at(i)*s.classes:][:s.classes]...)
		}
		rooms[worker] = p
		proba(p)
		for i := first; i < end; i++ {
			row, y := newRow(p[(i-first)*s.classes:][:s.classes]), int(s.labels[i])
			above, rank := row.ahead(y)
			scores.LAC[i], scores.APS[i], scores.Ranks[i] = row.lac(y), row.aps(row.p[y], above), uint16(rank)
			tuning.add(i, row)
		}
	})
	scores.Penalty, scores.Tuning = tuning.penalty(scores), tuning.rows
	return scores
}
