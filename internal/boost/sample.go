package boost

import (
	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
)

// sample is a copy of the rows that a tree is grown on, contiguous and in coarse bins. A few
// rows suffice to choose the splits, but the leaf values come from all rows, which are listed in
// all.
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

// copyRows copies the given rows.
func (s *sample) copyRows(r *loss.Residuals, rows []uint32, team *par.Team) {
	s.residuals.CopyRows(r, rows, team)
	s.bins.Matrix.CopyRows(s.of, rows, team)
}

func (s *sample) free() {
	s.bins.Matrix.Free()
	s.residuals.Free()
	s.all.Free()
}
