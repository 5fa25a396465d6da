package acceptance

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
)

// TestValidation compares the validation figures, got on bins, with those of
// the model on the raw values, among them values that training never saw.
func TestValidation(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 0))
	trainSet := blobs(38, 1500, 5, 5, 60)
	for _, row := range trainSet.x {
		if r.IntN(20) == 0 {
			row[0] = math.NaN() // feature 0 is at times missing, feature 4 never
		}
		row[3] = 7 // constant, but for what is missing
		switch r.IntN(20) {
		case 0:
			row[1] = math.Inf(1)
		case 1:
			row[2] = math.Inf(-1)
		case 2:
			row[3] = math.NaN()
		}
	}
	validSet := blobs(38, 1500, 5, 5, 60).weighted(38)
	for _, row := range validSet.x {
		for j := range row {
			switch r.IntN(8) {
			case 0:
				row[j] = math.NaN()
			case 1:
				row[j] = 1000 * r.NormFloat64()
			case 2:
				row[j] += r.Float64()
			case 3:
				row[j] = math.Inf(r.IntN(2)*2 - 1)
			}
		}
	}
	for i := range 40 {
		validSet.y[i] = 77 // which training has not
	}
	set := newDataset(t, trainSet)
	valid := aligned(t, set, validSet)
	if valid.Unknown() != 40 {
		t.Fatalf("%d rows of unknown classes, want 40", valid.Unknown())
	}
	for _, v := range everyVariant {
		t.Run(v.name, func(t *testing.T) {
			result := train(t, set, params(func(p *aoso.Params) { v.change(p); rounds(p, 8, 5) }), aoso.TrainOptions{Valid: valid})
			got, err := result.Model.Evaluate(validSet.features(), validSet.labels(), validSet.weights)
			if err != nil {
				t.Fatal(err)
			}
			if *got != *result.Valid {
				t.Errorf("by bins %+v, by values %+v", *result.Valid, *got)
			}
			raw := rawScores(t, result.Model, validSet.features(), aoso.PredictOptions{})
			if e, err := result.Model.EvaluateRaw(raw, validSet.labels(), validSet.weights); err != nil || *e != *got {
				t.Errorf("by raw scores %+v, by values %+v, %v", e, *got, err)
			}
			want := referenceEvaluation(t, result.Model, validSet)
			if got.Errors != want.Errors || !near(got.ErrorRate, want.ErrorRate, 1e-12) || !near(got.LogLoss, want.LogLoss, 1e-12) {
				t.Errorf("%+v, want %+v", *got, want)
			}
		})
	}
}

// referenceEvaluation is Model.Evaluate by the book.
func referenceEvaluation(t *testing.T, m *aoso.Model, d *table) (e aoso.Evaluation) {
	t.Helper()
	proba, err := m.PredictProba(d.features())
	if err != nil {
		t.Fatal(err)
	}
	classes := len(m.Classes())
	all, known, wrong := 0.0, 0.0, 0.0
	for i, y := range d.y {
		p, w := proba[i*classes:][:classes], d.weights[i]
		all += w
		if y < classes {
			known += w
			e.LogLoss -= w * math.Log(p[y])
		}
		if y >= classes || slices.Index(p, slices.Max(p)) != y {
			e.Errors++
			wrong += w
		}
	}
	e.ErrorRate, e.LogLoss = wrong/all, e.LogLoss/known
	return e
}

// TestRaw compares what raw scores give with what their rows give, at a
// temperature.
func TestRaw(t *testing.T) {
	d := blobs(39, 600, 4, 5, 255).weighted(39)
	m, _ := calibrated(t, trained(t, d.slice(0, 200), params(func(p *aoso.Params) { p.NEstimators = 40 })).Model, d)
	x := d.features()
	raw := rawScores(t, m, x, aoso.PredictOptions{})
	want, err := m.Evaluate(x, d.labels(), d.weights)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := m.EvaluateRaw(raw, d.labels(), d.weights); err != nil || *e != *want {
		t.Errorf("by raw scores %+v, by rows %+v, %v", e, *want, err)
	}
	proba, err := m.PredictProba(x)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.RawToProba(raw); err != nil || !slices.Equal(raw, proba) {
		t.Error("other probabilities of raw scores than of rows", err)
	}
}
