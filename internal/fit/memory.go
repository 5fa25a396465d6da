package fit

import (
	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/conformal"
)

// pathBytes is the size of a held-out row in the path, without its scores, and pointBytes its
// size in the points, for prediction sets.
const pathBytes, pointBytes = 5 * 8, 10 * 80

// EstimateMemory bounds the memory of building a dataset and training on it.
// Bins are fitted to at most sampleRows rows.
func EstimateMemory(s boost.Shape, p boost.Params, folds, sampleRows int) boost.Memory {
	runtime := boost.RuntimeMemory(s, p)
	sets := boost.DatasetMemory(s, s.Rows).Plus(boost.DatasetMemory(s, s.ValidRows)).Plus(runtime)
	most := sets.Plus(TrainingMemory(s, p, folds))
	return most.WithBuilding(boost.BuildingMemory(s, p, sampleRows) + runtime.Total)
}

// TrainingMemory bounds the memory of both phases, without the datasets and
// [boost.RuntimeMemory].
func TrainingMemory(s boost.Shape, p boost.Params, folds int) boost.Memory {
	most := boost.TrainingMemory(s, p)
	if folds > 0 {
		most = most.Greater(holdOutMemory(s, p, folds))
	}
	return most
}

// holdOutMemory bounds the memory of the hold-out phase, without the datasets.
func holdOutMemory(s boost.Shape, p boost.Params, folds int) (m boost.Memory) {
	held := s.Rows/parts(s.Rows, folds, s.Classes) + 1
	of := s
	of.Rows, of.ValidRows = s.Rows-held+1, held
	one := boost.SubsetMemory(s, of.Rows, true).Plus(boost.SubsetMemory(s, held, false)).Plus(boost.TrainingMemory(of, p))
	one.Rows += int64(held) * (pathBytes + 8*int64(s.Classes))
	for range folds {
		m = m.Plus(one)
	}
	m.Rows += int64(min(folds*held, conformal.MaxRows)) * pointBytes
	return m.Plus(boost.Memory{})
}
