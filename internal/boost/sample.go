package boost

import (
	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
)

// sample is a copy of the rows that a tree is grown on, in coarse bins, so that
// they lie side by side, and a list of all rows, which the leaf values are of:
// few rows tell where to split, but the values of leaves take all there are.
type sample struct {
	of        *bin.Matrix
	bins      tree.Bins
	residuals *loss.Residuals
	all       *tree.Partition
}

func newSample(of *bin.Matrix, m *bin.Mapper, r *loss.Residuals, rows int) *sample {
	x := of.NewSample(rows)
	return &sample{
		of: of, bins: tree.Bins{Matrix: x, Mapper: m, Coarse: x, CoarseMapper: m},
		residuals: r.NewSample(rows), all: tree.NewPartition(of.Rows),
	}
}

// take makes the sample that of the given rows.
func (s *sample) take(r *loss.Residuals, rows []uint32, team *par.Team) {
	s.residuals.Take(r, rows, team)
	s.bins.Matrix.Take(s.of, rows, team)
}

func (s *sample) free() {
	s.bins.Matrix.Free()
	s.residuals.Free()
	s.all.Free()
}
