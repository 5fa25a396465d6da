package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// randomCells returns n packed cells, each of up to the given number of rows.
func randomCells(r *rand.Rand, n, rows int) []int64 {
	cells := make([]int64, n)
	for i := range cells {
		cells[i] = int64(r.IntN(2*32767*rows+1)-32767*rows)<<32 + int64(r.IntN(65535*rows+1))
	}
	return cells
}

func TestHistogram(t *testing.T) {
	type key struct{ column, bin, pair int }
	r := rand.New(rand.NewPCG(7, 8))
	for _, m := range []int{1, 2, 4, 8} {
		for count := 1; count <= TileLanes; count++ {
			for _, list := range []bool{false, true} {
				const n, total, bins = 300, 1000, 40
				j := HistogramJob{Count: count, First: 123, Cells: randomCells(r, n*m, 1), Pairs: m}
				width := TileLanes / m
				tiles := make([][]int64, (count+width-1)/width)
				for i := range tiles {
					tiles[i] = make([]int64, bins*TileLanes)
				}
				for c := range count {
					j.Columns[c] = make([]uint8, total)
					for i := range j.Columns[c] {
						j.Columns[c][i] = uint8(r.IntN(bins))
					}
					j.Histograms[c] = tiles[c/width][c%width*m:]
				}
				if list {
					for i := range n {
						j.Rows = append(j.Rows, uint32(3*i))
					}
				}
				Histogram(&j)

				want := map[key][2]int64{}
				for i := range n {
					row := j.First + i
					if list {
						row = 3 * i
					}
					for c := range count {
						for p := range m {
							k := key{c, int(j.Columns[c][row]), p}
							g, h := unpack(j.Cells[i*m+p])
							want[k] = [2]int64{want[k][0] + g, want[k][1] + h}
						}
					}
				}
				for c := range len(tiles) * width {
					for b := range bins {
						for p := range m {
							g, h := unpack(tiles[c/width][b*TileLanes+c%width*m+p])
							if w := want[key{c, b, p}]; g != w[0] || h != w[1] {
								t.Fatalf("m = %d, column %d, bin %d, pair %d: %d, %d, want %d", m, c, b, p, g, h, w)
							}
						}
					}
				}
			}
		}
	}
}

func TestSparse(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, m := range []int{1, 2, 4, 8} {
		const n, bins = 200, 90
		j := SparseJob{Pairs: m, Histogram: make([]int64, bins*m), First: []uint32{0}}
		want := make([]int64, bins*m)
		for row := range uint32(n) {
			used := row%3 != 0
			if used {
				j.Rows = append(j.Rows, row)
				j.Cells = append(j.Cells, randomCells(r, m, 1)...)
			}
			for _, e := range r.Perm(bins)[:r.IntN(5)] {
				j.Entries = append(j.Entries, uint16(e))
				for p := range m {
					if used {
						want[e*m+p] += j.Cells[len(j.Cells)-m+p]
					}
				}
			}
			j.First = append(j.First, uint32(len(j.Entries)))
		}
		Sparse(&j)
		if !slices.Equal(j.Histogram, want) {
			t.Errorf("m = %d: histogram %v, want %v", m, j.Histogram, want)
		}
	}
}

func TestSumBins(t *testing.T) {
	sums := []int64{9, 9, 9}
	SumBins(sums, []int64{1, 2, 3, 10, 20, 30, 100, 200, -300})
	if want := []int64{111, 222, -267}; !slices.Equal(sums, want) {
		t.Errorf("%d, want %d", sums, want)
	}
}

// TestSpill fills a narrow histogram to the brim, spills it, and does so again.
func TestSpill(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	const n = 64
	wideG, wideH := make([]int64, n), make([]int64, n)
	sumG, sumH := make([]int64, n), make([]int64, n)
	for range 3 {
		narrow := randomCells(r, n, SpillRows)
		copy(narrow, []int64{SpillRows * (32767<<32 + 65535), SpillRows * (-32767<<32 + 65535), 0})
		for i, cell := range narrow {
			h := int64(uint32(cell))
			sumG[i] += (cell - h) / (1 << 32)
			sumH[i] += h
		}
		Spill(wideG, wideH, narrow)
		if !slices.Equal(narrow, make([]int64, n)) {
			t.Errorf("cells left: %d", narrow)
		}
	}
	if !slices.Equal(wideG, sumG) || !slices.Equal(wideH, sumH) {
		t.Errorf("sums %d, %d, want %d, %d", wideG, wideH, sumG, sumH)
	}
	if wideG[0] != 3*SpillRows*32767 || wideG[1] != -3*SpillRows*32767 || wideH[0] != 3*SpillRows*65535 {
		t.Errorf("extremes %d, %d", wideG[:2], wideH[:1])
	}
}

// TestSubtract takes one child from its parent; the other is left.
func TestSubtract(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	const n = 100
	left, right, parent := randomCells(r, n, 1000), randomCells(r, n, SpillRows-1000), make([]int64, n)
	for i := range parent {
		parent[i] = left[i] + right[i]
	}
	dst := make([]int64, n)
	if Subtract(dst, parent, left); !slices.Equal(dst, right) {
		t.Error("parent − left ≠ right")
	}
	if Subtract(parent, parent, right); !slices.Equal(parent, left) {
		t.Error("parent − right ≠ left")
	}
	if Subtract(left, parent, left); !slices.Equal(left, make([]int64, n)) {
		t.Error("left − left ≠ 0")
	}
}
