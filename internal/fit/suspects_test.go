package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/libaoso/aoso/internal/data"
)

// TestSuspects compares suspects with probabilities, thresholds and the most likely other class computed row by row.
func TestSuspects(t *testing.T) {
	const rows, classes = 500, 5
	r := rand.New(rand.NewPCG(4, 5))
	target := &data.Target{Classes: []string{"a", "b", "c", "d", "e"}}
	var scores []float64
	for i := range rows {
		y := i % (classes - 1) // no row is labelled e
		for k := range classes {
			f := math.Round(2 * r.NormFloat64()) // with ties
			if k == y {
				f += 4
			}
			scores = append(scores, f)
		}
		target.Labels = append(target.Labels, int32(y))
	}
	p := follow(t, target)
	for i := range rows {
		p.from = append(p.from, uint32(1000-i))
	}
	p.addPoint(3, scores)
	proba, mean, count := make([][]float64, rows), make([]float64, classes), make([]float64, classes)
	for i, y := range target.Labels {
		sum := 0.0
		for k := range classes {
			proba[i] = append(proba[i], math.Exp(scores[i*classes+k]*p.last().factor))
			sum += proba[i][k]
		}
		for k := range classes {
			proba[i][k] /= sum
		}
		mean[y], count[y] = mean[y]+proba[i][y], count[y]+1
	}
	doubted := 0
	last := Suspect{}
	for i, s := range p.suspects(p.last()) {
		row := 1000 - s.Row
		other := -1
		for k, q := range proba[row] {
			if k != s.Label && (other < 0 || q > proba[row][other]) {
				other = k
			}
		}
		own, likely := proba[row][s.Label], proba[row][other]
		wrong := likely > own && likely*count[other] >= mean[other]
		if s.Label != int(target.Labels[row]) || s.Other != other || math.Abs(s.Probability-own) > 1e-6 || math.Abs(s.OtherProbability-likely) > 1e-6 || s.Suspected != wrong {
			t.Fatalf("%+v; want label %d with %g, other %d with %g, doubted %v", s, target.Labels[row], own, other, likely, wrong)
		}
		if i > 0 && (s.Probability < last.Probability || s.Probability == last.Probability && s.Row <= last.Row) {
			t.Fatalf("%+v after %+v", s, last)
		}
		if last = s; s.Suspected {
			doubted++
		}
	}
	if doubted == 0 || doubted > rows/2 {
		t.Errorf("%d of %d rows are doubted", doubted, rows)
	}
}

// TestViews: a path keeps views of its rows at the last point and the one picked only.
func TestViews(t *testing.T) {
	target, _ := drawn(2000, 0, 1)
	p := follow(t, target)
	p.from = make([]uint32, 2000)
	for i, noise := range []float64{2, 1, 0.2, 3, 3} {
		_, scores := drawn(2000, noise, 1)
		p.addPoint(10*(i+1), scores)
	}
	for i := range p.points {
		if kept := p.points[i].views != nil; kept != (i == 3 || i == 5) {
			t.Errorf("point %d is kept: %v; the pick is %d", i, kept, p.pick)
		}
	}
}
