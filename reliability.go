package aoso

import (
	"cmp"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/exact"
)

// ReliabilityBins is the number of bins of a [Reliability], at most.
const ReliabilityBins = 15

// Reliability tells how good a model's probabilities are.
type Reliability struct {
	// Brier is the mean of Σ (p_k − y_k)², y_k being 1 for the row's class and else 0,
	// weighted, over the rows of known classes: 0 to 2; NaN if there are none (G. Brier,
	// Verification of forecasts expressed in terms of probability, 1950).
	Brier float64

	// ECE is the expected calibration error: the mean over the bins, weighted, of the
	// difference between Confidence and Accuracy; NaN if no row has weight.
	ECE float64

	// Bins are those of a reliability diagram, in the order of confidence.
	Bins []ReliabilityBin
}

// ReliabilityBin is rows whose likeliest class has about the same probability.
type ReliabilityBin struct {
	Rows       int
	Share      float64 // of all rows, weighted
	Confidence float64 // mean probability of the likeliest class, weighted
	Accuracy   float64 // share of the rows that have this class, weighted; rows of unknown classes have not
}

// Reliability compares the model's probabilities for x with labels; weights may be
// nil. The expected calibration error is that of the likeliest class (C. Guo et al.,
// On calibration of modern neural networks, 2017), but in 15 bins that have equal
// weight, because bins of equal width leave most rows of a good model in one bin (J.
// Nixon et al., Measuring calibration in deep learning, 2019). Equal confidences are
// in one bin, so there can be fewer bins.
func (m *Model) Reliability(x Features, labels Labels, weights []float64, o PredictOptions) (*Reliability, error) {
	j, err := m.job(x, o)
	if err != nil {
		return nil, err
	}
	t, err := m.target(x.Rows(), labels, weights)
	if err != nil {
		return nil, err
	}
	rows := make([]forecast, x.Rows())
	m.predictor.Scores(j, nil, func(first int, scores []float64) {
		best, classes := make([]int, len(scores)/len(m.classes)), len(m.classes)
		for i := range best {
			best[i] = boost.Argmax(scores[i*classes:][:classes])
		}
		m.softmax(j.Kernels, scores)
		for i, k := range best {
			rows[first+i].set(scores[i*classes:][:classes], k, int(t.Labels[first+i]), t.Weight(first+i))
		}
	})
	return newReliability(rows, t), nil
}

// forecast is the probabilities of a row against its class.
type forecast struct {
	confidence, weight, brier float64
	right                     bool
}

// set takes probabilities, the likeliest class, and the class; −1: it is unknown.
func (f *forecast) set(p []float64, best, y int, weight float64) {
	*f = forecast{confidence: p[best], weight: weight, right: best == y}
	for k, p := range p {
		if k == y {
			p = 1 - p
		}
		f.brier += float64(p * p)
	}
}

func newReliability(rows []forecast, t *data.Target) *Reliability {
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
	rows = slices.DeleteFunc(rows, func(f forecast) bool { return f.weight == 0 })
	slices.SortStableFunc(rows, func(a, b forecast) int { return cmp.Compare(a.confidence, b.confidence) })
	r.ECE = 0
	var done exact.Sum
	for number := 1; len(rows) > 0; number++ {
		until := total * float64(number) / ReliabilityBins * (1 - 1e-12) // less what the sum rounds
		end := 0
		for end < len(rows) && (number == ReliabilityBins || done.Float64() < until || end > 0 && rows[end].confidence == rows[end-1].confidence) {
			done.Add(rows[end].weight)
			end++
		}
		if end == 0 { // the bin before has its rows, of equal confidence
			continue
		}
		bin := newReliabilityBin(rows[:end], total)
		r.Bins = append(r.Bins, bin)
		r.ECE += float64(bin.Share * math.Abs(bin.Confidence-bin.Accuracy))
		rows = rows[end:]
	}
	return r
}

// newReliabilityBin is the bin of some rows of the total weight.
func newReliabilityBin(rows []forecast, total float64) ReliabilityBin {
	var weight, confidence, right exact.Sum
	for _, f := range rows {
		weight.Add(f.weight)
		confidence.Add(f.weight * f.confidence)
		if f.right {
			right.Add(f.weight)
		}
	}
	w := weight.Float64()
	return ReliabilityBin{Rows: len(rows), Share: w / total, Confidence: confidence.Float64() / w, Accuracy: right.Float64() / w}
}
