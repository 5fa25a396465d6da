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

// BenchmarkPredict predicts probabilities, of many rows and of one.
func BenchmarkPredict(b *testing.B) {
	t := letter()
	d := t.dataset(b)
	defer d.Free()
	p := aoso.DefaultParams()
	p.Trees = 1000
	m := train(b, d, p)
	for _, rows := range []int{1, t.rows} {
		x := aoso.RowMajor(t.values[:rows*t.cols], rows, t.cols)
		b.Run(fmt.Sprintf("letter/rows=%d", rows), func(b *testing.B) {
			for b.Loop() {
				if _, err := m.PredictProba(x, aoso.PredictOptions{Threads: 1}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows), "ns/row")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows*m.Trees()), "ns/row*tree")
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
