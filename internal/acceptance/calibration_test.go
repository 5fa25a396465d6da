package acceptance

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/kernel"
)

func calibrated(t testing.TB, m *aoso.Model, d *table) (*aoso.Model, *aoso.Calibration) {
	t.Helper()
	c, report, err := m.Calibrate(d.features(), d.labels(), d.weights, aoso.PredictOptions{NThread: 2})
	if err != nil {
		t.Fatal(err)
	}
	if c.Temperature() != report.Temperature {
		t.Fatalf("temperature %v, reported %v", c.Temperature(), report.Temperature)
	}
	return c, report
}

// drawn returns rows whose labels are drawn by a model's probabilities at a
// temperature.
func drawn(t testing.TB, m *aoso.Model, d *table, temperature float64) *table {
	t.Helper()
	r := rand.New(rand.NewPCG(140, 0))
	labels := &table{x: d.x, weights: d.weights}
	scores, classes := rawScores(t, m, d.features(), aoso.PredictOptions{}), len(m.Classes())
	for i := range d.x {
		p := scores[i*classes:][:classes]
		kernel.Softmax(&kernel.SoftmaxJob{Scores: p, Classes: classes, Temperature: temperature})
		k, u := 0, r.Float64()
		for ; k < classes-1 && u > p[k]; k++ {
			u -= p[k]
		}
		labels.y = append(labels.y, k)
	}
	return labels
}

// TestCalibrate finds the temperature that labels were drawn at, and none is
// better.
func TestCalibrate(t *testing.T) {
	d := blobs(140, 5000, 4, 5, 255).punch(140, 0.05)
	m := trained(t, d.slice(0, 500), params(func(p *aoso.Params) { p.NEstimators = 30 })).Model
	for _, data := range []*table{d, d.weighted(140)} {
		for _, want := range []float64{0.3, 1, 5} {
			c, report := calibrated(t, m, drawn(t, m, data, want))
			if math.Abs(report.Temperature/want-1) > 0.2 || report.After > report.Before {
				t.Errorf("drawn at %v: %+v", want, report)
			}
			labels := drawn(t, m, data, want)
			loss := func(temperature float64) float64 {
				other := changed(c, func(c *model.Model) { c.Temperature = temperature })
				e, err := other.Evaluate(labels.features(), labels.labels(), labels.weights)
				if err != nil {
					t.Fatal(err)
				}
				return e.LogLoss
			}
			if got := loss(report.Temperature); got != report.After || loss(1) != report.Before {
				t.Errorf("log loss %v and %v, reported %+v", loss(1), got, report)
			}
			for _, other := range []float64{0.5, 0.9, 0.999, 1.001, 1.1, 2} {
				if loss(report.Temperature*other) <= report.After {
					t.Errorf("drawn at %v, %v × %v is as good", want, report.Temperature, other)
				}
			}
			if again, _ := calibrated(t, c, labels); !near(again.Temperature(), c.Temperature(), 1e-9) {
				t.Errorf("calibrated again, %v becomes %v", c.Temperature(), again.Temperature())
			}
		}
	}
}

// TestTemperature: what it changes, and what not.
func TestTemperature(t *testing.T) {
	d := blobs(141, 600, 4, 5, 255)
	m := trained(t, d.slice(0, 200), params(func(p *aoso.Params) { p.NEstimators = 40 })).Model
	valid := d.slice(200, 600)
	x := valid.features()
	before := m.Fingerprint()
	c, _ := calibrated(t, m, valid)
	if m.Temperature() != 1 || m.Fingerprint() != before || c.Fingerprint() == before {
		t.Error("the model's own temperature or fingerprint changed, or that of the calibrated is the same")
	}
	if bytes.Contains(encode(t, m), []byte("temperature")) {
		t.Error("a model without temperature has it in its file")
	}
	scores := rawScores(t, c, x, aoso.PredictOptions{})
	if !slices.Equal(scores, rawScores(t, m, x, aoso.PredictOptions{})) {
		t.Error("other scores")
	}
	loaded, err := decode(encode(t, c))
	if err != nil || loaded.Temperature() != c.Temperature() || loaded.Fingerprint() != c.Fingerprint() {
		t.Fatal("another temperature comes back", err)
	}
	proba, err := loaded.PredictProba(x)
	if err != nil {
		t.Fatal(err)
	}
	row, err := loaded.RowPredictor()
	if err != nil {
		t.Fatal(err)
	}
	for i, values := range valid.x {
		one := make([]float64, 5)
		if err := row.Proba(values, one); err != nil || !slices.Equal(one, proba[5*i:][:5]) {
			t.Fatalf("row %d: %v by itself, %v with the others, %v", i, one, proba[5*i:][:5], err)
		}
	}
	for i := 0; i < len(proba); i += 5 {
		sum := 0.0
		for _, f := range scores[i:][:5] {
			sum += math.Exp(f / c.Temperature())
		}
		for k, p := range proba[i:][:5] {
			if want := math.Exp(scores[i+k]/c.Temperature()) / sum; !near(p, want, 1e-13) {
				t.Fatalf("probability %v, want %v", p, want)
			}
		}
	}
	classes, err1 := m.Predict(x)
	same, err2 := c.Predict(x)
	e, err3 := m.Evaluate(x, valid.labels(), nil)
	f, err4 := c.Evaluate(x, valid.labels(), nil)
	if err := errors.Join(err1, err2, err3, err4); err != nil || !slices.Equal(classes, same) || e.Errors != f.Errors || f.LogLoss >= e.LogLoss {
		t.Error("other classes, or no better log loss", err)
	}
	merged, err := aoso.Merge(c, c)
	if err != nil {
		t.Fatal(err)
	}
	set, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Init: c})
	if err != nil {
		t.Fatal(err)
	}
	if continued := train(t, set, params(func(p *aoso.Params) { p.NEstimators = 1 }), aoso.TrainOptions{}).Model; continued.Temperature() != c.Temperature() {
		t.Errorf("continued, the model has the temperature %g, before %g", continued.Temperature(), c.Temperature())
	}
	for name, other := range map[string]*aoso.Model{
		"truncated": truncated(t, c, 3),
		"merged":    merged,
		"refitted":  refitted(t, c, valid, aoso.RefitOptions{}),
	} {
		if other.Temperature() != 1 {
			t.Errorf("%s, it has a temperature", name)
		}
	}
}

// TestCalibrateBounds: data that are all predicted right, or all wrong.
func TestCalibrateBounds(t *testing.T) {
	d := blobs(142, 100, 4, 3, 255)
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 50 })).Model
	right, err := m.Predict(d.features())
	if err != nil {
		t.Fatal(err)
	}
	wrong := &table{x: d.x}
	for _, k := range right {
		wrong.y = append(wrong.y, (k+1)%3)
	}
	if c, report := calibrated(t, m, &table{x: d.x, y: right}); !near(c.Temperature(), 1.0/64, 1e-9) || report.After > 1e-9 {
		t.Errorf("all right: %+v", report)
	}
	if c, report := calibrated(t, m, wrong); !near(c.Temperature(), 64, 1e-9) || math.Abs(report.After-math.Log(3)) > 0.1 {
		t.Errorf("all wrong: %+v", report)
	}
}

func TestCalibrateErrors(t *testing.T) {
	d := blobs(143, 50, 4, 3, 255)
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 2 })).Model
	x := d.features()
	_, _, err := m.Calibrate(aoso.RowMajor([]float64{1, 2}, 1, 2), d.labels(), nil)
	wantArgumentError(t, err, "features", "2 columns")
	_, _, err = m.Calibrate(x, d.labels()[:3], nil)
	wantArgumentError(t, err, "labels", "3", "50, one for each row")
	_, _, err = m.Calibrate(x, d.labels(), []float64{1})
	wantArgumentError(t, err, "weights", "50")
	unknown := aoso.StringLabels(slices.Repeat([]string{"new"}, 50))
	_, _, err = m.Calibrate(x, unknown, nil)
	wantArgumentError(t, err, "labels", "50 rows of unknown", `"0"`)
	if _, report, err := m.Calibrate(x, append(unknown[:49:49], d.labels()[49]), nil); err != nil || report.Before-report.Before != 0 {
		t.Error("one row of a known class", err)
	}
	_, _, err = m.Calibrate(aoso.RowMajor[float64](nil, 0, 4), aoso.Labels{}, nil)
	wantArgumentError(t, err, "labels", "0 rows")
	for _, temperature := range []float64{-1, 1e-3, 65} {
		broken := *contentOf(m)
		broken.Temperature = temperature
		if _, err := decode(encodeContent(t, &broken)); !errors.Is(err, aoso.ErrCorrupt) {
			t.Errorf("a file of temperature %v: %v", temperature, err)
		}
	}
}
