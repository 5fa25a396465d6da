package acceptance

import (
	"fmt"
	"math"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/tools/cases"
)

// TestHugeValues: classes that huge values tell apart are told apart, however they come.
func TestHugeValues(t *testing.T) {
	const huge = math.MaxFloat64
	for _, values := range cases.Some(t, 5, [][]float64{
		{-huge, huge}, {-huge, 0, huge}, {-huge, -1e308, 1e308, huge}, {1.7e308, huge}, {-huge, -1.7e308}, {-1.8e307, 1.8e308 / 1.01, huge},
		{math.Inf(-1), math.Inf(1)}, {-huge, -huge / 2, huge / 2, huge}, {-huge, math.Nextafter(-huge, 0)}, {math.Nextafter(huge, 0), huge},
		{-huge, 5e-324, huge}, {1e300, 1e301, huge}, {-1, 0, 1, huge}, {math.MaxFloat32, 2 * math.MaxFloat32, huge},
	}) {
		for _, rows := range []int{len(values), 20 * len(values), 300 * len(values)} {
			d := &table{}
			for i := range rows {
				k := i % len(values)
				d.x, d.y = append(d.x, []float64{values[k], float64(i / len(values) % 3)}), append(d.y, k)
			}
			for name, change := range map[string]func(p *aoso.Params){
				"default": func(p *aoso.Params) {}, "linear": func(p *aoso.Params) { p.Start = "linear" }, "sparse": func(p *aoso.Params) { p.Leaf = "sparse" },
				"sample": func(p *aoso.Params) { p.Subsample = 0.9 }, "paper": paper,
			} {
				p := params(func(p *aoso.Params) { p.NEstimators, p.MinSamplesLeaf = 20, 1; change(p) })
				checkNoErrors(t, fmt.Sprintf("%v, %d rows, %s", values, rows, name), d, train(t, newDataset(t, d), p, aoso.TrainOptions{}).Model)
				built, err := build(t, d, aoso.DatasetOptions{}, 7, 1).Dataset()
				if err != nil {
					t.Fatal(err)
				}
				checkNoErrors(t, fmt.Sprintf("%v, %d rows, %s, built", values, rows, name), d, train(t, built, p, aoso.TrainOptions{}).Model)
			}
		}
	}
}

// checkNoErrors checks that a model, saved and loaded, predicts all rows right, alone and together.
func checkNoErrors(t *testing.T, what string, d *table, m *aoso.Model) {
	t.Helper()
	m, err := decode(encode(t, m))
	if err != nil {
		t.Fatal(err)
	}
	classes, err := m.Predict(d.features())
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i, k := range classes {
		if fmt.Sprint(d.y[i]) != m.Classes()[k] {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%s: %d of %d rows are predicted wrong; thresholds %v", what, wrong, len(d.y), thresholds(forest(m))[:min(4, len(thresholds(forest(m))))])
	}
}
