package main

// #include "shim.h"
import "C"

import (
	"runtime"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/mem"
)

const (
	// bytesAColumn is what the least of columns takes: its name and bins.
	bytesAColumn = 256
	// bytesALabel is what a label takes: itself, its code and the class's.
	bytesALabel = 8 + 4 + 4
)

// affordable tells whether the process can have so much memory. Go ends it
// when memory runs out, so what cannot be is refused before.
func affordable(name string, bytes float64) error {
	const little = 1 << 20 // which is not worth asking for
	if denied() {
		return outOfMemory("%s takes %.3g GB; a test denies them", name, bytes/1e9)
	}
	if most := mem.Machine(); bytes > most {
		return outOfMemory("%s takes %.3g GB; the machine has %.3g GB", name, bytes/1e9, most/1e9)
	}
	if bytes < little || bytes < mem.Left() {
		return nil
	}
	runtime.GC()
	if most := mem.Left(); bytes > most {
		return outOfMemory("%s takes %.3g GB; the limits of the process (RLIMIT_AS, RLIMIT_DATA) leave %.3g GB", name, bytes/1e9, most/1e9)
	}
	return nil
}

// shape is the size of data that C gives, checked.
func shape(rows, features, classes C.int64_t) (aoso.Shape, error) {
	for _, n := range []struct {
		name        string
		value, most int64
	}{
		{"rows", int64(rows), mostRows},
		{"features", int64(features), min(mostCols, mostValues/int64(max(rows, 1)))},
		{"classes", int64(classes), aoso.MaxClasses},
	} {
		if err := within(n.name, n.value, 1, n.most); err != nil {
			return aoso.Shape{}, err
		}
	}
	return aoso.Shape{Rows: int(rows), Features: int(features), Classes: int(classes)}, nil
}

//export goaoso_estimate_memory
func goaoso_estimate_memory(rows, features, classes, validRows C.int64_t, maxBins C.int32_t, params *C.aoso_params, out *C.aoso_memory) C.aoso_status {
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
		if err := within("valid_rows", int64(validRows), 0, min(mostRows, mostValues/int64(features))); err != nil {
			return err
		}
		if err := within("max_bins", int64(maxBins), 0, 255); err != nil {
			return err
		}
		s.ValidRows, s.MaxBins = int(validRows), int(maxBins)
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
