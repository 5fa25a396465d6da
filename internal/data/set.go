// Package data has the datasets that training reads: binned features, and the labels and weights of the rows.
package data

import (
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/exact"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
)

// Target has the classes and weights of the rows.
type Target struct {
	Ranks   *collective.Group // the ranks that have the other rows; nil: there are none
	Classes []string
	Labels  []int32   // by row: a position in Classes; −1: an unknown label
	Weights []float32 // by row; nil: all are 1
	Soft    *Soft     // nil: each row belongs to the class of its label alone
	IDs     []uint64  // by row, no two the same; nil: the rows' positions. Random draws depend on them
	Unknown int       // rows whose label is −1
}

// Rows returns the number of rows.
func (t *Target) Rows() int { return len(t.Labels) }

// Weight returns the weight of a row.
func (t *Target) Weight(row int) float64 {
	if t.Weights == nil {
		return 1
	}
	return float64(t.Weights[row])
}

// ID returns the id of a row.
func (t *Target) ID(row int) uint64 {
	if t.IDs == nil {
		return uint64(row)
	}
	return t.IDs[row]
}

// TotalWeight returns the sum of the weights of all ranks' rows.
func (t *Target) TotalWeight() float64 {
	if t.Weights == nil {
		return float64(t.AllRows())
	}
	var sum exact.Sum
	for _, w := range t.Weights {
		sum.Add(float64(w))
	}
	t.Ranks.Add(&sum)
	return sum.Float64()
}

// AllRows returns the number of rows of all ranks.
func (t *Target) AllRows() int { return t.Ranks.Int(t.Rows()) }

// Set is a dataset for training or validation. It does not change once built.
type Set struct {
	Target
	Names   []string          // of the features
	Named   bool              // the names were given, not generated
	Encoder *category.Encoder // encodes the features as columns; nil: the columns are the features
	Mapper  *bin.Mapper       // the bins of the columns
	Matrix  *bin.Matrix
	Grouped bool // the matrix has further column encodings

	Values bin.Source // the encoded features; nil: the set is large, or holds no rows to train on

	LabelName string // of the column that the labels are from; "": unknown

	rows *mem.Block // of a subset: labels, weights and ids; nil: they are on the Go heap or in the memory of the matrix
}

// Group adds the column encodings that make training fast: sparse columns, and columns packed with others. Its error is from [mem.Afford].
func (s *Set) Group(team *par.Team) error {
	if err := mem.Afford("the dataset", 0, float64(s.Matrix.Bytes())); err != nil {
		return err
	}
	s.Grouped = true
	s.Matrix.GroupSparse(s.Mapper, team)
	s.Matrix.JoinSmall(s.Mapper, team)
	return nil
}

// Subset returns a copy of the given rows, with their ids. If train is true, it has the column encodings for training.
func (s *Set) Subset(rows []uint32, train bool, team *par.Team) *Set {
	subset := &Set{Names: s.Names, Named: s.Named, Encoder: s.Encoder, Mapper: s.Mapper, Matrix: s.Matrix.Subset(rows, train, team), Grouped: s.Grouped && train}
	subset.Ranks = s.Ranks
	n, bytes := len(rows), 8+4
	if s.Weights != nil {
		bytes += 4
	}
	subset.rows = s.Matrix.Like(bytes * n)
	subset.Classes, subset.IDs, subset.Labels = s.Classes, mem.View[uint64](subset.rows)[:n], mem.View[int32](subset.rows)[2*n:3*n]
	for i, row := range rows {
		subset.Labels[i], subset.IDs[i] = s.Labels[row], s.ID(int(row))
	}
	subset.Soft = s.Soft.Subset(rows)
	if s.Weights != nil {
		subset.Weights = mem.View[float32](subset.rows)[3*n:]
		for i, row := range rows {
			subset.Weights[i] = s.Weights[row]
		}
	}
	return subset
}

// Free releases the memory of the rows. The names, classes, encoder and bins remain.
func (s *Set) Free() {
	s.Labels, s.Weights, s.IDs, s.Soft, s.Values = nil, nil, nil, nil, nil // they may be in the memory of the matrix
	s.Matrix.Free()
	s.rows.Free()
}

func (s *Set) Freed() bool { return s.Matrix.Columns == nil }

// BinnedAs reports whether two sets have the same bins, categories and classes.
func (s *Set) BinnedAs(other *Set) bool {
	return s.Mapper.Equal(other.Mapper) && s.Encoder.Equal(other.Encoder) && slices.Equal(s.Classes, other.Classes)
}

// Columns lists the columns that can be split on.
func (s *Set) Columns() (columns []int) {
	for j, c := range s.Matrix.Columns {
		if c != nil {
			columns = append(columns, j)
		}
	}
	return columns
}

// Bytes returns the memory of the set in bytes.
func (s *Set) Bytes() int { return s.Matrix.Memory() + s.TargetBytes() + s.valueBytes() }

// TargetBytes returns the memory of labels, weights and ids in bytes.
func (s *Set) TargetBytes() int {
	return 4*len(s.Labels) + 4*len(s.Weights) + 8*len(s.IDs) + s.Soft.Bytes()
}
