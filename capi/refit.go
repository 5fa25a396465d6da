package main

// #include "shim.h"
import "C"

import "github.com/libaoso/aoso"

//export goaoso_model_refit
func goaoso_model_refit(handle C.uintptr_t, x *C.aoso_matrix, y *C.aoso_labels, options *C.aoso_refit_options, out *C.uintptr_t) C.aoso_status {
	return try(func() error {
		return useMatrix(x, func(x *matrix) error {
			return putModel(out, func() (refitted *aoso.Model, err error) {
				m, err := findModel(handle)
				if err != nil {
					return nil, err
				}
				c, err := readStruct("options", options, C.aoso_refit_options{})
				if err == nil {
					err = x.match(m.names, m.Named())
				}
				if err != nil {
					return nil, err
				}
				o := aoso.RefitOptions{Keep: float64(c.keep)}
				if o.NThread, err = threads(int64(c.nthread)); err != nil {
					return nil, err
				}
				if o.Weights, err = readWeights("options.num_weights", c.weights, c.num_weights, x.Rows()); err != nil {
					return nil, err
				}
				err = useLabels(y, x.Rows(), func(labels aoso.Labels, shares aoso.Features, classes []string) (err error) {
					offThread(o.NThread, nil, func() {
						if shares != nil {
							refitted, err = m.RefitSoft(x.Features, shares, classes, o)
						} else {
							refitted, err = m.Refit(x.Features, labels, o)
						}
					})
					return err
				})
				return refitted, err
			})
		})
	})
}
