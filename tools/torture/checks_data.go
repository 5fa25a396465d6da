package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/libaoso/aoso"
)

// checkLayouts trains on datasets made from the features in other layouts.
func checkLayouts(t *trial, d dice) error {
	for layout, x := range t.train.layouts() {
		train, valid, err := t.sets(x, func(o *aoso.DatasetOptions) { o.DenseOnly = d.chance(0.5) })
		if err != nil {
			return err
		}
		if err := t.same(layout, train, valid, nil); err != nil {
			return err
		}
	}
	return nil
}

// checkScaled trains on features multiplied by powers of two. The model differs,
// but the scores must be the same.
func checkScaled(t *trial, d dice) error {
	if t.data.Categorical != nil {
		return nil // these would be other categories
	}
	const least, most = 0x1p-900, 0x1p900
	scaled := *t.train
	scaled.x = nil
	for _, column := range t.train.x {
		if slices.ContainsFunc(column, func(v float64) bool { return v != 0 && !(math.Abs(v) >= least && math.Abs(v) <= most) && v == v }) {
			return nil // multiplication by a power of two might not be exact
		}
		factor := math.Ldexp(1, d.between(-100, 100))
		product := slices.Clone(column)
		for i := range product {
			product[i] *= factor
		}
		scaled.x = append(scaled.x, product)
	}
	train, err := aoso.NewDataset(scaled.columns(), scaled.labels(), t.data)
	if err != nil {
		return err
	}
	p := t.params
	p.EarlyStoppingRounds, p.NEstimators = 0, t.model.Trees()
	if p.NEstimators == 0 || t.phased() {
		return nil
	}
	r, err := t.run(train, nil, p, nil)
	if err != nil {
		return err
	}
	raw, err := r.Model.PredictRaw(scaled.columns())
	if err != nil {
		return err
	}
	return differ("features multiplied by powers of two", raw, t.raw)
}

// checkDatasetFile saves and loads the datasets and trains on them.
func checkDatasetFile(t *trial, _ dice) error {
	reopen := func(name string, set *aoso.Dataset) (*aoso.Dataset, error) {
		if set == nil {
			return nil, nil
		}
		path := filepath.Join(t.folder, name)
		defer os.Remove(path)
		if err := set.Save(path); err != nil {
			return nil, err
		}
		return aoso.LoadDataset(path)
	}
	train, err := reopen("train", t.trainSet)
	if err != nil {
		return err
	}
	defer train.Close()
	valid, err := reopen("valid", t.validSet)
	if err != nil {
		return err
	}
	if valid != nil {
		defer valid.Close()
	}
	return t.same("from a file", train, valid, nil)
}

// checkBuilder trains on a dataset that was appended chunk by chunk.
func checkBuilder(t *trial, d dice) error {
	options := t.data
	options.Weights = nil
	b, err := aoso.NewDatasetBuilder(t.train.cols(), options)
	if err != nil {
		return err
	}
	for first := 0; first < t.train.rows(); {
		end := d.between(first, t.train.rows()) // some chunks are empty
		chunk := t.train.slice(first, end)
		weights := chunk.weights
		if err := b.Append(chunk.columns(), chunk.labels(), weights, nil); err != nil {
			return err
		}
		first = end
	}
	train, err := b.Dataset()
	if err != nil {
		return err
	}
	valid, err := t.aligned(train)
	if err != nil {
		return err
	}
	return t.same("in chunks", train, valid, nil)
}

// checkOrder trains on the rows in another order, with their ids.
func checkOrder(t *trial, d dice) error {
	moved := &table{naming: t.train.naming, x: make([][]float64, t.train.cols())}
	options := t.data
	options.Weights = nil
	for _, row := range d.Perm(t.train.rows()) {
		for j, column := range t.train.x {
			moved.x[j] = append(moved.x[j], column[row])
		}
		moved.y = append(moved.y, t.train.y[row])
		options.RowIDs = append(options.RowIDs, uint64(row))
		if t.train.weights != nil {
			options.Weights = append(options.Weights, t.train.weights[row])
		}
	}
	train, err := aoso.NewDataset(moved.columns(), moved.labels(), options)
	if err != nil {
		return err
	}
	valid, err := t.aligned(train)
	if err != nil {
		return err
	}
	return t.same("in another order of the rows", train, valid, nil)
}
