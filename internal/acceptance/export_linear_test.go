package acceptance

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/model"
)

// TestExportedLinear predicts from what was written alone, where trees come after linear
// scores.
func TestExportedLinear(t *testing.T) {
	models, rows := map[string]*aoso.Model{}, map[string][][]float64{}
	for _, classes := range []int{2, 5} {
		d := blobs(154, 300, 4, classes, 12)
		for _, v := range variants {
			name := fmt.Sprint(v.name, classes)
			models[name] = withLinear(trained(t, d, params(func(p *aoso.Params) { v.change(p); rounds(p, 2, classes) })).Model, d.x)
			for i, row := range d.x { // no tree has seen that values are missing
				row = slices.Clone(row)
				if special := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}; i < 60 {
					row[i%4] = special[i/4%3]
				}
				rows[name] = append(rows[name], row)
			}
		}
	}
	for name, m := range categoricalModels(t) {
		models[name] = withLinear(m, nil)
		rows[name], _ = positions(t, models[name])
	}
	for name, m := range models {
		t.Run(name, func(t *testing.T) {
			classes := len(m.Classes())
			var j jsonModel
			if err := json.Unmarshal(written(t, exported(m, "json")), &j); err != nil {
				t.Fatal(err)
			}
			if j.Version != 3 || len(j.Linear.Terms) != forest(m).Linear().Terms() || len(j.Trees) != m.Trees() || (j.Categories != nil) != (encoder(m) != nil) {
				t.Fatalf("version %d, %d terms, %d trees", j.Version, len(j.Linear.Terms), len(j.Trees))
			}
			o := parseONNX(t, written(t, exported(m, "onnx")))
			_, trees := parseLight(t, string(written(t, exported(m, "lightgbm"))))
			p, err := m.RowPredictor()
			if err != nil {
				t.Fatal(err)
			}
			want, light := make([]float64, classes), make([]float64, classes)
			for _, row := range rows[name] {
				if err := p.Raw(row, want); err != nil {
					t.Fatal(err)
				}
				if got := j.scores(row); !slices.Equal(got, want) {
					t.Fatalf("row %v: scores %v by JSON, want %v", row, got, want)
				}
				clear(light)
				for k, tree := range trees {
					light[k%classes] += tree.value(row)
				}
				got := o.scores(o.columns(m, row))
				for k := range want {
					if math.Abs(light[k]-want[k]) > 1e-6 {
						t.Fatalf("row %v: scores %v by LightGBM, want %v", row, light, want)
					}
					if math.Abs(got[k]-got[0]-(want[k]-want[0])) > 1e-7 { // all but for what they have in common
						t.Fatalf("row %v: scores %v by ONNX, want %v", row, got, want)
					}
				}
			}
			for i, tree := range trees { // or LightGBM has no SHAP values
				for at, rows := range slices.Concat(tree["leaf_count"], tree["internal_count"]) {
					if rows == 0 && i < classes*(1+forest(m).Linear().Terms()) && len(tree["leaf_count"]) > 1 {
						t.Fatalf("count %d of tree %d is 0", at, i)
					}
				}
			}
		})
	}
}

// TestExportedLinearMerged exports a model with several terms of each feature.
func TestExportedLinearMerged(t *testing.T) {
	d := blobs(155, 200, 3, 4, 12)
	m := withLinear(trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 2 })).Model, d.x)
	merged, err := aoso.Merge(m, withLinear(m, nil), trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 3 })).Model)
	if err != nil {
		t.Fatal(err)
	}
	values := shapValues(t, merged, d.features(), aoso.PredictOptions{})
	checkSums(t, merged, d.features(), values, aoso.PredictOptions{})
	_, trees := parseLight(t, string(written(t, exported(merged, "lightgbm"))))
	scores := rawScores(t, merged, d.features(), aoso.PredictOptions{})
	for i, row := range d.x {
		for k, want := range scores[i*4:][:4] {
			got := 0.0
			for j := k; j < len(trees); j += 4 {
				got += trees[j].value(row)
			}
			if math.Abs(got-want) > 1e-6 {
				t.Fatalf("row %d, class %d: score %v, want %v", i, k, got, want)
			}
		}
	}
}

// TestWrittenLinear: people read what the linear scores are of.
func TestWrittenLinear(t *testing.T) {
	d := blobs(156, 100, 9, 3, 12)
	wide := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 2 })).Model
	f := forest(wide).Clone()
	f.SetLinear(model.NewLinear([]float32{1, 0, -1}))
	rated := categorical(t, 400, 4, func(*aoso.Params) {})
	for _, test := range []struct {
		plain, m *aoso.Model
		want     string
	}{
		{wide, withLinear(wide, d.x), "linear scores of f0, f1, f2, f3, f4, f5, 3 more, to which leaves add\n"},
		{wide, changed(wide, func(c *model.Model) { c.Forest = f }), "the same initial scores for all rows, to which leaves add\n"},
		{rated, withLinear(rated, nil), "linear scores of size, color, shape, to which leaves add\n"},
	} {
		if got := dump(t, test.m, 1); got != test.want+dump(t, test.plain, 1) {
			t.Errorf("%.200s", got)
		}
		dot := func(m *aoso.Model) string {
			return string(written(t, func(w io.Writer) error { return m.Export(w, "dot", aoso.ExportOptions{Tree: 1}) }))
		}
		if dot(test.m) != dot(test.plain) {
			t.Error("a tree is drawn in another way")
		}
	}
}

// TestExportedLinearSize: trees in place of linear scores are too large.
func TestExportedLinearSize(t *testing.T) {
	const classes, edges = 20_000, 14_000
	l, f := model.NewLinear(make([]float32, classes)), model.NewSparseForest(classes, 1, 1)
	all := make([]float64, edges)
	for i := range all {
		all[i] = float64(i)
	}
	l.Add(0, all, make([]float32, edges+1), make([]float32, classes))
	f.SetLinear(l)
	names := make([]string, classes)
	for k := range names {
		names[k] = fmt.Sprint(k)
	}
	m := newModel(f, names, []string{"x"})
	for _, format := range []string{"lightgbm", "treelite", "pmml"} {
		if err := m.Export(io.Discard, format, aoso.ExportOptions{Force: true}); (err == nil) != (format == "pmml") {
			t.Errorf("%s: %v", format, err)
		} else if err != nil && (!strings.Contains(err.Error(), "format "+format) || !strings.Contains(err.Error(), "start=zero")) {
			t.Error(err)
		}
	}
	for _, format := range []string{"c", "go", "json", "onnx", "text"} {
		if err := m.Export(io.Discard, format); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
}
