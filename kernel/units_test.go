package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestUnits(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	for range 10000 {
		unit := math.Ldexp(1, -r.IntN(200))
		n := int64(r.Uint64N(2*MostUnits-1)) - MostUnits + 1
		shift := Shift(unit)
		if got := Units(shift+float64(n)*unit, shift); got != n {
			t.Fatalf("%d units of %v are %d", n, unit, got)
		}
	}
}
