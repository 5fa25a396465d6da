package acceptance

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/category"
)

// blocksOfSize cuts a table into blocks of this many rows.
func blocksOfSize(x aoso.Features, y aoso.Labels, o aoso.DatasetOptions, size int) iter.Seq2[aoso.Block, error] {
	return func(yield func(aoso.Block, error) bool) {
		for first := 0; first < x.Rows(); first += size {
			n := min(size, x.Rows()-first)
			b := aoso.Block{Features: category.Rows(x, first, n), Labels: y[first:][:n]}
			if o.Weights != nil {
				b.Weights = o.Weights[first:][:n]
			}
			if o.RowIDs != nil {
				b.RowIDs = o.RowIDs[first:][:n]
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

// TestBlocks: neither the sizes of blocks nor where the dataset is kept change it.
func TestBlocks(t *testing.T) {
	mixed := func() (aoso.Features, aoso.Labels, []float64) {
		columns, labels := coloured(3000, 400, 4, 5) // of a feature with rates
		numbers := make([]float64, len(labels))
		for i := range numbers {
			if numbers[i] = float64(i * i % 13); i%11 == 0 {
				numbers[i] = math.NaN()
			}
		}
		few, _ := coloured(3000, 7, 4, 6)
		return mustTable(t, append(columns, aoso.Numbers(numbers), few[0])), labels, nil
	}
	wide := func() (aoso.Features, aoso.Labels, []float64) {
		d := blobs(95, 1<<16+3000, 3, 4, 100).punch(95, 0.02).weighted(95)
		return d.features(), d.labels(), d.weights
	}
	ids := make([]uint64, 3000)
	for i := range ids {
		ids[i] = uint64(i*7919%3000) << 40
	}
	for name, c := range map[string]struct {
		data  func() (aoso.Features, aoso.Labels, []float64)
		o     aoso.DatasetOptions
		sizes []int
	}{
		"numbers": {wide, aoso.DatasetOptions{Names: []string{"x", "y", "z"}, SampleRows: 5000, Seed: 3, MaxBin: 90}, []int{1000, 65_536, 1 << 20}},
		"mixed":   {mixed, aoso.DatasetOptions{SampleRows: 1000, Categorical: []int{2}}, []int{100, 999, 1 << 20}},
		"ids":     {mixed, aoso.DatasetOptions{SampleRows: 1000, RowIDs: ids}, []int{300}},
		"all":     {mixed, aoso.DatasetOptions{SampleRows: -1, DenseOnly: true}, []int{777}},
	} {
		t.Run(name, func(t *testing.T) {
			x, y, weights := c.data()
			whole := c.o
			whole.Weights = weights
			want, err := aoso.NewDataset(x, y, whole)
			if err != nil {
				t.Fatal(err)
			}
			p := params(func(p *aoso.Params) { p.NEstimators = 2 })
			fingerprint := train(t, want, p, aoso.TrainOptions{}).Model.Fingerprint()
			for _, size := range c.sizes {
				for _, path := range []string{"", filepath.Join(t.TempDir(), "set.aoso")} {
					o := c.o
					o.RowIDs = nil
					o.Path, o.NThread = path, 1+size%2
					got, err := aoso.NewDatasetFromBlocks(blocksOfSize(x, y, whole, size), o)
					if err != nil {
						t.Fatal(err)
					}
					wantSameDataset(t, got, want)
					if !setOf(t, got).BinnedAs(setOf(t, want)) {
						t.Error("the codes or labels mean other things")
					}
					if f := train(t, got, p, aoso.TrainOptions{}).Model.Fingerprint(); f != fingerprint {
						t.Errorf("blocks of %d rows, path %q: fingerprint %s, want %s", size, path, f, fingerprint)
					}
					got.Close()
				}
			}
			path := filepath.Join(t.TempDir(), "whole.aoso")
			whole.Path = path
			got, err := aoso.NewDataset(x, y, whole)
			if err != nil {
				t.Fatal(err)
			}
			wantSameDataset(t, got, want)
			got.Close()
			saved := filepath.Join(t.TempDir(), "saved.aoso")
			if err := want.Save(saved); err != nil {
				t.Fatal(err)
			}
			a, errA := os.ReadFile(path)
			b, errB := os.ReadFile(saved)
			if errA != nil || errB != nil || !slices.Equal(a, b) {
				t.Errorf("the file has %d bytes, and %d other ones if it is saved; %v, %v", len(a), len(b), errA, errB)
			}
		})
	}
}

// TestBlocksErrors: errors of blocks, and of rows that change, leave no file.
func TestBlocksErrors(t *testing.T) {
	d := blobs(96, 300, 3, 3, 255)
	x, y := d.features(), d.labels()
	broken := errors.New("broken")
	pass := 0
	second := func(change func(b aoso.Block) (aoso.Block, error)) iter.Seq2[aoso.Block, error] {
		pass = 0
		return func(yield func(aoso.Block, error) bool) {
			pass++
			for block, err := range blocksOfSize(x, y, aoso.DatasetOptions{}, 100) {
				if pass == 2 {
					block, err = change(block)
				}
				if !yield(block, err) {
					return
				}
			}
		}
	}
	other := slices.Clone(y)
	other[17] = aoso.IntLabels([]int{1 + len(other)})[0]
	for i, c := range []struct {
		blocks   iter.Seq2[aoso.Block, error]
		argument string
		texts    []string
	}{
		{second(func(b aoso.Block) (aoso.Block, error) { return b, broken }), "", nil},
		{blocksTwice(blocksOfSize(x, y, aoso.DatasetOptions{}, 200), blocksOfSize(x, other, aoso.DatasetOptions{}, 300)), "labels[17]", []string{"301", y[17].Value()}},
		{blocksTwice(blocksOfSize(x, y, aoso.DatasetOptions{}, 200), blocksOfSize(category.Rows(x, 0, 150), y[:150], aoso.DatasetOptions{}, 100)), "rows", []string{"150", "300"}},
		{blocksTwice(blocksOfSize(category.Rows(x, 0, 150), y[:150], aoso.DatasetOptions{}, 100), blocksOfSize(x, y, aoso.DatasetOptions{}, 200)), "rows", []string{"200", "150"}},
	} {
		dir := t.TempDir()
		pass = 0
		_, err := aoso.NewDatasetFromBlocks(c.blocks, aoso.DatasetOptions{Path: filepath.Join(dir, "set.aoso")})
		if c.texts == nil {
			if err != broken {
				t.Errorf("error %d is %v", i, err)
			}
		} else {
			wantArgumentError(t, err, c.argument, c.texts...)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("error %d leaves %v", i, left)
		}
	}
	_, err := aoso.NewDatasetFromBlocks(func(func(aoso.Block, error) bool) {})
	wantArgumentError(t, err, "blocks", "no rows")
	_, err = aoso.NewDatasetFromBlocks(blocksOfSize(x, y, aoso.DatasetOptions{Weights: make([]float64, len(y))}, 100))
	wantArgumentError(t, err, "weights", "all 0")
	_, err = aoso.NewDatasetFromBlocks(blocksOfSize(x, y, aoso.DatasetOptions{RowIDs: append(make([]uint64, 100), 1, 2, 3)}, 101))
	wantArgumentError(t, err, "row_ids[1]")
	first := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 1 })).Model
	_, err = aoso.NewDatasetFromBlocks(blocksOfSize(x, y, aoso.DatasetOptions{}, 100), aoso.DatasetOptions{Init: first})
	wantArgumentError(t, err, "init")
	_, err = aoso.NewDataset(x, y, aoso.DatasetOptions{Init: first, Path: "x"})
	wantArgumentError(t, err, "path")
	_, err = aoso.NewDatasetFromBlocks(blocksOfSize(x, y, aoso.DatasetOptions{}, 100), aoso.DatasetOptions{Path: filepath.Join(t.TempDir(), "no", "set.aoso")})
	if err == nil {
		t.Error("there is no such folder")
	}
}

// TestBuilderFails: a builder whose file cannot be written says so each time, and
// one whose dataset was taken gives no second one.
func TestBuilderFails(t *testing.T) {
	d := blobs(97, 100, 3, 3, 255)
	for _, path := range []string{filepath.Join(t.TempDir(), "no", "set"), ""} {
		b, err := aoso.NewDatasetBuilder(3, aoso.DatasetOptions{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Sample(d.features(), d.labels(), nil, nil); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := b.Append(d.features(), d.labels(), nil, nil); (err == nil) != (path == "") {
				t.Fatalf("path %q: %v", path, err)
			}
			set, err := b.Dataset()
			if (err == nil) != (path == "") {
				t.Fatalf("path %q: %v", path, err)
			}
			if path == "" {
				_, err := b.Dataset()
				wantArgumentError(t, err, "builder", "taken")
				wantArgumentError(t, b.Append(d.features(), d.labels(), nil, nil), "builder", "taken")
				wantArgumentError(t, b.Sample(d.features(), d.labels(), nil, nil), "sample")
				if set.Rows() != 100 {
					t.Error(set.Rows())
				}
				break
			}
		}
		_, err = b.Aligned(newDataset(t, d))
		wantArgumentError(t, err, "aligned")
		b.Close()
		b.Close()
	}
}

// blocksTwice gives other blocks the second time.
func blocksTwice(first, second iter.Seq2[aoso.Block, error]) iter.Seq2[aoso.Block, error] {
	pass := 0
	return func(yield func(aoso.Block, error) bool) {
		if pass++; pass == 1 {
			first(yield)
		} else {
			second(yield)
		}
	}
}

func ExampleNewDatasetFromBlocks() {
	blocks := func(yield func(aoso.Block, error) bool) { // read twice
		for k := range 3 {
			x, y := make([]float32, 2*1000), make([]int, 1000)
			for i := range y {
				y[i] = (i + k) % 4
				x[2*i], x[2*i+1] = float32(y[i]), float32(i)
			}
			if !yield(aoso.Block{Features: aoso.RowMajor(x, 1000, 2), Labels: aoso.IntLabels(y)}, nil) {
				return
			}
		}
	}
	set, err := aoso.NewDatasetFromBlocks(blocks)
	if err != nil {
		panic(err)
	}
	fmt.Println(set.Rows(), set.Classes())
	// Output: 3000 [0 1 2 3]
}
