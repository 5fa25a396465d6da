package data

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/par"
)

// A small set stores the values of the encoded features beside their bins, so that training can compute crosses from them.
const mostValueRows, mostValues = 20_000, 1 << 22

// storesValues reports whether a set with this many rows on all ranks stores values.
func storesValues(rows, features int) bool {
	return rows < mostValueRows && rows*features <= mostValues
}

// StoredBytes bounds the memory of the values that a set stores, in bytes.
func StoredBytes(rows, features int) float64 {
	if !storesValues(rows, features) {
		return 0
	}
	return 8 * float64(rows*features)
}

// StoreValues stores the values of the features in a small set, given its encoded columns.
func (s *Set) StoreValues(columns bin.Source, team *par.Team) {
	if storesValues(s.AllRows(), len(s.Names)) {
		values := NewRowBlocks(len(s.Names))
		values.Append(columns, team)
		s.Values = values
	}
}

// valueBytes returns the memory of the stored values in bytes.
func (s *Set) valueBytes() int {
	if b, ok := s.Values.(*RowBlocks); ok {
		return b.bytes()
	}
	return 0 // of a file in memory
}

// fileValues has the values of a dataset file, column after column.
type fileValues struct {
	values     []float64
	rows, cols int
}

func (v *fileValues) Rows() int { return v.rows }
func (v *fileValues) Cols() int { return v.cols }

func (v *fileValues) Column(j, first int, dst []float64) { copy(dst, v.values[j*v.rows+first:]) }

// Crossed returns the set with crosses of its features as further columns, in the memory of both. It needs stored values, and all ranks
// must call it together.
func (s *Set) Crossed(crosses []category.Cross, team *par.Team) (*Set, error) {
	features := len(s.Names)
	e := s.Encoder.WithCrosses(features, crosses)
	x := e.CrossColumns(s.Values)
	codes := e.Codes(features)[e.Columns(features)-len(crosses):]
	m, err := bin.Fit(s.gather(x), nil, bin.MaxValueBins, codes, team)
	if err != nil {
		return nil, err
	}
	crossed := *s
	crossed.Encoder = e
	crossed.Mapper = &bin.Mapper{Features: slices.Concat(s.Mapper.Features, m.Features)}
	crossed.Matrix = s.Matrix.Beside(m.Map(x, team))
	return &crossed, nil
}

// gather returns the rows of all ranks of a source.
func (s *Set) gather(x bin.Source) bin.Source {
	if s.Ranks == nil {
		return x
	}
	rows, values := s.AllRows(), make([]float64, x.Rows())
	all := &fileValues{make([]float64, rows*x.Cols()), rows, x.Cols()}
	for j := range x.Cols() {
		x.Column(j, 0, values)
		mine := make([]byte, 0, 8*len(values))
		for _, v := range values {
			mine = binary.LittleEndian.AppendUint64(mine, math.Float64bits(v))
		}
		column := all.values[j*rows:][:rows]
		for _, theirs := range s.Ranks.Gather(mine, 8) {
			for ; len(theirs) > 0 && len(column) > 0; theirs, column = theirs[8:], column[1:] {
				column[0] = math.Float64frombits(binary.LittleEndian.Uint64(theirs))
			}
		}
	}
	return all
}
