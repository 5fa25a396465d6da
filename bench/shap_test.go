package bench

import (
	"fmt"
	"testing"

	"github.com/libaoso/aoso"
)

// BenchmarkSHAP explains 1000 rows of Letter, for all classes and for the most
// probable class only. The model has as many trees as give 120 test errors.
func BenchmarkSHAP(b *testing.B) {
	t := letter()
	d := t.dataset(b)
	defer d.Close()
	p := aoso.DefaultParams()
	p.NEstimators = 380
	m := train(b, d, p)
	const rows = 1000
	x := aoso.RowMajor(t.values[:rows*t.cols], rows, t.cols)
	for _, top := range []int{0, 1} {
		b.Run(fmt.Sprintf("letter/top=%d", top), func(b *testing.B) {
			size := 0
			for b.Loop() {
				c, err := m.SHAPSparse(x, aoso.SHAPOptions{PredictOptions: aoso.PredictOptions{NThread: 1}, Top: top})
				if err != nil {
					b.Fatal(err)
				}
				size = 12*len(c.Values) + 12*len(c.Classes)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows), "ns/row")
			b.ReportMetric(float64(size)/rows, "bytes/row")
		})
	}
}
