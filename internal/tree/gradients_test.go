package tree

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestPowerOfTwoScale(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 0))
	values := []float32{1, 0.5, 2, 0x1p-100, 1e15, 32767, 65535, 65535.5, 0.99999994, 1.0000001, math.MaxFloat32 / 1e6}
	for range 500 {
		values = append(values, float32(math.Exp(30*r.NormFloat64()/3)))
	}
	for _, bits := range []int{15, 16} {
		for _, v := range values {
			scale := powerOfTwoScale(v, bits)
			fraction, _ := math.Frexp(float64(scale))
			limit := float64(int(1)<<bits - 1)
			if got := float64(v) * float64(scale); fraction != 0.5 || got > limit || 2*got <= limit {
				t.Errorf("%g is scaled by %g to %g, at most %g", v, scale, got, limit)
			}
		}
		for _, v := range []float32{0, 0x1p-101, 1e-40} {
			if scale := powerOfTwoScale(v, bits); scale != 0 || unit(scale) != 0 {
				t.Errorf("%g is scaled by %g", v, scale)
			}
		}
	}
	if unit(8) != 0.125 {
		t.Error(unit(8))
	}
}
