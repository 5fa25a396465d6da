package settings

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/tune"
	"github.com/libaoso/aoso/spec"
)

// defaults returns the default parameters, changed.
func defaults(change ...func(*Params)) Params {
	p := Default()
	for _, c := range change {
		c(&p)
	}
	return p
}

// TestResolve: what is given stays as it is, for every shape and preset, and
// nothing stays open.
func TestResolve(t *testing.T) {
	given := map[string]string{
		"n_estimators": "7", "max_leaves": "9", "learning_rate": "0.7", "min_samples_leaf": "3", "reg_lambda": "0.25", "max_delta_step": "2.5", "subsample": "0.9", "colsample_bynode": "0.8",
	}
	for _, preset := range []spec.Preset{presetAuto, presetFast, presetBest, presetPaper} {
		for _, rows := range []int{1, 100, 10_000, 99_999, 100_000, 50_000_000} {
			for _, s := range []data.Shape{{Rows: rows, Features: 1, Classes: 2}, {Rows: rows, Features: 5000, Classes: 1000}} {
				for name := range given {
					p := defaults(func(p *Params) { p.Preset = preset })
					if err := p.Set(name, given[name]); err != nil {
						t.Fatal(err)
					}
					settings, err := p.Resolve(s)
					if err != nil || len(settings) == 0 {
						t.Fatalf("%+v %s: %v", s, preset, err)
					}
					for _, setting := range settings {
						if !slices.Contains(setting.items(), name+"="+given[name]) {
							t.Errorf("%+v %s: %s is not %s in %v", s, preset, name, given[name], setting)
						}
						if strings.Contains(strings.Replace(setting.String(), "calibration=auto", "", 1), "="+Auto+" ") && preset != presetAuto {
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
	if settings, err := all.Resolve(data.Shape{Rows: 1000, Features: 10, Classes: 3}); err != nil || len(settings) != 1 {
		t.Errorf("all given, and %d settings, %v", len(settings), err)
	}
}

// TestLarge: many rows have large trees, but smaller ones for many classes that full leaves move.
// With many classes, linear scores are tried first.
func TestLarge(t *testing.T) {
	for _, test := range []struct {
		classes int
		preset  spec.Preset
		want    []string
	}{
		{2, presetAuto, []string{"max_leaves=256", "learning_rate=0.3", "n_estimators=1000", "leaf=full"}},
		{100, presetFast, []string{"max_leaves=256", "learning_rate=0.3", "n_estimators=300", "leaf=full"}},
		{101, presetAuto, []string{"max_leaves=30", "learning_rate=0.25", "n_estimators=504", "leaf=full"}},
		{1000, presetFast, []string{"max_leaves=95", "learning_rate=0.25", "n_estimators=92", "leaf=full"}},
		{10_000, presetAuto, []string{"max_leaves=2000", "learning_rate=0.3", "n_estimators=1000", "leaf=sparse"}},
	} {
		p := defaults(func(p *Params) { p.Preset = test.preset })
		settings, err := p.Resolve(data.Shape{Rows: 200_000, Features: 20, Classes: test.classes})
		starts := []string{"zero"}
		if test.classes > wideClasses {
			starts = []string{"linear", "prior", "prior"}
		}
		if err != nil || len(settings) != len(starts) {
			t.Fatalf("%d classes: %d settings, %v", test.classes, len(settings), err)
		}
		for i, start := range starts {
			if settings[i].Start != start {
				t.Errorf("%d classes: start=%s in place of %s", test.classes, settings[i].Start, start)
			}
		}
		last := settings[len(settings)-1]
		for _, item := range test.want {
			if !slices.Contains(last.items(), item) {
				t.Errorf("%d classes, preset %s: no %s in %v", test.classes, test.preset, item, last)
			}
		}
		if len(settings) >= 3 && settings[0].LearningRate != settings[1].LearningRate {
			t.Errorf("%d classes: other steps after linear scores: %v", test.classes, settings[0])
		}
		if last.Leaf == "full" && len(settings) == 3 && (settings[2].NEstimators >= 2*settings[1].NEstimators || settings[2].RegLambda <= settings[1].RegLambda) {
			t.Errorf("%d classes: %v is not a careful %v", test.classes, settings[2], settings[1])
		}
	}
}

// TestManyClasses: with many classes and full leaves, few rows have the settings of many, and each setting has some reg_lambda: without it,
// probabilities of classes that a leaf has no rows of would fall with every tree.
func TestManyClasses(t *testing.T) {
	p := defaults(func(p *Params) { p.LeafClasses = 8 }) // of sparse leaves
	few, err := p.Resolve(data.Shape{Rows: 5000, Features: 20, Classes: 500})
	many, err2 := p.Resolve(data.Shape{Rows: 100_000, Features: 20, Classes: 500})
	if err != nil || err2 != nil || !reflect.DeepEqual(few, many) {
		t.Errorf("%v, %v with few rows; %v, %v with many", few, err, many, err2)
	}
	for _, setting := range few {
		if setting.RegLambda == 0 {
			t.Errorf("no reg_lambda: %v", setting)
		}
	}
}

// shapes yields shapes of data around every bound where the presets change.
func shapes(yield func(data.Shape) bool) {
	rows := []int{1, 49, 50, 1999, 2000, 9999, 10_000, 29_999, 30_000, 99_999, 100_000, 1_000_000, 10_000_000, 60_000_000, 1_000_000_000}
	for _, rows := range rows {
		for _, features := range []int{1, 16, 17, 54, 100, 101, 900, 1_000_000} {
			for _, classes := range []int{1, 2, 3, 4, 5, 6, 26, 100, 101, 500, 4999, 5000, 65_534, 65_535, 1_000_000} {
				if !yield(data.Shape{Rows: rows, Features: features, Classes: classes}) {
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
	for _, known := range spec.Parameters {
		chosen[known.Name] = map[any]bool{}
	}
	for s := range shapes {
		for _, preset := range []spec.Preset{presetAuto, presetFast, presetBest, presetPaper} {
			for _, method := range []spec.Method{model.AOSO, model.ABC, model.LogitBoost} {
				p := defaults(func(p *Params) { p.Preset, p.Method = preset, method })
				settings, err := p.Resolve(s)
				if many := p.leafFor(s.Classes) != "sparse" && s.Classes > spec.MostDenseClasses; err != nil {
					// An iteration of K trees may need more than the default, and leaves that are not sparse have their limit.
					if few := method != model.AOSO && s.Classes > 1000; !many && !few {
						t.Fatalf("%+v, preset %s, method %s: %v", s, preset, method, err)
					}
					continue
				}
				for _, setting := range settings {
					for i, field := range setting.fields() {
						chosen[spec.Parameters[i].Name][value(field)] = true
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
	for _, known := range spec.Parameters {
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
func testChosenNumbers(t *testing.T, known *spec.Parameter, values map[any]bool) {
	t.Helper()
	least, most := math.Inf(1), math.Inf(-1)
	for v := range values {
		x, ok := v.(float64)
		if !ok {
			x = float64(v.(int))
		}
		least, most = min(least, x), max(most, x)
	}
	if known.Name == "n_estimators" { // the settings have the greatest number; held-out rows choose, and may choose 1
		least = 1
	}
	if least != known.Chosen.Least || most != known.Chosen.Most {
		t.Errorf("%s: training chooses %g to %g; stated: %s", known.Name, least, most, known.ByDefault())
	}
	if !strings.HasPrefix(known.ByDefault(), known.Chosen.String()+", ") {
		t.Errorf("%s: %q does not state %s", known.Name, known.ByDefault(), known.Chosen)
	}
}

// TestBounds: texts of the table name the bounds that the presets have.
func TestBounds(t *testing.T) {
	for name, bounds := range map[string][]string{
		"leaf":           {fmt.Sprintf("sparse from %d classes", manyClasses)},
		"start":          {fmt.Sprintf("above %d classes", wideClasses)},
		"leaf_classes":   {fmt.Sprintf("above %g million rows × trees", mostChanges/defaultLeafClasses/1e6)},
		"max_delta_step": {fmt.Sprintf("from %d,000 rows", manyRows/1000)},
		"subsample":      {fmt.Sprintf("from %d,000 rows", manyRows/1000)},
		"reg_lambda":     {fmt.Sprintf("from %d,000 rows", manyRows/1000)},
		"calibration":    {fmt.Sprintf("fewer than %d rows", foldRows), fmt.Sprintf("Fewer than %d rows", leastRows)},
		"ensemble":       {fmt.Sprintf("fewer than %d,000 rows and at most %d classes", ensembleRows/1000, wideClasses)},
		"preset":         {fmt.Sprintf("fewer than %d rows", leastRows)},
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

// TestFast: preset fast has fewer trees than auto, and no smaller learning rate.
func TestFast(t *testing.T) {
	larger, settings := 0, 0
	for s := range shapes {
		auto, fast := defaults(), defaults(func(p *Params) { p.Preset = presetFast })
		if s.Rows < leastRows {
			continue
		}
		faster := fast.preset(s)
		for i, setting := range auto.preset(s) {
			if faster[i].nEstimators >= setting.nEstimators || faster[i].learningRate < setting.learningRate {
				t.Errorf("%+v: auto has %+v, fast %+v", s, setting, faster[i])
			}
			if settings++; faster[i].learningRate > setting.learningRate {
				larger++
			}
		}
	}
	if 2*larger < settings {
		t.Errorf("%d of %d settings have a larger learning rate", larger, settings)
	}
}

// TestPairsOfFewClasses: the numbers of classes that pairs need.
func TestPairsOfFewClasses(t *testing.T) {
	need := map[int]int{1: 1, 2: 4, 4: 6, 8: 10}
	for classes := 1; classes < 20; classes++ {
		p := defaults(func(p *Params) { p.Pairs = 8 })
		settings, err := p.Resolve(data.Shape{Rows: 100, Features: 1, Classes: classes})
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

// TestLeafClassesFollowRows: by default, the leaves of many trees move fewer classes for many
// rows.
func TestLeafClassesFollowRows(t *testing.T) {
	for _, c := range []struct{ rows, classes, trees, want int }{
		{500_000, 100_000, 200, 20},
		{500_000, 100_000, 20, 63},
		{200_000, 10_000, 200, 50},
		{1_000_000, 1000, 1000, 8},
	} {
		settings, err := defaults(func(p *Params) { p.Leaf, p.NEstimators = "sparse", c.trees }).Resolve(data.Shape{Rows: c.rows, Features: 50, Classes: c.classes})
		if err != nil {
			t.Fatal(err)
		}
		if have := settings[0].LeafClasses; have != c.want {
			t.Errorf("%d rows, %d classes, %d trees: leaves move %d classes, want %d", c.rows, c.classes, c.trees, have, c.want)
		}
	}
}

// TestSymmetricAxes: a search for the parameters of symmetric trees leaves alone what excludes them.
func TestSymmetricAxes(t *testing.T) {
	for _, policy := range []string{"", "lossguide", "symmetric", "mixed"} {
		p := Default()
		p.GrowPolicy = policy
		searched := slices.ContainsFunc(p.Axes(data.Shape{Rows: 1000, Features: 5, Classes: 3}), func(a tune.Axis) bool { return a.Name == "min_child_weight" })
		if want := policy == "" || policy == "lossguide"; searched != want {
			t.Errorf("grow_policy %q: min_child_weight is searched: %v", policy, searched)
		}
	}
}
