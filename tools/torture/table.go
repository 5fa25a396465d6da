package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/libaoso/aoso"
)

// table is a data set: features and class numbers.
type table struct {
	x       [][]float64 // by column
	y       []int
	weights []float64 // nil if all are 1
	naming  naming
}

// naming is the rule that turns class numbers into labels.
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

// classes returns the number of classes that occur.
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

// columns returns the features column by column.
func (t *table) columns() aoso.Features {
	var columns []aoso.Column
	for _, values := range t.x {
		columns = append(columns, aoso.Numbers(values))
	}
	x, err := aoso.NewTable(columns...)
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

// rowFor returns a row as a row predictor of m takes it: a category is its
// position in the model's list.
func (t *table) rowFor(m *aoso.Model, i int) []float64 {
	row := t.row(i)
	for j, v := range row {
		names := m.Categories(j)
		if names == nil || v != v {
			continue
		}
		row[j] = float64(slices.IndexFunc(names, func(name string) bool {
			number, err := strconv.ParseFloat(name, 64)
			return err == nil && number == v
		}))
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

// slice returns the rows first to end-1.
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

// layouts returns the features in every layout that the library reads, by name.
func (t *table) layouts() map[string]aoso.Features {
	data := t.rowMajor()
	layouts := map[string]aoso.Features{
		"row-major": aoso.RowMajor(data, t.rows(), t.cols()),
		"col-major": aoso.Dense(slices.Concat(t.x...), t.rows(), t.cols(), 1, t.rows()),
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
	layouts["csr"], layouts["csc"] = csr, csc
	return layouts
}

// compressed returns a compressed sparse matrix with the given number of parts,
// which are its rows or its columns.
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

// distinct returns the largest number of distinct values of any column, but at
// most 255.
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
