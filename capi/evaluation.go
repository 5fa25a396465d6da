package main

// #include "shim.h"
import "C"

import (
	"encoding/json"
	"unsafe"

	"github.com/libaoso/aoso"
)

// labelled has the labels and weights of the rows that a model is evaluated on.
type labelled struct {
	labels  aoso.Labels
	weights []float64

	shares  aoso.Features // of soft labels, which have no labels; nil: labels are hard
	classes []string      // of the shares
}

// useLabelled calls use with labels, soft or hard, and weights.
func (m *model) useLabelled(rows int, y *C.aoso_labels, weights *C.double, numWeights C.int64_t, use func(labelled) error) error {
	return useLabels(y, rows, func(labels aoso.Labels, shares aoso.Features, classes []string) error {
		l := labelled{labels: labels, shares: shares, classes: classes}
		if err := l.weigh(m, rows, weights, numWeights); err != nil {
			return err
		}
		return use(l)
	})
}

// evaluate compares raw scores with the labels.
func (l *labelled) evaluate(m *model, raw []float64) (*aoso.Evaluation, error) {
	if l.shares != nil {
		return m.EvaluateSoftRaw(raw, l.shares, l.classes, l.weights)
	}
	return m.EvaluateRaw(raw, l.labels, l.weights)
}

// measure returns a metric of raw scores.
func (l *labelled) measure(m *model, name string, raw []float64) ([]float64, error) {
	metrics := []aoso.Metric{aoso.Metric(name)}
	if l.shares != nil {
		return m.MeasureSoftRaw(metrics, raw, l.shares, l.classes, l.weights)
	}
	return m.MeasureRaw(metrics, raw, l.labels, l.weights)
}

// readLabelled reads hard labels and weights.
func (m *model) readLabelled(rows int, y *C.aoso_labels, weights *C.double, numWeights C.int64_t) (l labelled, err error) {
	if l.labels, err = readLabels(y, rows); err == nil {
		err = l.weigh(m, rows, weights, numWeights)
	}
	return l, err
}

// weigh reads the weights, checks that there is memory for the scores of the rows, and warns if the model knows few of the labels.
func (l *labelled) weigh(m *model, rows int, weights *C.double, numWeights C.int64_t) (err error) {
	if l.weights, err = readWeights("num_weights", weights, numWeights, rows); err != nil {
		return err
	}
	if err := m.affordableScores(rows); err != nil {
		return err
	}
	if n := l.labels.Unknown(m.classes); 2*n > rows && n < rows {
		logWarning("%d of the %d labels are of classes that the model does not know", n, rows)
	}
	return nil
}

//export goaoso_model_evaluate
func goaoso_model_evaluate(handle C.uintptr_t, x *C.aoso_matrix, y *C.aoso_labels, weights *C.double, numWeights C.int64_t, options *C.aoso_predict_options, out *C.aoso_evaluation) C.aoso_status {
	return predict(handle, x, options, func(m *model, x aoso.Features, o aoso.PredictOptions) error {
		if err := checkPut(out, "evaluation"); err != nil {
			return err
		}
		return m.useLabelled(x.Rows(), y, weights, numWeights, func(l labelled) (err error) {
			var e *aoso.Evaluation
			offThread(o.NThread, nil, func() {
				if l.shares != nil {
					e, err = m.EvaluateSoft(x, l.shares, l.classes, l.weights, o)
				} else {
					e, err = m.Evaluate(x, l.labels, l.weights, o)
				}
			})
			if err == nil {
				*out = cEvaluation(e)
			}
			return err
		})
	})
}

//export goaoso_model_confusions
func goaoso_model_confusions(handle C.uintptr_t, x *C.aoso_matrix, y *C.aoso_labels, options *C.aoso_predict_options, out *C.aoso_confusion, length C.int64_t, count *C.int64_t) C.aoso_status {
	return predict(handle, x, options, func(m *model, x aoso.Features, o aoso.PredictOptions) error {
		if err := within("length", int64(length), 1, maxValues); err != nil {
			return err
		}
		to, err := output[C.aoso_confusion](unsafe.Pointer(out), length, int(length), "the most pairs")
		if err != nil {
			return err
		}
		if err := checkPut(count, "number of pairs"); err != nil {
			return err
		}
		l, err := m.readLabelled(x.Rows(), y, nil, 0)
		if err != nil {
			return err
		}
		var found []aoso.Confusion
		offThread(o.NThread, nil, func() { found, err = m.Confusions(x, l.labels, len(to), o) })
		if err != nil {
			return err
		}
		for i, c := range found {
			to[i] = C.aoso_confusion{
				classes:  [2]C.int32_t{C.int32_t(c.First), C.int32_t(c.Second)},
				mistaken: [2]C.int64_t{C.int64_t(c.FirstAsSecond), C.int64_t(c.SecondAsFirst)},
				rows:     [2]C.int64_t{C.int64_t(c.FirstRows), C.int64_t(c.SecondRows)},
			}
		}
		*count = C.int64_t(len(found))
		return nil
	})
}

// useScored calls use with a model, and raw scores of rows with their labels and weights.
func useScored(handle C.uintptr_t, raw *C.double, length C.int64_t, y *C.aoso_labels, weights *C.double, numWeights C.int64_t, use func(m *model, scores []float64, l labelled) error) error {
	m, err := findModel(handle)
	if err != nil {
		return err
	}
	scores, err := m.rawScores(raw, length)
	if err != nil {
		return err
	}
	return m.useLabelled(len(scores)/len(m.classes), y, weights, numWeights, func(l labelled) error { return use(m, scores, l) })
}

//export goaoso_model_evaluate_raw
func goaoso_model_evaluate_raw(handle C.uintptr_t, raw *C.double, length C.int64_t, y *C.aoso_labels, weights *C.double, numWeights C.int64_t, out *C.aoso_evaluation) C.aoso_status {
	return try(func() error {
		if err := checkPut(out, "evaluation"); err != nil {
			return err
		}
		return useScored(handle, raw, length, y, weights, numWeights, func(m *model, scores []float64, l labelled) error {
			e, err := l.evaluate(m, scores)
			if err == nil {
				*out = cEvaluation(e)
			}
			return err
		})
	})
}

//export goaoso_model_measure_raw
func goaoso_model_measure_raw(handle C.uintptr_t, raw *C.double, length C.int64_t, y *C.aoso_labels, weights *C.double, numWeights C.int64_t, metric *C.char, out *C.double) C.aoso_status {
	return try(func() error {
		if err := checkPut(out, "value"); err != nil {
			return err
		}
		return useScored(handle, raw, length, y, weights, numWeights, func(m *model, scores []float64, l labelled) error {
			name, err := goString("metric", metric)
			if err != nil {
				return err
			}
			var values []float64
			offThread(0, nil, func() { values, err = l.measure(m, name, scores) })
			if err == nil {
				*out = C.double(values[0])
			}
			return err
		})
	})
}

//export goaoso_metrics
func goaoso_metrics(buffer *C.char, size C.size_t, needed *C.size_t) C.aoso_status {
	return try(func() error {
		type metric struct {
			Name           aoso.Metric `json:"name"`
			HigherIsBetter bool        `json:"higher_is_better"`
		}
		var all []metric
		for _, m := range aoso.Metrics() {
			all = append(all, metric{m, m.HigherIsBetter()})
		}
		list, err := json.Marshal(all)
		if err != nil {
			return err
		}
		return putText(string(list), buffer, size, needed)
	})
}

//export goaoso_model_calibrate
func goaoso_model_calibrate(handle C.uintptr_t, x *C.aoso_matrix, y *C.aoso_labels, weights *C.double, numWeights C.int64_t, options *C.aoso_predict_options, out *C.uintptr_t, calibration *C.aoso_calibration) C.aoso_status {
	return predict(handle, x, options, func(m *model, x aoso.Features, o aoso.PredictOptions) error {
		if err := checkOptionalOut("calibration", calibration); err != nil {
			return err
		}
		var c *aoso.Calibration
		err := putModel(out, func() (calibrated *aoso.Model, err error) {
			err = m.useLabelled(x.Rows(), y, weights, numWeights, func(l labelled) (err error) {
				offThread(o.NThread, nil, func() {
					if l.shares != nil {
						calibrated, c, err = m.CalibrateSoft(x, l.shares, l.classes, l.weights, o)
					} else {
						calibrated, c, err = m.Calibrate(x, l.labels, l.weights, o)
					}
				})
				return err
			})
			return calibrated, err
		})
		if err == nil {
			writeStruct(calibration, C.aoso_calibration{
				temperature: C.double(c.Temperature),
				before:      C.double(c.Before),
				after:       C.double(c.After),
			})
		}
		return err
	})
}
