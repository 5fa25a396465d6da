package bin

import (
	"fmt"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
)

// Matrix holds the bin codes of a data set, a column of bytes a feature.
type Matrix struct {
	Rows    int
	Columns [][]uint8 // nil for a constant feature
	Sparse  []*Sparse // features that are there row by row as well
	Joint   []*Joint  // small features that are there two in a column as well
	memory  *mem.Block
	joint   *mem.Block
}

// ColumnBytes is the memory of a column of so many codes. The odd number of
// cache lines keeps columns read side by side out of one another's cache sets.
func ColumnBytes(rows int) int { return ((rows+63)/64 | 1) * 64 }

// Bytes is the size of the columns.
func (x *Matrix) Bytes() int { return len(x.memory.Bytes()) }

// Free gives the matrix's memory back; nothing may use it any more.
func (x *Matrix) Free() {
	for _, g := range x.Sparse {
		g.memory.Free()
	}
	x.Columns, x.Sparse, x.Joint = nil, nil, nil
	x.joint.Free()
	x.memory.Free()
}

// Source gives the features of a data set column by column.
type Source interface {
	Rows() int
	Cols() int
	// Column writes the values of column j to dst, from row first on.
	Column(j, first int, dst []float64)
}

// Fit chooses at most maxBins value bins for every feature of a source, from
// the given rows (nil: all).
func Fit(s Source, sample []int, maxBins int, team *par.Team) (*Mapper, error) {
	m := &Mapper{Features: make([]Feature, s.Cols())}
	err := forColumns(s, team, func(j int, values []float64) {
		missing := slices.ContainsFunc(values, math.IsNaN)
		for i, row := range sample {
			values[i] = values[row] // rows rise, so none is overwritten too soon
		}
		if sample != nil {
			values = values[:len(sample)]
		}
		m.Features[j] = FitFeature(values, maxBins)
		m.Features[j].Missing = missing
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Map quantizes a source. Values that fitting did not see take the bin they
// fall into.
func (m *Mapper) Map(s Source, team *par.Team) (*Matrix, error) {
	x := &Matrix{Rows: s.Rows(), Columns: make([][]uint8, s.Cols())}
	size, columns := ColumnBytes(x.Rows), 0
	for j := range m.Features {
		if !m.Features[j].Constant() {
			columns++
		}
	}
	x.memory = mem.New(columns * size)
	memory := x.memory.Bytes()
	for j := range m.Features {
		if !m.Features[j].Constant() {
			x.Columns[j] = memory[:x.Rows:x.Rows]
			memory = memory[size:]
		}
	}
	err := forColumns(s, team, func(j int, values []float64) {
		for i := range x.Columns[j] {
			x.Columns[j][i] = m.Features[j].Code(values[i])
		}
	})
	if err != nil {
		x.Free()
		return nil, err
	}
	return x, nil
}

// InfiniteError is an infinite value in a source.
type InfiniteError struct {
	Row, Col int
	Value    float64
}

func (e *InfiniteError) Error() string {
	return fmt.Sprintf("row %d, feature %d: value %v (finite numbers, or NaN for missing)", e.Row, e.Col, e.Value)
}

// forColumns reads every column, checks it and calls f. The error is that of
// the first column that has one.
func forColumns(s Source, team *par.Team, f func(j int, values []float64)) error {
	buffers := make([][]float64, team.Workers())
	errs := make([]error, s.Cols())
	team.Do(s.Cols(), func(worker, j int) {
		if buffers[worker] == nil {
			buffers[worker] = make([]float64, s.Rows())
		}
		values := buffers[worker]
		s.Column(j, 0, values)
		for i, x := range values {
			if math.IsInf(x, 0) {
				errs[j] = &InfiniteError{i, j, x}
				return
			}
		}
		f(j, values)
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
