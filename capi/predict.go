package main

// #include "shim.h"
import "C"

import (
	"cmp"
	"unsafe"

	"github.com/libaoso/aoso"
)

func readPredictOptions(p *C.aoso_predict_options, m *model) (o aoso.PredictOptions, err error) {
	c, err := readStruct("options", p, C.aoso_predict_options{})
	if err != nil {
		return o, err
	}
	if o.NThread, err = threads(int64(c.nthread)); err != nil {
		return o, err
	}
	o.Trees = int(c.trees)
	return o, within("trees", int64(c.trees), 0, int64(m.Trees()))
}

// output returns the host's memory for the results as a slice. It is an error if
// length differs from the number of results.
func output[T any](out unsafe.Pointer, length C.int64_t, results int, what string) ([]T, error) {
	if int64(length) != int64(results) {
		return nil, badArgument("length", length, "%d, %s", results, what)
	}
	if out == nil && length > 0 {
		return nil, badArgument("out", null, "memory for %d results", results)
	}
	return unsafe.Slice((*T)(out), length), nil
}

// fill computes results and copies them to memory of the host.
func fill[T any](out unsafe.Pointer, length C.int64_t, results int, what string, threads int, compute func() ([]T, error)) error {
	to, err := output[T](out, length, results, what)
	if err == nil {
		err = affordable("the result", float64(length)*float64(unsafe.Sizeof(*new(T))))
	}
	if err != nil {
		return err
	}
	var computed []T
	offThread(threads, nil, func() { computed, err = compute() })
	copy(to, computed)
	return err
}

// scoresTo calls write with memory of the host for the scores of x.
func (m *model) scoresTo(out *C.double, length C.int64_t, x aoso.Features, o aoso.PredictOptions,
	write func([]float64, aoso.Features, ...aoso.PredictOptions) error) error {
	to, err := output[float64](unsafe.Pointer(out), length, x.Rows()*len(m.classes), "rows × classes")
	if err == nil {
		offThread(o.NThread, nil, func() { err = write(to, x, o) })
	}
	return err
}

// affordableScores returns an error if there is not enough memory for the raw
// scores of the rows.
func (m *model) affordableScores(rows int) error {
	return affordable("the raw scores", 8*float64(rows)*float64(len(m.classes)))
}

// rawScores returns the host's raw scores as a slice.
func (m *model) rawScores(raw *C.double, length C.int64_t) ([]float64, error) {
	switch {
	case length < 0 || length > maxValues || int(length)%len(m.classes) != 0:
		return nil, badArgument("length", length, "rows × classes, a multiple of %d", len(m.classes))
	case raw == nil && length > 0:
		return nil, badArgument("raw", null, "%d raw scores", length)
	}
	return unsafe.Slice((*float64)(raw), length), nil
}

// fewRows is the largest number of rows for which one thread is faster than a team.
const fewRows = 64

// onRows calls use with the model of a handle, the features of the rows in the model's order, and the options.
func onRows(handle C.uintptr_t, x *C.aoso_matrix, options *C.aoso_predict_options,
	use func(m *model, x aoso.Features, o aoso.PredictOptions) error) C.aoso_status {
	return try(func() error {
		return useMatrix(x, func(x *matrix) error {
			m, err := findModel(handle)
			if err != nil {
				return err
			}
			o, err := readPredictOptions(options, m)
			if err != nil {
				return err
			}
			if err := x.match(m.names, m.Named()); err != nil {
				return err
			}
			return use(m, x.Features, o)
		})
	})
}

// predict is onRows for predictions: it uses one thread for few rows.
func predict(handle C.uintptr_t, x *C.aoso_matrix, options *C.aoso_predict_options,
	use func(m *model, x aoso.Features, o aoso.PredictOptions) error) C.aoso_status {
	return onRows(handle, x, options, func(m *model, x aoso.Features, o aoso.PredictOptions) error {
		if x.Rows() <= fewRows {
			o.NThread = 1
		}
		return use(m, x, o)
	})
}

//export goaoso_model_predict
func goaoso_model_predict(handle C.uintptr_t, x *C.aoso_matrix, options *C.aoso_predict_options, out *C.int32_t, length C.int64_t) C.aoso_status {
	return predict(handle, x, options, func(m *model, x aoso.Features, o aoso.PredictOptions) error {
		to, err := output[int32](unsafe.Pointer(out), length, x.Rows(), "the number of rows")
		if err != nil {
			return err
		}
		if err := m.affordableScores(x.Rows()); err != nil {
			return err
		}
		var best []int
		offThread(o.NThread, nil, func() { best, err = m.Predict(x, o) })
		for i, k := range best {
			to[i] = int32(k)
		}
		return err
	})
}

//export goaoso_model_predict_proba
func goaoso_model_predict_proba(handle C.uintptr_t, x *C.aoso_matrix, options *C.aoso_predict_options, out *C.double, length C.int64_t) C.aoso_status {
	return predict(handle, x, options, func(m *model, x aoso.Features, o aoso.PredictOptions) error {
		return m.scoresTo(out, length, x, o, m.PredictProbaTo)
	})
}

//export goaoso_model_predict_raw
func goaoso_model_predict_raw(handle C.uintptr_t, x *C.aoso_matrix, options *C.aoso_predict_options, out *C.double, length C.int64_t) C.aoso_status {
	return predict(handle, x, options, func(m *model, x aoso.Features, o aoso.PredictOptions) error {
		return m.scoresTo(out, length, x, o, m.PredictRawTo)
	})
}

//export goaoso_model_predict_top
func goaoso_model_predict_top(handle C.uintptr_t, x *C.aoso_matrix, options *C.aoso_predict_options, top C.int64_t, classes *C.int32_t, proba *C.double, length C.int64_t) C.aoso_status {
	return predict(handle, x, options, func(m *model, x aoso.Features, o aoso.PredictOptions) error {
		if err := within("top", int64(top), 1, int64(len(m.classes))); err != nil {
			return err
		}
		if err := within("rows × top", int64(top), 0, maxValues/int64(max(x.Rows(), 1))); err != nil {
			return err
		}
		to, err := output[int32](unsafe.Pointer(classes), length, x.Rows()*int(top), "rows × top")
		if err == nil {
			err = affordable("the result", 28*float64(length))
		}
		if err != nil {
			return err
		}
		var best []int
		var probabilities []float64
		offThread(o.NThread, nil, func() { best, probabilities, err = m.PredictTop(x, int(top), o) })
		for i, k := range best {
			to[i] = int32(k)
		}
		if proba != nil {
			copy(unsafe.Slice((*float64)(proba), length), probabilities)
		}
		return err
	})
}

//export goaoso_model_predict_leaf
func goaoso_model_predict_leaf(handle C.uintptr_t, x *C.aoso_matrix, options *C.aoso_predict_options, out *C.int32_t, length C.int64_t) C.aoso_status {
	return predict(handle, x, options, func(m *model, x aoso.Features, o aoso.PredictOptions) error {
		trees := cmp.Or(o.Trees, m.Trees())
		if err := within("rows × trees", int64(trees), 0, maxValues/int64(max(x.Rows(), 1))); err != nil {
			return err
		}
		return fill(unsafe.Pointer(out), length, x.Rows()*trees, "rows × trees", o.NThread, func() ([]int32, error) { return m.PredictLeaf(x, o) })
	})
}

//export goaoso_model_predict_staged
func goaoso_model_predict_staged(handle C.uintptr_t, x *C.aoso_matrix, options *C.aoso_predict_options, every C.int64_t, callback C.aoso_staged_callback, user C.uintptr_t) C.aoso_status {
	return predict(handle, x, options, func(m *model, x aoso.Features, o aoso.PredictOptions) error {
		if callback == nil {
			return badArgument("callback", null, "a function that receives the raw scores")
		}
		if err := m.affordableScores(x.Rows()); err != nil {
			return err
		}
		stages, err := m.Staged(x, int(every), o)
		if err != nil {
			return err
		}
		host := callsFrom(o.NThread)
		offThread(o.NThread, host, func() {
			for trees, raw := range stages {
				if !host.succeeds(func() C.int32_t {
					return C.shim_staged(callback, C.int64_t(trees), (*C.double)(unsafe.SliceData(raw)), C.int64_t(len(raw)), user)
				}) {
					return
				}
			}
		})
		return nil
	})
}

//export goaoso_model_raw_to_proba
func goaoso_model_raw_to_proba(handle C.uintptr_t, raw *C.double, length C.int64_t) C.aoso_status {
	return try(func() error {
		m, err := findModel(handle)
		if err != nil {
			return err
		}
		scores, err := m.rawScores(raw, length)
		if err != nil {
			return err
		}
		return m.RawToProba(scores)
	})
}
