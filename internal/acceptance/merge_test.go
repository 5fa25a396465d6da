package acceptance

import (
	"math"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
)

func truncated(t testing.TB, m *aoso.Model, trees int) *aoso.Model {
	t.Helper()
	short, err := m.Truncated(trees)
	if err != nil {
		t.Fatal(err)
	}
	return short
}

// TestTruncated: the first trees, and a model like any other.
func TestTruncated(t *testing.T) {
	d := blobs(120, 300, 4, 5, 255).punch(120, 0.05)
	x := d.features()
	for _, v := range everyVariant {
		t.Run(v.name, func(t *testing.T) {
			m := trained(t, d, params(func(p *aoso.Params) { v.change(p); rounds(p, 4, 5) })).Model
			print := m.Fingerprint()
			for _, trees := range []int{1, m.TreesPerIteration(), m.Trees()} {
				short := truncated(t, m, trees)
				if short.Trees() != trees || !slices.Equal(rawScores(t, short, x, aoso.PredictOptions{}), rawScores(t, m, x, aoso.PredictOptions{Trees: trees})) {
					t.Errorf("%d trees: other scores than those of as many trees", trees)
				}
				loaded, err := decode(encode(t, short))
				if err != nil || loaded.Fingerprint() != short.Fingerprint() || dump(t, loaded, 0) != dump(t, m, trees) {
					t.Errorf("%d trees: another model comes back (%v)", trees, err)
				}
			}
			fewer := trained(t, d, params(func(p *aoso.Params) { v.change(p); rounds(p, 2, 5) })).Model
			if truncated(t, m, 2*m.TreesPerIteration()).Fingerprint() != fewer.Fingerprint() || m.Fingerprint() != print {
				t.Error("not what training leaves after as many trees")
			}
		})
	}
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 5 })).Model
	for _, trees := range []int{-1, 0, 6} {
		_, err := m.Truncated(trees)
		wantArgumentError(t, err, "trees", "1 to 5")
	}
}

// TestMerge: the scores of the whole are the sums of the parts', and what was
// cut can be put together again.
func TestMerge(t *testing.T) {
	d := blobs(121, 300, 4, 5, 255).punch(121, 0.05)
	x := d.features()
	for _, v := range everyVariant {
		t.Run(v.name, func(t *testing.T) {
			var models []*aoso.Model
			sum := make([]float64, 300*5)
			for _, n := range []int{3, 1, 2} {
				m := trained(t, d, params(func(p *aoso.Params) { v.change(p); rounds(p, n, 5); p.LearningRate = 0.1 * float64(n) })).Model
				models = append(models, m)
				for i, s := range rawScores(t, m, x, aoso.PredictOptions{}) {
					sum[i] += s
				}
			}
			m, err := aoso.Merge(models...)
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range rawScores(t, m, x, aoso.PredictOptions{}) {
				slack := 1e-12
				if forest(m).Linear() != nil {
					slack = 1e-6 // a bias is a float32, and linear scores are rounded
				}
				if !near(s, sum[i], 1e-12) && math.Abs(s-sum[i]) > slack {
					t.Fatalf("score %v, want %v", s, sum[i])
				}
			}
			if m.Trees() != 6*m.TreesPerIteration() || forest(m).Check(make([]int, 4)) != nil || m.Params() != models[0].Params() {
				t.Errorf("%d trees", m.Trees())
			}
			if short := truncated(t, m, models[0].Trees()); forest(m).Linear() == nil && short.Fingerprint() != models[0].Fingerprint() {
				t.Error("the first trees are not those of the first model")
			}
			if loaded, err := decode(encode(t, m)); err != nil || loaded.Fingerprint() != m.Fingerprint() {
				t.Error(err)
			}
			one, err := aoso.Merge(models[1])
			if err != nil || one.Fingerprint() != models[1].Fingerprint() {
				t.Error("one model alone becomes another", err)
			}
		})
	}
}

// TestMergeLinear: if any of the models begins with linear scores, so does the whole.
func TestMergeLinear(t *testing.T) {
	d := blobs(125, 200, 3, 4, 255)
	zero := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 2 })).Model
	begun := trained(t, d, params(func(p *aoso.Params) { p.NEstimators, p.Start = 2, "linear" })).Model
	for _, models := range [][]*aoso.Model{{zero, begun}, {begun, zero}} {
		m, err := aoso.Merge(models...)
		if err != nil {
			t.Fatal(err)
		}
		if start := m.Params().Start; start != "linear" {
			t.Errorf("the whole starts with %q", start)
		}
		set, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Init: m})
		if err != nil {
			t.Fatal(err)
		}
		checkTrainLoss(t, train(t, set, params(func(p *aoso.Params) { p.NEstimators, p.Start = 2, "" }), aoso.TrainOptions{}), d, 1e-6)
	}
}

func TestMergeErrors(t *testing.T) {
	d := blobs(122, 100, 4, 4, 255)
	model := func(d *table, names []string, change func(*aoso.Params)) *aoso.Model {
		set, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Names: names})
		if err != nil {
			t.Fatal(err)
		}
		return train(t, set, params(func(p *aoso.Params) { p.NEstimators = 4; change(p) }), aoso.TrainOptions{}).Model
	}
	same := func(*aoso.Params) {}
	m := model(d, nil, same)
	for _, c := range []struct {
		other *aoso.Model
		texts []string
	}{
		{model(blobs(123, 100, 4, 3, 255), nil, same), []string{"other classes", `"3"`}},
		{model(d, []string{"a", "b", "c", "d"}, same), []string{"other features", `"f0"`}},
		{model(d, nil, func(p *aoso.Params) { p.Method = aoso.MethodLogitBoost }), []string{"method logitboost", "method aoso"}},
		{model(d, nil, func(p *aoso.Params) { p.Leaf = "pair" }), []string{"leaf pair", "leaf full"}},
		{model(d, nil, func(p *aoso.Params) { p.Pairs = 1 }), []string{"1 pairs", "2 pairs"}},
	} {
		_, err := aoso.Merge(m, m, c.other)
		wantArgumentError(t, err, "models[2]", c.texts...)
	}
	_, err := aoso.Merge()
	wantArgumentError(t, err, "models", "at least one")
	_, err = aoso.Merge(m, nil)
	wantArgumentError(t, err, "models[1]", "nil", "a model")
	_, err = aoso.Merge(nil)
	wantArgumentError(t, err, "models[0]", "nil")
}
