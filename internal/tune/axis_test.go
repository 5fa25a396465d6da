package tune

import (
	"math/rand/v2"
	"testing"

	"github.com/libaoso/aoso/internal/boost"
)

func TestRounded(t *testing.T) {
	for v, want := range map[float64]float64{
		1: 1, 0.123456: 0.12, 0.03: 0.03, 0.0304: 0.03, 0.1: 0.1, 9.96: 10, 47.4: 47, 123: 120, 1024: 1000, 0.999: 1,
	} {
		if got := rounded(v); got != want {
			t.Errorf("%g is rounded to %g, want %g", v, got, want)
		}
	}
}

// TestMove: values stay in their ranges, and all but the numbers of pairs are near.
func TestMove(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, axis := range Axes(1000, 30, 8) {
		seen := map[float64]bool{}
		p := boost.Params{MaxLeaves: 30, LearningRate: 0.2, MinSamplesLeaf: 1, MaxDeltaStep: 5, Subsample: 1, ColsampleByNode: 1, Pairs: 4}
		for range 2000 {
			before := axis.Value(&p)
			axis.move(&p, 0.5, r)
			now := axis.Value(&p)
			if !(now >= axis.low && now <= axis.high || now == 0 && axis.zero) {
				t.Fatalf("%s is %g, outside %g to %g", axis.Name, now, axis.low, axis.high)
			}
			if before > 1 && now > 3.5*before {
				t.Fatalf("%s moves from %g to %g", axis.Name, before, now)
			}
			seen[now] = true
		}
		if len(seen) < 4 || axis.zero != seen[0] {
			t.Errorf("%s has the values %v", axis.Name, seen)
		}
	}
}
