package kernel

import (
	"slices"
	"testing"
)

func TestAddSteps(t *testing.T) {
	// Two trees, of two leaves and of one, and two rows.
	leaves, firstLeaf := []uint16{1, 0, 9, 0, 0}, []uint32{0, 2}
	steps := AddStepsJob{
		Leaves: leaves, LeafStride: 3, FirstLeaf: firstLeaf, Classes: 2,
		Steps: []float32{1, 2, 3, 4, 0.5, -0.5},
		Rows:  2, Scores: []float64{10, 20, 30, 40, 50, 60}, Stride: 3,
	}
	AddSteps(&steps)
	if want := []float64{13.5, 23.5, 30, 41.5, 51.5, 60}; !slices.Equal(steps.Scores, want) {
		t.Errorf("scores %v, want %v", steps.Scores, want)
	}
	pairs := AddPairsJob{
		Leaves: leaves, LeafStride: 3, FirstLeaf: firstLeaf, Pairs: 1,
		Steps: []PairStep{{0, 1, 1}, {1, 2, 2}, {2, 2, 4}},
		Rows:  2, Scores: []float64{10, 20, 30, 40, 50, 60}, Stride: 3,
	}
	AddPairs(&pairs)
	if want := []float64{10, 22, 28, 41, 49, 60}; !slices.Equal(pairs.Scores, want) {
		t.Errorf("scores %v, want %v", pairs.Scores, want)
	}
}

// TestAddStepsOrder: trees in their order, each sum rounded.
func TestAddStepsOrder(t *testing.T) {
	j := AddStepsJob{
		Leaves: []uint16{0, 0, 0}, LeafStride: 1, FirstLeaf: []uint32{0, 1, 2}, Classes: 1,
		Steps: []float32{1, 0x1p60, -0x1p60},
		Rows:  1, Scores: []float64{0}, Stride: 1,
	}
	AddSteps(&j)
	if j.Scores[0] != 0 {
		t.Errorf("score %v, want 0", j.Scores[0])
	}
}

// TestBest: of equal sums the first.
func TestBest(t *testing.T) {
	j := BestJob{Sums: []int32{-3, -2, -2, 9, 0, 0, 0, 9, 1, 2, 3}, Stride: 4, Classes: 3, Best: make([]int, 3)}
	Best(&j)
	if want := []int{1, 0, 2}; !slices.Equal(j.Best, want) {
		t.Errorf("classes %v, want %v", j.Best, want)
	}
}
