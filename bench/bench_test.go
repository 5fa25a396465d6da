package bench

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/libaoso/aoso"
)

// trees is how many are grown in one measured training: enough that what a
// training does once is small beside them.
const trees = 20

func train(b *testing.B, d *aoso.Dataset, p aoso.Params) *aoso.Model {
	b.Helper()
	r, err := aoso.Train(context.Background(), d, p, aoso.TrainOptions{EvalEvery: p.Trees})
	if err != nil {
		b.Fatal(err)
	}
	return r.Model
}

// BenchmarkTrain trains at every level on one thread, and at the best level on
// all.
func BenchmarkTrain(b *testing.B) {
	for _, set := range sets {
		for i, level := range aoso.Levels() {
			threads := []int{1}
			if n := runtime.NumCPU(); i == 0 && n > 1 {
				threads = append(threads, n)
			}
			for _, n := range threads {
				b.Run(fmt.Sprintf("%s/%s/threads=%d", set.name, level, n), func(b *testing.B) {
					t := set.make()
					d := t.dataset(b)
					defer d.Free()
					p := aoso.DefaultParams()
					p.Trees, p.Level, p.Threads = trees, level, n
					for b.Loop() {
						train(b, d, p)
					}
					grown := float64(b.N * trees)
					seconds := b.Elapsed().Seconds()
					b.ReportMetric(grown/seconds, "trees/s")
					b.ReportMetric(1e9*seconds/grown/float64(t.rows*t.cols), "ns/row*feature")
					b.ReportMetric(grown*float64(t.rows)/seconds, "rows/s")
				})
			}
		}
	}
}

// BenchmarkDataset quantizes.
func BenchmarkDataset(b *testing.B) {
	for _, set := range sets {
		b.Run(set.name, func(b *testing.B) {
			t := set.make()
			for b.Loop() {
				t.dataset(b).Free()
			}
			b.SetBytes(int64(4 * len(t.values)))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(t.values)), "ns/value")
		})
	}
}

// BenchmarkPredict predicts the raw scores of the training rows at every level
// on one thread, and single rows: all classes, the likeliest, a few.
func BenchmarkPredict(b *testing.B) {
	for _, model := range []struct {
		name  string
		make  func() *table
		leaf  string
		pairs int
		trees int
	}{
		{"letter-16kx16x26/full", letter, "full", 4, 1000},
		{"letter-16kx16x26/pair", letter, "pair", 1, 1000},
		{"letter-16kx16x26/4pairs", letter, "pair", 4, 1000},
		{"10kx784x10/full", func() *table { return images(10_000, 784, 10) }, "full", 4, 300},
	} {
		b.Run(model.name, func(b *testing.B) {
			t := model.make()
			d := t.dataset(b)
			defer d.Free()
			p := aoso.DefaultParams()
			p.Leaf, p.Pairs, p.Trees = model.leaf, model.pairs, model.trees
			m := train(b, d, p)
			for _, level := range aoso.Levels() {
				o := aoso.PredictOptions{Threads: 1, Level: level}
				report := func(b *testing.B, rows int) {
					perRow := float64(b.Elapsed().Nanoseconds()) / float64(b.N*rows)
					b.ReportMetric(perRow, "ns/row")
					b.ReportMetric(perRow/float64(m.Trees()), "ns/row*tree")
				}
				b.Run(level, func(b *testing.B) {
					for b.Loop() {
						if _, err := m.PredictRaw(t.features(), o); err != nil {
							b.Fatal(err)
						}
					}
					report(b, t.rows)
				})
				p, err := m.RowPredictor(o)
				if err != nil {
					b.Fatal(err)
				}
				scores, few := make([]float64, len(m.Classes())), []int{7, 2}
				for _, row := range []struct {
					name    string
					predict func(row []float64) error
				}{
					{"row", func(row []float64) error { return p.Raw(row, scores) }},
					{"class", func(row []float64) error { _, err := p.Class(row); return err }},
					{"few", func(row []float64) error { return p.RawOf(row, few, scores[:2]) }},
				} {
					b.Run(level+"/"+row.name, func(b *testing.B) {
						rows := t.some(1000)
						for i := 0; b.Loop(); i++ {
							if err := row.predict(rows[i%len(rows)]); err != nil {
								b.Fatal(err)
							}
						}
						report(b, 1)
					})
				}
			}
		})
	}
}

// BenchmarkDecode reads a model file from memory.
func BenchmarkDecode(b *testing.B) {
	t := letter()
	d := t.dataset(b)
	defer d.Free()
	p := aoso.DefaultParams()
	p.Trees = 1000
	var file bytes.Buffer
	if err := train(b, d, p).Write(&file); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(file.Len()))
	for b.Loop() {
		if _, err := aoso.Decode(file.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
}
