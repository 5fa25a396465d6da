package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/libaoso/aoso"
)

// table is rows of features with the numbers of their classes.
type table struct {
	x       [][]float64 // by column
	y       []int
	weights []float64 // nil: all one
	naming  naming
}

// naming is how class numbers become labels.
type naming int

const (
	plainIntegers naming = iota
	otherIntegers
	words
)

func (n naming) String() string { return [...]string{"0, 1, …", "other integers", "words"}[n] }

func (n naming) label(class int) string {
	switch n {
	case otherIntegers:
		return strconv.Itoa(class*37 - 400)
	case words:
		return fmt.Sprintf("class “%d”", class)
	}
	return strconv.Itoa(class)
}

func (t *table) rows() int { return len(t.y) }
func (t *table) cols() int { return len(t.x) }

// classes is the number of classes that are there.
func (t *table) classes() int {
	seen := map[int]bool{}
	for _, y := range t.y {
		seen[y] = true
	}
	return len(seen)
}

func (t *table) labels() aoso.Labels {
	names := map[int]string{}
	y := make([]string, len(t.y))
	for i, class := range t.y {
		if _, ok := names[class]; !ok {
			names[class] = t.naming.label(class)
		}
		y[i] = names[class]
	}
	return aoso.StringLabels(y)
}

// columns is the features as the library reads them column by column.
func (t *table) columns() aoso.Features {
	x, err := aoso.FromColumns(t.x)
	if err != nil {
		panic(err)
	}
	return x
}

func (t *table) row(i int) []float64 {
	row := make([]float64, t.cols())
	for j := range row {
		row[j] = t.x[j][i]
	}
	return row
}

func (t *table) rowMajor() []float64 {
	data := make([]float64, 0, t.rows()*t.cols())
	for i := range t.y {
		data = append(data, t.row(i)...)
	}
	return data
}

// slice is the rows from first up to end.
func (t *table) slice(first, end int) *table {
	s := &table{y: t.y[first:end], naming: t.naming}
	for _, column := range t.x {
		s.x = append(s.x, column[first:end])
	}
	if t.weights != nil {
		s.weights = t.weights[first:end]
	}
	return s
}

// forms is the features in every form that the library reads.
func (t *table) forms() map[string]aoso.Features {
	data := t.rowMajor()
	forms := map[string]aoso.Features{
		"row-major": aoso.RowMajor(data, t.rows(), t.cols()),
		"col-major": aoso.ColMajor(slices.Concat(t.x...), t.rows(), t.cols()),
	}
	indptr, indices, values := compressed(t.rows(), t.cols(), func(i, j int) float64 { return t.x[j][i] })
	csr, err := aoso.CSR(indptr, indices, values, t.cols())
	if err != nil {
		panic(err)
	}
	indptr, indices, values = compressed(t.cols(), t.rows(), func(j, i int) float64 { return t.x[j][i] })
	csc, err := aoso.CSC(indptr, indices, values, t.rows())
	if err != nil {
		panic(err)
	}
	forms["csr"], forms["csc"] = csr, csc
	return forms
}

// compressed is the values other than 0, part after part.
func compressed(parts, size int, at func(part, i int) float64) (indptr, indices []int32, values []float64) {
	indptr = []int32{0}
	for part := range parts {
		for i := range size {
			if v := at(part, i); v != 0 {
				indices, values = append(indices, int32(i)), append(values, v)
			}
		}
		indptr = append(indptr, int32(len(values)))
	}
	return indptr, indices, values
}

// distinct is the most values that any column has, or 255 if more.
func (t *table) distinct() int {
	most := 1
	for _, column := range t.x {
		seen := map[float64]bool{}
		for _, v := range column {
			if seen[v] = true; len(seen) >= 255 {
				return 255
			}
		}
		most = max(most, len(seen))
	}
	return most
}
