package main

// #include "shim.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/libaoso/aoso"
)

//export goaoso_model_truncate
func goaoso_model_truncate(handle C.uintptr_t, trees C.int64_t, out *C.uintptr_t) C.aoso_status {
	return try(func() error {
		return giveModel(out, func() (*aoso.Model, error) {
			m, err := findModel(handle)
			if err != nil {
				return nil, err
			}
			return m.Truncated(int(trees))
		})
	})
}

//export goaoso_model_merge
func goaoso_model_merge(models *C.uintptr_t, count C.int64_t, out *C.uintptr_t) C.aoso_status {
	return try(func() error {
		return giveModel(out, func() (*aoso.Model, error) {
			if err := within("count", int64(count), 1, mostHandles); err != nil {
				return nil, err
			}
			if models == nil {
				return nil, badArgument("models", null, "%d models", count)
			}
			var all []*aoso.Model
			for i, handle := range unsafe.Slice(models, count) {
				m, err := find[*model](fmt.Sprintf("models[%d]", i), uint64(handle))
				if err != nil {
					return nil, err
				}
				all = append(all, m.Model)
			}
			return aoso.Merge(all...)
		})
	})
}
