package kernel

import (
	"slices"
	"testing"
)

func TestLinear(t *testing.T) {
	// Two rows of two terms. Stride is 8: six lanes stay zero.
	j := LinearJob{
		Places: []float32{1, 2, -1, 0}, Terms: 2,
		Weights: make([]float32, 2*8), Bias: make([]float32, 8), Stride: 8,
		Rows: 2, Scores: []float64{20: 9},
	}
	copy(j.Weights, []float32{0.5, 3})
	copy(j.Weights[8:], []float32{0.25, -1})
	copy(j.Bias, []float32{10, 20})
	Linear(&j)
	want := make([]float64, 2*8, 21)
	copy(want, []float64{11, 21})
	copy(want[8:], []float64{9.5, 17})
	if want := append(want, 0, 0, 0, 0, 9); !slices.Equal(j.Scores, want) {
		t.Errorf("scores %v, want %v", j.Scores, want)
	}
}

// TestLinearRounding: half of 2⁻²⁴ goes to the even multiple, and only the sum is rounded.
func TestLinearRounding(t *testing.T) {
	j := LinearJob{
		Places: []float32{0x1p-30}, Terms: 1,
		Weights: []float32{0, 0, 0, 0, 1, -1, 0x1p5, 0}, Stride: 8,
		Bias: []float32{0x1p-25, 0x3p-25, -0x1p-25, -0x3p-25, 0x1p-25, 0x3p-25, 0x1p-25, 1},
		Rows: 1, Scores: make([]float64, 8),
	}
	Linear(&j)
	if want := []float64{0, 0x2p-24, 0, -0x2p-24, 0x1p-24, 0x1p-24, 0x1p-24, 1}; !slices.Equal(j.Scores, want) {
		t.Errorf("scores %v, want %v", j.Scores, want)
	}
}
