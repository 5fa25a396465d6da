package explain

import (
	"math"
	"slices"
	"testing"
)

// TestRule integrates every power for which a rule is exact, and checks that the points are distinct and inside [0, 1].
func TestRule(t *testing.T) {
	for n := range 130 {
		r := newRule(n)
		for power := range 2 * n {
			sum := 0.0
			for i, x := range r.points {
				sum += r.weights[i] * math.Pow(x, float64(power))
			}
			if want := 1 / float64(power+1); math.Abs(sum-want) > 1e-14 {
				t.Errorf("%d points: ∫t^%d is %v, want %v", n, power, sum, want)
			}
		}
		points := slices.Clone(r.points)
		slices.Sort(points)
		if len(slices.Compact(points)) != n || n > 0 && (points[0] <= 0 || points[n-1] >= 1) {
			t.Errorf("%d points: %v", n, points)
		}
	}
	if r := newRule(2000); math.Abs(sum(r.weights)-1) > 1e-12 || slices.Min(r.points) <= 0 || slices.Max(r.points) >= 1 {
		t.Error("2000 points")
	}
}

func sum(v []float64) (s float64) {
	for _, x := range v {
		s += x
	}
	return s
}
