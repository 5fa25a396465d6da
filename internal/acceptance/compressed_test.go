package acceptance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
)

// entries returns a rows × cols matrix with a share of its cells present, dense
// and as the entries of each row in a random order.
func entries(seed uint64, rows, cols int, share float64) (dense [][]float64, columns [][]int) {
	r := rand.New(rand.NewPCG(seed, 20))
	for range rows {
		row, of := make([]float64, cols), []int(nil)
		for _, j := range r.Perm(cols) {
			if r.Float64() < share {
				row[j] = []float64{math.NaN(), 0, -1, float64(r.IntN(100))}[r.IntN(4)]
				of = append(of, j)
			}
		}
		dense, columns = append(dense, row), append(columns, of)
	}
	return dense, columns
}

// compress returns the entries of each row, or of each column of the transposed.
func compress[I int32 | int64](dense [][]float64, columns [][]int) (indptr, indices []I, values []float64) {
	indptr = []I{0}
	for i, of := range columns {
		for _, j := range of {
			indices, values = append(indices, I(j)), append(values, dense[i][j])
		}
		indptr = append(indptr, I(len(indices)))
	}
	return indptr, indices, values
}

// wantCells reads a matrix column by column and in blocks.
func wantCells(t *testing.T, x aoso.Features, want func(i, j int) float64, rows, cols int) {
	t.Helper()
	if x.Rows() != rows || x.Cols() != cols {
		t.Fatalf("%d × %d, want %d × %d", x.Rows(), x.Cols(), rows, cols)
	}
	for _, size := range []int{rows, 64, 7, 1} {
		for j := range cols {
			for first := 0; first < rows; first += size {
				dst := slices.Repeat([]float64{99}, min(size, rows-first))
				x.Column(j, first, dst)
				for k, got := range dst {
					if w := want(first+k, j); got != w && (got == got || w == w) {
						t.Fatalf("cell (%d, %d), read %d at a time, is %g, want %g", first+k, j, size, got, w)
					}
				}
			}
		}
	}
}

func TestCompressed(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {200, 9}, {9, 200}, {65, 64}, {0, 3}, {3, 0}} {
		for _, share := range []float64{0, 0.1, 1} {
			t.Run(fmt.Sprint(size, share), func(t *testing.T) {
				dense, columns := entries(uint64(size[0]), size[0], size[1], share)
				indptr, indices, values := compress[int32](dense, columns)
				before := slices.Clone(indices)
				x, err := aoso.CSR(indptr, indices, values, size[1])
				if err != nil {
					t.Fatal(err)
				}
				clear(values)
				wantCells(t, x, func(i, j int) float64 { return dense[i][j] }, size[0], size[1])

				long, indices64, values := compress[int64](dense, columns)
				y, err := aoso.CSC(long, indices64, values, size[1])
				if err != nil {
					t.Fatal(err)
				}
				wantCells(t, y, func(i, j int) float64 { return dense[j][i] }, size[1], size[0])
				for _, of := range columns {
					slices.Sort(of)
				}
				indptr, indices, values = compress[int32](dense, columns)
				if y, err = aoso.CSC(indptr, indices, values, size[1]); err != nil {
					t.Fatal(err)
				}
				wantCells(t, y, func(i, j int) float64 { return dense[j][i] }, size[1], size[0])
				if share == 1 && len(before) > 1 && slices.Equal(before, indices) {
					t.Error("the entries were sorted all along")
				}
			})
		}
	}
	// Entries past the last offset are nobody's, and integers are numbers.
	x, err := aoso.CSR([]int32{0, 1}, []int32{1, 77}, []uint8{5, 6}, 2)
	if err != nil {
		t.Fatal(err)
	}
	wantCells(t, x, func(i, j int) float64 { return []float64{0, 5}[j] }, 1, 2)
}

// TestCompressedModel: a model does not tell how its features were stored.
func TestCompressedModel(t *testing.T) {
	d := letter().slice(0, 3000)
	d.x = slices.Clone(d.x)
	for i, row := range d.x {
		d.x[i] = slices.Clone(row)
		for j, v := range row {
			if v < 5 {
				d.x[i][j] = 0
			}
		}
	}
	indptr, indices, values := []int64{0}, []int64(nil), []int16(nil)
	for _, row := range d.x {
		for j, v := range row {
			if v != 0 {
				indices, values = append(indices, int64(j)), append(values, int16(v))
			}
		}
		indptr = append(indptr, int64(len(indices)))
	}
	x, err := aoso.CSR(indptr, indices, values, 16)
	if err != nil {
		t.Fatal(err)
	}
	p := params(func(p *aoso.Params) { p.NEstimators = 5 })
	want := trained(t, d, p).Model
	set, err := aoso.NewDataset(x, d.labels())
	if err != nil {
		t.Fatal(err)
	}
	if got := train(t, set, p, aoso.TrainOptions{}).Model; got.Fingerprint() != want.Fingerprint() {
		t.Errorf("fingerprint %s, want %s", got.Fingerprint(), want.Fingerprint())
	}
	if !slices.Equal(rawScores(t, want, x, aoso.PredictOptions{}), rawScores(t, want, d.features(), aoso.PredictOptions{})) {
		t.Error("the predictions differ")
	}
}

func TestCompressedErrors(t *testing.T) {
	type s = []int32
	tests := []struct {
		name            string
		indptr, indices s
		values          int
		size            int
		argument        string
		texts           []string
	}{
		{"no offsets", nil, nil, 0, 2, "indptr", []string{"empty"}},
		{"first offset", s{1, 2}, s{0, 0}, 2, 2, "indptr[0]", []string{"1"}},
		{"falling", s{0, 2, 1}, s{0, 1}, 2, 2, "indptr", []string{"1", "2 to 2", " 1"}},
		{"negative", s{0, -1}, s{0, 1}, 2, 2, "indptr", []string{"-1"}},
		{"beyond the indices", s{0, 2}, s{0}, 2, 2, "indptr", []string{"2", "0 to 1"}},
		{"beyond the values", s{0, 2}, s{0, 1}, 1, 2, "indptr", []string{"0 to 1"}},
		{"great index", s{0, 0, 2}, s{1, 2}, 2, 2, "indices", []string{"2", "below 2", " 1"}},
		{"negative index", s{0, 1}, s{-1}, 1, 2, "indices", []string{"-1"}},
		{"no size", s{0, 1}, s{0}, 1, 0, "indices", nil},
		{"twice", s{0, 1, 3, 5}, s{0, 1, 1, 1, 0}, 5, 2, "indices", []string{"1", "twice", " 1"}},
		{"twice, not in order", s{0, 1, 4}, s{0, 1, 0, 1}, 4, 2, "indices", []string{"1", "twice", " 1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			values := make([]float32, test.values)
			x, err := aoso.CSR(test.indptr, test.indices, values, test.size)
			wantArgumentError(t, err, test.argument, test.texts...)
			y, err := aoso.CSC(test.indptr, test.indices, values, test.size)
			wantArgumentError(t, err, test.argument, test.texts...)
			if x != nil || y != nil {
				t.Error("there is a matrix all the same")
			}
		})
	}
	_, err := aoso.CSR(s{0}, nil, []float64(nil), -1)
	wantArgumentError(t, err, "cols", "-1")
	_, err = aoso.CSC(s{0}, nil, []float64(nil), -1)
	wantArgumentError(t, err, "rows", "-1")
	for _, size := range []int{math.MaxInt, math.MaxInt >> 3, math.MaxInt >> 23} { // which would be taken for offsets
		_, err = aoso.CSR(s{0, 0}, nil, []float64(nil), size)
		wantArgumentError(t, err, "cols", fmt.Sprint(size), "memory")
		_, err = aoso.CSC(s{0, 2}, s{1, 0}, []float64{1, 2}, size)
		wantArgumentError(t, err, "rows", fmt.Sprint(size), "memory")
	}
}

// FuzzCompressed: no offsets and indices do harm, and what they make is a
// matrix whose transposed has the same cells.
func FuzzCompressed(f *testing.F) {
	f.Add([]byte{0, 2, 3}, []byte{1, 0, 1}, 2)
	f.Add([]byte{0, 0, 9}, []byte{1, 0, 1}, 200)
	f.Fuzz(func(t *testing.T, offsets, at []byte, size int) {
		if size > 1000 {
			return
		}
		var indptr, indices []int32
		for _, v := range offsets {
			indptr = append(indptr, int32(int8(v)))
		}
		var values []int
		for k, v := range at {
			indices, values = append(indices, int32(int8(v))), append(values, k+1)
		}
		x, err := aoso.CSR(indptr, indices, values, size)
		y, other := aoso.CSC(indptr, indices, values, size)
		if (err == nil) != (other == nil) {
			t.Fatalf("%v by row and %v by column", err, other)
		}
		if err != nil {
			return
		}
		var cell [1]float64
		wantCells(t, x, func(i, j int) float64 { y.Column(i, j, cell[:]); return cell[0] }, len(indptr)-1, size)
	})
}
