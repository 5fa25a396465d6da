package bench

import (
	"compress/gzip"
	"encoding/csv"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/libaoso/aoso"
)

// table is features, row after row, and labels.
type table struct {
	values     []float32
	labels     []int
	rows, cols int
}

func (t *table) features() aoso.Features { return aoso.RowMajor(t.values, t.rows, t.cols) }

// some is n of the rows, each by itself.
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
	d, err := aoso.NewDataset(t.features(), aoso.IntLabels(t.labels), aoso.DatasetOptions{})
	if err != nil {
		b.Fatal(err)
	}
	return d
}

// sets are what is measured, each made when first asked for, and how many
// trees are grown in one measured training: enough that what a training does
// once is small beside them, and no more than the slowest level can wait for.
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

// letter is the training part of the embedded Letter data.
func letter() *table {
	f, err := os.Open("../testdata/letter.csv.gz")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		panic(err)
	}
	records, err := csv.NewReader(z).ReadAll()
	if err != nil {
		panic(err)
	}
	t := &table{rows: 16_000, cols: 16}
	for _, record := range records[1 : t.rows+1] {
		for _, cell := range record[:t.cols] {
			v, err := strconv.ParseFloat(cell, 32)
			if err != nil {
				panic(err)
			}
			t.values = append(t.values, float32(v))
		}
		t.labels = append(t.labels, int(record[t.cols][0]-'A'))
	}
	return t
}

// mixture is one Gaussian a class, unit noise around centres of deviation 1.1,
// the values rounded to so many steps.
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

// images are grey values of which four in five are zero, as in scanned digits.
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
