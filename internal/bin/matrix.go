package bin

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
)

// Matrix holds the bin codes of a data set, a column of bytes a feature.
type Matrix struct {
	Rows    int
	Columns [][]uint8  // nil for a constant feature
	Sparse  []*Sparse  // features that are there row by row as well
	Joint   []*Joint   // small features that are there two in a column as well
	codes   []byte     // the columns one after the other, ColumnBytes each
	memory  *mem.Block // that codes are in
	joint   *mem.Block
}

// ColumnBytes is the memory of a column of so many codes. The odd number of
// cache lines keeps columns read side by side out of one another's cache sets.
func ColumnBytes(rows int) int { return ((rows+63)/64 | 1) * 64 }

// Bytes is the size of the columns.
func (x *Matrix) Bytes() int { return len(x.codes) }

// Memory is the size of all that the matrix holds.
func (x *Matrix) Memory() int {
	n := len(x.codes) + len(x.joint.Bytes())
	for _, g := range x.Sparse {
		n += len(g.memory.Bytes()) + 4*len(g.First)
	}
	return n
}

// Codes is the memory of the columns, as [Mapper.Matrix] takes it.
func (x *Matrix) Codes() []byte { return x.codes }

// Free gives the matrix's memory back; nothing may use it any more.
func (x *Matrix) Free() {
	for _, g := range x.Sparse {
		g.memory.Free()
	}
	x.Columns, x.Sparse, x.Joint, x.codes = nil, nil, nil, nil
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

// Of a source that lies row after row, several columns are read at once, some
// rows at a time: each column by itself would bring all of it into the cache.
const (
	columnsAtOnce = 4
	rowsAtOnce    = 2048
)

// Fit chooses at most maxBins value bins for every feature of a source, from
// the given rows (nil: all).
func Fit(s Source, sample []int, maxBins int, team *par.Team) *Mapper {
	m := &Mapper{Features: make([]Feature, s.Cols())}
	size := s.Rows()
	if sample != nil {
		size = len(sample)
	}
	memory := make([]*mem.Block, team.Workers())
	team.Do((s.Cols()+columnsAtOnce-1)/columnsAtOnce, func(worker, i int) {
		if memory[worker] == nil {
			memory[worker] = mem.New(8 * (columnsAtOnce + 1) * size)
		}
		values := mem.View[float64](memory[worker])
		room := values[columnsAtOnce*size:]
		first, end := i*columnsAtOnce, min((i+1)*columnsAtOnce, s.Cols())
		missing := readSample(s, first, end, sample, values, size)
		for j := first; j < end; j++ {
			m.Features[j] = fitFeature(values[(j-first)*size:][:size], room, maxBins)
			m.Features[j].Missing = missing[j-first]
		}
	})
	for _, b := range memory {
		b.Free()
	}
	return m
}

// readSample reads some columns of the rows of a sample (nil: all), size values
// each, and tells which of them have missing values in any row.
func readSample(s Source, first, end int, sample []int, values []float64, size int) (missing [columnsAtOnce]bool) {
	var block [rowsAtOnce]float64
	n := 0 // of the sample's rows
	for row := 0; row < s.Rows(); row += rowsAtOnce {
		rows := min(rowsAtOnce, s.Rows()-row)
		next := n
		for ; next < len(sample) && sample[next] < row+rows; next++ {
		}
		for j := first; j < end; j++ {
			column := values[(j-first)*size:][:size]
			ReadColumn(s, j, row, block[:rows])
			if !missing[j-first] {
				missing[j-first] = slices.ContainsFunc(block[:rows], math.IsNaN)
			}
			if sample == nil {
				copy(column[row:], block[:rows])
			}
			for i, r := range sample[n:next] {
				column[n+i] = block[r-row]
			}
		}
		n = next
	}
	return missing
}

// codesBytes is the size of the codes of a matrix of so many rows.
func (m *Mapper) codesBytes(rows int) int {
	columns := 0
	for j := range m.Features {
		if !m.Features[j].Constant() {
			columns++
		}
	}
	return columns * ColumnBytes(rows)
}

// over is the matrix whose codes are, or will be, in the given memory.
func (m *Mapper) over(codes []byte, rows int, memory *mem.Block) *Matrix {
	x := &Matrix{Rows: rows, Columns: make([][]uint8, len(m.Features)), codes: codes, memory: memory}
	for j := range m.Features {
		if !m.Features[j].Constant() {
			x.Columns[j] = codes[:rows:rows]
			codes = codes[ColumnBytes(rows):]
		}
	}
	return x
}

// Matrix is the matrix of so many rows whose codes are in some memory, which
// becomes the matrix's; nil if they are not codes of the mapper's features.
func (m *Mapper) Matrix(codes []byte, rows int, memory *mem.Block, team *par.Team) *Matrix {
	if len(codes) != m.codesBytes(rows) {
		return nil
	}
	x := m.over(codes, rows, memory)
	bad := make([]bool, len(x.Columns))
	team.Do(len(x.Columns), func(_, j int) {
		greatest := uint8(0)
		for _, code := range x.Columns[j] {
			greatest = max(greatest, code)
		}
		bad[j] = int(greatest) >= m.Features[j].Codes()
	})
	if slices.Contains(bad, true) {
		return nil
	}
	return x
}

// Map quantizes a source. Values that fitting did not see take the bin they
// fall into.
func (m *Mapper) Map(s Source, team *par.Team) *Matrix {
	memory := mem.New(m.codesBytes(s.Rows()))
	x := m.over(memory.Bytes(), s.Rows(), memory)
	coders := make([]coder, len(m.Features))
	for j := range coders {
		coders[j] = m.Features[j].coder()
	}
	team.Do((s.Rows()+rowsAtOnce-1)/rowsAtOnce, func(_, b int) {
		var values [rowsAtOnce]float64
		first := b * rowsAtOnce
		n := min(rowsAtOnce, s.Rows()-first)
		for j, column := range x.Columns {
			if column != nil {
				ReadColumn(s, j, first, values[:n])
				coders[j].code(column[first:][:n], values[:n])
			}
		}
	})
	return x
}

// ReadColumn writes values of column j of a source to dst, from row first on,
// as bins and trees take them: an infinite value counts as the largest finite
// one, so that it lies beyond every threshold, and there is but one zero.
func ReadColumn(s Source, j, first int, dst []float64) {
	s.Column(j, first, dst)
	for i, x := range dst {
		switch {
		case x > math.MaxFloat64:
			dst[i] = math.MaxFloat64
		case x < -math.MaxFloat64:
			dst[i] = -math.MaxFloat64
		case x == 0:
			dst[i] = 0
		}
	}
}

// ReadRows writes rows of a source from first on to rows, n × columns.
func ReadRows(s Source, first int, rows []float64) {
	cols := s.Cols()
	column := make([]float64, len(rows)/cols)
	for j := range cols {
		ReadColumn(s, j, first, column)
		for i, v := range column {
			rows[i*cols+j] = v
		}
	}
}
