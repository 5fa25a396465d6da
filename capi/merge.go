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
		return putModel(out, func() (*aoso.Model, error) {
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
		return putModel(out, func() (*aoso.Model, error) {
			if err := within("count", int64(count), 1, maxHandles); err != nil {
				return nil, err
			}
			if models == nil {
				return nil, badArgument("models", null, "%d models", count)
			}
			var all []*aoso.Model
			var bytes float64
			for i, handle := range unsafe.Slice(models, count) {
				m, err := find[*model](fmt.Sprintf("models[%d]", i), uint64(handle))
				if err != nil {
					return nil, err
				}
				all = append(all, m.Model)
				bytes += m.minBytes()
				if err := affordable("the merged model", bytes); err != nil {
					return nil, err
				}
			}
			return aoso.Merge(all...)
		})
	})
}

// minBytes returns a lower bound of the memory that the trees of a model need.
func (m *model) minBytes() float64 {
	const perTree, perSplit = 8, 40
	return perTree*float64(m.Trees()) + perSplit*m.splits()
}
