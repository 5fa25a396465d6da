// Package memory bounds the memory of building datasets and of training, before anything is
// allocated.
package memory

import (
	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/conformal"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/fit"
)

// Memory is an upper bound of the bytes that a training run takes at once, split by purpose.
// aoso.Estimate documents the formulas.
type Memory struct {
	Matrix     int64
	Sparse     int64
	Residuals  int64
	Rows       int64
	Histograms int64
	Quantizing int64
	Trees      int64
	Runtime    int64
	Total      int64
	Files      int64 // not in the total
}

// pathBytes is the size of a held-out row in the path, without its scores, and pointBytes its
// size in the points, for prediction sets.
const pathBytes, pointBytes = 10 * 8, 10 * 80

// Estimate bounds the memory of building a dataset and training on it.
// Bins are fitted to at most sampleRows rows.
func Estimate(s data.Shape, p boost.Params, folds, sampleRows int) Memory {
	runtime := Runtime(s, p)
	sets := dataset(s, s.Rows).Plus(dataset(s, s.ValidRows)).Plus(runtime)
	most := sets.Plus(Training(s, p, folds))
	return most.WithBuilding(building(s, p, sampleRows) + runtime.Total)
}

// Training bounds the memory of both phases, without the datasets and
// [Runtime].
func Training(s data.Shape, p boost.Params, folds int) Memory {
	most := onePhase(s, p)
	switch members := p.Ensemble; {
	case folds == 0:
	case members > 1:
		most = ensemble(s, p, members)
	default:
		most = most.Greater(holdOut(s, p, s.Rows/fit.Parts(s.Rows, folds, s.Classes)+1, folds))
	}
	return most
}

// holdOut bounds the memory of training a number of models without held rows each, without the datasets.
func holdOut(s data.Shape, p boost.Params, held, models int) (m Memory) {
	of := s
	of.Rows, of.ValidRows = s.Rows-held+1, held
	one := subset(s, of.Rows, true).Plus(subset(s, held, false)).Plus(onePhase(of, p))
	one.Rows += int64(held) * (pathBytes + 2*8*int64(s.Classes))
	for range models {
		m = m.Plus(one)
	}
	m.Rows += int64(min(models*held, conformal.MaxRows)) * pointBytes
	return m.Plus(Memory{})
}

// ensemble bounds the memory of training an ensemble, without the datasets: of growing the trees of half of the
// members, and of refitting a member on three sets of rows.
func ensemble(s data.Shape, p boost.Params, members int) Memory {
	if p.GrowPolicy == "mixed" {
		p.MaxLeaves, p.LearningRate = max(p.MaxLeaves, boost.SymmetricLeaves), boost.SymmetricRate*p.LearningRate
	}
	const scouts, out, scores = 2, 2, 3 * 8
	one := onePhase(s, p)
	grow := holdOut(s, p, out*s.Rows/members+1, max(members/2, scouts))
	refit := holdOut(s, p, s.Rows/members+1, out).Plus(one)
	refit.Rows += scores * int64(s.Rows) * int64(s.Classes)
	most := grow.Greater(refit.Plus(Memory{}))
	most.Trees += int64(members) * one.Trees
	return most.Plus(Memory{})
}

// Runtime bounds the memory that is needed once for any number of training runs: the Go
// heap of the features, and its garbage.
func Runtime(s data.Shape, p boost.Params) Memory {
	e := newEstimate(s, &p)
	bin := leastBinBytes
	if s.Bins() < s.Rows {
		bin = binBytes
	}
	features := (featureBytes + bin*float64(s.Bins())) * e.columns
	rates := 4 * float64(1+category.RateColumns(s.Classes))
	categories := float64(s.Categories) * (rates + categoryBytes)
	return Memory{Runtime: wholeBytes(collectorBytes + workerBytes*e.threads + categories + collected*features)}.summed()
}

// FeaturesBytes returns the Go heap of features, whose bins number bins in all.
func FeaturesBytes(features, bins int) float64 {
	return featureBytes*float64(features) + binBytes*float64(bins)
}

// Plus returns the memory of two things that exist at the same time.
func (m Memory) Plus(o Memory) Memory {
	sum := func(a, b int64) int64 { return wholeBytes(float64(a) + float64(b)) }
	return Memory{
		Matrix: sum(m.Matrix, o.Matrix), Sparse: sum(m.Sparse, o.Sparse), Residuals: sum(m.Residuals, o.Residuals),
		Rows: sum(m.Rows, o.Rows), Histograms: sum(m.Histograms, o.Histograms), Quantizing: sum(m.Quantizing, o.Quantizing),
		Trees: sum(m.Trees, o.Trees), Runtime: sum(m.Runtime, o.Runtime), Files: sum(m.Files, o.Files),
	}.summed()
}

// Greater returns the memory of the greater of two things.
func (m Memory) Greater(o Memory) Memory {
	if o.Total > m.Total {
		return o
	}
	return m
}

// WithBuilding adds the memory that building the datasets needs beyond m.
func (m Memory) WithBuilding(bytes int64) Memory {
	m.Quantizing = max(0, bytes-m.Total)
	return m.summed()
}

// summed sets the total to the sum of the parts.
func (m Memory) summed() Memory {
	m.Total = m.Matrix + m.Sparse + m.Residuals + m.Rows + m.Histograms + m.Quantizing + m.Trees + m.Runtime
	return m
}

// wholeBytes caps a number of bytes at 2⁵⁶, so that no sum of parts overflows.
func wholeBytes(n float64) int64 { return int64(min(n, 1<<56)) }
