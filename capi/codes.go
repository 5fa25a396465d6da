package main

// #include "shim.h"
import "C"

import (
	"context"
	"errors"
	"unsafe"

	"github.com/libaoso/aoso"
)

// asking is a context that ends once a function says so.
type asking struct {
	context.Context
	goOn  func() bool
	ended bool
}

func (a *asking) Err() error {
	if a.ended = a.ended || !a.goOn(); a.ended {
		return context.Canceled
	}
	return nil
}

//export goaoso_suggest_codes
func goaoso_suggest_codes(x *C.aoso_matrix, y *C.aoso_labels, options *C.aoso_dataset_options, out *C.aoso_code_suggestion, length C.int64_t, count *C.int64_t, callback C.aoso_pause_callback, user C.uintptr_t) C.aoso_status {
	return try(func() error {
		if err := within("length", int64(length), 1, maxValues); err != nil {
			return err
		}
		to, err := output[C.aoso_code_suggestion](unsafe.Pointer(out), length, int(length), "the most columns")
		if err != nil {
			return err
		}
		if err := checkPut(count, "number of columns"); err != nil {
			return err
		}
		return useMatrix(x, func(m *matrix) error {
			o, c, err := readDatasetOptions(options, m.Cols())
			if err != nil {
				return err
			}
			host := callsFrom(o.NThread)
			ctx := &asking{Context: context.Background(), goOn: func() bool {
				return callback == nil || host.succeeds(func() C.int32_t { return C.shim_pause(callback, user) })
			}}
			offThread(o.NThread, host, func() {
				err = useRows(m, y, c, o, func(labels aoso.Labels, o aoso.DatasetOptions) error {
					found, err := o.SuggestCodes(ctx, m.Features, labels)
					for i, s := range found[:min(len(found), len(to))] {
						to[i] = C.aoso_code_suggestion{
							feature:   C.int64_t(s.Feature),
							values:    C.int64_t(s.Values),
							gain:      C.double(s.Gain),
							error:     C.double(s.Error),
							suggested: cBool(s.Suggested),
						}
					}
					*count = C.int64_t(len(found))
					return err
				})
			})
			if errors.Is(err, context.Canceled) {
				*count, err = -1, nil
			}
			return err
		})
	})
}
