package main

// #include "shim.h"
import "C"

import "unsafe"

// importances has the kinds of importance, in the order of their C constants.
var importances = []string{"gain", "split", "cover"}

//export goaoso_model_importance
func goaoso_model_importance(handle C.uintptr_t, kind C.int32_t, out *C.double, length C.int64_t) C.aoso_status {
	return try(func() error {
		m, err := findModel(handle)
		if err != nil {
			return err
		}
		if err := within("kind", int64(kind), 0, int64(len(importances))-1); err != nil {
			return err
		}
		to, err := output[float64](unsafe.Pointer(out), length, len(m.names), "one for each feature")
		if err != nil {
			return err
		}
		importance, err := m.Importance(importances[kind])
		copy(to, importance)
		return err
	})
}

//export goaoso_model_first_trees
func goaoso_model_first_trees(handle C.uintptr_t, out *C.int32_t, length C.int64_t) C.aoso_status {
	return try(func() error {
		m, err := findModel(handle)
		if err != nil {
			return err
		}
		to, err := output[int32](unsafe.Pointer(out), length, len(m.classes), "one for each class")
		if err != nil {
			return err
		}
		for k, tree := range m.FirstTrees() {
			to[k] = int32(tree)
		}
		return nil
	})
}

//export goaoso_model_pair_importance
func goaoso_model_pair_importance(handle C.uintptr_t, out *C.aoso_pair_importance, length C.int64_t, needed *C.int64_t) C.aoso_status {
	return try(func() error {
		m, err := findModel(handle)
		if err != nil {
			return err
		}
		if err := within("length", int64(length), 0, maxValues); err != nil {
			return err
		}
		all := m.PairImportances()
		c := make([]C.aoso_pair_importance, len(all))
		for i, p := range all {
			c[i] = C.aoso_pair_importance{
				feature: C.int64_t(p.Feature),
				classes: [2]C.int32_t{C.int32_t(p.Classes[0]), C.int32_t(p.Classes[1])},
				gain:    C.double(p.Gain),
				splits:  C.int64_t(p.Splits),
			}
		}
		return putAll(c, buffer{"out", unsafe.Pointer(out), "length", uint64(length)}, (*uint64)(unsafe.Pointer(needed)))
	})
}
