package bench

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/data/datatest"
)

// table is a data set: features, row after row, and labels.
type table struct {
	values     []float32
	labels     []int
	rows, cols int
}

func (t *table) features() aoso.Features { return aoso.RowMajor(t.values, t.rows, t.cols) }

// some returns n of the rows, evenly spaced.
func (t *table) some(n int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		for _, v := range t.values[i*(t.rows/n)*t.cols:][:t.cols] {
			rows[i] = append(rows[i], float64(v))
		}
	}
	return rows
}

func (t *table) dataset(b *testing.B) *aoso.Dataset {
	b.Helper()
	d, err := aoso.NewDataset(t.features(), aoso.IntLabels(t.labels))
	if err != nil {
		b.Fatal(err)
	}
	return d
}

// sets lists the data sets, which are made on first use, and the number of trees
// of one measured training. The trees are so many that the fixed costs of a
// training are small, and so few that the slowest level does not take too long.
var sets = []struct {
	name  string
	trees int
	make  func() *table
}{
	{"letter", 50, sync.OnceValue(letter)},
	{"10kx784x10", 10, sync.OnceValue(func() *table { return images(10_000, 784, 10) })},
	{"290kx54x7", 5, sync.OnceValue(func() *table { return mixture(290_000, 54, 7, 64) })},
	{"1Mx32x10", 3, sync.OnceValue(func() *table { return mixture(1_000_000, 32, 10, 1<<16) })},
	{"270kx20x300", 3, sync.OnceValue(func() *table { return mixture(270_000, 20, 300, 1<<16) })},
}

// letter returns the training rows of the Letter data in testdata.
func letter() *table {
	rows, labels, err := datatest.Read("../testdata/letter.csv.gz")
	if err != nil {
		panic(err)
	}
	t := &table{rows: 16_000, cols: 16}
	t.labels = labels[:t.rows]
	for _, row := range rows[:t.rows] {
		for _, v := range row {
			t.values = append(t.values, float32(v))
		}
	}
	return t
}

// mixture draws each class from a Gaussian with unit variance. The centres have
// standard deviation 1.1. Values are rounded to multiples of 8/steps.
func mixture(rows, cols, classes int, steps float64) *table {
	r := rand.New(rand.NewPCG(1, 2))
	centres := make([]float64, classes*cols)
	for i := range centres {
		centres[i] = 1.1 * r.NormFloat64()
	}
	t := &table{values: make([]float32, 0, rows*cols), rows: rows, cols: cols}
	for range rows {
		k := r.IntN(classes)
		for j := range cols {
			x := centres[k*cols+j] + r.NormFloat64()
			t.values = append(t.values, float32(int(x*steps/8)))
		}
		t.labels = append(t.labels, k)
	}
	return t
}

// images draws grey values, four in five of them zero, as in scanned digits.
func images(rows, cols, classes int) *table {
	r := rand.New(rand.NewPCG(3, 4))
	ink := make([]float64, classes*cols)
	for i := range ink {
		ink[i] = 0.4 * r.Float64()
	}
	t := &table{values: make([]float32, 0, rows*cols), rows: rows, cols: cols}
	for range rows {
		k := r.IntN(classes)
		for j := range cols {
			v := float32(0)
			if r.Float64() < ink[k*cols+j] {
				v = float32(1 + r.IntN(255))
			}
			t.values = append(t.values, v)
		}
		t.labels = append(t.labels, k)
	}
	return t
}
