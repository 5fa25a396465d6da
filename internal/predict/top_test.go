package predict

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso/kernel"
)

// TestTopper: the classes are those that sorting finds, also where scores tie.
func TestTopper(t *testing.T) {
	r := rand.New(rand.NewPCG(60, 0))
	for _, classes := range []int{1, 2, 40, 63, 64, 65, 127, 128, 200, 576, 600, 1300} {
		for _, n := range []int{1, 5, 32, 33} {
			n := min(n, classes)
			for range 20 {
				scores, all := make([]float64, classes), make([]Scored, classes)
				for k := range scores {
					scores[k] = float64(r.IntN(3 * classes))
					all[k] = Scored{Class: k, score: scores[k]}
				}
				found := topper{n: n, kernels: kernel.Generic}
				before := []Scored{{Class: 7}}
				if got := found.append(before, scores); !slices.Equal(got[1:], sortTop(all, n)) || got[0] != before[0] {
					t.Fatalf("%d of %d classes: %v of %v", n, classes, got, scores)
				}
			}
		}
	}
}
