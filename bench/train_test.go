package bench

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/libaoso/aoso"
)

func train(b *testing.B, d *aoso.Dataset, p aoso.Params) *aoso.Model {
	b.Helper()
	r, err := aoso.Train(context.Background(), d, p, aoso.TrainOptions{EvalEvery: p.NEstimators})
	if err != nil {
		b.Fatal(err)
	}
	return r.Model
}

// model trains a model with the given number of trees and the default parameters.
func model(b *testing.B, t *table, trees int) *aoso.Model {
	b.Helper()
	d := t.dataset(b)
	defer d.Close()
	p := aoso.DefaultParams()
	p.NEstimators = trees
	return train(b, d, p)
}

// BenchmarkTrain trains at every level on one thread, and at the best level also
// on all cores. It does not measure the building of datasets.
func BenchmarkTrain(b *testing.B) {
	for _, set := range sets {
		for i, level := range aoso.Levels() {
			threads := []int{1}
			if n := runtime.NumCPU(); i == 0 && n > 1 {
				threads = append(threads, n)
			}
			for _, n := range threads {
				b.Run(fmt.Sprintf("set=%s/level=%s/threads=%d", set.name, level, n), func(b *testing.B) {
					t := set.make()
					d := t.dataset(b)
					defer d.Close()
					p := aoso.DefaultParams()
					p.NEstimators, p.Level, p.NThread = set.trees, level, n
					for b.Loop() {
						train(b, d, p)
					}
					grown := float64(b.N * set.trees)
					seconds := b.Elapsed().Seconds()
					b.ReportMetric(grown/seconds, "trees/s")
					b.ReportMetric(1e9*seconds/grown/float64(t.rows*t.cols), "ns/row*feature")
					b.ReportMetric(grown*float64(t.rows)/seconds, "rows/s")
					b.ReportMetric(float64(d.Bytes()), "dataset-bytes")
				})
			}
		}
	}
}
