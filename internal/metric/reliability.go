package metric

import (
	"cmp"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/exact"
)

// MostBins is the number of bins of a reliability diagram, at most.
const MostBins = 15

// Reliability tells how good probabilities are. aoso.Reliability documents the fields.
type Reliability struct {
	Brier, ECE float64
	Bins       []Bin
}

// Bin is rows whose most likely class has about the same probability.
type Bin struct {
	Rows                        int
	Share, Confidence, Accuracy float64
}

// Forecast is the probabilities of a row against its class.
type Forecast struct {
	confidence, weight, brier float64
	right                     bool
}

// Set takes probabilities, the most likely class, and the class; −1: it is unknown. The label is soft if there are shares
// of other classes.
func (f *Forecast) Set(p []float64, best, y int, weight float64, others []int32, shares []float32) {
	*f = Forecast{confidence: p[best], weight: weight, right: best == y}
	own := 1.0
	for i, k := range others {
		own -= float64(shares[i])
		without, with := p[k], p[k]-float64(shares[i])
		f.brier += float64(with*with) - float64(without*without)
	}
	for k, p := range p {
		if k == y {
			p = own - p
		}
		f.brier += float64(p * p)
	}
}

// NewReliability looks at the forecasts of all rows of a target, which it reorders.
func NewReliability(rows []Forecast, t *data.Target) *Reliability {
	r := &Reliability{ECE: math.NaN()}
	var weight, known, brier exact.Sum
	for i, f := range rows {
		weight.Add(f.weight)
		if t.Labels[i] >= 0 {
			known.Add(f.weight)
			brier.Add(f.weight * f.brier)
		}
	}
	r.Brier = brier.Float64() / known.Float64() // NaN if there are none
	total := weight.Float64()
	if total == 0 {
		return r
	}
	rows = slices.DeleteFunc(rows, func(f Forecast) bool { return f.weight == 0 })
	slices.SortStableFunc(rows, func(a, b Forecast) int { return cmp.Compare(a.confidence, b.confidence) })
	r.ECE = 0
	var done exact.Sum
	for number := 1; len(rows) > 0; number++ {
		until := total * float64(number) / MostBins * (1 - 1e-12) // less what the sum rounds
		end := 0
		for end < len(rows) && (number == MostBins || done.Float64() < until || end > 0 && rows[end].confidence == rows[end-1].confidence) {
			done.Add(rows[end].weight)
			end++
		}
		if end == 0 { // the bin before has its rows, of equal confidence
			continue
		}
		bin := newBin(rows[:end], total)
		r.Bins = append(r.Bins, bin)
		r.ECE += float64(bin.Share * math.Abs(bin.Confidence-bin.Accuracy))
		rows = rows[end:]
	}
	return r
}

// newBin returns the bin of some rows of the total weight.
func newBin(rows []Forecast, total float64) Bin {
	var weight, confidence, right exact.Sum
	for _, f := range rows {
		weight.Add(f.weight)
		confidence.Add(f.weight * f.confidence)
		if f.right {
			right.Add(f.weight)
		}
	}
	w := weight.Float64()
	return Bin{Rows: len(rows), Share: w / total, Confidence: confidence.Float64() / w, Accuracy: right.Float64() / w}
}

// forecasts returns the rows' probabilities against their classes.
func (r *Rows) forecasts() []Forecast {
	rows := make([]Forecast, r.Rows())
	r.eachRow(func(i int) {
		p := r.proba(i)
		others, shares := r.Soft.Row(i)
		rows[i].Set(p, Argmax(p), int(r.Labels[i]), r.Weight(i), others, shares)
	})
	return rows
}

// brier returns the Brier score of rows of known classes.
func (r *Rows) brier() float64 {
	var known, brier exact.Sum
	for i, f := range r.forecasts() {
		if r.Labels[i] >= 0 {
			known.Add(f.weight)
			brier.Add(f.weight * f.brier)
		}
	}
	r.Ranks.Add(&known, &brier)
	return brier.Float64() / known.Float64()
}

// ece returns the expected calibration error.
func (r *Rows) ece() float64 {
	all := r.everywhere()
	return NewReliability(all.forecasts(), all.Target).ECE
}
