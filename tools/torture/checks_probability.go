package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/metric"
)

// checkSets checks that prediction sets cover the rows that their scores are from as
// often as asked, also class by class, and are the same for some rows by themselves.
func checkSets(t *trial, d dice) error {
	m, err := t.model.Conformalize(t.x, t.train.labels(), t.train.weights)
	if err != nil {
		return err
	}
	classes, rows := len(m.Classes()), t.train.rows()
	s := aoso.SetOptions{
		Alpha:            d.logUniform(1e-3, 0.99),
		Method:           []string{aoso.SetLAC, aoso.SetAPS, aoso.SetRAPS}[d.IntN(3)],
		ClassConditional: d.chance(0.5),
		NonEmpty:         d.chance(0.3),
	}
	sets, err := m.PredictSet(t.x, s)
	if err != nil {
		return err
	}
	row := d.IntN(rows)
	one, err := m.PredictSet(t.train.slice(row, row+1).columns(), s, aoso.PredictOptions{NThread: 1})
	if err != nil {
		return err
	}
	if !slices.Equal(one, sets[row*classes:][:classes]) {
		return fmt.Errorf("%+v: row %d has another set by itself", s, row)
	}
	hits, total, counted := make([]float64, classes), make([]float64, classes), 0
	for i, y := range t.codes {
		w := 1.0
		if t.train.weights != nil {
			w = float64(float32(t.train.weights[i]))
		}
		if w == 0 {
			continue
		}
		counted++
		group := 0
		if s.ClassConditional {
			group = y
		}
		total[group] += w
		if sets[i*classes+y] {
			hits[group] += w
		}
	}
	if s.Method == aoso.SetRAPS || m.ConformalRows() < counted {
		return nil // some rows do not count
	}
	for k := range total {
		if hits[k] < (1-s.Alpha)*total[k]*(1-1e-9) {
			return fmt.Errorf("%+v: sets cover %g of %g", s, hits[k], total[k])
		}
	}
	return nil
}

// checkProbabilities checks decisions and reliability against the probabilities.
func checkProbabilities(t *trial, d dice) error {
	proba, err := t.model.PredictProba(t.x)
	if err != nil {
		return err
	}
	classes, choices := len(t.model.Classes()), d.between(1, 4)
	costs := make([]float64, classes*choices)
	for i := range costs {
		costs[i] = d.Float64() - 0.1
	}
	decisions, expected, err := t.model.Decide(t.x, costs)
	if err != nil {
		return err
	}
	brier, weight := 0.0, 0.0
	for i, y := range t.codes {
		p := proba[i*classes:][:classes]
		for choice := range choices {
			mean := 0.0
			for k := range p {
				mean += p[k] * costs[k*choices+choice]
			}
			if choice == decisions[i] && !near(expected[i], mean, 1e-9, 1) || mean < expected[i]-1e-9 {
				return fmt.Errorf("row %d: decision %d is said to cost %g; decision %d costs %g", i, decisions[i], expected[i], choice, mean)
			}
		}
		w := 1.0
		if t.train.weights != nil {
			w = float64(float32(t.train.weights[i]))
		}
		weight += w
		for k, p := range p {
			if k == y {
				p--
			}
			brier += w * p * p
		}
	}
	r, err := t.model.Reliability(t.x, t.train.labels(), t.train.weights)
	if err != nil {
		return err
	}
	share := 0.0
	for _, b := range r.Bins {
		share += b.Share
	}
	if !near(r.Brier, brier/weight, 1e-6, 1) || !(r.ECE >= 0 && r.ECE <= 1) || len(r.Bins) > metric.MostBins || math.Abs(share-1) > 1e-6 {
		return fmt.Errorf("%d bins of share %g, ECE %g, Brier score %g, recomputed %g", len(r.Bins), share, r.ECE, r.Brier, brier/weight)
	}
	return nil
}
