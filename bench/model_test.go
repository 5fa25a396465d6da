package bench

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
)

// BenchmarkLoad decodes a model file in memory, with the default number of trees
// and with twenty times as many.
func BenchmarkLoad(b *testing.B) {
	one := model(b, letter(), predictTrees)
	for _, copies := range []int{1, 20} {
		m, err := aoso.Merge(slices.Repeat([]*aoso.Model{one}, copies)...)
		if err != nil {
			b.Fatal(err)
		}
		var file bytes.Buffer
		if err := m.Write(&file); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("set=letter/trees=%d", m.Trees()), func(b *testing.B) {
			b.SetBytes(int64(file.Len()))
			for b.Loop() {
				if _, err := aoso.Read(bytes.NewReader(file.Bytes())); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(file.Len())/float64(m.Trees()), "bytes/tree")
		})
	}
}
