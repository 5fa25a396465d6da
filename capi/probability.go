package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/libaoso/aoso"
)

func readSetOptions(p *C.aoso_set_options) (o aoso.SetOptions, err error) {
	if p == nil {
		return o, badArgument("sets", null, "options with alpha")
	}
	c, err := readStruct("sets", p, C.aoso_set_options{})
	if err != nil {
		return o, err
	}
	methods := []string{aoso.SetLAC, aoso.SetAPS, aoso.SetRAPS}
	if err := within("method", int64(c.method), 0, int64(len(methods)-1)); err != nil {
		return o, err
	}
	return aoso.SetOptions{
		Alpha:            float64(c.alpha),
		Method:           methods[c.method],
		ClassConditional: c.class_conditional != 0,
		NonEmpty:         c.non_empty != 0,
	}, nil
}

//export goaoso_model_predict_set
func goaoso_model_predict_set(handle C.uintptr_t, x *C.aoso_matrix, sets *C.aoso_set_options, options *C.aoso_predict_options, out *C.uint8_t, length C.int64_t) C.aoso_status {
	return predict(handle, x, options, func(m *model, x aoso.Features, o aoso.PredictOptions) error {
		s, err := readSetOptions(sets)
		if err != nil {
			return err
		}
		return fill(unsafe.Pointer(out), length, x.Rows()*len(m.classes), "rows × classes", o.NThread, func() ([]bool, error) { return m.PredictSet(x, s, o) })
	})
}

//export goaoso_model_conformalize
func goaoso_model_conformalize(handle C.uintptr_t, x *C.aoso_matrix, y *C.aoso_labels, weights *C.double, numWeights C.int64_t, options *C.aoso_predict_options, out *C.uintptr_t) C.aoso_status {
	return predict(handle, x, options, func(m *model, x aoso.Features, o aoso.PredictOptions) error {
		return putModel(out, func() (c *aoso.Model, err error) {
			err = m.useLabelled(x.Rows(), y, weights, numWeights, func(l labelled) (err error) {
				if l.shares != nil {
					return badArgument("y", "the share of each class", "one label for each row, which a prediction set has or misses")
				}
				offThread(o.NThread, nil, func() { c, err = m.Conformalize(x, l.labels, l.weights, o) })
				return err
			})
			return c, err
		})
	})
}

//export goaoso_model_decide
func goaoso_model_decide(handle C.uintptr_t, x *C.aoso_matrix, costs *C.double, numCosts C.int64_t, options *C.aoso_predict_options, decisions *C.int32_t, expected *C.double, length C.int64_t) C.aoso_status {
	return predict(handle, x, options, func(m *model, x aoso.Features, o aoso.PredictOptions) error {
		if err := within("num_costs", int64(numCosts), 0, maxValues); err != nil {
			return err
		}
		if costs == nil && numCosts > 0 {
			return badArgument("costs", null, "%d costs", numCosts)
		}
		to, err := output[int32](unsafe.Pointer(decisions), length, x.Rows(), "the number of rows")
		if err != nil {
			return err
		}
		if err := m.affordableScores(x.Rows()); err != nil {
			return err
		}
		var best []int
		var least []float64
		offThread(o.NThread, nil, func() {
			best, least, err = m.Decide(x, unsafe.Slice((*float64)(costs), numCosts), o)
		})
		for i, d := range best {
			to[i] = int32(d)
		}
		if expected != nil {
			copy(unsafe.Slice((*float64)(expected), length), least)
		}
		return err
	})
}

//export goaoso_model_reliability
func goaoso_model_reliability(handle C.uintptr_t, x *C.aoso_matrix, y *C.aoso_labels, weights *C.double, numWeights C.int64_t, options *C.aoso_predict_options, out *C.aoso_reliability) C.aoso_status {
	return predict(handle, x, options, func(m *model, x aoso.Features, o aoso.PredictOptions) error {
		if err := checkOut("out", out); err != nil {
			return err
		}
		l, err := m.readLabelled(x.Rows(), y, weights, numWeights)
		if err != nil {
			return err
		}
		var r *aoso.Reliability
		offThread(o.NThread, nil, func() { r, err = m.Reliability(x, l.labels, l.weights, o) })
		if err != nil {
			return err
		}
		c := C.aoso_reliability{num_bins: C.int32_t(len(r.Bins)), brier: C.double(r.Brier), ece: C.double(r.ECE)}
		for i, b := range r.Bins {
			c.bins[i] = C.aoso_reliability_bin{C.int64_t(b.Rows), C.double(b.Share), C.double(b.Confidence), C.double(b.Accuracy)}
		}
		writeStruct(out, c)
		return nil
	})
}
