package bench

import (
	"fmt"
	"testing"

	"github.com/libaoso/aoso"
)

// predictTrees is the size of the models that predict: the default.
var predictTrees = aoso.DefaultParams().Trees

// BenchmarkPredict predicts probabilities, of many rows and of one.
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

// BenchmarkCall predicts one row with one tree: what is left is the call.
func BenchmarkCall(b *testing.B) {
	t := letter()
	predict(b, model(b, t, 1), t, 1, "")
}

// predict predicts the probabilities of the first rows, on one thread.
func predict(b *testing.B, m *aoso.Model, t *table, rows int, level string) {
	x := aoso.RowMajor(t.values[:rows*t.cols], rows, t.cols)
	for b.Loop() {
		if _, err := m.PredictProba(x, aoso.PredictOptions{Threads: 1, Level: level}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*rows)/b.Elapsed().Seconds(), "rows/s")
}
