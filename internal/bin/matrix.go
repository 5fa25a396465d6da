package bin

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
)

// Matrix has the bin codes of a dataset: one column of bytes for each feature. Sparse and Joint have some of the features a second time, in
// column encodings whose histograms take fewer updates.
type Matrix struct {
	Rows    int
	Columns [][]uint8  // by feature and row; nil for a constant feature
	Sparse  []*Sparse  // sparse features, stored row by row
	Joint   []*Joint   // features with few bins, two in each column
	codes   []byte     // the columns one after another, ColumnBytes each
	memory  *mem.Block // of codes
	joint   *mem.Block // of the codes of Joint
	beside  *Matrix    // whose memory has further columns, see [Matrix.Beside]; nil: none
}

// ColumnBytes returns the size in bytes of a column, padded. The padding makes
// the number of cache lines odd, so that columns that are read side by side do
// not compete for the same cache sets.
func ColumnBytes(rows int) int { return ((rows+63)/64 | 1) * 64 }

// Bytes returns the size of the columns in bytes.
func (x *Matrix) Bytes() int { return len(x.codes) }

// Memory returns the size of the whole matrix in bytes.
func (x *Matrix) Memory() int {
	n := len(x.codes) + len(x.joint.Bytes())
	for _, g := range x.Sparse {
		n += len(g.memory.Bytes()) + 4*len(g.First)
	}
	return n
}

// Dense reports whether the matrix has no sparse and no joint columns.
func (x *Matrix) Dense() bool { return len(x.Sparse) == 0 && len(x.Joint) == 0 }

// Codes returns the memory of the columns. [Mapper.Matrix] accepts it.
func (x *Matrix) Codes() []byte { return x.codes }

// Beside returns a matrix with the columns of x and then those of o, of as many rows, in the memory of both. It is not to be freed.
func (x *Matrix) Beside(o *Matrix) *Matrix {
	both := *x
	both.Columns, both.beside = slices.Concat(x.Columns, o.Columns), o
	return &both
}

// Free releases the memory of the matrix, which must not be used afterwards.
func (x *Matrix) Free() {
	for _, g := range x.Sparse {
		g.memory.Free()
	}
	x.Columns, x.Sparse, x.Joint, x.codes = nil, nil, nil, nil
	x.joint.Free()
	x.memory.Free()
}

// Source has the values of features, which are read column by column.
type Source interface {
	Rows() int
	Cols() int
	// Column copies values of column j to dst, starting with row first.
	Column(j, first int, dst []float64)
}

// A source may store its values row by row. Reading one column would then bring
// all the others into the cache too, so Fit reads several columns of a block of
// rows.
const (
	columnGroup = 4
	rowBlock    = 2048
)

// Fit chooses at most maxBins value bins for every feature of a source. sample
// lists the rows to choose them from, in increasing order; nil means all rows.
// Whether a feature has missing values is determined from all rows. categories
// lists the number of categories of each feature, 0 if it is numeric; if it is nil, all features are numeric.
//
// The error is from [mem.Afford]. Fit asks it while it runs, as the bins need more memory only if features have many different values.
func Fit(s Source, sample []int, maxBins int, categories []int, team *par.Team) (*Mapper, error) {
	m := &Mapper{Features: make([]Feature, s.Cols())}
	size := s.Rows()
	if sample != nil {
		size = len(sample)
	}
	fitters := make([]*fitter, team.Workers())
	var short atomic.Pointer[error]
	team.Do((s.Cols()+columnGroup-1)/columnGroup, func(worker, i int) {
		if i%affordGroups == 0 {
			if err := mem.Afford("the dataset", 0, affordBytes*float64(team.Workers()+1)); err != nil {
				short.Store(&err)
			}
		}
		if short.Load() != nil {
			return
		}
		if fitters[worker] == nil {
			fitters[worker] = newFitter(size)
		}
		f := fitters[worker]
		first, end := i*columnGroup, min((i+1)*columnGroup, s.Cols())
		missing := readSample(s, first, end, sample, f.values, size, &f.block)
		for j := first; j < end; j++ {
			feature, values := &m.Features[j], f.values[(j-first)*size:][:size]
			if categories != nil && categories[j] > 0 {
				*feature = CategoricalFeature(categories[j])
				feature.Missing = hasMissing(values)
			} else {
				*feature = f.fit(values, maxBins)
			}
			feature.Missing = feature.Missing || missing[j-first]
		}
	})
	for _, f := range fitters {
		if f != nil {
			f.memory.Free()
		}
	}
	if err := short.Load(); err != nil {
		return nil, *err
	}
	return m, nil
}

// Fit asks [mem.Afford] once for affordGroups groups of columns. Their bins take at most affordBytes.
const affordGroups, affordBytes = 512, 512 * columnGroup * 24 * (MaxValueBins + 10)

// readSample copies the sampled rows (nil: all rows) of the columns first to end-1 to values, size values for each column. If there is a
// sample, it returns which of the columns have missing values in any row, sampled or not. block is a scratch buffer.
func readSample(s Source, first, end int, sample []int, values []float64, size int, block *[rowBlock]float64) (missing [columnGroup]bool) {
	n := 0 // sampled rows read so far
	for row := 0; row < s.Rows(); row += rowBlock {
		rows := min(rowBlock, s.Rows()-row)
		next := n
		for ; next < len(sample) && sample[next] < row+rows; next++ {
		}
		for j := first; j < end; j++ {
			column := values[(j-first)*size:][:size]
			if sample == nil {
				s.Column(j, row, column[row:][:rows])
				continue
			}
			s.Column(j, row, block[:rows])
			missing[j-first] = missing[j-first] || hasMissing(block[:rows])
			for i, r := range sample[n:next] {
				column[n+i] = block[r-row]
			}
		}
		n = next
	}
	return missing
}

// ReadPicked returns the values of some rows, in increasing order, by column and row, and which columns have missing values in any row
// of the source.
func ReadPicked(s Source, rows []int, team *par.Team) (values [][]float64, missing []bool) {
	if rows == nil {
		rows = []int{}
	}
	values, missing = make([][]float64, s.Cols()), make([]bool, s.Cols())
	blocks := make([]*[rowBlock]float64, team.Workers())
	team.Do((s.Cols()+columnGroup-1)/columnGroup, func(worker, i int) {
		if blocks[worker] == nil {
			blocks[worker] = new([rowBlock]float64)
		}
		first, end := i*columnGroup, min((i+1)*columnGroup, s.Cols())
		group := make([]float64, (end-first)*len(rows))
		inGroup := readSample(s, first, end, rows, group, len(rows), blocks[worker])
		for j := first; j < end; j++ {
			values[j], group = group[:len(rows):len(rows)], group[len(rows):]
			missing[j] = inGroup[j-first]
		}
	})
	return values, missing
}

func hasMissing(values []float64) bool {
	for _, x := range values {
		if x != x {
			return true
		}
	}
	return false
}

// CodesBytes returns the size in bytes of the columns of a matrix.
func (m *Mapper) CodesBytes(rows int) int {
	columns := 0
	for j := range m.Features {
		if !m.Features[j].Constant() {
			columns++
		}
	}
	return columns * ColumnBytes(rows)
}

// layOut returns a matrix whose columns are slices of codes, which lies in memory.
func (m *Mapper) layOut(codes []byte, rows int, memory *mem.Block) *Matrix {
	x := &Matrix{Rows: rows, Columns: make([][]uint8, len(m.Features)), codes: codes, memory: memory}
	for j := range m.Features {
		if !m.Features[j].Constant() {
			x.Columns[j] = codes[:rows:rows]
			codes = codes[ColumnBytes(rows):]
		}
	}
	return x
}

// Matrix returns the matrix with the given codes, which must lie in memory. The matrix owns the memory then. The result is nil if codes
// has the wrong size or contains a code that a feature does not have.
func (m *Mapper) Matrix(codes []byte, rows int, memory *mem.Block, team *par.Team) *Matrix {
	if len(codes) != m.CodesBytes(rows) {
		return nil
	}
	x := m.layOut(codes, rows, memory)
	bad := make([]bool, len(x.Columns))
	team.Do(len(x.Columns), func(_, j int) {
		highest := uint8(0)
		for _, code := range x.Columns[j] {
			highest = max(highest, code)
		}
		bad[j] = int(highest) >= m.Features[j].Codes()
	})
	if slices.Contains(bad, true) {
		return nil
	}
	return x
}

// NewMatrix returns a matrix with this many rows, whose codes a [Coder] is to write.
func (m *Mapper) NewMatrix(rows int) *Matrix {
	memory := mem.New(m.CodesBytes(rows))
	return m.layOut(memory.Bytes(), rows, memory)
}

// ReadColumn copies values of column j of a source to dst, starting with row first, and normalizes them: ±Inf becomes the largest finite
// number of that sign, so that thresholds can be finite, and negative zero becomes zero.
func ReadColumn(s Source, j, first int, dst []float64) {
	s.Column(j, first, dst)
	normalize(dst)
}

func normalize(values []float64) {
	for i, x := range values {
		values[i] = min(max(x, -math.MaxFloat64), math.MaxFloat64) + 0
	}
}

// ReadRows reads rows of a source from first on into rows, n × columns, and normalizes them as ReadColumn does.
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
