package bench

import (
	"fmt"
	"testing"
)

// BenchmarkDataset measures the quantization of features.
func BenchmarkDataset(b *testing.B) {
	for _, set := range sets {
		b.Run(fmt.Sprintf("set=%s", set.name), func(b *testing.B) {
			t := set.make()
			for b.Loop() {
				t.dataset(b).Close()
			}
			b.SetBytes(int64(4 * len(t.values)))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(t.values)), "ns/row*feature")
			b.ReportMetric(float64(b.N*t.rows)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
