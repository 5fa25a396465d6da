package aoso

import (
	"fmt"
	"math"

	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Calibration is what a temperature does for a model's probabilities.
type Calibration struct {
	Temperature   float64
	Before, After float64 // mean −log p_y on the data that it was fitted to
}

// Temperature is what the raw scores are divided by before they become
// probabilities; 1 unless [Model.Calibrate] set it.
func (m *Model) Temperature() float64 {
	if m.temperature == 0 {
		return 1
	}
	return m.temperature
}

// tempered divides scores by the temperature, in place.
func (m *Model) tempered(scores []float64) []float64 {
	if m.temperature != 0 {
		for i := range scores {
			scores[i] /= m.temperature
		}
	}
	return scores
}

// Calibrate returns the model with a temperature (C. Guo et al., On
// calibration of modern neural networks, 2017): that which gives validation
// data, not those of training, the least log loss, between 1/64 and 64.
// weights may be nil; rows of classes that the model does not know count for
// nothing. The temperature is part of the model and its file. It changes
// probabilities and log losses, but neither raw scores nor predicted classes.
func (m *Model) Calibrate(x Features, labels Labels, weights []float64, o PredictOptions) (*Model, *Calibration, error) {
	scores, err := m.PredictRaw(x, o)
	if err != nil {
		return nil, nil, err
	}
	d, err := m.labelled(x, labels, weights)
	if err != nil {
		return nil, nil, err
	}
	if d.unknown == len(labels) {
		return nil, nil, badArgument("labels", fmt.Sprintf("%d rows of unknown classes", d.unknown), "at least one row of the classes of the model: %s", listed(m.classes))
	}
	k, err := kernels(o.Level)
	if err != nil {
		return nil, nil, err
	}
	team := par.NewTeam(o.Threads)
	defer team.Close()
	calibrated := *m
	calibrated.temperature = 1 / leastLoss(scores, d, k, team)
	return &calibrated, &Calibration{calibrated.temperature, m.evaluate(scores, d).LogLoss, calibrated.evaluate(scores, d).LogLoss}, nil
}

// leastLoss is the factor of scores, rows × classes, that leaves the least log
// loss, which is convex in it: by steps of Newton's method while they become
// shorter fast, else by halving what encloses it.
func leastLoss(scores []float64, d *Dataset, k *kernel.Funcs, team *par.Team) float64 {
	low, high := 1.0/model.MaxTemperature, 1.0/model.MinTemperature
	factor, step := 1.0, high
	for step > 1e-12*factor {
		slope, curvature := lossSlope(scores, factor, d, k, team)
		if slope > 0 {
			high = factor
		} else {
			low = factor
		}
		next := factor - slope/curvature
		if !(next >= low && next <= high && math.Abs(next-factor) <= step/2) {
			next = math.Sqrt(low * high)
		}
		factor, step = next, math.Abs(next-factor)
	}
	return factor
}

// lossSlope is the derivatives of the log loss by a factor of all scores.
func lossSlope(scores []float64, factor float64, d *Dataset, k *kernel.Funcs, team *par.Team) (slope, curvature float64) {
	classes, rows := len(d.classes), len(d.labels)
	type sums struct{ slope, curvature float64 }
	blocks := make([]sums, kernel.Blocks(rows))
	team.Do(len(blocks), func(_, b int) {
		p := make([]float64, classes)
		job := kernel.SoftmaxJob{Scores: p, Classes: classes}
		first, end := kernel.Block(b, rows)
		for i := first; i < end; i++ {
			if d.labels[i] < 0 {
				continue
			}
			w, f := 1.0, scores[i*classes:][:classes]
			if d.weights != nil {
				w = float64(d.weights[i])
			}
			for k := range p {
				p[k] = f[k] * factor
			}
			k.Softmax(&job)
			mean, square := 0.0, 0.0
			for k, p := range p { // against the row's own score, where p is about 1
				above := f[k] - f[d.labels[i]]
				mean += float64(p * above)
				square += float64(float64(p*above) * above)
			}
			blocks[b].slope += float64(w * mean)
			blocks[b].curvature += float64(w * (square - float64(mean*mean)))
		}
	})
	for _, b := range blocks {
		slope += b.slope
		curvature += b.curvature
	}
	return slope, curvature
}
