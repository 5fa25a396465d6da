package conformal

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/par"
)

// drawn returns the probabilities of rows, rows × classes, and classes drawn from them,
// the last one seldom.
func drawn(r *rand.Rand, rows, classes int) ([]float64, []int32) {
	proba, labels := make([]float64, rows*classes), make([]int32, rows)
	for i := range labels {
		p, sum := proba[i*classes:][:classes], 0.0
		for k := range p {
			p[k] = math.Exp(2 * r.NormFloat64() / float64(1+k/(classes-1)))
			sum += p[k]
		}
		u := r.Float64() * sum
		for k := range p {
			if u >= 0 {
				labels[i] = int32(k)
			}
			u -= p[k]
			p[k] /= sum
		}
	}
	return proba, labels
}

func target(labels []int32, classes int) Target { return Target{Labels: labels, Classes: classes} }

// scoresOf returns the scores of rows whose probabilities are known.
func scoresOf(proba []float64, t Target) *Scores {
	return NewSample(t).Scores(proba, func([]float64) {}, &par.Team{})
}

// TestCoverage: in the mean over many samples, the coverage is at least 1 − alpha
// and at most 1/(n+1) more, n being the number of rows that count; in each class if
// asked.
func TestCoverage(t *testing.T) {
	const classes, rows, tests, repeats, alpha = 3, 60, 50, 600, 0.15
	r := rand.New(rand.NewPCG(1, 0))
	for _, method := range Methods {
		for _, byClass := range []bool{false, true} {
			var hits, total [classes]float64
			atMost := 0.0 // coverage, in the mean
			for range repeats {
				proba, labels := drawn(r, rows, classes)
				s := scoresOf(proba, target(labels, classes))
				n := rows
				if method == RAPS {
					n -= s.Tuning
				}
				atMost += (1 - alpha + 1/float64(n+1)) / repeats
				proba, labels = drawn(r, tests, classes)
				sets := make([]bool, len(proba))
				s.NewRule(method, alpha, byClass).Sets(proba, sets)
				for i, y := range labels {
					total[y]++
					if sets[i*classes+int(y)] {
						hits[y]++
					}
				}
			}
			// One standard error is about 0.002: rows of a sample have one threshold.
			const tolerance = 0.008
			sum := (hits[0] + hits[1] + hits[2]) / (total[0] + total[1] + total[2])
			if sum < 1-alpha-tolerance || !byClass && sum > atMost+tolerance {
				t.Errorf("%s, by class %v: coverage %.4f, want %.4f to %.4f", method, byClass, sum, 1-alpha, atMost)
			}
			for k := range classes {
				if share := hits[k] / total[k]; byClass && share < 1-alpha-tolerance {
					t.Errorf("%s: coverage of class %d: %.4f, want %.4f", method, k, share, 1-alpha)
				}
			}
		}
	}
}

// TestScores compares scores with their definitions, for rows with and without ties.
func TestScores(t *testing.T) {
	proba := []float64{
		0.5, 0.25, 0.125, 0.125,
		0.25, 0.25, 0.25, 0.25,
		1e-30, 1 - 1e-15, 1e-20, 0,
		0, 0, 0, 1,
	}
	ranks := [][]uint16{{0, 1, 2, 3}, {0, 1, 2, 3}, {2, 0, 1, 3}, {1, 2, 3, 0}}
	for i, want := range ranks {
		p := proba[4*i:][:4]
		part := newRow(p).part
		if !(part >= 0 && part < 1) {
			t.Fatalf("part %v", part)
		}
		above := 0.0
		for rank := range uint16(4) {
			y := slices.Index(want, rank)
			s := scoresOf(p, target([]int32{int32(y)}, 4))
			lac := 0.0
			for k, p := range p {
				if k != y {
					lac += p
				}
			}
			if s.Ranks[0] != rank || s.LAC[0] != float32(lac) || math.Abs(float64(s.APS[0])-above-part*p[y]) > 1e-7 {
				t.Errorf("row %d, class %d: rank %d, scores %v and %v", i, y, s.Ranks[0], s.LAC[0], s.APS[0])
			}
			above += p[y]
		}
	}
}

// TestSets: a set has the classes whose scores, as those of true classes, are not
// above the threshold.
func TestSets(t *testing.T) {
	const classes = 5
	r := rand.New(rand.NewPCG(2, 0))
	proba, labels := drawn(r, 400, classes)
	s := scoresOf(proba, target(labels, classes))
	if s.Tuning != 80 || s.Lambda == 0 || s.Free < 1 {
		t.Errorf("tuned by %d rows: %+v", s.Tuning, s.Penalty)
	}
	for _, method := range Methods {
		for _, byClass := range []bool{false, true} {
			rule := s.NewRule(method, 0.2, byClass)
			sets := make([]bool, len(proba))
			rule.Sets(proba, sets)
			empty := 0
			for i := range labels {
				for k := range classes {
					one := scoresOf(proba[i*classes:][:classes], target([]int32{int32(k)}, classes))
					one.Penalty = s.Penalty
					if want := one.score(method, 0) <= rule.limits[k]; sets[i*classes+k] != want {
						t.Fatalf("%s, row %d, class %d: %v", method, i, k, !want)
					}
				}
				if !slices.Contains(sets[i*classes:][:classes], true) {
					empty++
				}
			}
			rule.NonEmpty = true
			filled := make([]bool, len(proba))
			rule.Sets(proba, filled)
			added := 0
			for i := range filled {
				if filled[i] != sets[i] {
					added++
				}
			}
			if added != empty {
				t.Errorf("%s: %d empty sets, %d classes added", method, empty, added)
			}
		}
	}
}

// TestThreshold: the rank that the guarantee needs, also where 1 − alpha rounds, and
// with weights.
func TestThreshold(t *testing.T) {
	numbers := func(n int, weight func(i int) float64) (all []ranked) {
		for i := range n {
			all = append(all, ranked{float64(i + 1), weight(i + 1)})
		}
		return all
	}
	one := func(int) float64 { return 1 }
	for _, c := range []struct {
		n     int
		alpha float64
		want  float64
	}{
		{9, 0.1, 9}, {8, 0.1, math.Inf(1)}, {19, 0.1, 18}, {20, 0.1, 19}, {99, 0.7, 30}, {99, 0.05, 95}, {0, 0.5, math.Inf(1)}, {1, 0.5, 1},
	} {
		if got := threshold(numbers(c.n, one), c.alpha); got != c.want {
			t.Errorf("%d rows, alpha %g: %v, want %v", c.n, c.alpha, got, c.want)
		}
		if got := threshold(numbers(c.n, func(int) float64 { return 3 }), c.alpha); got != c.want {
			t.Errorf("%d rows of weight 3, alpha %g: %v, want %v", c.n, c.alpha, got, c.want)
		}
	}
	heavy := func(i int) float64 { return float64(i / 90 * 100) } // rows 90 to 99 have all the weight
	if got := threshold(numbers(99, heavy), 0.5); got != 95 {
		t.Errorf("weighted: %v", got)
	}
}

// TestSample: rows without weight or class are left out, and so are those beyond
// the most, at random.
func TestSample(t *testing.T) {
	all := target(make([]int32, 3*MaxRows), 2)
	all.Weights = make([]float32, len(all.Labels))
	for i := range all.Labels {
		all.Labels[i], all.Weights[i] = int32(i%3)-1, float32(i%2)
	}
	s := NewSample(all)
	if len(s.rows) != MaxRows {
		t.Fatalf("%d rows", len(s.rows))
	}
	sum, seen := 0, map[int]bool{}
	for _, row := range s.rows {
		if row%3 == 0 || row%2 == 0 {
			t.Fatalf("row %d", row)
		}
		sum += row
		seen[row] = true
	}
	if mean := float64(sum) / MaxRows / float64(len(all.Labels)); len(seen) != MaxRows || math.Abs(mean-0.5) > 0.01 {
		t.Errorf("%d rows, in the mean at %g", len(seen), mean)
	}
	for _, none := range [][]int32{nil, {-1, -1}} {
		if scoresOf(make([]float64, 2*len(none)), target(none, 2)) != nil {
			t.Error("scores of no rows")
		}
	}
}

// TestSampleOrder: the rows whose scores are kept, and their order, depend on the
// rows' ids, not on their positions.
func TestSampleOrder(t *testing.T) {
	rows := MaxRows + 500
	plain := Target{Classes: 50}
	for row := range rows {
		plain.Labels = append(plain.Labels, int32(row%50))
	}
	moved := Target{Classes: plain.Classes}
	for row := range rows {
		from := (row*7 + 3) % rows
		moved.Labels, moved.IDs = append(moved.Labels, plain.Labels[from]), append(moved.IDs, uint64(from))
	}
	a, b := NewSample(plain), NewSample(moved)
	if len(a.rows) != MaxRows || !slices.Equal(a.labels, b.labels) {
		t.Error("rows in another order give other scores")
	}
}
