package acceptance

import (
	"context"
	"testing"

	"github.com/libaoso/aoso"
)

// BenchmarkPredictCategories compares the prediction of a model with categorical
// features to that of one that takes the same columns as numbers.
func BenchmarkPredictCategories(b *testing.B) {
	const rows = 20_000
	columns, labels := coloured(rows, 60, 5, 1)
	for seed := range uint64(7) {
		more, _ := coloured(rows, 60, 5, seed+2)
		columns = append(columns, more...)
	}
	x, err := aoso.NewTable(columns...)
	if err != nil {
		b.Fatal(err)
	}
	numbers := make([]float64, rows*x.Cols())
	for j := range x.Cols() {
		x.Column(j, 0, numbers[j*rows:][:rows])
	}
	plain := aoso.Dense(numbers, rows, x.Cols(), 1, rows)
	for name, x := range map[string]aoso.Features{"categories": x, "numbers": plain} {
		train, err := aoso.NewDataset(x, labels)
		if err != nil {
			b.Fatal(err)
		}
		p := paperParams()
		p.NEstimators = 300
		r, err := aoso.Train(context.Background(), train, p)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := r.Model.PredictProba(x, aoso.PredictOptions{NThread: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
		row, err := r.Model.RowPredictor()
		if err != nil {
			b.Fatal(err)
		}
		cells, scores := make([]float64, x.Cols()), make([]float64, 5)
		b.Run("row/"+name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				for j := range cells {
					cells[j] = numbers[j*rows+i%rows]
				}
				if err := row.Raw(cells, scores); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
