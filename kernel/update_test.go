package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestUpdate(t *testing.T) {
	each(t, func(r *rand.Rand, x *rows, _ []float32) {
		classes := len(x.p[0])
		j := UpdateJob{Residuals: slices.Clone(x.residuals), Own: slices.Clone(x.own), Stride: x.stride, Rows: x.list}
		for range x.stride {
			j.Factors = append(j.Factors, float32(math.Exp(10*r.Float64()-5)))
		}
		Update(&j)

		listed := map[uint32]bool{}
		sum, most := 0.0, float32(0)
		for _, row := range x.list {
			listed[row] = true
			want, total := make([]float64, classes), 0.0
			for k, p := range x.p[row] {
				want[k] = p * float64(j.Factors[k])
				total += want[k]
			}
			got := j.Residuals[int(row)*x.stride:][:x.stride]
			signs, sumR := 0, 0.0
			for k, v := range got {
				own := math.Signbit(float64(v))
				if own {
					signs++
				}
				if k >= classes {
					if own || v != 0 {
						t.Errorf("row %d: padding %v", row, v)
					}
					continue
				}
				sumR += float64(v)
				p := want[k] / total
				switch {
				case own != (k == x.y[row]):
					t.Errorf("row %d of class %d, class %d: sign of %v", row, x.y[row], k, v)
				case own:
					others := 0.0
					for l, o := range want {
						if l != k {
							others += o / total
						}
					}
					p = -others
					sum += others
					most = max(most, -v)
				case p < FlushBelow:
					p = 0
				}
				if !near(float64(v), p, math.Abs(p), 1e-5) && math.Abs(p) > 2*FlushBelow {
					t.Errorf("row %d, class %d: residual %v, want %v", row, k, v, p)
				}
			}
			if p := max(want[x.y[row]]/total, OwnFloor); !near(float64(j.Own[row]), p, p, 1e-5) {
				t.Errorf("row %d: own probability %v, want %v", row, j.Own[row], p)
			}
			if signs != 1 || math.Abs(sumR) > 1e-6 {
				t.Errorf("row %d: %d signs, sum %v", row, signs, sumR)
			}
		}
		if !near(j.SumResidual, sum, sum, 1e-4) {
			t.Errorf("sum of residuals %v, want %v", j.SumResidual, sum)
		}
		if j.MaxResidual != most {
			t.Errorf("greatest residual %v, want %v", j.MaxResidual, most)
		}
		for row := range x.p {
			old, now := x.residuals[row*x.stride:][:x.stride], j.Residuals[row*x.stride:][:x.stride]
			if !listed[uint32(row)] && (!slices.Equal(old, now) || j.Own[row] != x.own[row]) {
				t.Errorf("row %d has changed and is not on the list", row)
			}
		}
	})
}

// TestUpdateFlush drives a row to certainty, where all others become zero and
// the own class keeps its sign, and back.
func TestUpdateFlush(t *testing.T) {
	row, own := []float32{0.25, -0.75, 0.25, 0.25, 0, 0, 0, 0}, []float32{0.25}
	up := []float32{1, 150, 1, 1, 1, 1, 1, 1}
	for range 40 {
		Update(&UpdateJob{Residuals: row, Own: own, Stride: 8, Rows: []uint32{0}, Factors: up})
	}
	for k, v := range row {
		if v != 0 || math.Signbit(float64(v)) != (k == 1) {
			t.Errorf("class %d: %v", k, v)
		}
	}
	if own[0] != 1 {
		t.Errorf("own probability %v", own[0])
	}
	// A class of probability zero stays there; the own class does not.
	row, own = []float32{1, -1, 0, 0, 0, 0, 0, 0}, []float32{OwnFloor}
	for range 20 {
		Update(&UpdateJob{Residuals: row, Own: own, Stride: 8, Rows: []uint32{0}, Factors: up})
	}
	if row[0] > 1e-3 || row[1] < -1e-3 || row[2] != 0 {
		t.Errorf("row %v", row)
	}
}

// TestUpdateDrift takes a row away from its class and back: the odds are those
// of the sum of the steps all the way, also where 1 + R is zero.
func TestUpdateDrift(t *testing.T) {
	row, own := []float32{0.5, -0.5, 0, 0, 0, 0, 0, 0}, []float32{0.5}
	score := 0.0
	for i := range 60 {
		step := -2.0
		if i >= 30 {
			step = 2
		}
		factors := []float32{1, float32(math.Exp(step)), 1, 1, 1, 1, 1, 1}
		Update(&UpdateJob{Residuals: row, Own: own, Stride: 8, Rows: []uint32{0}, Factors: factors})
		score += step
		want := 1 / (1 + math.Exp(-score))
		if !near(float64(own[0]), want, want, 1e-5) || !near(float64(row[0]), 1-want, 1-want, 1e-5) {
			t.Fatalf("score %v: probabilities %v of the own class and %v, want %v and %v", score, own[0], row[0], want, 1-want)
		}
	}
}
