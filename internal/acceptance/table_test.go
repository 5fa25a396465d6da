package acceptance

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/model"
)

// coloured returns a table of a categorical column of this many categories, on whose
// random subsets the class depends, and a number.
func coloured(rows, categories, classes int, seed uint64) (columns []aoso.Column, labels aoso.Labels) {
	r := rand.New(rand.NewPCG(seed, 1))
	of := rand.New(rand.NewPCG(7, 7))
	class := make([]int, categories)
	names := make([]string, categories)
	for c := range class {
		class[c], names[c] = of.IntN(classes), fmt.Sprintf("c%d", c)
	}
	codes, noise, y := make([]int32, rows), make([]float64, rows), make([]int, rows)
	for i := range codes {
		codes[i] = int32(r.IntN(categories))
		noise[i] = r.NormFloat64()
		y[i] = class[codes[i]]
		if r.Float64() < 0.1 {
			y[i] = r.IntN(classes)
		}
		if r.Float64() < 0.05 {
			codes[i] = -1
		}
	}
	return []aoso.Column{aoso.Codes(codes, names), aoso.Numbers(noise)}, aoso.IntLabels(y)
}

func mustTable(t *testing.T, columns []aoso.Column) aoso.CategoricalFeatures {
	t.Helper()
	x, err := aoso.NewTable(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestCategories: the class depends on subsets of categories, which training
// finds; what the model predicts is the same however its input comes, and after a
// trip through a file.
func TestCategories(t *testing.T) {
	for _, categories := range []int{2, 8, 60, 400} {
		for _, p := range []struct {
			classes, pairs int
			method         aoso.Method
			minSamples     int
		}{{2, 1, "aoso", 1}, {4, 4, "aoso", 1}, {4, 2, "aoso", 12}, {3, 1, "abc", 5}} {
			t.Run(fmt.Sprint(categories, p), func(t *testing.T) {
				columns, labels := coloured(2500, categories, p.classes, 1)
				x := mustTable(t, columns)
				train, err := aoso.NewDataset(x, labels, aoso.DatasetOptions{Names: []string{"color", "noise"}})
				if err != nil {
					t.Fatal(err)
				}
				params := paperParams()
				params.NEstimators, params.Pairs, params.Method, params.MinSamplesLeaf = 30, p.pairs, p.method, p.minSamples
				if p.method == "abc" {
					params.Leaf = "pair"
				}
				result, err := aoso.Train(context.Background(), train, params)
				if err != nil {
					t.Fatal(err)
				}
				m := result.Model
				testColumns, testLabels := coloured(400, categories, p.classes, 2)
				test := mustTable(t, testColumns)
				e, err := m.Evaluate(test, testLabels, nil)
				if err != nil {
					t.Fatal(err)
				}
				if e.ErrorRate > 0.30 {
					t.Errorf("error rate %v", e.ErrorRate)
				}
				raw, err := m.PredictRaw(test)
				if err != nil {
					t.Fatal(err)
				}
				read := reread(t, m)
				again, err := read.PredictRaw(test)
				if err != nil || !slices.Equal(raw, again) || read.Fingerprint() != m.Fingerprint() {
					t.Errorf("a model from a file predicts otherwise (%v)", err)
				}
				row, err := read.RowPredictor()
				if err != nil {
					t.Fatal(err)
				}
				one := make([]float64, p.classes)
				known := m.Categories(0)
				values := make([][]float64, 2)
				for j := range values {
					values[j] = make([]float64, test.Rows())
					test.Column(j, 0, values[j])
				}
				for i := range 200 {
					cells := []float64{values[0][i], values[1][i]}
					if c := cells[0]; c == c {
						cells[0] = float64(slices.Index(known, test.Categories(0)[int(c)]))
					}
					if err := row.Raw(cells, one); err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(one, raw[i*p.classes:][:p.classes]) {
						t.Fatalf("row %d: %v by itself, %v in a block", i, one, raw[i*p.classes:][:p.classes])
					}
				}
				shap, err := m.SHAP(test)
				if err != nil {
					t.Fatal(err)
				}
				for i := range len(shap) / 3 {
					if sum := shap[3*i] + shap[3*i+1] + shap[3*i+2]; math.Abs(sum-raw[i]) > 1e-9 {
						t.Fatalf("SHAP values sum to %v, the score is %v", sum, raw[i])
					}
				}
			})
		}
	}
}

// TestContinueCategories: a model is continued on the same rows with a dictionary
// in another order as with the first one, and the rows have the bins that they had.
// The errors name a column that does not fit.
func TestContinueCategories(t *testing.T) {
	for _, v := range []struct {
		method     aoso.Method
		categories int
	}{{"aoso", 9}, {"abc", 9}, {"aoso", 400}} {
		columns, labels := coloured(2000, v.categories, 3, 3)
		x := mustTable(t, columns)
		codes, names := make([]int32, x.Rows()), slices.Clone(x.Categories(0))
		slices.Reverse(names)
		values := make([]float64, x.Rows())
		x.Column(0, 0, values)
		for i, value := range values {
			if codes[i] = -1; value == value {
				codes[i] = int32(len(names) - 1 - int(value))
			}
		}
		p := aoso.DefaultParams()
		p.Preset, p.Method, p.NEstimators = "paper", v.method, 6
		testColumns, testLabels := coloured(500, v.categories, 3, 4)
		test := mustTable(t, testColumns)
		train := func(x aoso.Features, before *aoso.Model) (*aoso.Dataset, *aoso.Result) {
			d, err := aoso.NewDataset(x, labels, aoso.DatasetOptions{Init: before})
			if err != nil {
				t.Fatal(err)
			}
			valid, err := d.Aligned(test, testLabels, nil)
			if err != nil {
				t.Fatal(err)
			}
			result, err := aoso.Train(context.Background(), d, p, aoso.TrainOptions{Valid: valid})
			if err != nil {
				t.Fatal(err)
			}
			if e, err := result.Model.Evaluate(test, testLabels, nil); err != nil || *e != *result.Valid {
				t.Errorf("%+v: the model does %+v (%v), said to do %+v", v, e, err, *result.Valid)
			}
			return d, result
		}
		first, before := train(x, nil)
		more, after := train(x, before.Model)
		if len(more.FeatureNames()) != len(first.FeatureNames()) || !splitsInBins(forest(after.Model), setOf(t, first).Mapper) {
			t.Errorf("%+v: the same rows have other bins when the model is continued", v)
		}
		if !(after.Valid.LogLoss < before.Valid.LogLoss) {
			t.Errorf("%+v: the loss went from %g to %g", v, before.Valid.LogLoss, after.Valid.LogLoss)
		}
		other := mustTable(t, []aoso.Column{aoso.Codes(codes, names), columns[1]})
		if _, r := train(other, before.Model); r.Model.Fingerprint() != after.Model.Fingerprint() {
			t.Errorf("%+v: another order of the categories continues to another model", v)
		}
		_, err := before.Model.Predict(mustTable(t, []aoso.Column{columns[0], columns[0]}))
		if want := `aoso: features: column 1, "f1", is "c0"; allowed: numbers, as in training`; err == nil || err.Error() != want {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}

// splitsInBins reports whether the thresholds of a forest are thresholds of bins.
func splitsInBins(f *model.Forest, m *bin.Mapper) bool {
	return !slices.ContainsFunc(byNode(f, func(n model.Node) model.Split { return n.Split() }), func(s model.Split) bool {
		feature := &m.Features[s.Feature]
		for code := 1; s.Set() == nil && code < feature.Codes(); code++ {
			if feature.Threshold(code) == s.Threshold() {
				return false
			}
		}
		return s.Set() == nil
	})
}
