package main

// #include "shim.h"
import "C"

import "github.com/libaoso/aoso"

// builder collects the rows of a dataset.
type builder struct {
	exclusive
	*aoso.DatasetBuilder
	cols    int
	options aoso.DatasetOptions
	bytes   float64 // lower bound of the memory in use
}

// reset removes all rows.
func (b *builder) reset() (err error) {
	b.DatasetBuilder, err = aoso.NewDatasetBuilder(b.cols, b.options)
	b.bytes = 0
	return err
}

func useBuilder(handle C.uintptr_t, use func(*builder) error) error {
	return useAlone("builder", uint64(handle), use)
}

//export goaoso_builder_create
func goaoso_builder_create(cols C.int64_t, options *C.aoso_dataset_options, out *C.uintptr_t) C.aoso_status {
	return try(func() error {
		if err := checkPut(out, "builder"); err != nil {
			return err
		}
		if err := within("cols", int64(cols), 1, maxCols); err != nil {
			return err
		}
		o, c, err := readDatasetOptions(options, int(cols))
		if err != nil {
			return err
		}
		if c.weights != nil || c.num_weights != 0 {
			return badArgument("options.num_weights", c.num_weights, "0 with null weights, because weights are passed with the chunks")
		}
		if c.row_ids != nil || c.num_row_ids != 0 {
			return badArgument("options.num_row_ids", c.num_row_ids, "0 with null row_ids, because row ids are passed with the chunks")
		}
		b := &builder{cols: int(cols), options: o}
		if err := b.reset(); err != nil {
			return err
		}
		return put(out, b)
	})
}

//export goaoso_builder_append
func goaoso_builder_append(handle C.uintptr_t, x *C.aoso_matrix, y *C.aoso_labels, weights *C.double, numWeights C.int64_t, rowIDs *C.uint64_t, numRowIDs C.int64_t) C.aoso_status {
	return try(func() error {
		return useMatrix(x, func(m *matrix) error {
			return useBuilder(handle, func(b *builder) error {
				w, err := readWeights("num_weights", weights, numWeights, m.Rows())
				if err != nil {
					return err
				}
				ids, err := readRowIDs("num_row_ids", rowIDs, numRowIDs, m.Rows())
				if err != nil {
					return err
				}
				const perCell, perColumn, perRow = 4, 64, 24 // a weight, a label and an id
				bytes := float64(m.Cols())*(perCell*float64(m.Rows())+perColumn) + perRow*float64(m.Rows())
				if err := affordable("the builder with this chunk", b.bytes+bytes); err != nil {
					return err
				}
				labels, err := readLabels(y, m.Rows())
				if err != nil {
					return err
				}
				apart(b.options.Threads, nil, func() { err = b.Append(m.Features, labels, w, ids) })
				if err == nil {
					b.bytes += bytes
				}
				return err
			})
		})
	})
}

// finish returns to C the dataset that make builds from the rows of a builder. It
// then removes the rows from the builder.
func finish(handle C.uintptr_t, out *C.uintptr_t, make func(*builder) (*aoso.Dataset, error)) error {
	if err := checkPut(out, "dataset"); err != nil {
		return err
	}
	return useBuilder(handle, func(b *builder) error {
		const cells = 4 // the builder needs four times as many bytes as the dataset
		err := affordable("the dataset", b.bytes+b.bytes/cells)
		if err != nil {
			return err
		}
		var d *aoso.Dataset
		apart(b.options.Threads, nil, func() { d, err = make(b) })
		if err != nil {
			return err
		}
		if err := addDataset(out, d); err != nil {
			return err
		}
		return b.reset()
	})
}

//export goaoso_builder_finish
func goaoso_builder_finish(handle C.uintptr_t, out *C.uintptr_t) C.aoso_status {
	return try(func() error {
		return finish(handle, out, func(b *builder) (*aoso.Dataset, error) { return b.Dataset() })
	})
}

//export goaoso_builder_finish_aligned
func goaoso_builder_finish_aligned(handle, train C.uintptr_t, out *C.uintptr_t) C.aoso_status {
	return try(func() error {
		t, err := findDataset("train", train)
		if err != nil {
			return err
		}
		defer t.letGo()
		return finish(handle, out, func(b *builder) (*aoso.Dataset, error) { return b.Aligned(t.Dataset) })
	})
}

//export goaoso_builder_free
func goaoso_builder_free(handle C.uintptr_t) C.aoso_status {
	return free("builder", handle, func(*builder) {})
}
