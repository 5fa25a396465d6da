package main

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/libaoso/aoso/internal/data/datatest"
)

// realSets returns the data set in the repository and, if the shared folder
// exists, some small numeric data sets from there.
var realSets = sync.OnceValue(func() []*table {
	paths := []string{filepath.Join("testdata", "letter.csv.gz")}
	for _, name := range []string{"iris", "vowel", "optdigits", "pendigits", "shuttle"} {
		path := filepath.Join("..", "shared", "data", name+".train.csv.gz")
		if _, err := os.Stat(path); err == nil {
			paths = append(paths, path)
		}
	}
	var sets []*table
	for _, path := range paths {
		t, err := readTable(path)
		if err != nil {
			panic(err)
		}
		sets = append(sets, t)
	}
	return sets
})

func readTable(path string) (*table, error) {
	rows, labels, err := datatest.Read(path)
	if err != nil {
		return nil, err
	}
	t := &table{x: make([][]float64, len(rows[0])), y: labels}
	for _, row := range rows {
		for j, v := range row {
			t.x[j] = append(t.x[j], v)
		}
	}
	return t, nil
}

// realRows returns random rows of some classes of a real data set.
func realRows(d dice, s size) *table {
	sets := realSets()
	set := sets[int(d.Float64()*float64(len(sets)))]
	most, rows := d.between(2, max(2, s.classes)), d.skewed(2, s.rows)
	t, classes := &table{x: make([][]float64, set.cols())}, map[int]int{}
	for _, i := range d.Perm(set.rows()) {
		k, ok := classes[set.y[i]]
		if !ok {
			if len(classes) == most {
				continue
			}
			k = len(classes)
			classes[set.y[i]] = k
		}
		for j := range t.x {
			t.x[j] = append(t.x[j], set.x[j][i])
		}
		if t.y = append(t.y, k); len(t.y) == rows {
			break
		}
	}
	return t
}
