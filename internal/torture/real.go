package main

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
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
			panic(fmt.Sprintf("%s: %v", path, err))
		}
		sets = append(sets, t)
	}
	return sets
})

// readTable reads gzip-compressed CSV. The label is in the last column.
func readTable(path string) (*table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	lines, err := csv.NewReader(z).ReadAll()
	if err != nil {
		return nil, err
	}
	if _, err := strconv.ParseFloat(lines[0][0], 64); err != nil {
		lines = lines[1:] // skips the header
	}
	last := len(lines[0]) - 1
	t, classes := &table{x: make([][]float64, last)}, map[string]int{}
	for _, line := range lines {
		for j := range t.x {
			v, err := strconv.ParseFloat(line[j], 64)
			if err != nil {
				return nil, err
			}
			t.x[j] = append(t.x[j], v)
		}
		if _, ok := classes[line[last]]; !ok {
			classes[line[last]] = len(classes)
		}
		t.y = append(t.y, classes[line[last]])
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
