package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/libaoso/aoso"
)

// readLabels returns the labels of the rows.
func readLabels(p *C.aoso_labels, rows int) (aoso.Labels, error) {
	if p == nil {
		return nil, badArgument("y", null, "the labels of the rows")
	}
	y, err := readStruct("y", p, C.aoso_labels{})
	if err != nil {
		return nil, err
	}
	switch {
	case y.shares != nil:
		return nil, badArgument("y", "the share of each class", "one label for each row, with which this function compares")
	case int64(y.count) != int64(rows):
		return nil, badArgument("y.count", y.count, "%d, one for each row", rows)
	case y.data == nil && rows > 0:
		return nil, badArgument("y.data", null, "%d labels", rows)
	case y.class_names == nil && y.num_class_names != 0:
		return nil, badArgument("y.num_class_names", y.num_class_names, "0, because y.class_names is null")
	}
	if err := affordable("y", float64(rows)*labelBytes); err != nil {
		return nil, err
	}
	switch y.dtype {
	case C.AOSO_INT8:
		return intLabels[int8](y)
	case C.AOSO_INT16:
		return intLabels[int16](y)
	case C.AOSO_INT32:
		return intLabels[int32](y)
	case C.AOSO_INT64:
		return intLabels[int64](y)
	case C.AOSO_UINT8:
		return intLabels[uint8](y)
	case C.AOSO_UINT16:
		return intLabels[uint16](y)
	case C.AOSO_UINT32:
		return intLabels[uint32](y)
	case C.AOSO_UINT64:
		return intLabels[uint64](y)
	}
	if y.class_names != nil {
		return nil, badArgument("y.dtype", y.dtype, "AOSO_INT8 (%d) to AOSO_UINT64 (%d), because y.class_names is given", C.AOSO_INT8, C.AOSO_UINT64)
	}
	switch y.dtype {
	case C.AOSO_FLOAT32:
		return aoso.FloatLabels(unsafe.Slice((*float32)(y.data), rows))
	case C.AOSO_FLOAT64:
		return aoso.FloatLabels(unsafe.Slice((*float64)(y.data), rows))
	case C.AOSO_STRING:
		codes, names, err := distinct("y.data", unsafe.Slice((**C.char)(y.data), rows))
		if err != nil {
			return nil, err
		}
		return aoso.CodedLabels(codes, names)
	}
	return nil, badArgument("y.dtype", y.dtype, "AOSO_FLOAT32 (%d) to AOSO_STRING (%d)", C.AOSO_FLOAT32, C.AOSO_STRING)
}

func intLabels[T aoso.Integer](y *C.aoso_labels) (aoso.Labels, error) {
	values := unsafe.Slice((*T)(y.data), y.count)
	if y.class_names == nil {
		return aoso.IntLabels(values), nil
	}
	names, err := goStrings("y.class_names", "y.num_class_names", y.class_names, int64(y.num_class_names))
	if err != nil {
		return nil, err
	}
	return aoso.CodedLabels(values, names)
}

// useLabels calls use with labels, or with the shares of soft labels and their classes.
func useLabels(p *C.aoso_labels, rows int, use func(labels aoso.Labels, shares aoso.Features, classes []string) error) error {
	y, err := readStruct("y", p, C.aoso_labels{})
	if err != nil {
		return err
	}
	if y.shares == nil {
		labels, err := readLabels(p, rows)
		if err != nil {
			return err
		}
		return use(labels, nil, nil)
	}
	if y.data != nil {
		return badArgument("y.data", "given", "null, because y.shares is given")
	}
	classes, err := goStrings("y.class_names", "y.num_class_names", y.class_names, int64(y.num_class_names))
	if err != nil {
		return err
	}
	return useMatrix(y.shares, func(m *matrix) error {
		if m.Rows() != rows || int64(y.count) != int64(rows) {
			return badArgument("y.count", y.count, "%d, and as many rows of y.shares, which has %d", rows, m.Rows())
		}
		return use(nil, m.Features, classes)
	})
}
