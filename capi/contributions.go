package main

// #include "shim.h"
import "C"

import (
	"cmp"
	"unsafe"

	"github.com/libaoso/aoso"
)

//export goaoso_model_shap
func goaoso_model_shap(handle C.uintptr_t, x *C.aoso_matrix, options *C.aoso_predict_options, out *C.double, length C.int64_t) C.aoso_status {
	return onRows(handle, x, options, func(m *model, x aoso.Features, o aoso.PredictOptions) error {
		classes, columns := len(m.classes), len(m.names)+1
		if err := affordable("the SHAP values", 8*float64(x.Rows())*float64(classes)*float64(columns)); err != nil {
			return err
		}
		return fill(unsafe.Pointer(out), length, x.Rows()*classes*columns, "rows × classes × (features + 1)", o.NThread, func() ([]float64, error) { return m.SHAP(x, o) })
	})
}

// contributions is a sparse matrix of SHAP values.
type contributions struct{ *aoso.Contributions }

func findContributions(handle C.uintptr_t) (contributions, error) {
	return find[contributions]("contributions", uint64(handle))
}

// minLineBytes is the size of a line that has only the bias.
const minLineBytes = 24

//export goaoso_model_shap_sparse
func goaoso_model_shap_sparse(handle C.uintptr_t, x *C.aoso_matrix, options *C.aoso_predict_options, top C.int64_t, out *C.uintptr_t) C.aoso_status {
	return onRows(handle, x, options, func(m *model, x aoso.Features, o aoso.PredictOptions) error {
		if err := checkPut(out, contributions{}.noun()); err != nil {
			return err
		}
		if err := within("top", int64(top), 0, int64(len(m.classes))); err != nil {
			return err
		}
		if err := affordable("the SHAP values", minLineBytes*float64(x.Rows())*float64(cmp.Or(int(top), len(m.classes)))); err != nil {
			return err
		}
		var c *aoso.Contributions
		var err error
		offThread(o.NThread, nil, func() { c, err = m.SHAPSparse(x, aoso.SHAPOptions{PredictOptions: o, Top: int(top)}) })
		if err != nil {
			return err
		}
		return put(out, contributions{c})
	})
}

//export goaoso_contributions_get_info
func goaoso_contributions_get_info(handle C.uintptr_t, info *C.aoso_contributions_info) C.aoso_status {
	return try(func() error {
		if err := checkOut("info", info); err != nil {
			return err
		}
		c, err := findContributions(handle)
		if err != nil {
			return err
		}
		writeStruct(info, C.aoso_contributions_info{
			lines:   C.int64_t(len(c.Classes)),
			per_row: C.int64_t(c.PerRow),
			values:  C.int64_t(len(c.Values)),
		})
		return nil
	})
}

//export goaoso_contributions_read
func goaoso_contributions_read(handle C.uintptr_t, classes *C.int32_t, indptr *C.int64_t, lines C.int64_t, columns *C.int32_t, values *C.double, numValues C.int64_t) C.aoso_status {
	return try(func() error {
		c, err := findContributions(handle)
		if err != nil {
			return err
		}
		if int64(lines) != int64(len(c.Classes)) {
			return badArgument("lines", lines, "%d, the number of lines of the matrix", len(c.Classes))
		}
		if int64(numValues) != int64(len(c.Values)) {
			return badArgument("num_values", numValues, "%d, the number of values of the matrix", len(c.Values))
		}
		copyTo(unsafe.Pointer(classes), c.Classes)
		copyTo(unsafe.Pointer(indptr), c.First)
		copyTo(unsafe.Pointer(columns), c.Columns)
		copyTo(unsafe.Pointer(values), c.Values)
		return nil
	})
}

//export goaoso_contributions_free
func goaoso_contributions_free(handle C.uintptr_t) C.aoso_status {
	return free("contributions", handle, func(contributions) {})
}
