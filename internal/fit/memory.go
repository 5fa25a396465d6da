package fit

import (
	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/conformal"
)

// pathBytes is what the path keeps of a row held out, beside its scores, and
// pointBytes what its points keep of a row for prediction sets.
const pathBytes, pointBytes = 5 * 8, 10 * 80

// EstimateMemory bounds the memory of building a dataset and training on it.
// Bins are fitted to at most sampleRows rows.
func EstimateMemory(s boost.Shape, p boost.Params, folds, sampleRows int) boost.Memory {
	m := boost.EstimateMemory(s, p, sampleRows)
	if folds == 0 {
		return m
	}
	held := s.Rows/parts(s.Rows, folds) + 1
	of := s
	of.Rows, of.ValidRows = s.Rows-held+1, held
	part := boost.EstimateMemory(of, p, sampleRows)
	n := int64(folds)
	ids := 8 * int64(of.Rows+held)
	return m.Max(boost.Memory{
		Matrix:     m.Matrix + n*part.Matrix,
		Sparse:     m.Sparse + n*part.Sparse,
		Residuals:  n * part.Residuals,
		Rows:       n*(part.Rows+ids+int64(held)*(pathBytes+8*int64(s.Classes))) + int64(min(int(n)*held, conformal.MaxRows))*pointBytes,
		Histograms: n * part.Histograms,
		Trees:      n * part.Trees,
		Runtime:    n * part.Runtime,
	})
}
