package acceptance

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/forc"
)

// TestRowPredictor compares with the predictions of all rows at once.
func TestRowPredictor(t *testing.T) {
	finite := letter().slice(0, 300).punch(80, 0.02)
	d := finite.punch(81, 0.02)
	for i := 0; i < len(d.x); i += 7 {
		d.x[i][i%16] = math.Inf(i%2*2 - 1)
	}
	for _, v := range []struct {
		name   string
		change func(*aoso.Params)
	}{
		{"pairs", func(p *aoso.Params) { paper(p); p.NEstimators = 150 }},
		{"4 pairs", func(p *aoso.Params) { p.Leaf, p.Pairs, p.NEstimators = "pair", 4, 40 }},
		{"full", func(p *aoso.Params) { p.NEstimators = 150 }},
		{"logitboost", func(p *aoso.Params) { p.Method, p.NEstimators = aoso.MethodLogitBoost, 3*26 }},
		{"many leaves", func(p *aoso.Params) { p.MaxLeaves, p.MinChildWeight, p.NEstimators = 300, 1e-9, 3 }},
	} {
		t.Run(v.name, func(t *testing.T) {
			m := withTemperature(trained(t, finite, params(v.change)).Model, 1.5)
			r := rand.New(rand.NewPCG(82, 0))
			for _, level := range aoso.Levels() {
				for _, trees := range []int{0, 1, m.Trees() - 1} {
					o := aoso.PredictOptions{Trees: trees, Level: level}
					want := rawScores(t, m, d.features(), o)
					proba, err1 := m.PredictProba(d.features(), o)
					classes, err2 := m.Predict(d.features(), o)
					p, err3 := m.RowPredictor(o)
					if err1 != nil || err2 != nil || err3 != nil {
						t.Fatal(err1, err2, err3)
					}
					got := make([]float64, 26)
					for i, row := range d.x {
						if err := p.Raw(row, got); err != nil || !slices.Equal(got, want[i*26:][:26]) {
							t.Fatalf("%s, row %d: scores %v, want %v (%v)", level, i, got, want[i*26:][:26], err)
						}
						if err := p.Proba(row, got); err != nil || !slices.Equal(got, proba[i*26:][:26]) {
							t.Fatalf("%s, row %d: probabilities %v, want %v (%v)", level, i, got, proba[i*26:][:26], err)
						}
						if class, err := p.Class(row); err != nil || class != classes[i] {
							t.Fatalf("%s, row %d: class %d, want %d (%v)", level, i, class, classes[i], err)
						}
						some := r.Perm(26)[:r.IntN(5)]
						few := got[:len(some)]
						if err := p.RawOf(row, some, few); err != nil {
							t.Fatal(err)
						}
						for j, k := range some {
							if few[j] != want[i*26+k] {
								t.Fatalf("%s, row %d, class %d: score %v, want %v", level, i, k, few[j], want[i*26+k])
							}
						}
					}
					if walked := forc.Walked(p); !(walked > 0 && walked <= 1) {
						t.Errorf("%v of the trees walked", walked)
					}
				}
			}
		})
	}
}

// TestRowPredictorClass: the answer is that of all trees even where scores all
// but tie, and trees are left out where they cannot change it.
func TestRowPredictorClass(t *testing.T) {
	d := blobs(83, 400, 3, 4, 7) // many rows are alike
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 400 })).Model
	classes, err := m.Predict(d.features())
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.RowPredictor()
	if err != nil || forc.Walked(p) != 0 {
		t.Fatal(err, forc.Walked(p))
	}
	for i, row := range d.x {
		if class, err := p.Class(row); err != nil || class != classes[i] {
			t.Fatalf("row %d: class %d, want %d (%v)", i, class, classes[i], err)
		}
	}
	if walked := forc.Walked(p); walked == 1 {
		t.Error("no tree was left out")
	}
	// One class more than once in front: the lowest.
	even := trained(t, &table{x: [][]float64{{1}, {1}, {1}}, y: []int{0, 1, 2}}, params(func(p *aoso.Params) { p.NEstimators = 1 })).Model
	if p, err = even.RowPredictor(); err != nil {
		t.Fatal(err)
	}
	if class, err := p.Class([]float64{1}); err != nil || class != 0 {
		t.Error(class, err)
	}
}

func TestRowPredictorAllocates(t *testing.T) {
	d := blobs(84, 200, 4, 5, 255)
	for _, v := range everyVariant {
		m := trained(t, d, params(func(p *aoso.Params) { v.change(p); rounds(p, 4, 5) })).Model
		for _, level := range aoso.Levels() {
			p, err := m.RowPredictor(aoso.PredictOptions{Level: level})
			if err != nil {
				t.Fatal(err)
			}
			scores, few, some := make([]float64, 5), make([]float64, 2), []int{3, 1}
			i := 0
			if n := testing.AllocsPerRun(50, func() {
				row := d.x[i%len(d.x)]
				i++
				_, err1 := p.Class(row)
				if p.Raw(row, scores) != nil || p.Proba(row, scores) != nil || p.RawOf(row, some, few) != nil || err1 != nil {
					t.Fatal("error")
				}
			}); n != 0 {
				t.Errorf("%s, %s: %v allocations", v.name, level, n)
			}
		}
	}
}

func TestRowPredictorAtOnce(t *testing.T) {
	d := blobs(85, 200, 4, 3, 255)
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 20 })).Model
	want := rawScores(t, m, d.features(), aoso.PredictOptions{})
	m, err := decode(encode(t, m)) // in which nothing is prepared yet
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			p, err := m.RowPredictor()
			if err != nil {
				t.Error(err)
				return
			}
			got := make([]float64, 3)
			for i, row := range d.x {
				if err := p.Raw(row, got); err != nil || !slices.Equal(got, want[i*3:][:3]) {
					t.Error("other scores", err)
				}
			}
		})
	}
	group.Wait()
}

func TestRowPredictorErrors(t *testing.T) {
	m := trained(t, blobs(86, 50, 4, 3, 255), params(func(p *aoso.Params) { p.NEstimators = 5 })).Model
	for argument, o := range map[string]aoso.PredictOptions{
		"trees": {Trees: 6}, "nthread": {NThread: -1}, "level": {Level: "sse9"},
	} {
		_, err := m.RowPredictor(o)
		wantArgumentError(t, err, argument)
	}
	p, err := m.RowPredictor()
	if err != nil {
		t.Fatal(err)
	}
	row, scores := make([]float64, 4), make([]float64, 3)
	wantArgumentError(t, p.Raw(row[:3], scores), "row", "3 long", "4, the features")
	wantArgumentError(t, p.Raw(row, scores[:2]), "scores", "2 long", "3, the classes")
	wantArgumentError(t, p.Proba(row[:3], scores), "row")
	wantArgumentError(t, p.Proba(row, nil), "proba", "0 long", "3, the classes")
	wantArgumentError(t, p.RawOf(nil, []int{1}, scores[:1]), "row")
	wantArgumentError(t, p.RawOf(row, []int{1}, scores), "scores", "3 long", "1, the classes asked for")
	wantArgumentError(t, p.RawOf(row, []int{1, 3}, scores[:2]), "classes", "3", "0 to 2")
	wantArgumentError(t, p.RawOf(row, []int{-1}, scores[:1]), "classes", "-1")
	_, err = p.Class(row[:0])
	wantArgumentError(t, err, "row", "0 long")
}
