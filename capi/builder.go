package main

// #include "shim.h"
import "C"

import (
	"cmp"

	"github.com/libaoso/aoso"
)

// builder collects the rows of a dataset.
type builder struct {
	exclusive
	*aoso.DatasetBuilder
	cols    int
	options aoso.DatasetOptions
	names   []string // of the columns; nil until a chunk has names
	bytes   float64  // lower bound of the memory in use
	twice   bool     // the dataset is built in two passes
	ranks   *ranks   // nil: there are no other ranks
}

// reset removes all rows.
func (b *builder) reset() (err error) {
	b.Close()
	b.DatasetBuilder, err = aoso.NewDatasetBuilder(b.cols, b.options)
	b.bytes, b.twice = 0, false
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
		b := &builder{cols: int(cols), options: o, names: o.Names, ranks: ranksOf(o)}
		if b.DatasetBuilder, err = aoso.NewDatasetBuilder(b.cols, o); err != nil {
			return err
		}
		return put(out, b)
	})
}

// cChunk has the C arguments for a chunk.
type cChunk struct {
	x                     *C.aoso_matrix
	y                     *C.aoso_labels
	weights               *C.double
	rowIDs                *C.uint64_t
	numWeights, numRowIDs C.int64_t
}

// useChunk calls add with a builder and a chunk. need returns the memory in bytes that the builder needs for the chunk.
func useChunk(handle C.uintptr_t, c cChunk, need func(*builder, *matrix) float64, add func(*builder, aoso.Block) error) error {
	return useMatrix(c.x, func(m *matrix) error {
		return useBuilder(handle, func(b *builder) error {
			if b.names == nil {
				b.names = m.featureNames()
			}
			if err := m.match(b.names, true); err != nil {
				return err
			}
			w, err := readWeights("num_weights", c.weights, c.numWeights, m.Rows())
			if err != nil {
				return err
			}
			ids, err := readRowIDs("num_row_ids", c.rowIDs, c.numRowIDs, m.Rows())
			if err != nil {
				return err
			}
			bytes := need(b, m)
			if err := affordable("the builder with this chunk", b.bytes+bytes); err != nil {
				return err
			}
			return useLabels(c.y, m.Rows(), func(labels aoso.Labels, shares aoso.Features, classes []string) error {
				block := aoso.Block{Features: m.Features, Labels: labels, Shares: shares, ShareClasses: classes, Weights: w, RowIDs: ids}
				err := b.ranks.offThread(b.options.NThread, func() error { return add(b, block) })
				if err == nil {
					b.bytes += bytes
				}
				return onFile(err)
			})
		})
	})
}

//export goaoso_builder_append_with_ids
func goaoso_builder_append_with_ids(handle C.uintptr_t, x *C.aoso_matrix, y *C.aoso_labels, weights *C.double, numWeights C.int64_t, rowIDs *C.uint64_t, numRowIDs C.int64_t) C.aoso_status {
	need := func(b *builder, m *matrix) float64 {
		if b.twice {
			return 0
		}
		const perCell, perColumn, perRow = 4, 64, 24 // a weight, a label and an id
		return float64(m.Cols())*(perCell*float64(m.Rows())+perColumn) + perRow*float64(m.Rows())
	}
	return try(func() error {
		return useChunk(handle, cChunk{x, y, weights, rowIDs, numWeights, numRowIDs}, need, func(b *builder, block aoso.Block) error {
			return b.AppendBlock(block)
		})
	})
}

//export goaoso_builder_sample
func goaoso_builder_sample(handle C.uintptr_t, x *C.aoso_matrix, y *C.aoso_labels, weights *C.double, numWeights C.int64_t, rowIDs *C.uint64_t, numRowIDs C.int64_t) C.aoso_status {
	need := func(b *builder, m *matrix) float64 {
		const perRow = 5 // a label and its class
		bytes := float64(perRow)
		if b.options.Path == "" {
			bytes += float64(m.dense)
		}
		return bytes * float64(m.Rows())
	}
	return try(func() error {
		return useChunk(handle, cChunk{x, y, weights, rowIDs, numWeights, numRowIDs}, need, func(b *builder, block aoso.Block) error {
			err := b.SampleBlock(block)
			b.twice = b.twice || err == nil
			return err
		})
	})
}

// finish returns to C the dataset that build builds from the rows of a builder, and removes the rows from the builder. r is the collective of
// the training set, if build needs one.
func finish(handle C.uintptr_t, out *C.uintptr_t, r *ranks, build func(*builder) (*aoso.Dataset, error)) error {
	if err := checkPut(out, "dataset"); err != nil {
		return err
	}
	return useBuilder(handle, func(b *builder) error {
		dataset := b.bytes / 4 // most of the builder's memory is values, four bytes for a code
		if b.twice {
			dataset = 0
		}
		err := affordable("the dataset", b.bytes+dataset)
		if err != nil {
			return err
		}
		var d *aoso.Dataset
		r = cmp.Or(r, b.ranks)
		if err = r.offThread(b.options.NThread, func() (err error) { d, err = build(b); return err }); err != nil {
			return onFile(err)
		}
		if err := addDataset(out, d, r); err != nil {
			return err
		}
		return b.reset()
	})
}

//export goaoso_builder_finish
func goaoso_builder_finish(handle C.uintptr_t, out *C.uintptr_t) C.aoso_status {
	return try(func() error {
		return finish(handle, out, nil, func(b *builder) (*aoso.Dataset, error) { return b.Dataset() })
	})
}

//export goaoso_builder_finish_aligned
func goaoso_builder_finish_aligned(handle, train C.uintptr_t, out *C.uintptr_t) C.aoso_status {
	return try(func() error {
		t, err := findDataset("train", train)
		if err != nil {
			return err
		}
		defer t.release()
		return finish(handle, out, t.ranks, func(b *builder) (*aoso.Dataset, error) { return b.Aligned(t.Dataset) })
	})
}

//export goaoso_builder_free
func goaoso_builder_free(handle C.uintptr_t) C.aoso_status {
	return free("builder", handle, func(b *builder) { b.Close() })
}
