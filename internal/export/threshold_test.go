package export

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/libaoso/aoso/internal/model"
)

// TestThreshold: decimals of few digits fall on the same side of a threshold in float32 as in
// float64, and the values that a threshold is the midpoint of stay on its sides.
func TestThreshold(t *testing.T) {
	m := &model.Model{Header: model.Header{Features: []string{"x"}}}
	placed := func(x float64) float64 { return threshold(m, model.NumericSplit(0, x, false)) }
	moved := 0
	decimal := func(steps, exponent int) float64 {
		x, err := strconv.ParseFloat(fmt.Sprintf("%de%d", steps, exponent), 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, exponent := range []int{-30, -6, -3, 0, 1, 30} {
		for i := -3000; i < 3000; i++ {
			low, middle, high := decimal(2*i-1, exponent), decimal(2*i, exponent), decimal(2*i+1, exponent)
			split := low/2 + high/2
			limit := placed(split)
			if limit != split {
				moved++
			}
			for _, x := range []float64{low, middle, high} {
				if (x < split) != (float64(float32(x)) < limit) {
					t.Fatalf("%v and the threshold %v, written as %v", x, split, limit)
				}
			}
		}
	}
	if moved < 1000 {
		t.Errorf("%d thresholds are moved", moved)
	}
	for _, same := range []float64{0, 0.5, 2.5, 0.1234567891, math.Pi, 1e-40, 0x1p-149, 1e39, math.MaxFloat64, math.Inf(1)} {
		if got := placed(same); got != same {
			t.Errorf("%v is moved to %v", same, got)
		}
	}
	if got := placed(-math.MaxFloat64); !math.IsInf(got, -1) {
		t.Errorf("all values are below no threshold but %v", got)
	}
}
