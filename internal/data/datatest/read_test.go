package datatest

import (
	"slices"
	"testing"
)

func TestRead(t *testing.T) {
	rows, labels, err := Read("../../../testdata/letter.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 20_000 || len(labels) != 20_000 || slices.Min(labels) != 0 || slices.Max(labels) != 25 {
		t.Fatalf("%d rows, labels %d to %d", len(rows), slices.Min(labels), slices.Max(labels))
	}
	// The first line after the header.
	if want := []float64{2, 8, 3, 5, 1, 8, 13, 0, 6, 6, 10, 8, 0, 8, 0, 8}; !slices.Equal(rows[0], want) || labels[0] != 'T'-'A' {
		t.Errorf("the first row is %v, %d", rows[0], labels[0])
	}
	if _, _, err := Read("read.go"); err == nil {
		t.Error("a file that is not compressed was read")
	}
}
