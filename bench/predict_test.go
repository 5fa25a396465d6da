package bench

import (
	"fmt"
	"testing"

	"github.com/libaoso/aoso"
)

// predictTrees is the number of trees in the measured models: the default.
var predictTrees = aoso.DefaultParams().NEstimators

// BenchmarkPredict predicts the probabilities of many rows and of one row.
func BenchmarkPredict(b *testing.B) {
	t := letter()
	m := model(b, t, predictTrees)
	for _, level := range aoso.Levels() {
		for _, rows := range []int{1, t.rows} {
			b.Run(fmt.Sprintf("set=letter/level=%s/rows=%d", level, rows), func(b *testing.B) {
				predict(b, m, t, rows, level)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows*m.Trees()), "ns/row*tree")
			})
		}
	}
}

// BenchmarkPredictLabels predicts the classes of many rows, of 300.
func BenchmarkPredictLabels(b *testing.B) {
	t := mixture(30_000, 20, 300, 1<<16)
	d, p := t.dataset(b), aoso.DefaultParams()
	defer d.Close()
	p.NEstimators, p.MaxLeaves, p.LearningRate, p.Preset = 100, 20, 0.1, aoso.PresetPaper
	m := train(b, d, p)
	for _, level := range aoso.Levels() {
		b.Run("set=mixture30k/level="+level, func(b *testing.B) {
			for b.Loop() {
				if _, err := m.Predict(t.features(), aoso.PredictOptions{NThread: 1, Level: level}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*t.rows*m.Trees()), "ns/row*tree")
		})
	}
}

// BenchmarkRow predicts single rows: all scores, the most probable class, or two
// of the scores.
func BenchmarkRow(b *testing.B) {
	t := letter()
	m := model(b, t, predictTrees)
	rows := t.some(1000)
	for _, level := range aoso.Levels() {
		p, err := m.RowPredictor(aoso.PredictOptions{Level: level})
		if err != nil {
			b.Fatal(err)
		}
		scores, two := make([]float64, len(m.Classes())), []int{7, 2}
		for _, what := range []struct {
			name    string
			predict func(row []float64) error
		}{
			{"raw", func(row []float64) error { return p.Raw(row, scores) }},
			{"class", func(row []float64) error { _, err := p.Class(row); return err }},
			{"two", func(row []float64) error { return p.RawOf(row, two, scores[:2]) }},
		} {
			b.Run(fmt.Sprintf("set=letter/level=%s/of=%s", level, what.name), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					if err := what.predict(rows[i%len(rows)]); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*m.Trees()), "ns/row*tree")
			})
		}
	}
}

// BenchmarkCall predicts one row with one tree, so that it measures the overhead
// of a call.
func BenchmarkCall(b *testing.B) {
	t := letter()
	predict(b, model(b, t, 1), t, 1, "")
}

// predict predicts the probabilities of the first rows on one thread.
func predict(b *testing.B, m *aoso.Model, t *table, rows int, level string) {
	x := aoso.RowMajor(t.values[:rows*t.cols], rows, t.cols)
	for b.Loop() {
		if _, err := m.PredictProba(x, aoso.PredictOptions{NThread: 1, Level: level}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*rows)/b.Elapsed().Seconds(), "rows/s")
}
