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
)

// categorical trains a model on a number and on two features with so many
// categories, of which some are missing.
func categorical(t testing.TB, categories, classes int, change func(*aoso.Params)) *aoso.Model {
	t.Helper()
	columns, labels := coloured(600, categories, classes, 1)
	more, _ := coloured(600, categories+1, classes, 2)
	x, err := aoso.NewTable(columns[1], columns[0], more[0])
	if err != nil {
		t.Fatal(err)
	}
	set, err := aoso.NewDataset(x, labels, aoso.DatasetOptions{Names: []string{"size", "color", "shape"}})
	if err != nil {
		t.Fatal(err)
	}
	return train(t, set, params(func(p *aoso.Params) {
		p.NEstimators, p.MaxLeaves, p.MinSamplesLeaf, p.CategoryL2, p.CategorySmoothing, p.CategoryLimit = 6, 8, 1, 0, 0, 64
		change(p)
	}), aoso.TrainOptions{}).Model
}

// categoricalModels has features of few categories, of many, and of so many that
// they have rates.
func categoricalModels(t testing.TB) map[string]*aoso.Model {
	models := map[string]*aoso.Model{}
	for _, categories := range []int{2, 60, 400} {
		models[fmt.Sprint(categories, ", 2 classes")] = categorical(t, categories, 2, paper)
		models[fmt.Sprint(categories, ", pair leaves")] = categorical(t, categories, 4, func(p *aoso.Params) { p.Leaf, p.Pairs = "pair", 1 })
		models[fmt.Sprint(categories, ", 4 pairs")] = categorical(t, categories, 4, func(p *aoso.Params) { p.Leaf, p.Pairs = "full", 4 })
	}
	return models
}

// positions returns rows of the positions of categories, one that is not listed, and
// missing values, with the scores of the model.
func positions(t *testing.T, m *aoso.Model) (rows, scores [][]float64) {
	t.Helper()
	p, err := m.RowPredictor()
	if err != nil {
		t.Fatal(err)
	}
	colors, shapes := len(m.Categories(1)), len(m.Categories(2))
	for i := range 3 * (colors + 2) {
		row := []float64{3 * math.Sin(float64(i)), float64(i % (colors + 2)), float64(i / 3 % (shapes + 2))}
		for j, listed := range []int{math.MaxInt, colors, shapes} {
			if row[j] > float64(listed) {
				row[j] = math.NaN()
			}
		}
		raw := make([]float64, len(m.Classes()))
		if err := p.Raw(row, raw); err != nil {
			t.Fatal(err)
		}
		rows, scores = append(rows, row), append(scores, raw)
	}
	return rows, scores
}

// TestExportedCategories predicts from what was written alone; make test-export
// does so with the programs that the formats are for.
func TestExportedCategories(t *testing.T) {
	for name, m := range categoricalModels(t) {
		t.Run(name, func(t *testing.T) {
			rows, scores := positions(t, m)
			head, trees := parseLight(t, string(written(t, exported(m, "lightgbm"))))
			if infos := strings.Fields(head["feature_infos"]); infos[0] != "[-inf:inf]" || !strings.HasPrefix(infos[1], "0:1:2") {
				t.Errorf("feature_infos are %v", infos)
			}
			var j jsonModel
			if err := json.Unmarshal(written(t, exported(m, "json")), &j); err != nil {
				t.Fatal(err)
			}
			if j.Version != 2 || j.Categories[0] != nil || !slices.Equal(j.Categories[1], m.Categories(1)) {
				t.Errorf("version %d, categories %q", j.Version, j.Categories)
			}
			o := parseONNX(t, written(t, exported(m, "onnx")))
			if all, _ := json.Marshal(j.Categories); o.metadata["categories"] != string(all) {
				t.Errorf("metadata %q", o.metadata)
			}
			sets := 0
			for i, row := range rows {
				want := scores[i]
				if got := j.scores(row); !slices.Equal(got, want) {
					t.Fatalf("row %v: scores %v by JSON, want %v", row, got, want)
				}
				light := make([]float64, len(want))
				for k, tree := range trees {
					light[k%len(want)] += tree.value(row)
					sets += len(tree["cat_boundaries"])
				}
				if !slices.Equal(light, want) {
					t.Fatalf("row %v: scores %v by LightGBM, want %v", row, light, want)
				}
				got := o.scores(o.columns(m, row))
				for k := range got { // all but for what they have in common
					if math.Abs(got[k]-got[0]-(want[k]-want[0])) > 1e-12 {
						t.Fatalf("row %v: scores %v by ONNX, want %v", row, got, want)
					}
				}
			}
			if further := len(m.Categories(1)) > 4; sets == 0 || further != (o.tables["table1"] != nil) {
				t.Errorf("%d sets, tables %v", sets, len(o.tables))
			}
		})
	}
}

// columns returns a row with the rates of its categories after it.
func (o *onnxModel) columns(m *aoso.Model, row []float64) []float64 {
	columns := slices.Clone(row)
	for j, x := range row {
		table, listed := o.tables[fmt.Sprint("table", j)], len(m.Categories(j))
		if table == nil {
			continue
		}
		place, width := listed+1, len(table)/(listed+2)
		if x == x {
			place = min(int(x), listed)
		}
		columns = append(columns, table[place*width:][:width]...)
	}
	return columns
}

// TestPandasCategories: LightGBM looks categories up among what pandas has for
// them, where whole numbers are no texts.
func TestPandasCategories(t *testing.T) {
	x, err := aoso.NewTable(aoso.Texts([]string{"a", "b", "a", "<ü>"}), aoso.Numbers([]int{0, 1, 2, 3}), aoso.Texts([]string{"10", "9", "9", "10"}), aoso.Texts([]string{"1", "01", "1", ""}))
	if err != nil {
		t.Fatal(err)
	}
	set, err := aoso.NewDataset(x, aoso.IntLabels([]int{0, 1, 0, 1}), aoso.DatasetOptions{Categorical: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	text := string(written(t, exported(train(t, set, params(func(p *aoso.Params) { p.NEstimators = 1 }), aoso.TrainOptions{}).Model, "lightgbm")))
	if want := "\npandas_categorical:" + `[["\u003cü\u003e","a","b"],[0,1,2,3],[9,10],["01","1"]]` + "\n"; !strings.HasSuffix(text, want) {
		t.Errorf("%q, want %q", text[len(text)-len(want):], want)
	}
}

// TestWrittenCategories: people read names, of many some.
func TestWrittenCategories(t *testing.T) {
	for name, m := range categoricalModels(t) {
		text := dump(t, m, 0)
		for tree := range m.Trees() {
			text += string(written(t, func(w io.Writer) error { return m.Export(w, "dot", aoso.ExportOptions{Tree: tree}) }))
		}
		many := len(m.Categories(1)) > 20
		for _, part := range []string{"color", "in {c", "  unseen left  gain", "missing, unseen"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s: there is no %q", name, part)
			}
		}
		if strings.Contains(text, "more}") != many || strings.Contains(text, "rate") || strings.Contains(text, "color < ") {
			t.Errorf("%s:\n%.2000s", name, text)
		}
	}
}
