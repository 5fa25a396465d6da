package acceptance

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/forc"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/predict"
	"github.com/libaoso/aoso/kernel"
)

// linearScores returns the scores of a row before any tree.
func linearScores(m *aoso.Model, row []float64) []float64 {
	scores, l := make([]float64, len(m.Classes())), forest(m).Linear()
	if l == nil {
		return scores
	}
	for k := range scores {
		scores[k] = float64(l.Bias()[k])
		for term := range l.Terms() {
			scores[k] += float64(l.Place(term, row[l.Column(term)])) * float64(l.Weights(term)[k])
		}
		scores[k] = math.RoundToEven(scores[k]*(1<<24)) / (1 << 24)
	}
	return scores
}

// TestPredictions derives every kind of prediction from the trees themselves.
func TestPredictions(t *testing.T) {
	d := blobs(60, 700, 4, 5, 255).punch(60, 0.05)
	for _, v := range everyVariant {
		t.Run(v.name, func(t *testing.T) {
			m := trained(t, d, params(func(p *aoso.Params) { v.change(p); rounds(p, 4, 5) })).Model
			x := d.features()
			for _, trees := range []int{0, 1, 3, m.Trees()} {
				o := aoso.PredictOptions{Trees: trees, NThread: 2}
				n := trees
				if n == 0 {
					n = m.Trees()
				}
				leaves, err := m.PredictLeaf(x, o)
				if err != nil {
					t.Fatal(err)
				}
				scores := rawScores(t, m, x, o)
				proba, err1 := m.PredictProba(x, o)
				classes, err2 := m.Predict(x, o)
				if err1 != nil || err2 != nil {
					t.Fatal(err1, err2)
				}
				used := slices.Repeat([]float64{math.NaN()}, len(proba))
				if err := m.PredictProbaTo(used, x, o); err != nil || !slices.Equal(used, proba) {
					t.Fatal("probabilities into memory of the caller's differ:", err)
				}
				if err := m.PredictRawTo(used, x, o); err != nil || !slices.Equal(used, scores) {
					t.Fatal("raw scores into memory of the caller's differ:", err)
				}
				for i, row := range d.x {
					f := linearScores(m, row)
					for tree := range n {
						leaf := walk(m, tree, row)
						if int(leaves[i*n+tree]) != leaf {
							t.Fatalf("row %d, tree %d: leaf %d, want %d", i, tree, leaves[i*n+tree], leaf)
						}
						forest(m).Tree(tree).Leaf(leaf).AddTo(f)
					}
					if !slices.Equal(scores[i*5:][:5], f) {
						t.Fatalf("row %d: scores %v, want %v", i, scores[i*5:][:5], f)
					}
					sum := 0.0
					for k := range f {
						sum += math.Exp(f[k])
					}
					for k := range f {
						if p := proba[i*5+k]; !near(p, math.Exp(f[k])/sum, 1e-14) {
							t.Fatalf("row %d, class %d: probability %g, want %g", i, k, p, math.Exp(f[k])/sum)
						}
					}
					if classes[i] != slices.Index(f, slices.Max(f)) {
						t.Fatalf("row %d: class %d of scores %v", i, classes[i], f)
					}
				}
			}
		})
	}
}

// TestPredictLevels predicts Letter, with values missing and infinite, at every
// level, and compares with walks through the trees.
func TestPredictLevels(t *testing.T) {
	finite := letter().slice(0, 1100).punch(67, 0.02)
	d := finite.punch(68, 0.02)
	for i := 0; i < len(d.x); i += 7 {
		d.x[i][i%16] = math.Inf(i%2*2 - 1)
	}
	for _, v := range []struct {
		name   string
		change func(*aoso.Params)
	}{
		{"pairs", func(p *aoso.Params) { paper(p); p.NEstimators = 40 }},
		{"4 pairs", func(p *aoso.Params) { p.Leaf, p.Pairs, p.NEstimators = "pair", 4, 40 }},
		{"full", func(p *aoso.Params) { p.NEstimators = 70 }},
		{"logitboost", func(p *aoso.Params) { p.Method, p.NEstimators = aoso.MethodLogitBoost, 2*26 }},
		{"many leaves", func(p *aoso.Params) { p.MaxLeaves, p.MinChildWeight, p.NEstimators = 500, 1e-9, 3 }},
	} {
		t.Run(v.name, func(t *testing.T) {
			m := trained(t, finite, params(v.change)).Model
			trees, classes := m.Trees(), len(m.Classes())
			scores, leaves := make([]float64, len(d.x)*classes), make([]int32, len(d.x)*trees)
			for i, row := range d.x {
				for tree := range trees {
					leaf := walk(m, tree, row)
					leaves[i*trees+tree] = int32(leaf)
					forest(m).Tree(tree).Leaf(leaf).AddTo(scores[i*classes:][:classes])
				}
			}
			m = withTemperature(m, 1.5)
			proba := kernel.SoftmaxJob{Scores: slices.Clone(scores), Classes: classes, Temperature: 1.5}
			kernel.Softmax(&proba)
			for _, level := range aoso.Levels() {
				o := aoso.PredictOptions{NThread: 2, Level: level}
				for _, rows := range []int{predict.FewRows, len(d.x)} {
					got, err := m.PredictProba(d.slice(0, rows).features(), o)
					if err != nil || !slices.Equal(got, proba.Scores[:rows*classes]) {
						t.Errorf("%s: other probabilities of %d rows than by walking (%v)", level, rows, err)
					}
				}
				if got := rawScores(t, m, d.features(), o); !slices.Equal(got, scores) {
					t.Errorf("%s: other scores than by walking", level)
				}
				if got, err := m.PredictLeaf(d.features(), o); err != nil || !slices.Equal(got, leaves) {
					t.Errorf("%s: other leaves than by walking (%v)", level, err)
				}
			}
		})
	}
}

// walk finds a row's leaf as the text of a tree would have it.
func walk(m *aoso.Model, tree int, row []float64) int {
	t := forest(m).Tree(tree)
	child := t.Root()
	for !child.IsLeaf() {
		n := t.Node(child)
		s := n.Split()
		x := min(row[s.Feature], math.MaxFloat64)
		if x < s.Threshold() || math.IsNaN(x) && s.MissingLeft {
			child = n.Left()
		} else {
			child = n.Right()
		}
	}
	return child.Leaf()
}

// TestPredictBlocks has numbers of rows about those that are read at once.
func TestPredictBlocks(t *testing.T) {
	d := blobs(61, 2*kernel.PredictRows+3, 4, 3, 255)
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 5 })).Model
	want := rawScores(t, m, d.features(), aoso.PredictOptions{NThread: 1})
	for _, rows := range []int{1, predict.FewRows, predict.FewRows + 1, 64, 65, kernel.PredictRows - 1, kernel.PredictRows, kernel.PredictRows + 1, 2 * kernel.PredictRows, 2*kernel.PredictRows + 3} {
		for _, threads := range []int{0, 1, 2, 5} {
			got := rawScores(t, m, d.slice(0, rows).features(), aoso.PredictOptions{NThread: threads})
			if !slices.Equal(got, want[:rows*3]) {
				t.Errorf("%d rows, %d threads: other scores", rows, threads)
			}
		}
	}
}

// TestPredictNoTrees: without trees all scores are zero.
func TestPredictNoTrees(t *testing.T) {
	m := newModel(model.NewForest(3, 1, false), []string{"a", "b", "c"}, []string{"x"})
	for _, rows := range []int{1, 100} {
		scores := rawScores(t, m, aoso.RowMajor(make([]float64, rows), rows, 1), aoso.PredictOptions{})
		if len(scores) != 3*rows || slices.ContainsFunc(scores, func(f float64) bool { return f != 0 }) {
			t.Errorf("%d rows: scores %v", rows, scores)
		}
	}
	p, err := m.RowPredictor()
	if err != nil {
		t.Fatal(err)
	}
	if class, err := p.Class([]float64{1}); class != 0 || err != nil || forc.Walked(p) != 0 {
		t.Error(class, err, forc.Walked(p))
	}
}

// TestPredictNothing: no rows, no predictions, no error.
func TestPredictNothing(t *testing.T) {
	m := trained(t, blobs(62, 50, 4, 3, 255), params(func(p *aoso.Params) { p.NEstimators = 5 })).Model
	for _, x := range []aoso.Features{aoso.RowMajor([]float64{}, 0, 4), aoso.Dense[float32](nil, 0, 4, 1, 0)} {
		raw, err1 := m.PredictRaw(x)
		proba, err2 := m.PredictProba(x)
		classes, err3 := m.Predict(x)
		leaves, err4 := m.PredictLeaf(x)
		if len(raw)+len(proba)+len(classes)+len(leaves) > 0 || raw == nil || proba == nil || classes == nil || leaves == nil {
			t.Errorf("%v %v %v %v, want empty slices", raw, proba, classes, leaves)
		}
		e, err5 := m.Evaluate(x, aoso.Labels{}, nil)
		if err5 != nil || e.Errors != 0 || e.ErrorRate != 0 {
			t.Errorf("%+v, %v", e, err5)
		}
		if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
			t.Error(err1, err2, err3, err4)
		}
	}
}

func TestStaged(t *testing.T) {
	d := blobs(63, 300, 4, 5, 255)
	x := d.features()
	for _, v := range everyVariant {
		for _, every := range []int{1, 2, 3, 100, math.MaxInt} {
			t.Run(fmt.Sprint(v.name, every), func(t *testing.T) {
				m := trained(t, d, params(func(p *aoso.Params) { v.change(p); rounds(p, 7, 5) })).Model
				stages, err := m.Staged(x, every)
				if err != nil {
					t.Fatal(err)
				}
				want := 0
				for trees, scores := range stages {
					if want = min(want/m.TreesPerIteration()+min(every, 7), 7) * m.TreesPerIteration(); trees != want {
						t.Fatalf("after %d trees, want %d", trees, want)
					}
					if !slices.Equal(scores, rawScores(t, m, x, aoso.PredictOptions{Trees: trees})) {
						t.Fatalf("after %d trees: other scores than those of as many trees", trees)
					}
				}
				if want != m.Trees() {
					t.Errorf("the last stage is that of %d trees of %d", want, m.Trees())
				}
				for trees := range stages {
					if trees > 0 {
						break // which must end it
					}
				}
			})
		}
	}
}

// TestPredictTies: the lowest class wins.
func TestPredictTies(t *testing.T) {
	d := &table{x: [][]float64{{1}, {1}, {1}}, y: []int{0, 1, 2}}
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 1 })).Model
	if classes, err := m.Predict(d.features()); err != nil || !slices.Equal(classes, []int{0, 0, 0}) {
		t.Error(classes, err)
	}
}

func TestPredictErrors(t *testing.T) {
	d := blobs(64, 50, 4, 3, 255)
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 5 })).Model
	good := d.features()
	tests := []struct {
		name     string
		features aoso.Features
		options  aoso.PredictOptions
		argument string
		texts    []string
	}{
		{"columns", aoso.RowMajor([]float64{1, 2}, 1, 2), aoso.PredictOptions{}, "features", []string{"2 columns", "4 columns, the features of the model"}},
		{"columns of no rows", aoso.RowMajor([]float64{}, 0, 5), aoso.PredictOptions{}, "features", []string{"5 columns"}},
		{"no features", nil, aoso.PredictOptions{}, "features", nil},
		{"too little data", aoso.RowMajor([]float64{1, 2}, 1, 4), aoso.PredictOptions{}, "data", []string{"2", "4 values"}},
		{"trees", good, aoso.PredictOptions{Trees: 6}, "trees", []string{"6", "0 to 5"}},
		{"negative trees", good, aoso.PredictOptions{Trees: -1}, "trees", []string{"-1"}},
		{"nthread", good, aoso.PredictOptions{NThread: -1}, "nthread", []string{"-1"}},
		{"level", good, aoso.PredictOptions{Level: "sse9"}, "level", []string{"sse9", "generic"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for name, call := range map[string]func() error{
				"raw":      func() error { _, err := m.PredictRaw(test.features, test.options); return err },
				"proba":    func() error { _, err := m.PredictProba(test.features, test.options); return err },
				"class":    func() error { _, err := m.Predict(test.features, test.options); return err },
				"leaf":     func() error { _, err := m.PredictLeaf(test.features, test.options); return err },
				"staged":   func() error { _, err := m.Staged(test.features, 1, test.options); return err },
				"evaluate": func() error { _, err := m.Evaluate(test.features, d.labels(), nil, test.options); return err },
			} {
				t.Run(name, func(t *testing.T) { wantArgumentError(t, call(), test.argument, test.texts...) })
			}
		})
	}
	_, err := m.Staged(good, 0)
	wantArgumentError(t, err, "every", "0")
	_, err = m.Evaluate(good, d.labels()[:3], nil)
	wantArgumentError(t, err, "labels", "3", "50, one for each row")
	_, err = m.Evaluate(good, d.labels(), []float64{1})
	wantArgumentError(t, err, "weights", "1", "50, one for each row")
	_, err = m.Evaluate(good, d.labels(), make([]float64, 50))
	wantArgumentError(t, err, "weights", "all 0")
	_, err = m.EvaluateRaw(make([]float64, 150), d.labels(), []float64{1})
	wantArgumentError(t, err, "weights", "1", "50, one for each row")
	_, err = m.EvaluateRaw(make([]float64, 147), d.labels(), nil)
	wantArgumentError(t, err, "labels", "50", "49, one for each row")
	wantArgumentError(t, m.RawToProba(make([]float64, 7)), "raw", "7", "a multiple of 3, the number of classes")
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		raw := []float64{0, 1, 2, 3, bad, 5}
		wantArgumentError(t, m.RawToProba(raw), "raw[4]", fmt.Sprint(bad), "finite numbers")
		if !slices.Equal(raw[:4], []float64{0, 1, 2, 3}) {
			t.Errorf("raw scores changed in spite of the error: %v", raw)
		}
		_, err = m.EvaluateRaw(raw, d.labels()[:2], nil)
		wantArgumentError(t, err, "raw[4]", fmt.Sprint(bad), "finite numbers")
	}
}

// TestEvaluateUnknown counts labels that the model does not have as errors.
func TestEvaluateUnknown(t *testing.T) {
	d := blobs(65, 60, 4, 3, 255)
	m := trained(t, d, params(func(p *aoso.Params) { p.StopLoss = 1e-6 })).Model
	labels := slices.Clone(d.labels())
	labels[3], labels[7] = aoso.StringLabels([]string{"cat"})[0], aoso.StringLabels([]string{""})[0]
	e, err := m.Evaluate(d.features(), labels, nil)
	if err != nil || e.Errors != 2 || !near(e.ErrorRate, 2.0/60, 1e-12) || !(e.LogLoss < 1e-6) {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestPredictAtOnce(t *testing.T) {
	d := blobs(66, 1000, 4, 3, 255)
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 20 })).Model
	want := rawScores(t, m, d.features(), aoso.PredictOptions{})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if got, err := m.PredictRaw(d.features(), aoso.PredictOptions{NThread: 2}); err != nil || !slices.Equal(got, want) {
				t.Error("other scores", err)
			}
		})
	}
	group.Wait()
}
