package bin

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// numbers returns n finite numbers of all magnitudes, with repetitions.
func numbers(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		switch r.IntN(6) {
		case 0:
			x[i] = float64(float32(r.NormFloat64()))
		case 1:
			x[i] = float64(r.IntN(9) - 4)
		case 2:
			x[i] = math.Ldexp(r.Float64()-0.5, r.IntN(2000)-1000)
		case 3:
			x[i] = []float64{0, math.Copysign(0, -1), math.MaxFloat64, -math.MaxFloat64, 5e-324, -5e-324}[r.IntN(6)]
		default:
			x[i] = r.NormFloat64()
		}
	}
	return x
}

func TestSortNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, radixSortMin - 1, radixSortMin, 10_000} {
		for name, x := range map[string][]float64{"random": numbers(r, n), "equal": make([]float64, n)} {
			want := slices.Clone(x)
			slices.Sort(want)
			sortNumbers(x, make([]float64, n))
			if !slices.Equal(x, want) {
				t.Errorf("%d %s numbers are not sorted", n, name)
			}
		}
	}
}

func TestCoder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		f := FitFeature(numbers(r, 1+r.IntN(600)), 2+r.IntN(MaxValueBins-1))
		x := numbers(r, 200)
		x = append(x, math.NaN())
		x = append(x, f.Edges...)
		x = append(x, f.Upper...)
		codes := make([]uint8, len(x))
		c := f.coder()
		c.code(codes, x)
		for i, code := range codes {
			if want := f.Code(x[i]); code != want {
				t.Fatalf("%v with %d bins has code %d, want %d", x[i], len(f.Lower), code, want)
			}
		}
	}
}
