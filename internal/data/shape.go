package data

import "github.com/libaoso/aoso/internal/category"

// Shape is the size of a training run. aoso.Shape documents the fields.
type Shape struct {
	Rows, Features, Classes int
	ValidRows               int
	MaxBin                  int
	Categorical             int
	Rated, Categories       int
	Dense                   bool
	Mapped                  bool
}

// Columns returns the number of columns that the features become.
func (s *Shape) Columns() int {
	return s.Features + max(s.Categorical, s.Rated) + s.Rated*category.RateColumns(s.Classes)
}

// Bins returns the most value bins of a feature: each holds a value of some row.
func (s *Shape) Bins() int { return min(s.MaxBin, s.Rows) }
