package main

// #include "shim.h"
import "C"

import (
	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/modelio"
)

const (
	// columnBytes is a lower bound of the memory of a column, for its name and bins.
	columnBytes = 256
	// labelBytes is the memory of a label: the label, its code and its class.
	labelBytes = 8 + 4 + 4
)

// affordable returns an error if the process cannot get that much memory. Without the check, Go would end the process when memory runs out.
func affordable(name string, bytes float64) error {
	if denied() {
		return &mem.ShortError{What: name, Need: bytes, Limit: "a test leaves"}
	}
	return mem.Afford(name, bytes, bytes)
}

// shape checks the size of a dataset, and returns it.
func shape(rows, features, classes C.int64_t) (aoso.Shape, error) {
	for _, n := range []struct {
		name         string
		value, limit int64
	}{
		{"rows", int64(rows), maxRows},
		{"features", int64(features), min(maxCols, maxValues/int64(max(rows, 1)))},
		{"classes", int64(classes), modelio.MaxClasses},
	} {
		if err := within(n.name, n.value, 1, n.limit); err != nil {
			return aoso.Shape{}, err
		}
	}
	return aoso.Shape{Rows: int(rows), Features: int(features), Classes: int(classes)}, nil
}

//export goaoso_estimate_memory
func goaoso_estimate_memory(rows, features, classes, validRows C.int64_t, maxBin C.int32_t, params *C.aoso_params, out *C.aoso_memory) C.aoso_status {
	return try(func() error {
		if err := checkOut("out", out); err != nil {
			return err
		}
		p, err := readParams(params)
		if err != nil {
			return err
		}
		s, err := shape(rows, features, classes)
		if err != nil {
			return err
		}
		if err := within("valid_rows", int64(validRows), 0, min(maxRows, maxValues/int64(features))); err != nil {
			return err
		}
		if err := within("max_bin", int64(maxBin), 0, 255); err != nil {
			return err
		}
		s.ValidRows, s.MaxBin = int(validRows), int(maxBin)
		e, err := aoso.Estimate(s, p)
		if err != nil {
			return err
		}
		writeStruct(out, C.aoso_memory{
			matrix:     C.int64_t(e.Matrix),
			sparse:     C.int64_t(e.Sparse),
			residuals:  C.int64_t(e.Residuals),
			rows:       C.int64_t(e.Rows),
			histograms: C.int64_t(e.Histograms),
			quantizing: C.int64_t(e.Quantizing),
			total:      C.int64_t(e.Total),
			trees:      C.int64_t(e.Trees),
			runtime:    C.int64_t(e.Runtime),
		})
		return nil
	})
}
