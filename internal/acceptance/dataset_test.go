package acceptance

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
)

func TestClasses(t *testing.T) {
	tests := []struct {
		name   string
		labels aoso.Labels
		want   []string
	}{
		{"integers by value", aoso.IntLabels([]int{10, -2, 9, 10, 0}), []string{"-2", "0", "9", "10"}},
		{"bytes", aoso.IntLabels([]uint8{200, 3, 20}), []string{"3", "20", "200"}},
		{"integers as strings", aoso.StringLabels([]string{"10", "9", "-2"}), []string{"-2", "9", "10"}},
		{"strings", aoso.StringLabels([]string{"b", "a", "B", "a"}), []string{"B", "a", "b"}},
		{"mixed", aoso.StringLabels([]string{"10", "9", "x"}), []string{"10", "9", "x"}},
		{"not how integers are written", aoso.StringLabels([]string{"10", "9", "09"}), []string{"09", "10", "9"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			x := aoso.RowMajor(make([]float64, len(test.labels)), len(test.labels), 1)
			set, err := aoso.NewDataset(x, test.labels)
			if err != nil {
				t.Fatal(err)
			}
			if got := set.Classes(); !slices.Equal(got, test.want) {
				t.Errorf("classes %q, want %q", got, test.want)
			}
		})
	}
}

// TestLayouts trains on the same numbers in every layout.
func TestLayouts(t *testing.T) {
	d := blobs(50, 700, 4, 3, 255).punch(50, 0.05)
	rows, cols := len(d.x), len(d.x[0])
	const rowStride, padding = 7, 3
	rowMajor, colMajor := make([]float64, rows*cols), make([]float64, rows*cols)
	narrow, strided := make([]float32, rows*cols), make([]float32, rows*rowStride+padding)
	columns, narrowRows := make([]aoso.Column, cols), make([][]float32, rows)
	for i, row := range d.x {
		for j, v := range row {
			rowMajor[i*cols+j], colMajor[j*rows+i] = v, v
			narrow[i*cols+j], strided[padding+i*rowStride+j] = float32(v), float32(v)
			narrowRows[i] = append(narrowRows[i], float32(v))
		}
	}
	for j := range columns {
		columns[j] = aoso.Numbers(colMajor[j*rows:][:rows])
	}
	fromColumns, err1 := aoso.NewTable(columns...)
	fromRows, err2 := aoso.FromRows(narrowRows)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	p := params(func(p *aoso.Params) { p.NEstimators = 5 })
	want := trained(t, d, p).Model
	scores := rawScores(t, want, d.features(), aoso.PredictOptions{})
	for name, x := range map[string]aoso.Features{
		"row major": aoso.RowMajor(rowMajor, rows, cols), "column major": aoso.Dense(colMajor, rows, cols, 1, rows),
		"float32": aoso.RowMajor(narrow, rows, cols), "strided": aoso.Dense(strided[padding:], rows, cols, rowStride, 1),
		"columns": fromColumns, "rows": fromRows,
	} {
		t.Run(name, func(t *testing.T) {
			set, err := aoso.NewDataset(x, d.labels(), aoso.DatasetOptions{NThread: 3})
			if err != nil {
				t.Fatal(err)
			}
			if got := train(t, set, p, aoso.TrainOptions{}).Model.Fingerprint(); got != want.Fingerprint() {
				t.Errorf("fingerprint %s, want %s", got, want.Fingerprint())
			}
			if !slices.Equal(rawScores(t, want, x, aoso.PredictOptions{}), scores) {
				t.Error("the predictions differ")
			}
		})
	}
}

// TestBroadcast: a stride may be 0.
func TestBroadcast(t *testing.T) {
	x := aoso.Dense([]float64{5, 6}, 4, 2, 0, 1)
	var column [4]float64
	x.Column(1, 0, column[:])
	if column != [4]float64{6, 6, 6, 6} {
		t.Error(column)
	}
	if _, err := aoso.NewDataset(x, aoso.IntLabels([]int{0, 1, 0, 1})); err != nil {
		t.Error(err)
	}
}

// TestDatasetKeepsNothing changes all that a dataset was built from.
func TestDatasetKeepsNothing(t *testing.T) {
	d := blobs(51, 300, 3, 3, 255).weighted(51)
	p := params(func(p *aoso.Params) { p.NEstimators = 5 })
	want := trained(t, d, p).Model.Fingerprint()
	data := slices.Concat(d.x...)
	labels, weights, names := d.labels(), slices.Clone(d.weights), []string{"f0", "f1", "f2"}
	set, err := aoso.NewDataset(aoso.RowMajor(data, 300, 3), labels, aoso.DatasetOptions{Weights: weights, Names: names})
	if err != nil {
		t.Fatal(err)
	}
	clear(data)
	clear(labels)
	clear(weights)
	clear(names)
	if got := train(t, set, p, aoso.TrainOptions{}).Model.Fingerprint(); got != want {
		t.Errorf("fingerprint %s, want %s", got, want)
	}
	set.Classes()[0], set.FeatureNames()[0] = "?", "?"
	if set.Classes()[0] != "0" || set.FeatureNames()[0] != "f0" {
		t.Error("the dataset's own names were given away")
	}
}

func TestMaxBins(t *testing.T) {
	d := blobs(52, 2000, 3, 4, 255)
	for _, bins := range []int{2, 3, 17} {
		set, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{MaxBin: bins})
		if err != nil {
			t.Fatal(err)
		}
		m := train(t, set, params(func(p *aoso.Params) { p.NEstimators, p.MaxLeaves = 30, 40 }), aoso.TrainOptions{}).Model
		cuts := map[string]bool{}
		for _, s := range splits(forest(m)) {
			cuts[fmt.Sprint(s.Feature, s.Threshold())] = true
		}
		if len(cuts) != 3*(bins-1) {
			t.Errorf("%d bins: %d cuts of 3 features, want %d", bins, len(cuts), 3*(bins-1))
		}
	}
}

// TestSampleRows fits bins to a sample: another model of about equal worth,
// which depends on the seed.
func TestSampleRows(t *testing.T) {
	d := blobs(53, 6000, 4, 4, 100_000).punch(53, 0.02)
	p := params(func(p *aoso.Params) { p.NEstimators = 20 })
	losses, prints := map[float64]bool{}, map[string]bool{}
	var whole float64
	for _, o := range []aoso.DatasetOptions{{}, {SampleRows: -1}, {SampleRows: 6000}, {SampleRows: 1000}, {SampleRows: 1000, NThread: 3}, {SampleRows: 1000, Seed: 1}} {
		set, err := aoso.NewDataset(d.features(), d.labels(), o)
		if err != nil {
			t.Fatal(err)
		}
		r := train(t, set, p, aoso.TrainOptions{})
		if whole == 0 {
			whole = r.TrainLoss
		}
		if !near(r.TrainLoss, whole, 0.03) {
			t.Errorf("%+v: loss %g, %g with all rows", o, r.TrainLoss, whole)
		}
		if loss := lossOf(t, r.Model, d, aoso.PredictOptions{}); !near(loss, r.TrainLoss, 1e-4) {
			t.Errorf("%+v: training says that its loss is %g, the model's is %g", o, r.TrainLoss, loss)
		}
		losses[r.TrainLoss], prints[r.Model.Fingerprint()] = true, true
	}
	if len(losses) != 3 || len(prints) != 3 {
		t.Errorf("%d different losses and %d fingerprints, want 3", len(losses), len(prints))
	}
}

func TestDatasetErrors(t *testing.T) {
	x := aoso.RowMajor([]float64{1, 2, 3, 4, 5, 6}, 3, 2)
	y := aoso.IntLabels([]int{0, 1, 0})
	inf := math.Inf(1)
	tests := []struct {
		name     string
		features aoso.Features
		labels   aoso.Labels
		options  aoso.DatasetOptions
		argument string
		texts    []string
	}{
		{"no features", nil, y, aoso.DatasetOptions{}, "features", nil},
		{"no rows", aoso.RowMajor([]float64{}, 0, 2), nil, aoso.DatasetOptions{}, "features", []string{"0 × 2", "at least one row"}},
		{"no columns", aoso.RowMajor([]float64{}, 3, 0), y, aoso.DatasetOptions{}, "features", []string{"3 × 0"}},
		{"too little data", aoso.RowMajor([]float64{1, 2, 3}, 3, 2), y, aoso.DatasetOptions{}, "data", []string{"3", "6 values", "3 rows × 2 columns"}},
		{"too little data by stride", aoso.Dense([]float64{1, 2, 3, 4, 5, 6}, 3, 2, 3, 1), y, aoso.DatasetOptions{}, "data", []string{"8 values"}},
		{"negative rows", aoso.RowMajor([]float64{1}, -1, 1), y, aoso.DatasetOptions{}, "rows", []string{"-1"}},
		{"negative columns", aoso.RowMajor([]float64{1}, 1, -1), y, aoso.DatasetOptions{}, "cols", []string{"-1"}},
		{"negative stride", aoso.Dense([]float64{1, 2}, 1, 2, 1, -1), y, aoso.DatasetOptions{}, "stride", []string{"-1"}},
		{"sizes that overflow", aoso.RowMajor([]float64{1}, math.MaxInt, math.MaxInt), y, aoso.DatasetOptions{}, "data", nil},
		{"names", x, y, aoso.DatasetOptions{Names: []string{"a"}}, "names", []string{"1", "2, one for each feature"}},
		{"labels", x, y[:2], aoso.DatasetOptions{}, "labels", []string{"2", "3, one for each row"}},
		{"empty label", x, aoso.StringLabels([]string{"a", "", "b"}), aoso.DatasetOptions{}, "labels", []string{"row 1"}},
		{"weights", x, y, aoso.DatasetOptions{Weights: []float64{1}}, "weights", []string{"1", "3, one for each row"}},
		{"negative weight", x, y, aoso.DatasetOptions{Weights: []float64{1, 1, -2}}, "weights[2]", []string{"-2"}},
		{"NaN weight", x, y, aoso.DatasetOptions{Weights: []float64{1, math.NaN(), 1}}, "weights[1]", nil},
		{"infinite weight", x, y, aoso.DatasetOptions{Weights: []float64{inf, 1, 1}}, "weights[0]", nil},
		{"great weight", x, y, aoso.DatasetOptions{Weights: []float64{1e16, 1, 1}}, "weights[0]", nil},
		{"tiny weight", x, y, aoso.DatasetOptions{Weights: []float64{1e-16, 1, 1}}, "weights[0]", nil},
		{"no weight", x, y, aoso.DatasetOptions{Weights: []float64{0, 0, 0}}, "weights", []string{"all 0"}},
		{"one bin", x, y, aoso.DatasetOptions{MaxBin: 1}, "max_bin", []string{"1", "2 to 255"}},
		{"many bins", x, y, aoso.DatasetOptions{MaxBin: 256}, "max_bin", []string{"256"}},
		{"nthread", x, y, aoso.DatasetOptions{NThread: -2}, "nthread", []string{"-2"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set, err := aoso.NewDataset(test.features, test.labels, test.options)
			wantArgumentError(t, err, test.argument, test.texts...)
			if set != nil {
				t.Error("there is a dataset all the same")
			}
		})
	}
	if _, err := aoso.FromRows([][]float64{{1, 2}, {3}}); true {
		wantArgumentError(t, err, "rows", "row 1", "2 values")
	}
}

func TestAlignedErrors(t *testing.T) {
	set, err := aoso.NewDataset(aoso.RowMajor([]float64{1, 2, 3, 4, 5, 6}, 3, 2), aoso.IntLabels([]int{0, 1, 0}), aoso.DatasetOptions{Names: []string{"a", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	x, y := aoso.RowMajor([]float64{1, 2}, 1, 2), aoso.IntLabels([]int{0})
	tests := []struct {
		name     string
		features aoso.Features
		labels   aoso.Labels
		weights  []float64
		argument string
		texts    []string
	}{
		{"no features", nil, y, nil, "features", nil},
		{"columns", aoso.RowMajor([]float64{1, 2, 3}, 1, 3), y, nil, "features", []string{"3 columns", "2 columns"}},
		{"too little data", aoso.RowMajor([]float64{1}, 1, 2), y, nil, "data", nil},
		{"labels", x, nil, nil, "labels", []string{"0", "1, one for each row"}},
		{"weights", x, y, []float64{1, 2}, "weights", nil},
		{"negative weight", x, y, []float64{-1}, "weights[0]", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := set.Aligned(test.features, test.labels, test.weights)
			wantArgumentError(t, err, test.argument, test.texts...)
		})
	}
	v, err := set.Aligned(aoso.RowMajor([]float64{1, 2, 3, 4}, 2, 2), aoso.IntLabels([]int{5, 1}), nil)
	if err != nil || v.Unknown() != 1 || v.Rows() != 2 || !slices.Equal(v.Classes(), []string{"0", "1"}) || !slices.Equal(v.FeatureNames(), []string{"a", "b"}) {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestContinueErrors(t *testing.T) {
	d := blobs(54, 100, 3, 3, 255)
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 2 })).Model
	_, err := aoso.NewDataset(aoso.RowMajor([]float64{1, 2}, 1, 2), aoso.IntLabels([]int{0}), aoso.DatasetOptions{Init: m})
	wantArgumentError(t, err, "features", "2 columns", "3 columns")
}

func TestBinsAndBytes(t *testing.T) {
	d := mixed(86, 1000).weighted(86)
	set := newDataset(t, d)
	size := set.Bytes()
	for j, want := range map[int]int{0: 255, 12: 1, 13: 0, 14: 3, 15: 9} {
		if bins := set.Bins(j); bins != want {
			t.Errorf("feature %d has %d bins, want %d", j, bins, want)
		}
	}
	dense, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{DenseOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	const columns, values = 15, 8 * 16 * 1000 // columns: those that are not constant
	if bytes := dense.Bytes(); bytes <= columns*1088+4*1000 || bytes > columns*1088+4*1000+values || size <= bytes+4*1000 || size > 3*bytes {
		t.Errorf("%d bytes, %d in columns only", size, bytes)
	}
	set.Close()
	if set.Bytes() != 0 || set.Bins(15) != 9 {
		t.Errorf("a closed dataset has %d bytes, and %d bins of feature 15", set.Bytes(), set.Bins(15))
	}
}
