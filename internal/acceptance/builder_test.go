package acceptance

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
)

// wantSameDataset compares everything that training and files see.
func wantSameDataset(t *testing.T, got, want *aoso.Dataset) {
	t.Helper()
	a, b := setOf(t, got), setOf(t, want)
	if !a.Mapper.Equal(b.Mapper) {
		t.Error("the bins differ")
	}
	if !reflect.DeepEqual(a.Matrix.Columns, b.Matrix.Columns) || a.Matrix.Rows != b.Matrix.Rows || len(a.Matrix.Sparse) != len(b.Matrix.Sparse) {
		t.Error("the codes differ")
	}
	if !slices.Equal(a.Labels, b.Labels) || !slices.Equal(a.Weights, b.Weights) || (a.Weights == nil) != (b.Weights == nil) || a.Unknown != b.Unknown {
		t.Error("the labels or weights differ")
	}
	for row := range want.Rows() {
		if a.ID(row) != b.ID(row) {
			t.Fatalf("row %d has id %d, want %d", row, a.ID(row), b.ID(row))
		}
	}
	if !slices.Equal(a.Names, b.Names) || !slices.Equal(a.Classes, b.Classes) {
		t.Errorf("names %q and classes %q, want %q and %q", a.Names, a.Classes, b.Names, b.Classes)
	}
}

// build makes a builder of a table in chunks of the given sizes, in turn.
func build(t *testing.T, d *table, o aoso.DatasetOptions, sizes ...int) *aoso.DatasetBuilder {
	t.Helper()
	b, err := aoso.NewDatasetBuilder(len(d.x[0]), o)
	if err != nil {
		t.Fatal(err)
	}
	for first, i := 0, 0; first < len(d.x); i++ {
		end := min(first+sizes[i%len(sizes)], len(d.x))
		chunk := d.slice(first, end)
		if err := b.Append(chunk.features(), chunk.labels(), chunk.weights, nil); err != nil {
			t.Fatal(err)
		}
		first = end
	}
	return b
}

func TestBuilder(t *testing.T) {
	d := letter()
	set := newDataset(t, d)
	b := build(t, d, aoso.DatasetOptions{}, 999, 1, 5000)
	got, err := b.Dataset()
	if err != nil {
		t.Fatal(err)
	}
	wantSameDataset(t, got, set)
	p := params(func(p *aoso.Params) { p.NEstimators = 3 })
	if got, want := train(t, got, p, aoso.TrainOptions{}).Model.Fingerprint(), train(t, set, p, aoso.TrainOptions{}).Model.Fingerprint(); got != want {
		t.Errorf("fingerprint %s, want %s", got, want)
	}
	valid, err := b.Aligned(set)
	if err != nil {
		t.Fatal(err)
	}
	wantSameDataset(t, valid, aligned(t, set, d))
}

// TestBuilderBlocks crosses the builder's blocks, with values that float32
// holds in some rows and columns only.
func TestBuilderBlocks(t *testing.T) {
	const blockRows = 1 << 16
	d := blobs(95, 2*blockRows+300, 3, 4, 100).punch(95, 0.02).weighted(95)
	for i, row := range d.x {
		if row[1] *= 1.0000001; i > 70_000 && i%100 == 0 {
			row[2] = -1e300
		}
	}
	options := aoso.DatasetOptions{Names: []string{"x", "y", "z"}, Weights: d.weights, SampleRows: 50_000, Seed: 3, MaxBin: 90}
	want, err := aoso.NewDataset(d.features(), d.labels(), options)
	if err != nil {
		t.Fatal(err)
	}
	options.Weights = nil
	for _, threads := range []int{1, 3} {
		options.NThread = threads
		for _, sizes := range [][]int{{len(d.x)}, {blockRows}, {blockRows - 1, 2}, {100, 30_000}} {
			b := build(t, d, options, sizes...)
			got, err := b.Dataset()
			if err != nil {
				t.Fatal(err)
			}
			wantSameDataset(t, got, want)
		}
	}
}

func TestBuilderContinues(t *testing.T) {
	d := blobs(96, 300, 3, 3, 255)
	first := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 3 })).Model
	want, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Init: first})
	if err != nil {
		t.Fatal(err)
	}
	got, err := build(t, d, aoso.DatasetOptions{Init: first}, 77).Dataset()
	if err != nil {
		t.Fatal(err)
	}
	p := params(func(p *aoso.Params) { p.NEstimators = 3 })
	a, b := train(t, got, p, aoso.TrainOptions{}).Model, train(t, want, p, aoso.TrainOptions{}).Model
	if a.Fingerprint() != b.Fingerprint() || a.Trees() != 6 {
		t.Errorf("%d trees, fingerprint %s, want %s", a.Trees(), a.Fingerprint(), b.Fingerprint())
	}
}

// TestBuilderErrors: what is wrong with a chunk leaves the others as they are.
func TestBuilderErrors(t *testing.T) {
	over := math.MaxInt32
	over++ // negative where an int has 32 bits
	for _, cols := range []int{0, -1, over} {
		_, err := aoso.NewDatasetBuilder(cols)
		wantArgumentError(t, err, "cols")
	}
	for argument, o := range map[string]aoso.DatasetOptions{
		"max_bin": {MaxBin: 1}, "nthread": {NThread: -1}, "names": {Names: []string{"a"}}, "weights": {Weights: []float64{1}},
		"features": {Init: trained(t, blobs(97, 50, 3, 3, 255), params(func(p *aoso.Params) { p.NEstimators = 1 })).Model},
	} {
		_, err := aoso.NewDatasetBuilder(2, o)
		wantArgumentError(t, err, argument)
	}
	b, err := aoso.NewDatasetBuilder(2, aoso.DatasetOptions{Names: []string{"a", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Dataset()
	wantArgumentError(t, err, "features", "0 × 2")
	good, y, one := aoso.RowMajor([]float64{1, 2, 3, 4}, 2, 2), aoso.IntLabels([]int{0, 1}), []float64{1, 0}
	if err := b.Append(aoso.RowMajor([]int{}, 0, 2), nil, nil, nil); err != nil {
		t.Errorf("an empty chunk: %v", err)
	}
	if err := b.Append(good, y, one, nil); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		x        aoso.Features
		y        aoso.Labels
		weights  []float64
		argument string
		texts    []string
	}{
		{nil, y, one, "features", nil},
		{aoso.RowMajor([]float64{1, 2}, 2, 1), y, one, "features", []string{"1 columns", "2 columns"}},
		{aoso.RowMajor([]float64{1}, 2, 2), y, one, "data", nil},
		{good, y[:1], one, "labels", []string{"1", "2"}},
		{good, make(aoso.Labels, 2), one, "labels", []string{"row 0"}},
		{good, y, one[:1], "weights", []string{"1", "2"}},
		{good, y, nil, "weights", []string{"every chunk"}},
		{good, y, []float64{1, -1}, "weights[1]", []string{"-1"}},
	} {
		wantArgumentError(t, b.Append(test.x, test.y, test.weights, nil), test.argument, test.texts...)
	}
	if err := b.Append(good, y, []float64{0, 0}, nil); err != nil {
		t.Error("a chunk of no weight:", err)
	}
	set, err := b.Dataset()
	if err != nil || set.Rows() != 4 || !slices.Equal(setOf(t, set).Weights, []float32{1, 0, 0, 0}) {
		t.Fatalf("%+v, %v", set, err)
	}
	b, _ = aoso.NewDatasetBuilder(2)
	if err := b.Append(good, y, nil, nil); err != nil {
		t.Fatal(err)
	}
	wantArgumentError(t, b.Append(good, y, one, nil), "weights", "with none")
}
