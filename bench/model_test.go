package bench

import (
	"bytes"
	"testing"

	"github.com/libaoso/aoso"
)

// BenchmarkLoad reads a model file from memory.
func BenchmarkLoad(b *testing.B) {
	m := model(b, letter(), predictTrees)
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(file.Len()))
	for b.Loop() {
		if _, err := aoso.Decode(file.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(file.Len()), "model-bytes")
	b.ReportMetric(float64(file.Len())/float64(m.Trees()), "bytes/tree")
}
