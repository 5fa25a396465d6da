package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func numbers(r *rand.Rand, n, spread int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Ldexp(r.NormFloat64(), r.IntN(2*spread+1)-spread)
	}
	return x
}

func sumOf(x []float64) (s Sum) {
	for _, v := range x {
		s.Add(v)
	}
	return s
}

// TestSum compares with sums of 3000 bits, also where all but little cancels.
func TestSum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 300 {
		x := numbers(r, r.IntN(200), []int{0, 5, 60, 900}[trial%4])
		if trial%3 == 0 {
			for _, v := range x {
				x = append(x, -v)
			}
			x = append(x, 0x1p-1074, -0x1p-1060, 1e-300)
		}
		want := new(big.Float).SetPrec(3000)
		for _, v := range x {
			want.Add(want, new(big.Float).SetFloat64(v))
		}
		s := sumOf(x)
		got, exact := s.Float64(), 0.0
		exact, _ = want.Float64()
		if math.Abs(got-exact) > 0x1p-52*math.Abs(exact) {
			t.Fatalf("the sum of %d numbers is %v, want %v", len(x), got, exact)
		}
	}
}

func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		x := numbers(r, 300, 40)
		one := sumOf(x)
		want := one.Float64()
		r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
		cut := r.IntN(len(x))
		left, right := sumOf(x[:cut]), sumOf(x[cut:])
		left.Float64() // carries
		left.Merge(&right)
		if got := left.Float64(); got != want {
			t.Fatalf("in another order the sum is %v, want %v", got, want)
		}
	}
}

func TestCarry(t *testing.T) {
	var s Sum
	s.added = carryFree - 3
	for range 6 {
		s.Add(math.MaxFloat64 / 8)
	}
	if got, want := s.Float64(), math.MaxFloat64/8*6; got != want {
		t.Errorf("sum %v, want %v", got, want)
	}
	a, b := Sum{added: carryFree - 1}, Sum{added: 5}
	a.Add(1)
	b.Add(-3)
	b.Merge(&a)
	if got := b.Float64(); got != -2 {
		t.Errorf("sum %v, want -2", got)
	}
}

func TestBeyond(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{nil, 0},
		{[]float64{inf, 1, inf}, inf},
		{[]float64{-1, -inf}, -inf},
		{[]float64{inf, -inf}, math.NaN()},
		{[]float64{1, math.NaN()}, math.NaN()},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, inf},
		{[]float64{math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64}, math.MaxFloat64},
	} {
		s := sumOf(c.x)
		if got := s.Float64(); got != c.want && !(got != got && c.want != c.want) {
			t.Errorf("%v: sum %v, want %v", c.x, got, c.want)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	var s Sum
	x := numbers(rand.New(rand.NewPCG(5, 6)), 1024, 10)
	for i := range b.N {
		s.Add(x[i%1024])
	}
}
