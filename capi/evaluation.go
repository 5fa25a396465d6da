package main

// #include "shim.h"
import "C"

import "github.com/libaoso/aoso"

// labelled has the labels and weights of the rows that a model is evaluated on.
type labelled struct {
	labels  aoso.Labels
	weights []float64
}

func (m *model) readLabelled(x aoso.Features, y *C.aoso_labels, weights *C.double, numWeights C.int64_t) (l labelled, err error) {
	if l.weights, err = readWeights("num_weights", weights, numWeights, x.Rows()); err != nil {
		return l, err
	}
	if err = m.affordableScores(x); err == nil {
		l.labels, err = readLabels(y, x.Rows())
	}
	return l, err
}

//export goaoso_model_evaluate
func goaoso_model_evaluate(handle C.uintptr_t, x *C.aoso_matrix, y *C.aoso_labels, weights *C.double, numWeights C.int64_t, options *C.aoso_predict_options, out *C.aoso_evaluation) C.aoso_status {
	return predict(handle, x, options, func(m *model, x aoso.Features, o aoso.PredictOptions) error {
		if err := checkPut(out, "evaluation"); err != nil {
			return err
		}
		l, err := m.readLabelled(x, y, weights, numWeights)
		if err != nil {
			return err
		}
		var e *aoso.Evaluation
		apart(o.Threads, nil, func() { e, err = m.Evaluate(x, l.labels, l.weights, o) })
		if err == nil {
			*out = cEvaluation(e)
		}
		return err
	})
}

//export goaoso_model_calibrate
func goaoso_model_calibrate(handle C.uintptr_t, x *C.aoso_matrix, y *C.aoso_labels, weights *C.double, numWeights C.int64_t, options *C.aoso_predict_options, out *C.uintptr_t, calibration *C.aoso_calibration) C.aoso_status {
	return predict(handle, x, options, func(m *model, x aoso.Features, o aoso.PredictOptions) error {
		if err := checkWanted("calibration", calibration); err != nil {
			return err
		}
		var c *aoso.Calibration
		err := giveModel(out, func() (calibrated *aoso.Model, err error) {
			l, err := m.readLabelled(x, y, weights, numWeights)
			if err == nil {
				apart(o.Threads, nil, func() { calibrated, c, err = m.Calibrate(x, l.labels, l.weights, o) })
			}
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
