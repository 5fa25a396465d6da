package aoso

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/libaoso/aoso/spec"
	"github.com/libaoso/aoso/tools/cases"
)

// defaults is the default parameters, changed.
func defaults(change ...func(*Params)) Params {
	p := DefaultParams()
	for _, c := range change {
		c(&p)
	}
	return p
}

// TestResolve: what is given stays as it is, for every shape and preset, and
// nothing stays open.
func TestResolve(t *testing.T) {
	given := map[string]string{
		"trees": "7", "leaves": "9", "shrinkage": "0.7", "min_samples": "3", "l2": "0.25", "max_step": "2.5", "subsample": "0.9", "colsample_bynode": "0.8",
	}
	for _, preset := range []string{PresetAuto, PresetFast, PresetPaper} {
		for _, rows := range []int{1, 100, 10_000, 99_999, 100_000, 50_000_000} {
			for _, s := range []Shape{{Rows: rows, Features: 1, Classes: 2}, {Rows: rows, Features: 5000, Classes: 1000}} {
				for name := range given {
					p := defaults(func(p *Params) { p.Preset = preset })
					if err := p.Set(name, given[name]); err != nil {
						t.Fatal(err)
					}
					settings, err := p.resolve(s)
					if err != nil || len(settings) == 0 {
						t.Fatalf("%+v %s: %v", s, preset, err)
					}
					for _, setting := range settings {
						if !slices.Contains(setting.items(), name+"="+given[name]) {
							t.Errorf("%+v %s: %s is not %s in %v", s, preset, name, given[name], setting)
						}
						if strings.Contains(strings.Replace(setting.String(), "calibration=auto", "", 1), "="+auto+" ") && preset != PresetAuto {
							t.Errorf("%+v %s: %v", s, preset, setting)
						}
						if err := setting.check(); err != nil {
							t.Errorf("%+v %s: %v", s, preset, err)
						}
					}
				}
			}
		}
	}
	all := defaults()
	for name, value := range given {
		if err := all.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if settings, err := all.resolve(Shape{Rows: 1000, Features: 10, Classes: 3}); err != nil || len(settings) != 1 {
		t.Errorf("all given, and %d settings, %v", len(settings), err)
	}
}

// phases is how many iterations each phase had.
func phases(t *testing.T, train *Dataset, p Params, valid *Dataset) (map[string]int, *Result) {
	t.Helper()
	count := map[string]int{}
	last := Progress{Phase: PhaseHoldOut}
	r, err := Train(context.Background(), train, p, TrainOptions{Valid: valid, Callback: func(now Progress) bool {
		if now.Phase == last.Phase && now.Iteration != last.Iteration+1 || now.Phase != last.Phase && (now.Iteration != 1 || now.Phase != PhaseTrain) {
			t.Errorf("%s %d follows %s %d", now.Phase, now.Iteration, last.Phase, last.Iteration)
		}
		if now.Trees > now.MaxTrees {
			t.Errorf("%d trees of at most %d", now.Trees, now.MaxTrees)
		}
		count[now.Phase]++
		last = now
		return true
	}})
	if err != nil {
		t.Fatal(err)
	}
	return count, r
}

// TestCalibrated: by default, the rows held out foretell the log loss on new rows,
// and the temperature improves it.
func TestCalibrated(t *testing.T) {
	t.Parallel()
	all := letter()
	for _, rows := range cases.Some(t, 1, []int{600, 2500}) {
		d, test := all.slice(0, rows), all.slice(16_000, 20_000)
		count, r := phases(t, newDataset(t, d), defaults(), nil)
		if count[PhaseHoldOut] == 0 || count[PhaseTrain] != r.Iterations || r.Phase != PhaseTrain || r.Model.Trees() != r.Iterations {
			t.Errorf("%d rows: %v and %+v", rows, count, r)
		}
		want := rows / 5
		if rows < foldRows {
			want = rows
		}
		if r.HeldOut == nil || r.HeldOutRows != want || r.Valid != nil {
			t.Fatalf("%d rows: %+v", rows, r)
		}
		e, err := r.Model.Evaluate(test.features(), test.labels(), nil, PredictOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if e.LogLoss > 1.25*r.HeldOut.LogLoss || e.ErrorRate > 1.25*r.HeldOut.ErrorRate {
			t.Errorf("%d rows: held out %+v, new rows %+v", rows, r.HeldOut, e)
		}
		best, report, err := r.Model.Calibrate(test.features(), test.labels(), nil, PredictOptions{})
		if err != nil || report.Before > 1.03*report.After {
			t.Errorf("%d rows: temperature %g and a log loss of %g; %g leaves %g, %v", rows, r.Model.Temperature(), report.Before, best.Temperature(), report.After, err)
		}
	}
}

// TestNoise: where labels are noise, training settles for little.
func TestNoise(t *testing.T) {
	d := blobs(77, 1500, 6, 3, 255)
	for i := range d.y {
		d.y[i] = (i * 7 / 3) % 3
	}
	_, r := phases(t, newDataset(t, d), defaults(), nil)
	e, err := r.Model.Evaluate(d.features(), d.labels(), nil, PredictOptions{})
	if err != nil || r.HeldOut.LogLoss > 1.02*math.Log(3) || e.LogLoss < 0.75*math.Log(3) {
		t.Errorf("held out %+v, training rows %+v, %v", r.HeldOut, e, err)
	}
}

// TestLarge: many rows have large trees, but small ones for many classes that full leaves move.
// With many classes, linear scores are tried first.
func TestLarge(t *testing.T) {
	for _, test := range []struct {
		classes int
		preset  string
		want    []string
	}{
		{2, PresetAuto, []string{"leaves=256", "shrinkage=0.3", "trees=1000", "leaf=full"}},
		{100, PresetFast, []string{"leaves=256", "shrinkage=0.3", "trees=300", "leaf=full"}},
		{101, PresetAuto, []string{"leaves=20", "shrinkage=0.1", "trees=500", "leaf=full"}},
		{1000, PresetFast, []string{"leaves=63", "shrinkage=0.2", "trees=300", "leaf=full"}},
		{10_000, PresetAuto, []string{"leaves=2000", "shrinkage=0.3", "trees=1000", "leaf=sparse"}},
	} {
		p := defaults(func(p *Params) { p.Preset = test.preset })
		settings, err := p.resolve(Shape{Rows: 200_000, Features: 20, Classes: test.classes})
		starts := []string{"zero"}
		if test.classes > wideClasses {
			starts = []string{"linear", "zero"}
		}
		if err != nil || len(settings) != len(starts) {
			t.Fatalf("%d classes: %d settings, %v", test.classes, len(settings), err)
		}
		for i, start := range starts {
			if settings[i].Start != start {
				t.Errorf("%d classes: start=%s in place of %s", test.classes, settings[i].Start, start)
			}
		}
		for _, item := range test.want {
			if !slices.Contains(settings[0].items(), item) {
				t.Errorf("%d classes, preset %s: no %s in %v", test.classes, test.preset, item, settings[0])
			}
		}
	}
}

// TestNoiseValidated: a validation set chooses the settings too.
func TestNoiseValidated(t *testing.T) {
	d := blobs(77, 3000, 6, 3, 255)
	for i := range d.y {
		if i%2 == 0 {
			d.y[i] = (i * 7 / 3) % 3
		}
	}
	train := newDataset(t, d.slice(0, 2000))
	held := d.slice(2000, 3000)
	valid, err := train.Aligned(held.features(), held.labels(), nil)
	if err != nil {
		t.Fatal(err)
	}
	first := Suggest(train.shape())
	for _, trees := range []int{0, 60} {
		var seen []Progress
		p := defaults(func(p *Params) { p.Trees, p.Calibration = trees, "none" })
		r, err := Train(context.Background(), train, p, TrainOptions{Valid: valid, Callback: func(now Progress) bool {
			seen = append(seen, now)
			return now.StoppedBy == ""
		}})
		if err != nil {
			t.Fatal(err)
		}
		for i, now := range seen {
			if now.Iteration != i+1 {
				t.Fatalf("iteration %d is called %d", i+1, now.Iteration)
			}
		}
		if slow := r.Model.Params().Shrinkage < first.Shrinkage; slow != (trees == 0) {
			t.Errorf("trees %d: trained with %v", trees, r.Model.Params())
		}
		e, err := r.Model.Evaluate(held.features(), held.labels(), nil, PredictOptions{})
		if err != nil || *e != *r.Valid || *e != *seen[r.BestIteration-1].Valid || r.Iterations != len(seen) {
			t.Errorf("trees %d: %+v, evaluated %+v, %v", trees, r, e, err)
		}
	}
}

// TestHoldOutOf: what rows are held out of, and what takes their place.
func TestHoldOutOf(t *testing.T) {
	d := blobs(78, 400, 4, 3, 255)
	valid := blobs(79, 300, 4, 3, 255)
	for _, test := range []struct {
		name      string
		data      *table
		valid     bool
		change    func(*Params)
		held      int // rows
		tempered  bool
		leastPart int // of the iterations of the first phase
	}{
		{"defaults", d, false, func(*Params) {}, 400, true, 1},
		{"holdout", d, false, func(p *Params) { p.Calibration = "holdout" }, 80, true, 1},
		{"trees alone", d, false, func(p *Params) { p.Calibration = "none" }, 400, false, 1},
		{"calibration alone", d, false, func(p *Params) { p.Trees = 20 }, 400, true, 20},
		{"neither", d, false, func(p *Params) { p.Trees, p.Calibration = 20, "none" }, 0, false, 0},
		{"paper", d, false, func(p *Params) { p.Preset = PresetPaper }, 0, false, 0},
		{"paper, folds", d, false, func(p *Params) { p.Preset, p.Trees, p.Calibration = PresetPaper, 30, "folds" }, 400, true, 30},
		{"fast", d, false, func(p *Params) { p.Preset = PresetFast }, 400, true, 1},
		{"valid", d, true, func(*Params) {}, 0, true, 0},
		{"valid and none", d, true, func(p *Params) { p.Calibration = "none" }, 0, false, 0},
		{"valid and trees", d, true, func(p *Params) { p.Trees = 20 }, 0, true, 0},
		{"valid and holdout", d, true, func(p *Params) { p.Calibration = "holdout" }, 80, true, 1},
		{"early stopping", d, true, func(p *Params) { p.EarlyStopping = 3 }, 0, true, 0},
		{"abc", d, false, func(p *Params) { p.Method, p.Trees = ABC, 40 }, 400, true, 20},
		{"logitboost", d, false, func(p *Params) { p.Method, p.Trees = LogitBoost, 30 }, 400, true, 10},
		{"few rows", d.slice(0, 49), false, func(p *Params) { p.Trees = 10 }, 0, false, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			train := newDataset(t, test.data)
			var v *Dataset
			if test.valid {
				var err error
				if v, err = train.Aligned(valid.features(), valid.labels(), nil); err != nil {
					t.Fatal(err)
				}
			}
			count, r := phases(t, train, defaults(test.change), v)
			if (count[PhaseHoldOut] >= max(test.leastPart, 1)) != (test.leastPart > 0) || r.HeldOutRows != test.held || (r.HeldOut != nil) != (test.held > 0) {
				t.Errorf("%v; %d rows held out", count, r.HeldOutRows)
			}
			if (r.Model.Temperature() != 1) != test.tempered {
				t.Errorf("temperature %g", r.Model.Temperature())
			}
			if !test.valid {
				return
			}
			e, err := r.Model.Evaluate(valid.features(), valid.labels(), nil, PredictOptions{})
			if err != nil || r.Valid.Errors != e.Errors || !near(r.Valid.LogLoss, e.LogLoss, 1e-9) {
				t.Errorf("valid %+v, evaluated %+v, %v", r.Valid, e, err)
			}
		})
	}
}

// TestRareClasses: a class of one row is always trained on; one of two rows may be
// held out.
func TestRareClasses(t *testing.T) {
	d := blobs(80, 300, 3, 3, 255)
	for i := range 5 {
		d.y[50*i+3] = 3 + i/2
	}
	_, r := phases(t, newDataset(t, d), defaults(), nil)
	if got := len(r.Model.Classes()); got != 6 || r.HeldOutRows != 299 {
		t.Errorf("%d classes, %d rows held out", got, r.HeldOutRows)
	}
	p, err := r.Model.PredictProba(d.features(), PredictOptions{})
	if err != nil || slices.ContainsFunc(p, func(v float64) bool { return !(v >= 0 && v <= 1) }) {
		t.Error("no probabilities", err)
	}
}

// TestPhasesResume: an interruption in either phase leaves a model, and no trace
// in what follows.
func TestPhasesResume(t *testing.T) {
	set := newDataset(t, blobs(81, 300, 4, 3, 255))
	p := defaults(func(p *Params) { p.Threads = 2 })
	want, err := Train(context.Background(), set, p, TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewTrainer(set, p, TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	seen := map[string]int{}
	for i := 0; ; i++ {
		if i%37 == 5 {
			now, more := b.Step(cancelled)
			r := b.Result()
			if more || r.StoppedBy != StoppedByInterrupt || r.Phase != now.Phase || r.Model.Trees() == 0 || r.Model.Temperature() == 1 || r.HeldOut == nil {
				t.Fatalf("%s %d: %+v", now.Phase, now.Iteration, r)
			}
			seen[now.Phase]++
		}
		if _, more := b.Step(context.Background()); !more {
			break
		}
	}
	if r := b.Result(); r.Model.Fingerprint() != want.Model.Fingerprint() || r.StoppedBy != want.StoppedBy || *r.HeldOut != *want.HeldOut {
		t.Errorf("%+v, want %+v", r, want)
	}
	if seen[PhaseHoldOut] == 0 || seen[PhaseTrain] == 0 {
		t.Errorf("interrupted in %v", seen)
	}
}

// TestTimeLimit: training ends in time, with a calibrated model.
func TestTimeLimit(t *testing.T) {
	set := newDataset(t, letter().slice(0, 8000))
	for _, limit := range []float64{1e-6, 0.5} {
		count, r := phases(t, set, defaults(func(p *Params) { p.TimeLimit = limit }), nil)
		if count[PhaseHoldOut] == 0 || count[PhaseTrain] == 0 || limit < 0.1 && len(count) != 2 || r.Model.Temperature() == 1 || r.HeldOut == nil {
			t.Errorf("%g s: %v, %+v", limit, count, r)
		}
		if stopped := r.StoppedBy == StoppedByTimeLimit; limit < 0.1 && r.Iterations != 1 || limit > 0.1 && !stopped && r.StoppedBy != StoppedByTrees {
			t.Errorf("%g s: stopped by %s after %d iterations", limit, r.StoppedBy, r.Iterations)
		}
		if slow := r.Elapsed.Seconds(); slow > limit+5 { // an iteration takes some ms
			t.Errorf("%g s: took %g s", limit, slow)
		}
	}
	_, r := phases(t, set, defaults(func(p *Params) { p.Trees, p.Calibration, p.TimeLimit = 1_000_000, "none", 0.2 }), nil)
	if r.StoppedBy != StoppedByTimeLimit || r.Iterations < 2 {
		t.Errorf("one phase: stopped by %s after %d iterations", r.StoppedBy, r.Iterations)
	}
}

// shapes yields shapes of data around every bound where the presets change.
func shapes(yield func(Shape) bool) {
	rows := []int{1, 49, 50, 1999, 2000, 9999, 10_000, 29_999, 30_000, 99_999, 100_000, 1_000_000, 10_000_000, 60_000_000, 1_000_000_000}
	for _, rows := range rows {
		for _, features := range []int{1, 16, 17, 54, 100, 101, 100_000} {
			for _, classes := range []int{1, 2, 3, 4, 5, 6, 26, 100, 101, 500, 4999, 5000, 65_534, 65_535, 1_000_000} {
				if !yield(Shape{Rows: rows, Features: features, Classes: classes}) {
					return
				}
			}
		}
	}
}

// chosenByDefault returns, by parameter, the values that training chooses for all
// shapes, presets and methods.
func chosenByDefault(t *testing.T) map[string]map[any]bool {
	t.Helper()
	chosen := map[string]map[any]bool{}
	for _, known := range Parameters() {
		chosen[known.Name] = map[any]bool{}
	}
	for s := range shapes {
		for _, preset := range []string{PresetAuto, PresetFast, PresetPaper} {
			for _, method := range []string{AOSO, ABC, LogitBoost} {
				p := defaults(func(p *Params) { p.Preset, p.Method = preset, method })
				settings, err := p.resolve(s)
				if many := p.leafFor(s.Classes) != "sparse" && s.Classes > denseClasses; err != nil {
					// An iteration of K trees may need more than the default, and leaves that are not sparse have their limit.
					if few := method != AOSO && s.Classes > 1000; !many && !few {
						t.Fatalf("%+v, preset %s, method %s: %v", s, preset, method, err)
					}
					continue
				}
				for _, setting := range settings {
					for i, field := range setting.fields() {
						chosen[Parameters()[i].Name][value(field)] = true
					}
				}
			}
		}
	}
	return chosen
}

// TestChosen: the table states the values that training chooses by default, and no
// others.
func TestChosen(t *testing.T) {
	chosen := chosenByDefault(t)
	for _, known := range Parameters() {
		values := chosen[known.Name]
		switch {
		case known.Auto == "" && len(values) != 1 && known.Name != "preset" && known.Name != "method":
			t.Errorf("%s has one default, but is %v", known.Name, values)
		case known.Chosen.Most > 0:
			testChosenNumbers(t, &known, values)
		case known.Choices != nil && known.Auto != "":
			words := strings.FieldsFunc(known.ByDefault(), func(r rune) bool { return strings.ContainsRune(" ,;", r) })
			for _, v := range known.Values() {
				if values[v] != slices.Contains(words, v) {
					t.Errorf("%s: %q is not what describes %v", known.Name, known.ByDefault(), values)
				}
			}
		}
	}
}

// testChosenNumbers tests that values fill the range that the table states.
func testChosenNumbers(t *testing.T, known *Parameter, values map[any]bool) {
	t.Helper()
	least, most := math.Inf(1), math.Inf(-1)
	for v := range values {
		x, ok := v.(float64)
		if !ok {
			x = float64(v.(int))
		}
		least, most = min(least, x), max(most, x)
	}
	if known.Name == "trees" { // the settings have the greatest number; held-out rows choose
		least = float64(fewestTrees(t))
	}
	if least != known.Chosen.Least || most != known.Chosen.Most {
		t.Errorf("%s: training chooses %g to %g; stated: %s", known.Name, least, most, known.ByDefault())
	}
	if !strings.HasPrefix(known.ByDefault(), known.Chosen.String()+", ") {
		t.Errorf("%s: %q does not state %s", known.Name, known.ByDefault(), known.Chosen)
	}
}

// fewestTrees returns the least number of trees that held-out rows choose where no
// feature explains the labels.
func fewestTrees(t *testing.T) int {
	t.Helper()
	least := math.MaxInt
	for seed := uint64(0); seed < 5 && least > 1; seed++ {
		d, random := blobs(77, foldRows, 3, 2, 255), rand.New(rand.NewPCG(seed, 1))
		for i := range d.y {
			d.y[i] = random.IntN(2)
		}
		r, err := Train(context.Background(), newDataset(t, d), defaults(), TrainOptions{})
		if err != nil {
			t.Fatal(err)
		}
		least = min(least, r.Model.Trees())
	}
	return least
}

// TestBounds: texts of the table name the bounds that the presets have.
func TestBounds(t *testing.T) {
	for name, bounds := range map[string][]string{
		"leaf":         {fmt.Sprintf("sparse from %d classes", manyClasses)},
		"start":        {fmt.Sprintf("above %d classes", wideClasses)},
		"leaf_classes": {fmt.Sprintf("above %g million rows × trees", mostChanges/defaultLeafClasses/1e6)},
		"max_step":     {fmt.Sprintf("from %d,000 rows", manyRows/1000)},
		"subsample":    {fmt.Sprintf("from %d,000 rows", manyRows/1000)},
		"l2":           {fmt.Sprintf("from %d,000 rows", manyRows/1000)},
		"calibration":  {fmt.Sprintf("fewer than %d rows", foldRows), fmt.Sprintf("Fewer than %d rows", leastRows)},
		"preset":       {fmt.Sprintf("fewer than %d rows", leastRows)},
	} {
		known, _, _ := spec.Find(name)
		text := known.ByDefault() + " " + known.Detail
		for _, c := range known.Choices {
			text += " " + c.Help
		}
		for _, bound := range bounds {
			if !strings.Contains(text, bound) {
				t.Errorf("%s: %q does not say %q", name, text, bound)
			}
		}
	}
}

// TestFast: preset fast has fewer trees than auto, and no smaller shrinkage.
func TestFast(t *testing.T) {
	larger, settings := 0, 0
	for s := range shapes {
		auto, fast := defaults(), defaults(func(p *Params) { p.Preset = PresetFast })
		if s.Rows < leastRows {
			continue
		}
		faster := fast.preset(s)
		for i, setting := range auto.preset(s) {
			if faster[i].trees >= setting.trees || faster[i].shrinkage < setting.shrinkage {
				t.Errorf("%+v: auto has %+v, fast %+v", s, setting, faster[i])
			}
			if settings++; faster[i].shrinkage > setting.shrinkage {
				larger++
			}
		}
	}
	if 2*larger < settings {
		t.Errorf("%d of %d settings have a larger shrinkage", larger, settings)
	}
}

// TestPairsOfFewClasses: the numbers of classes that pairs need.
func TestPairsOfFewClasses(t *testing.T) {
	need := map[int]int{1: 1, 2: 4, 4: 6, 8: 10}
	for classes := 1; classes < 20; classes++ {
		p := defaults(func(p *Params) { p.Pairs = 8 })
		settings, err := p.resolve(Shape{Rows: 100, Features: 1, Classes: classes})
		if err != nil {
			t.Fatal(err)
		}
		want := 8
		for need[want] > classes {
			want /= 2
		}
		if settings[0].Pairs != want {
			t.Errorf("%d classes: %d pairs, want %d", classes, settings[0].Pairs, want)
		}
	}
	if known, _, _ := spec.Find("pairs"); !strings.Contains(known.Detail, fmt.Sprintf("8 pairs need %d classes, 4 need %d and 2 need %d", need[8], need[4], need[2])) {
		t.Errorf("pairs: %s", known.Detail)
	}
}
