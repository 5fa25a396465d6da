package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/forc"
)

// predictor predicts single rows.
type predictor struct {
	exclusive
	rows              *aoso.RowPredictor
	features, classes int
	selected          []int // scratch buffer for the classes of raw_of
}

//export goaoso_predictor_create
func goaoso_predictor_create(handle C.uintptr_t, options *C.aoso_predict_options, out *C.uintptr_t) C.aoso_status {
	return try(func() error {
		if err := checkPut(out, "predictor"); err != nil {
			return err
		}
		m, err := findModel(handle)
		if err != nil {
			return err
		}
		o, err := readPredictOptions(options, m)
		if err != nil {
			return err
		}
		rows, err := m.RowPredictor(o)
		if err != nil {
			return err
		}
		return put(out, &predictor{rows: rows, features: len(m.names), classes: len(m.classes), selected: make([]int, len(m.classes))})
	})
}

// usePredictor checks the arguments and calls use with the predictor of a handle
// and the row. Other threads cannot use the predictor meanwhile.
func usePredictor(handle C.uintptr_t, row *C.double, features C.int64_t, out unsafe.Pointer, use func(p *predictor, row []float64) error) C.aoso_status {
	return try(func() error {
		return useAlone("predictor", uint64(handle), func(p *predictor) error {
			switch {
			case int64(features) != int64(p.features):
				return badArgument("features", features, "%d, the number of features of the model", p.features)
			case row == nil:
				return badArgument("row", null, "%d values", features)
			case out == nil:
				return badArgument("out", null, "memory for the result")
			}
			checkpoint(inPredictor)
			return use(p, unsafe.Slice((*float64)(unsafe.Pointer(row)), p.features))
		})
	})
}

func (p *predictor) results(out *C.double, classes C.int64_t) ([]float64, error) {
	if int64(classes) != int64(p.classes) {
		return nil, badArgument("classes", classes, "%d, the number of classes of the model", p.classes)
	}
	return unsafe.Slice((*float64)(unsafe.Pointer(out)), p.classes), nil
}

//export goaoso_predictor_class
func goaoso_predictor_class(handle C.uintptr_t, row *C.double, features C.int64_t, out *C.int32_t) C.aoso_status {
	return usePredictor(handle, row, features, unsafe.Pointer(out), func(p *predictor, row []float64) error {
		class, err := p.rows.Class(row)
		if err == nil {
			*out = C.int32_t(class)
		}
		return err
	})
}

//export goaoso_predictor_proba
func goaoso_predictor_proba(handle C.uintptr_t, row *C.double, features C.int64_t, out *C.double, classes C.int64_t) C.aoso_status {
	return usePredictor(handle, row, features, unsafe.Pointer(out), func(p *predictor, row []float64) error {
		to, err := p.results(out, classes)
		if err != nil {
			return err
		}
		return p.rows.Proba(row, to)
	})
}

//export goaoso_predictor_raw
func goaoso_predictor_raw(handle C.uintptr_t, row *C.double, features C.int64_t, out *C.double, classes C.int64_t) C.aoso_status {
	return usePredictor(handle, row, features, unsafe.Pointer(out), func(p *predictor, row []float64) error {
		to, err := p.results(out, classes)
		if err != nil {
			return err
		}
		return p.rows.Raw(row, to)
	})
}

//export goaoso_predictor_raw_of
func goaoso_predictor_raw_of(handle C.uintptr_t, row *C.double, features C.int64_t, classes *C.int32_t, count C.int64_t, out *C.double) C.aoso_status {
	return usePredictor(handle, row, features, unsafe.Pointer(out), func(p *predictor, row []float64) error {
		if err := within("count", int64(count), 0, int64(p.classes)); err != nil {
			return err
		}
		if classes == nil && count > 0 {
			return badArgument("classes", null, "%d class numbers", count)
		}
		for i, k := range unsafe.Slice(classes, count) {
			p.selected[i] = int(k)
		}
		return p.rows.RawOf(row, p.selected[:count], unsafe.Slice((*float64)(unsafe.Pointer(out)), count))
	})
}

//export goaoso_predictor_walked
func goaoso_predictor_walked(handle C.uintptr_t, out *C.double) C.aoso_status {
	return try(func() error {
		if err := checkPut(out, "share"); err != nil {
			return err
		}
		return useAlone("predictor", uint64(handle), func(p *predictor) error {
			*out = C.double(forc.Walked(p.rows))
			return nil
		})
	})
}

//export goaoso_predictor_free
func goaoso_predictor_free(handle C.uintptr_t) C.aoso_status {
	return free("predictor", handle, func(*predictor) {})
}
