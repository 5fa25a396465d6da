package aoso

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/category"
)

// blocksOfSize cuts a table into blocks of so many rows.
func blocksOfSize(x Features, y Labels, o DatasetOptions, size int) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		for first := 0; first < x.Rows(); first += size {
			n := min(size, x.Rows()-first)
			b := Block{Features: category.Rows(x, first, n), Labels: y[first:][:n]}
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
	mixed := func() (Features, Labels, []float64) {
		columns, labels := coloured(3000, 400, 4, 5) // of a feature with rates
		numbers := make([]float64, len(labels))
		for i := range numbers {
			if numbers[i] = float64(i * i % 13); i%11 == 0 {
				numbers[i] = math.NaN()
			}
		}
		few, _ := coloured(3000, 7, 4, 6)
		return mustTable(t, append(columns, Numbers(numbers), few[0])), labels, nil
	}
	wide := func() (Features, Labels, []float64) {
		d := blobs(95, 1<<16+3000, 3, 4, 100).punch(95, 0.02).weighted(95)
		return d.features(), d.labels(), d.weights
	}
	ids := make([]uint64, 3000)
	for i := range ids {
		ids[i] = uint64(i*7919%3000) << 40
	}
	for name, c := range map[string]struct {
		data  func() (Features, Labels, []float64)
		o     DatasetOptions
		sizes []int
	}{
		"numbers": {wide, DatasetOptions{Names: []string{"x", "y", "z"}, SampleRows: 5000, Seed: 3, MaxBins: 90}, []int{1000, 65_536, 1 << 20}},
		"mixed":   {mixed, DatasetOptions{SampleRows: 1000, Categorical: []int{2}}, []int{100, 999, 1 << 20}},
		"ids":     {mixed, DatasetOptions{SampleRows: 1000, RowIDs: ids}, []int{300}},
		"all":     {mixed, DatasetOptions{SampleRows: -1, DenseOnly: true}, []int{777}},
	} {
		t.Run(name, func(t *testing.T) {
			x, y, weights := c.data()
			whole := c.o
			whole.Weights = weights
			want, err := NewDataset(x, y, whole)
			if err != nil {
				t.Fatal(err)
			}
			p := params(func(p *Params) { p.Trees = 2 })
			fingerprint := train(t, want, p, TrainOptions{}).Model.Fingerprint()
			for _, size := range c.sizes {
				for _, path := range []string{"", filepath.Join(t.TempDir(), "set.aoso")} {
					o := c.o
					o.RowIDs = nil
					o.Path, o.Threads = path, 1+size%2
					got, err := NewDatasetFromBlocks(blocksOfSize(x, y, whole, size), o)
					if err != nil {
						t.Fatal(err)
					}
					wantSameDataset(t, got, want)
					if !got.binnedAs(want) {
						t.Error("the codes or labels mean other things")
					}
					if f := train(t, got, p, TrainOptions{}).Model.Fingerprint(); f != fingerprint {
						t.Errorf("blocks of %d rows, path %q: fingerprint %s, want %s", size, path, f, fingerprint)
					}
					got.Free()
				}
			}
			path := filepath.Join(t.TempDir(), "whole.aoso")
			whole.Path = path
			got, err := NewDataset(x, y, whole)
			if err != nil {
				t.Fatal(err)
			}
			wantSameDataset(t, got, want)
			got.Free()
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
	second := func(change func(b Block) (Block, error)) iter.Seq2[Block, error] {
		pass = 0
		return func(yield func(Block, error) bool) {
			pass++
			for block, err := range blocksOfSize(x, y, DatasetOptions{}, 100) {
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
	other[17] = IntLabels([]int{1 + len(other)})[0]
	for i, c := range []struct {
		blocks   iter.Seq2[Block, error]
		argument string
		texts    []string
	}{
		{second(func(b Block) (Block, error) { return b, broken }), "", nil},
		{blocksTwice(blocksOfSize(x, y, DatasetOptions{}, 200), blocksOfSize(x, other, DatasetOptions{}, 300)), "labels[17]", []string{"301", y[17].Value()}},
		{blocksTwice(blocksOfSize(x, y, DatasetOptions{}, 200), blocksOfSize(category.Rows(x, 0, 150), y[:150], DatasetOptions{}, 100)), "rows", []string{"150", "300"}},
		{blocksTwice(blocksOfSize(category.Rows(x, 0, 150), y[:150], DatasetOptions{}, 100), blocksOfSize(x, y, DatasetOptions{}, 200)), "rows", []string{"200", "150"}},
	} {
		dir := t.TempDir()
		pass = 0
		_, err := NewDatasetFromBlocks(c.blocks, DatasetOptions{Path: filepath.Join(dir, "set.aoso")})
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
	_, err := NewDatasetFromBlocks(func(func(Block, error) bool) {}, DatasetOptions{})
	wantArgumentError(t, err, "blocks", "no rows")
	_, err = NewDatasetFromBlocks(blocksOfSize(x, y, DatasetOptions{Weights: make([]float64, len(y))}, 100), DatasetOptions{})
	wantArgumentError(t, err, "weights", "all 0")
	_, err = NewDatasetFromBlocks(blocksOfSize(x, y, DatasetOptions{RowIDs: append(make([]uint64, 100), 1, 2, 3)}, 101), DatasetOptions{})
	wantArgumentError(t, err, "row_ids[1]")
	first := trained(t, d, params(func(p *Params) { p.Trees = 1 })).Model
	_, err = NewDatasetFromBlocks(blocksOfSize(x, y, DatasetOptions{}, 100), DatasetOptions{Init: first})
	wantArgumentError(t, err, "init")
	_, err = NewDataset(x, y, DatasetOptions{Init: first, Path: "x"})
	wantArgumentError(t, err, "path")
	_, err = NewDatasetFromBlocks(blocksOfSize(x, y, DatasetOptions{}, 100), DatasetOptions{Path: filepath.Join(t.TempDir(), "no", "set.aoso")})
	if err == nil {
		t.Error("there is no such folder")
	}
}

// TestBuilderFails: a builder whose file cannot be written says so each time, and
// one whose dataset was taken gives no second one.
func TestBuilderFails(t *testing.T) {
	d := blobs(97, 100, 3, 3, 255)
	for _, path := range []string{filepath.Join(t.TempDir(), "no", "set"), ""} {
		b, err := NewDatasetBuilder(3, DatasetOptions{Path: path})
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
		b.Free()
		b.Free()
	}
}

// blocksTwice gives other blocks the second time.
func blocksTwice(first, second iter.Seq2[Block, error]) iter.Seq2[Block, error] {
	pass := 0
	return func(yield func(Block, error) bool) {
		if pass++; pass == 1 {
			first(yield)
		} else {
			second(yield)
		}
	}
}

func ExampleNewDatasetFromBlocks() {
	blocks := func(yield func(Block, error) bool) { // read twice
		for k := range 3 {
			x, y := make([]float32, 2*1000), make([]int, 1000)
			for i := range y {
				y[i] = (i + k) % 4
				x[2*i], x[2*i+1] = float32(y[i]), float32(i)
			}
			if !yield(Block{Features: RowMajor(x, 1000, 2), Labels: IntLabels(y)}, nil) {
				return
			}
		}
	}
	set, err := NewDatasetFromBlocks(blocks, DatasetOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(set.Rows(), set.Classes())
	// Output: 3000 [0 1 2 3]
}
