package aoso

import "github.com/libaoso/aoso/internal/metric"

// ReliabilityBins is the number of bins of a [Reliability], at most.
const ReliabilityBins = metric.MostBins

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
	Rows       int     // how many there are
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
	rows := make([]metric.Forecast, x.Rows())
	m.predictor.Scores(j, nil, func(first int, scores []float64) {
		best, classes := make([]int, len(scores)/len(m.content.Classes)), len(m.content.Classes)
		for i := range best {
			best[i] = metric.Argmax(scores[i*classes:][:classes])
		}
		m.softmax(j.Kernels, scores)
		for i, k := range best {
			rows[first+i].Set(scores[i*classes:][:classes], k, int(t.Labels[first+i]), t.Weight(first+i))
		}
	})
	found := metric.NewReliability(rows, t)
	r := &Reliability{Brier: found.Brier, ECE: found.ECE}
	for _, b := range found.Bins {
		r.Bins = append(r.Bins, ReliabilityBin(b))
	}
	return r, nil
}
