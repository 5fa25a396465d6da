package main

// #include "shim.h"
import "C"

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/libaoso/aoso"
)

// dataset counts its users: its handle, trainers and calls in progress. When the last of them releases it, its memory is freed. The garbage
// collector would free it too late.
type dataset struct {
	*aoso.Dataset
	users          atomic.Int64
	names, classes []string
	bytes          int64
	ranks          *ranks // nil: there are no other ranks
}

func addDataset(out *C.uintptr_t, d *aoso.Dataset, r *ranks) error {
	if n := d.Unknown(); n > 0 {
		logWarning("%d rows of the validation set have classes that do not occur in the training set", n)
	}
	o := &dataset{Dataset: d, names: d.FeatureNames(), classes: d.Classes(), bytes: d.Bytes(), ranks: r}
	o.users.Store(1)
	err := put(out, o)
	if err != nil {
		d.Close()
	}
	return err
}

// findDataset returns the dataset of a handle. The caller must release it.
func findDataset(name string, handle C.uintptr_t) (*dataset, error) {
	d, err := find[*dataset](name, uint64(handle))
	if err != nil {
		return nil, err
	}
	for {
		users := d.users.Load()
		if users == 0 {
			return nil, handleError(name + " is a dataset that another thread has freed; allowed: a dataset")
		}
		if d.users.CompareAndSwap(users, users+1) {
			return d, nil
		}
	}
}

func (d *dataset) release() {
	if d != nil && d.users.Add(-1) == 0 {
		d.Close()
	}
}

// readDatasetOptions returns the options for a dataset with cols columns, without weights and row ids, which the caller reads from o.
func readDatasetOptions(p *C.aoso_dataset_options, cols int) (g aoso.DatasetOptions, o *C.aoso_dataset_options, err error) {
	if o, err = readStruct("options", p, C.aoso_dataset_options{}); err != nil {
		return g, o, err
	}
	g = aoso.DatasetOptions{MaxBin: int(o.max_bin), Seed: uint64(o.seed), DenseOnly: o.dense_only != 0, TextLabels: o.text_labels != 0}
	if g.SampleRows, err = narrow("options.sample_rows", int64(o.sample_rows)); err != nil {
		return g, o, err
	}
	if g.NThread, err = threads(int64(o.nthread)); err != nil {
		return g, o, err
	}
	if o.feature_names != nil && int64(o.num_feature_names) != int64(cols) {
		return g, o, badArgument("options.num_feature_names", o.num_feature_names, "%d, one for each feature", cols)
	}
	if g.Names, err = goStrings("options.feature_names", "options.num_feature_names", o.feature_names, int64(o.num_feature_names)); err != nil {
		return g, o, err
	}
	if g.Categorical, err = readCategorical(o, cols); err != nil {
		return g, o, err
	}
	if o.path != nil {
		if g.Path, err = goString("options.path", o.path); err != nil {
			return g, o, err
		}
	}
	if handle := readWord(p, unsafe.Offsetof(p.init)); handle != 0 {
		m, err := find[*model]("options.init", uint64(handle))
		if err != nil {
			return g, o, err
		}
		g.Init = m.Model
	}
	r, err := readRanks(o.collective)
	g.Collective = r.collective()
	return g, o, err
}

// readCategorical returns the columns whose numbers stand for categories.
func readCategorical(o *C.aoso_dataset_options, cols int) ([]int, error) {
	n := int64(o.num_categorical)
	if o.categorical == nil && n != 0 {
		return nil, badArgument("options.num_categorical", n, "0, because options.categorical is null")
	}
	if err := within("options.num_categorical", n, 0, int64(cols)); err != nil {
		return nil, err
	}
	var columns []int
	for i, j := range unsafe.Slice((*int64)(unsafe.Pointer(o.categorical)), n) {
		if err := within(fmt.Sprintf("options.categorical[%d]", i), j, 0, int64(cols)-1); err != nil {
			return nil, err
		}
		columns = append(columns, int(j))
	}
	return columns, nil
}

// readWeights returns the weights of the rows. They stay in memory of the host.
func readWeights(count string, p *C.double, n C.int64_t, rows int) ([]float64, error) {
	return perRow[float64](count, "weights", unsafe.Pointer(p), n, rows)
}

// readRowIDs returns the ids of the rows. They stay in memory of the host.
func readRowIDs(count string, p *C.uint64_t, n C.int64_t, rows int) ([]uint64, error) {
	return perRow[uint64](count, "row_ids", unsafe.Pointer(p), n, rows)
}

// perRow returns n numbers of the host, one for each row; nil for null. count is the name of the argument n.
func perRow[T float64 | uint64](count, name string, p unsafe.Pointer, n C.int64_t, rows int) ([]T, error) {
	if p == nil {
		if n != 0 {
			return nil, badArgument(count, n, "0, because %s is null", name)
		}
		return nil, nil
	}
	if int64(n) != int64(rows) {
		return nil, badArgument(count, n, "%d, one for each row", rows)
	}
	return unsafe.Slice((*T)(p), rows), nil
}

//export goaoso_dataset_create
func goaoso_dataset_create(x *C.aoso_matrix, y *C.aoso_labels, options *C.aoso_dataset_options, out *C.uintptr_t) C.aoso_status {
	return try(func() error {
		return useMatrix(x, func(m *matrix) error {
			if err := checkPut(out, "dataset"); err != nil {
				return err
			}
			o, c, err := readDatasetOptions(options, m.Cols())
			if err != nil {
				return err
			}
			if o.Names == nil {
				o.Names = m.featureNames()
			}
			if o.Init != nil {
				if err := m.match(o.Init.FeatureNames(), o.Init.Named()); err != nil {
					return err
				}
				o.Names = nil
			}
			d, err := newDataset(m, y, c, o)
			if err != nil {
				return err
			}
			logInfo("dataset of %d rows, %d features, %d classes", d.Rows(), m.Cols(), len(d.Classes()))
			return addDataset(out, d, ranksOf(o))
		})
	})
}

// ranksOf returns the collective of a dataset, or nil.
func ranksOf(o aoso.DatasetOptions) *ranks {
	switch r := o.Collective.(type) {
	case *ranks:
		return r
	case scatterers:
		return r.ranks
	case direct:
		return r.ranks
	}
	return nil
}

func newDataset(m *matrix, y *C.aoso_labels, c *C.aoso_dataset_options, o aoso.DatasetOptions) (d *aoso.Dataset, err error) {
	err = ranksOf(o).offThread(o.NThread, func() error {
		return useRows(m, y, c, o, func(labels aoso.Labels, o aoso.DatasetOptions) (err error) {
			d, err = aoso.NewDataset(m.Features, labels, o)
			return err
		})
	})
	return d, onFile(err)
}

// useRows calls use with the labels of rows, and with options that have their weights, ids and soft labels.
func useRows(m *matrix, y *C.aoso_labels, c *C.aoso_dataset_options, o aoso.DatasetOptions, use func(aoso.Labels, aoso.DatasetOptions) error) (err error) {
	if o.Weights, err = readWeights("options.num_weights", c.weights, c.num_weights, m.Rows()); err != nil {
		return err
	}
	if o.RowIDs, err = readRowIDs("options.num_row_ids", c.row_ids, c.num_row_ids, m.Rows()); err != nil {
		return err
	}
	if err := m.affordable(); err != nil {
		return err
	}
	return useLabels(y, m.Rows(), func(labels aoso.Labels, shares aoso.Features, classes []string) error {
		o.Shares, o.ShareClasses = shares, classes
		return use(labels, o)
	})
}

//export goaoso_dataset_create_aligned
func goaoso_dataset_create_aligned(train C.uintptr_t, x *C.aoso_matrix, y *C.aoso_labels, options *C.aoso_dataset_options, out *C.uintptr_t) C.aoso_status {
	return try(func() error {
		return useMatrix(x, func(m *matrix) error {
			if err := checkPut(out, "dataset"); err != nil {
				return err
			}
			t, err := findDataset("train", train)
			if err != nil {
				return err
			}
			defer t.release()
			o, err := readStruct("options", options, C.aoso_dataset_options{})
			if err == nil {
				err = m.match(t.names, t.Named())
			}
			if err != nil {
				return err
			}
			var d *aoso.Dataset
			err = t.ranks.offThread(0, func() error {
				weights, err := readWeights("options.num_weights", o.weights, o.num_weights, m.Rows())
				if err != nil {
					return err
				}
				if err := m.affordable(); err != nil {
					return err
				}
				return useLabels(y, m.Rows(), func(labels aoso.Labels, shares aoso.Features, classes []string) error {
					if shares != nil {
						d, err = t.AlignedSoft(m.Features, shares, classes, weights)
					} else {
						d, err = t.Aligned(m.Features, labels, weights)
					}
					return err
				})
			})
			if err != nil {
				return err
			}
			return addDataset(out, d, t.ranks)
		})
	})
}

//export goaoso_dataset_get_info
func goaoso_dataset_get_info(handle C.uintptr_t, info *C.aoso_dataset_info) C.aoso_status {
	return try(func() error {
		if err := checkOut("info", info); err != nil {
			return err
		}
		d, err := findDataset("dataset", handle)
		if err != nil {
			return err
		}
		defer d.release()
		writeStruct(info, C.aoso_dataset_info{
			named:    cBool(d.Named()),
			rows:     C.int64_t(d.Rows()),
			features: C.int64_t(len(d.names)),
			classes:  C.int64_t(len(d.classes)),
			unknown:  C.int64_t(d.Unknown()),
			bytes:    C.int64_t(d.bytes),
		})
		return nil
	})
}

//export goaoso_dataset_class_name
func goaoso_dataset_class_name(handle C.uintptr_t, k C.int64_t, buffer *C.char, size C.size_t, needed *C.size_t) C.aoso_status {
	return try(func() error {
		d, err := findDataset("dataset", handle)
		if err != nil {
			return err
		}
		defer d.release()
		return putName(d.classes, "k", k, buffer, size, needed)
	})
}

//export goaoso_dataset_feature_name
func goaoso_dataset_feature_name(handle C.uintptr_t, j C.int64_t, buffer *C.char, size C.size_t, needed *C.size_t) C.aoso_status {
	return try(func() error {
		d, err := findDataset("dataset", handle)
		if err != nil {
			return err
		}
		defer d.release()
		return putName(d.names, "j", j, buffer, size, needed)
	})
}

//export goaoso_dataset_categories
func goaoso_dataset_categories(handle C.uintptr_t, j C.int64_t, buffer *C.char, size C.size_t, needed *C.size_t, count *C.int64_t) C.aoso_status {
	return try(func() error {
		d, err := findDataset("dataset", handle)
		if err != nil {
			return err
		}
		defer d.release()
		if err := within("j", int64(j), 0, int64(len(d.names))-1); err != nil {
			return err
		}
		return putCategories(d.Categories(int(j)), buffer, size, needed, count)
	})
}

//export goaoso_dataset_labels
func goaoso_dataset_labels(handle C.uintptr_t, out *C.int32_t, length C.int64_t) C.aoso_status {
	return copyRows(handle, (*int32)(out), length, (*aoso.Dataset).Labels, 0)
}

//export goaoso_dataset_weights
func goaoso_dataset_weights(handle C.uintptr_t, out *C.double, length C.int64_t) C.aoso_status {
	return copyRows(handle, (*float64)(out), length, (*aoso.Dataset).Weights, 1)
}

//export goaoso_dataset_balanced_weights
func goaoso_dataset_balanced_weights(handle C.uintptr_t, out *C.double, length C.int64_t) C.aoso_status {
	return try(func() error {
		d, err := findDataset("dataset", handle)
		if err != nil {
			return err
		}
		defer d.release()
		if int64(length) != int64(len(d.classes)) || out == nil {
			return badArgument("length", length, "%d, the number of classes, and out not null", len(d.classes))
		}
		return d.ranks.use(nil, func() error {
			copy(unsafe.Slice((*float64)(unsafe.Pointer(out)), len(d.classes)), d.BalancedWeights())
			return nil
		})
	})
}

// copyRows copies numbers of a dataset, one for each row, to out. If values returns nil, it copies missing instead.
func copyRows[T any](handle C.uintptr_t, out *T, length C.int64_t, values func(*aoso.Dataset) []T, missing T) C.aoso_status {
	return try(func() error {
		d, err := findDataset("dataset", handle)
		if err != nil {
			return err
		}
		defer d.release()
		rows := d.Rows()
		if int64(length) != int64(rows) {
			return badArgument("length", length, "%d, the rows of the dataset", rows)
		}
		if out == nil && rows > 0 {
			return badArgument("out", null, "room for %d numbers", rows)
		}
		to := unsafe.Slice(out, rows)
		for i := copy(to, values(d.Dataset)); i < rows; i++ {
			to[i] = missing
		}
		return nil
	})
}

//export goaoso_dataset_save
func goaoso_dataset_save(handle C.uintptr_t, path *C.char) C.aoso_status {
	return try(func() error {
		d, err := findDataset("dataset", handle)
		if err != nil {
			return err
		}
		defer d.release()
		to, err := goString("path", path)
		if err != nil {
			return err
		}
		return onFile(d.Save(to))
	})
}

//export goaoso_dataset_load
func goaoso_dataset_load(path *C.char, out *C.uintptr_t) C.aoso_status {
	return openDataset(path, out, aoso.LoadDataset)
}

//export goaoso_dataset_read
func goaoso_dataset_read(path *C.char, out *C.uintptr_t) C.aoso_status {
	return openDataset(path, out, aoso.ReadDataset)
}

func openDataset(path *C.char, out *C.uintptr_t, open func(string) (*aoso.Dataset, error)) C.aoso_status {
	return try(func() error {
		if err := checkPut(out, "dataset"); err != nil {
			return err
		}
		from, err := goString("path", path)
		if err != nil {
			return err
		}
		d, err := open(from)
		if err != nil {
			return onFile(err)
		}
		return addDataset(out, d, nil)
	})
}

//export goaoso_dataset_free
func goaoso_dataset_free(handle C.uintptr_t) C.aoso_status {
	return free("dataset", handle, (*dataset).release)
}
