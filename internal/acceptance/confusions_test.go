package acceptance

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
)

// Confusions are the entries off the diagonal of the confusion matrix, pair by pair.
func TestConfusions(t *testing.T) {
	const rows, classes = 3000, 12
	x, y := make([]float32, rows), make([]int, rows)
	for i := range x {
		x[i], y[i] = float32(i%classes), i%classes
		if i%7 == 0 {
			y[i] = (i*i + i/13) % classes
		}
	}
	d, err := aoso.NewDataset(aoso.RowMajor(x, rows, 1), aoso.IntLabels(y))
	if err != nil {
		t.Fatal(err)
	}
	p := aoso.DefaultParams()
	p.NEstimators, p.Calibration = 3, "none"
	r, err := aoso.Train(context.Background(), d, p)
	if err != nil {
		t.Fatal(err)
	}
	m, features := r.Model, aoso.RowMajor(x, rows, 1)
	predicted, err := m.Predict(features)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, rows)
	for i, k := range y {
		names[i] = strconv.Itoa(k)
	}
	names[5] = "a class that the model does not know"
	labels := aoso.StringLabels(names)
	var matrix [classes][classes]int
	total := [classes]int{}
	number := map[string]int{}
	for k, name := range m.Classes() {
		number[name] = k
	}
	for i, label := range names {
		if k, known := number[label]; known {
			matrix[k][predicted[i]]++
			total[k]++
		}
	}
	var want []aoso.Confusion
	for a := range classes {
		for b := a + 1; b < classes; b++ {
			c := aoso.Confusion{First: a, Second: b, FirstAsSecond: matrix[a][b], SecondAsFirst: matrix[b][a], FirstRows: total[a], SecondRows: total[b]}
			if c.Rows() > 0 {
				want = append(want, c)
			}
		}
	}
	slices.SortStableFunc(want, func(a, b aoso.Confusion) int { return cmp.Compare(b.Rows(), a.Rows()) })
	if len(want) < 20 {
		t.Fatalf("only %d pairs are confused", len(want))
	}
	for _, n := range []int{0, 1, 5, len(want), len(want) + 1} {
		got, err := m.Confusions(features, labels, n)
		if err != nil {
			t.Fatal(err)
		}
		most := want
		if n > 0 {
			most = want[:min(n, len(want))]
		}
		if !slices.Equal(got, most) {
			t.Errorf("n = %d:\n%v\nwant\n%v", n, got, most)
		}
	}
	if _, err := m.Confusions(features, labels, -1); err == nil || !strings.Contains(err.Error(), "n is -1") {
		t.Errorf("n = -1: %v", err)
	}
	if _, err := m.Confusions(features, labels[1:], 1); err == nil || !strings.Contains(err.Error(), "labels") {
		t.Errorf("too few labels: %v", err)
	}
}
