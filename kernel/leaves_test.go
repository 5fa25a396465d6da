package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// bitOf returns the answer of a row.
func bitOf(right []uint64, test, row int) bool {
	return right[test*PredictWords+row/64]>>(row%64)&1 != 0
}

func TestCompare(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	nan := math.NaN()
	j := CompareJob[float64]{Values: make([]float64, 128), Thresholds: []float64{-1, 0, 2, 0, math.Inf(1)}, MissingLeft: 3}
	for i := range j.Values {
		j.Values[i] = []float64{nan, -1, math.Copysign(0, -1), 0, 1, 2, math.Inf(1), math.Inf(-1)}[r.IntN(8)]
	}
	j.Right = make([]uint64, len(j.Thresholds)*PredictWords)
	Compare(&j)
	for test, threshold := range j.Thresholds {
		for row, x := range j.Values {
			want := x >= threshold
			if math.IsNaN(x) {
				want = test >= 3
			}
			if bitOf(j.Right, test, row) != want {
				t.Errorf("%v at threshold %v, number %d: %v", x, threshold, test, !want)
			}
		}
		for _, word := range j.Right[test*PredictWords:][2:PredictWords] {
			if word != 0 {
				t.Errorf("threshold %d: answers of no rows", test)
			}
		}
	}
}

func TestMembers(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	j := MembersJob{Codes: make([]uint8, 320), Sets: make([][4]uint64, 5)}
	for i := range j.Codes {
		j.Codes[i] = uint8(i)
	}
	in := make([]map[uint8]bool, len(j.Sets))
	for test := range in {
		in[test] = map[uint8]bool{}
		for range 60 * test {
			code := uint8(r.IntN(MaxBins))
			in[test][code] = true
			j.Sets[test][code/64] |= 1 << (code % 64)
		}
	}
	j.Right = make([]uint64, len(j.Sets)*PredictWords)
	Members(&j)
	for test := range j.Sets {
		for row, code := range j.Codes {
			if bitOf(j.Right, test, row) == in[test][code] {
				t.Errorf("code %d, set number %d: %v", code, test, in[test][code])
			}
		}
		for _, word := range j.Right[test*PredictWords:][5:PredictWords] {
			if word != 0 {
				t.Errorf("set number %d: answers of no rows", test)
			}
		}
	}
}

// TestLeaves walks from the first cut to the leaf, in trees of every number of
// leaves.
func TestLeaves(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	const tests, trees = 9, 70
	j := LeavesJob{
		Right: make([]uint64, tests*PredictWords), Words: PredictWords,
		FirstCut: []uint32{0}, AtLeast: make([]uint64, (trees+1)*PredictWords),
		Leaves: make([]uint16, trees*PredictRows), LeafStride: PredictRows,
	}
	for i := range j.Right {
		j.Right[i] = r.Uint64()
	}
	var grow func(low, high uint32)
	grow = func(low, high uint32) {
		if high-low > 1 {
			middle := low + 1 + r.Uint32N(high-low-1)
			j.Cuts = append(j.Cuts, Cut{Test: r.Uint32N(tests), Low: low, Middle: middle, High: high})
			grow(low, middle)
			grow(middle, high)
		}
	}
	for tree := range uint32(trees) {
		grow(0, tree+1)
		j.FirstCut = append(j.FirstCut, uint32(len(j.Cuts)))
	}
	Leaves(&j)
	for tree := range trees {
		cuts := j.Cuts[j.FirstCut[tree]:j.FirstCut[tree+1]]
		for row := range PredictRows {
			low, high := uint32(0), uint32(tree+1)
			for _, c := range cuts {
				switch {
				case c.Low != low || c.High != high:
				case bitOf(j.Right, int(c.Test), row):
					low = c.Middle
				default:
					high = c.Middle
				}
			}
			if got := j.Leaves[tree*PredictRows+row]; uint32(got) != low || high != low+1 {
				t.Fatalf("%d leaves, row %d: leaf %d, want %d", tree+1, row, got, low)
			}
		}
	}
}
