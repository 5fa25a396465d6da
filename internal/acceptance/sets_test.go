package acceptance

import (
	"bytes"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
)

func predictSet(t *testing.T, m *aoso.Model, x aoso.Features, s aoso.SetOptions, o aoso.PredictOptions) []bool {
	t.Helper()
	sets, err := m.PredictSet(x, s, o)
	if err != nil {
		t.Fatal(err)
	}
	return sets
}

func conformalized(t *testing.T, m *aoso.Model, d *table) *aoso.Model {
	t.Helper()
	c, err := m.Conformalize(d.features(), d.labels(), d.weights)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// short returns the default parameters with few trees.
func short(trees int) aoso.Params {
	p := aoso.DefaultParams()
	p.NEstimators = trees
	return p
}

// eachSet calls f with options of every kind.
func eachSet(f func(aoso.SetOptions)) {
	for _, method := range []string{"", aoso.SetLAC, aoso.SetAPS, aoso.SetRAPS} {
		for _, byClass := range []bool{false, true} {
			f(aoso.SetOptions{Alpha: 0.1, Method: method, ClassConditional: byClass})
		}
	}
}

// TestCoverage: on rows drawn like those held out, sets miss as often as asked.
func TestCoverage(t *testing.T) {
	d := blobs(171, 16_000, 4, 5, 255)
	heldOut := trained(t, d.slice(0, 6000), short(60)).Model
	fresh := conformalized(t, heldOut, d.slice(6000, 11_000))
	if heldOut.ConformalRows() != 1200 || fresh.ConformalRows() != 5000 {
		t.Errorf("scores of %d and %d rows", heldOut.ConformalRows(), fresh.ConformalRows())
	}
	test := d.slice(11_000, 16_000)
	for name, m := range map[string]*aoso.Model{"held out": heldOut, "fresh": fresh} {
		eachSet(func(s aoso.SetOptions) {
			sets := predictSet(t, m, test.features(), s, aoso.PredictOptions{})
			hits := 0
			for i, k := range test.y {
				if sets[5*i+k] {
					hits++
				}
			}
			noise := math.Sqrt(0.9 * 0.1 * (1/5000.0 + 1/float64(m.ConformalRows()))) // one standard deviation
			if coverage := float64(hits) / 5000; math.Abs(coverage-0.9) > 3*noise {
				t.Errorf("%s, %+v: coverage %.4f", name, s, coverage)
			}
		})
	}
}

// TestSetsAgree: a row's set depends on nothing but the model and the row.
func TestSetsAgree(t *testing.T) {
	d := blobs(172, 700, 4, 5, 255).punch(172, 0.1).weighted(172)
	m := trained(t, d.slice(0, 400), short(20)).Model
	loaded, err := decode(encode(t, m))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encode(t, m), encode(t, loaded)) {
		t.Error("written again, the file differs")
	}
	test := d.slice(400, 700)
	c := conformalized(t, m, test)
	if m.Fingerprint() != c.Fingerprint() || !slices.Equal(mustProba(t, m, test.features()), mustProba(t, c, test.features())) {
		t.Error("conformalized, the model predicts differently")
	}
	eachSet(func(s aoso.SetOptions) {
		sets := predictSet(t, m, test.features(), s, aoso.PredictOptions{})
		for _, o := range []aoso.PredictOptions{{NThread: 1}, {NThread: 3}, {Level: "generic"}, {Trees: m.Trees()}} {
			if !slices.Equal(sets, predictSet(t, loaded, test.features(), s, o)) {
				t.Errorf("%+v: other sets", o)
			}
		}
		for i := range test.x {
			if !slices.Equal(sets[5*i:][:5], predictSet(t, m, test.slice(i, i+1).features(), s, aoso.PredictOptions{})) {
				t.Fatalf("row %d by itself has another set", i)
			}
		}
		s.NonEmpty = true
		mostLikely, err := m.Predict(test.features())
		if err != nil {
			t.Fatal(err)
		}
		for i, in := range predictSet(t, m, test.features(), s, aoso.PredictOptions{}) {
			set := sets[i/5*5:][:5]
			if in != set[i%5] && (slices.Contains(set, true) || i%5 != mostLikely[i/5]) {
				t.Fatalf("%+v: row %d, class %d", s, i/5, i%5)
			}
		}
	})
}

func mustProba(t *testing.T, m *aoso.Model, x aoso.Features) []float64 {
	t.Helper()
	p, err := m.PredictProba(x)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestScoresOfTraining: which rows' scores a training leaves in the model, and that
// they are those of the model before it saw the rows.
func TestScoresOfTraining(t *testing.T) {
	d := blobs(173, 2600, 4, 3, 255)
	first, more := d.slice(0, 2100), d.slice(2100, 2600)
	set, err := aoso.NewDataset(first.features(), first.labels())
	if err != nil {
		t.Fatal(err)
	}
	valid, err := set.Aligned(more.features(), more.labels(), nil)
	if err != nil {
		t.Fatal(err)
	}
	model := func(p aoso.Params, o aoso.TrainOptions) *aoso.Model { return train(t, set, p, o).Model }
	change := func(f func(p *aoso.Params)) aoso.Params {
		p := short(30)
		f(&p)
		return p
	}
	for _, c := range []struct {
		name  string
		model *aoso.Model
		rows  int
	}{
		{"by default", model(short(30), aoso.TrainOptions{}), 420},
		{"folds", model(change(func(p *aoso.Params) { p.Calibration = "folds" }), aoso.TrainOptions{}), 2100},
		{"validation", model(short(30), aoso.TrainOptions{Valid: valid}), 500},
		{"early stopping", model(change(func(p *aoso.Params) { p.EarlyStoppingRounds = 3 }), aoso.TrainOptions{Valid: valid}), 500},
		{"without calibration", model(change(func(p *aoso.Params) { p.Calibration = "none" }), aoso.TrainOptions{}), 0},
		{"paper", model(params(func(p *aoso.Params) { p.NEstimators = 5 }), aoso.TrainOptions{Valid: valid}), 0},
		{"time limit", model(change(func(p *aoso.Params) { p.NEstimators, p.TimeLimit = 0, 0.1 }), aoso.TrainOptions{}), 420},
	} {
		if got := c.model.ConformalRows(); got != c.rows {
			t.Errorf("%s: scores of %d rows, want %d", c.name, got, c.rows)
		}
	}
	// A validation set that chose the temperature alone has the scores of the model.
	m := model(short(30), aoso.TrainOptions{Valid: valid})
	same := conformalized(t, m, more)
	if !bytes.Equal(encode(t, m), encode(t, same)) {
		t.Error("the scores of a validation set are not those of the model")
	}
	// Interrupted in the first phase, the model has scores of rows that it has not seen.
	ctx, cancel := context.WithCancel(context.Background())
	r, err := aoso.Train(ctx, set, change(func(p *aoso.Params) { p.NEstimators = 0 }), aoso.TrainOptions{Callback: func(p aoso.Progress) bool {
		if p.Iteration == 20 {
			cancel()
		}
		return true
	}})
	if err != nil || r.Phase != aoso.PhaseHoldOut || r.Model.ConformalRows() != 1400 {
		t.Error("interrupted:", r, err)
	}
}

// TestScoresDropped: other trees have other scores.
func TestScoresDropped(t *testing.T) {
	d := blobs(174, 900, 4, 3, 255)
	m := trained(t, d.slice(0, 500), short(20)).Model
	fresh := d.slice(500, 900)
	c, _ := calibrated(t, m, fresh)
	if !bytes.Equal(encode(t, c), encode(t, conformalized(t, c, fresh))) {
		t.Error("calibrated, the model has other scores than those of the same rows")
	}
	fewer, _, err := m.Calibrate(fresh.features(), fresh.labels(), nil, aoso.PredictOptions{Trees: 3})
	if err != nil {
		t.Fatal(err)
	}
	merged, err := aoso.Merge(m, m)
	if err != nil {
		t.Fatal(err)
	}
	set, err := aoso.NewDataset(fresh.features(), fresh.labels(), aoso.DatasetOptions{Init: m})
	if err != nil {
		t.Fatal(err)
	}
	p := m.Params()
	p.NEstimators = 2
	for name, other := range map[string]*aoso.Model{
		"truncated": truncated(t, m, 3), "merged": merged, "refitted": refitted(t, m, fresh, aoso.RefitOptions{}),
		"continued": train(t, set, p, aoso.TrainOptions{}).Model, "calibrated for fewer trees": fewer,
	} {
		if other.ConformalRows() != 0 {
			t.Errorf("%s, the model has scores", name)
		}
		if _, err := other.PredictSet(fresh.features(), aoso.SetOptions{Alpha: 0.1}); err == nil {
			t.Errorf("%s, the model makes sets", name)
		}
	}
}

func TestSetErrors(t *testing.T) {
	d := blobs(175, 60, 4, 3, 255)
	without := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 4 })).Model
	m, x := conformalized(t, without, d), d.features()
	for _, alpha := range []float64{0, 1, -0.1, math.NaN(), math.Inf(1)} {
		_, err := m.PredictSet(x, aoso.SetOptions{Alpha: alpha})
		wantArgumentError(t, err, "alpha", "above 0 and below 1")
	}
	_, err := m.PredictSet(x, aoso.SetOptions{Alpha: 0.1, Method: "top"})
	wantArgumentError(t, err, "method", "lac, aps or raps")
	_, err = m.PredictSet(x, aoso.SetOptions{Alpha: 0.1}, aoso.PredictOptions{Trees: 2})
	wantArgumentError(t, err, "trees", "all trees")
	_, err = without.PredictSet(x, aoso.SetOptions{Alpha: 0.1})
	wantArgumentError(t, err, "model", "conformalized")
	_, err = m.PredictSet(aoso.RowMajor([]float64{1, 2}, 1, 2), aoso.SetOptions{Alpha: 0.1})
	wantArgumentError(t, err, "features", "2 columns")
	_, err = m.Conformalize(x, d.labels()[:3], nil)
	wantArgumentError(t, err, "labels", "60, one for each row")
	_, err = m.Conformalize(x, d.labels(), nil, aoso.PredictOptions{Trees: 1})
	wantArgumentError(t, err, "trees", "all trees")
	_, err = m.Conformalize(x, d.labels(), make([]float64, 60))
	wantArgumentError(t, err, "weights", "at least one above 0")
	_, err = m.Conformalize(x, aoso.StringLabels(slices.Repeat([]string{"new"}, 60)), nil)
	wantArgumentError(t, err, "labels", "60 rows of unknown classes")
}

// TestSmallSets: one class, one row, and classes of which no row is known.
func TestSmallSets(t *testing.T) {
	one := &table{x: [][]float64{{1}, {2}, {3}}, y: []int{0, 0, 0}}
	m := conformalized(t, trained(t, one, short(2)).Model, one)
	if got := predictSet(t, m, one.features(), aoso.SetOptions{Alpha: 0.4}, aoso.PredictOptions{}); !slices.Equal(got, []bool{true, true, true}) {
		t.Errorf("one class: %v", got)
	}
	d := blobs(176, 300, 4, 3, 255)
	full := trained(t, d, short(10)).Model
	few := &table{x: d.x[:1], y: d.y[:1]}
	m = conformalized(t, full, few)
	all := slices.Repeat([]bool{true}, 900)
	eachSet(func(s aoso.SetOptions) {
		if got := predictSet(t, m, d.features(), s, aoso.PredictOptions{}); !slices.Equal(got, all) {
			t.Errorf("%+v: with one row known, not all classes are in all sets", s)
		}
	})
	if got := predictSet(t, m, few.features(), aoso.SetOptions{Alpha: 0.6}, aoso.PredictOptions{}); !got[d.y[0]] {
		t.Error("a row is not in its own set")
	}
	zeros := &table{}
	for i, y := range d.y {
		if y != 2 {
			zeros.x, zeros.y = append(zeros.x, d.x[i]), append(zeros.y, y)
		}
	}
	m = conformalized(t, full, zeros)
	for i, in := range predictSet(t, m, d.features(), aoso.SetOptions{Alpha: 0.1, ClassConditional: true}, aoso.PredictOptions{}) {
		if i%3 == 2 && !in {
			t.Fatal("a class of which no row is known is not in every set")
		}
	}
}
