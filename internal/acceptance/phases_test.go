package acceptance

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/tools/cases"
)

// settled changes parameters so that more rows hardly change the trees, with noisy labels.
func settled(p *aoso.Params) {
	p.Ensemble, p.MaxLeaves, p.RegLambda, p.LearningRate, p.NEstimators = 1, 3, 3, 0.3, 200
}

// TestSettledTrees: where more trees hardly help, a single model keeps the splits of the first phase, and has the leaf values
// that Refit gives them on all rows. So does one of very many rows × classes. Otherwise trees are grown again.
func TestSettledTrees(t *testing.T) {
	t.Parallel()
	const features = 3
	for _, test := range cases.Some(t, 2, []struct {
		name  string
		d     *table
		trees int
		start string
		keeps bool
	}{
		{"noisy", gaussians(50, 2000, features, 3), 0, "", true},
		{"noisy, weights", gaussians(50, 2000, features, 3).weighted(5), 0, "", true},
		{"noisy, two labels", gaussians(51, 2000, features, 2), 0, "", true},
		{"few trees", letter().slice(0, 2000), 30, "", false},
		{"few trees, many labels", gaussians(52, 14_000, features, 9_600), 3, "prior", true},
	}) {
		d, p := newDataset(t, test.d), defaults(func(p *aoso.Params) {
			p.NEstimators, p.Start, p.Ensemble = test.trees, test.start, 1
			p.LearningRate, p.MaxLeaves, p.MinSamplesLeaf = 0.2, 6, 20
			p.RegLambda, p.MaxDeltaStep, p.ColsampleByNode, p.Subsample = 3, 5, 1, 1
		})
		count, r := phases(t, d, p, nil)
		trainer := newTrainer(t, d, p, aoso.TrainOptions{})
		for range count[aoso.PhaseHoldOut] - 1 {
			trainer.Step(context.Background())
		}
		held := forest(trainer.Result().Model)
		trees := min(r.Model.Trees(), held.Trees())
		if keeps := slices.Equal(splits(forest(r.Model).Truncated(trees)), splits(held.Truncated(trees))); keeps != test.keeps || trees < 2 {
			t.Errorf("%s: the final model keeps the splits of the first phase: %t", test.name, keeps)
		}
		if rows := rowsOfNodes(forest(r.Model))[0]; rows != len(test.d.x) {
			t.Errorf("%s: %d rows at the first root", test.name, rows)
		}
		if !test.keeps {
			continue
		}
		most, values := 0.0, leafValues(forest(r.Model))
		for i, want := range leafValues(forest(refitted(t, r.Model, test.d, aoso.RefitOptions{}))) {
			most = max(most, math.Abs(float64(want-values[i])))
		}
		if most > 1e-4 {
			t.Errorf("%s: a leaf value differs by %g from that of all rows", test.name, most)
		}
	}
}

// TestTemperatureOfAllRows: the temperature of a single model suits other rows better than the one that suits a model of
// four fifths of the rows.
func TestTemperatureOfAllRows(t *testing.T) {
	const rows = 2000
	all := letter()
	m := trained(t, all.slice(0, rows), defaults(func(p *aoso.Params) { p.Ensemble = 1 })).Model
	other := all.slice(rows, rows+2000)
	before := withTemperature(m, 1+(m.Temperature()-1)/0.8)
	loss := func(m *aoso.Model) float64 {
		e, err := m.Evaluate(other.features(), other.labels(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return e.LogLoss
	}
	if got, without := loss(m), loss(before); got >= without {
		t.Errorf("log loss %.4f at temperature %.2f, %.4f at %.2f", got, m.Temperature(), without, before.Temperature())
	}
}

// TestSlowSetting: small trees that learn slowly, and at first are far behind large ones, predict sums of many effects better in the end.
func TestSlowSetting(t *testing.T) {
	t.Parallel()
	const rows, features, levels, classes = 12_000, 8, 12, 6
	r := rand.New(rand.NewPCG(9, 4))
	var effects [features][levels][classes]float64
	for f := range effects {
		for l := range levels {
			for k := range classes {
				effects[f][l][k] = r.NormFloat64()
			}
		}
	}
	d := &table{}
	for range rows {
		x, scores := make([]float64, features), [classes]float64{}
		for f := range x {
			l := r.IntN(levels)
			x[f] = float64(l)
			for k := range scores {
				scores[k] += effects[f][l][k]
			}
		}
		best := 0
		for k := range scores {
			if scores[k] -= 0.5 * math.Log(r.ExpFloat64()); scores[k] > scores[best] {
				best = k
			}
		}
		d.x, d.y = append(d.x, x), append(d.y, best)
	}
	m := train(t, newDataset(t, d), defaults(func(p *aoso.Params) { p.Ensemble = 1 }), aoso.TrainOptions{}).Model
	if leaves := m.Params().MaxLeaves; leaves > 20 {
		t.Errorf("%d leaves", leaves)
	}
}
