package loss

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso/kernel"
)

const precision = 300 // bits of the reference

func bigFloat(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// bigExp returns eˣ: the Taylor series at x/2⁶⁴, squared 64 times.
func bigExp(x *big.Float) *big.Float {
	small := new(big.Float).SetPrec(precision).Quo(x, new(big.Float).SetMantExp(bigFloat(1), 64))
	sum, term := bigFloat(1), bigFloat(1)
	for n := range 12 {
		term = new(big.Float).SetPrec(precision).Mul(term, small)
		term.Quo(term, bigFloat(float64(n+1)))
		sum.Add(sum, term)
	}
	for range 64 {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog returns log x by two Newton steps from a guess.
func bigLog(x *big.Float, guess float64) *big.Float {
	y := bigFloat(guess)
	for range 2 {
		step := new(big.Float).SetPrec(precision).Mul(x, bigExp(new(big.Float).Neg(y)))
		y.Add(y, step.Sub(step, bigFloat(1)))
	}
	return y
}

// relative returns the relative error |got/want − 1|.
func relative(got float64, want *big.Float) float64 {
	if want.Sign() == 0 {
		return math.Abs(got)
	}
	d := new(big.Float).SetPrec(precision).Sub(bigFloat(got), want)
	d.Quo(d, want)
	f, _ := d.Float64()
	return math.Abs(f)
}

const tolerance = 0x1p-50

func TestExp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	points := []float64{0, 1, -1, 0.5, -0.5, 1e-20, -1e-20, 5e-324, 709.69, -707.9, 0.1, -0.1, 20, -20, math.Ln2 / 2, -math.Ln2 / 2, 3 * math.Ln2 / 2}
	for range 1500 {
		points = append(points, 708*(2*r.Float64()-1), r.NormFloat64(), 1e-3*r.NormFloat64())
	}
	worst := 0.0
	for _, x := range points {
		worst = max(worst, relative(kernel.Exp(x), bigExp(bigFloat(x))))
	}
	if worst > tolerance {
		t.Errorf("relative error %g", worst)
	}
	for x, want := range map[float64]float64{0: 1, math.Copysign(0, -1): 1, 710: math.Inf(1), math.Inf(1): math.Inf(1), -709: 0, math.Inf(-1): 0} {
		if got := kernel.Exp(x); got != want {
			t.Errorf("Exp(%v) = %v, want %v", x, got, want)
		}
	}
	if !math.IsNaN(kernel.Exp(math.NaN())) {
		t.Error("Exp(NaN) is not NaN")
	}
	if least := kernel.Exp(-708); least < 0x1p-1022 {
		t.Errorf("Exp(-708) = %v is subnormal", least)
	}
}

func TestLog(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	points := []float64{1, 2, 0.5, math.E, math.Sqrt2, math.Nextafter(math.Sqrt2, 2), math.Sqrt2 / 2, 0x1p-1022, math.MaxFloat64, 1e-24, 10,
		math.Nextafter(1, 2), math.Nextafter(1, 0), 1 + 1e-9, 1 - 1e-9, 1e15}
	for range 1500 {
		points = append(points, r.Float64(), math.Exp(700*(2*r.Float64()-1)), 1+1e-4*r.NormFloat64())
	}
	worst, where := 0.0, 0.0
	for _, x := range points {
		if e := relative(Log(x), bigLog(bigFloat(x), math.Log(x))); e > worst {
			worst, where = e, x
		}
	}
	if worst > tolerance {
		t.Errorf("relative error %g at %v", worst, where)
	}
}

func TestNegLogOwn(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	points := []float64{0, 1e-300, 1e-30, 1e-16, 1e-10, 1e-3, 0.25, math.Nextafter(0.25, 0), math.Nextafter(0.25, 1), 0.5, 0.9, 0.999, 1 - 1.0/(1<<24)}
	for range 1500 {
		points = append(points, r.Float64(), math.Exp(-60*r.Float64()))
	}
	slices.Sort(points)
	last := 0.0
	for _, q := range points {
		got := NegLogOwn(q, 1-q)
		// bigLog subtracts numbers near 1; 300 bits leave enough precision.
		p := new(big.Float).SetPrec(precision).Sub(bigFloat(1), bigFloat(q))
		if q >= 0.25 {
			p = bigFloat(1 - q)
		}
		want := bigLog(p, math.Log1p(-q))
		if e := relative(-got, want); e > tolerance && q > 1e-60 {
			t.Errorf("NegLogOwn(%v) = %v, relative error %g", q, got, e)
		}
		if q <= 1e-60 && got != q {
			t.Errorf("NegLogOwn(%v) = %v, want the argument", q, got)
		}
		if got < last {
			t.Errorf("NegLogOwn(%v) = %v is less than %v before it", q, got, last)
		}
		last = got
	}
	for e := 1; e <= 100; e++ { // p is so small that 1 − p rounds to 1
		if got, want := NegLogOwn(1, math.Ldexp(1, -e)), float64(e)*math.Ln2; math.Abs(got/want-1) > 1e-15 {
			t.Errorf("NegLogOwn(1, 2^−%d) = %v, want %v", e, got, want)
		}
	}
}

// TestMonotone checks the points where one formula replaces another.
func TestMonotone(t *testing.T) {
	functions := map[string]struct {
		f      func(float64) float64
		points []float64
		step   float64 // relative; more than twice the error
	}{
		"Exp":       {kernel.Exp, []float64{math.Ln2 / 2, -math.Ln2 / 2, 1.5 * math.Ln2, 0, -700, 700}, 0x1p-48},
		"Log":       {Log, []float64{math.Sqrt2, 2 * math.Sqrt2, math.Sqrt2 / 2, 2, 0.5}, 0x1p-48},
		"NegLogOwn": {func(q float64) float64 { return NegLogOwn(q, 1-q) }, []float64{0.25, 0.5, 1 - math.Sqrt2/2}, 0x1p-48},
		"others": {func(x float64) float64 { return NegLogSoftmax([]float64{0, x}, 0) },
			[]float64{math.Log(0.25), math.Log(math.Sqrt2 - 1), 0, 34, 700}, 0x1p-45},
	}
	for name, f := range functions {
		for _, x := range f.points {
			for i := -20; i < 20; i++ {
				h := f.step * max(math.Abs(x), 1)
				a, b := x+float64(i)*h, x+float64(i+1)*h
				if f.f(a) > f.f(b) {
					t.Errorf("%s decreases from %v at %v to %v at %v", name, f.f(a), a, f.f(b), b)
				}
			}
		}
	}
}

func softmax(scores []float64) []float64 {
	p := slices.Clone(scores)
	kernel.Softmax(&kernel.SoftmaxJob{Scores: p, Classes: len(p)})
	return p
}

func TestSoftmax(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	for range 500 {
		scores := make([]float64, 1+r.IntN(30))
		for k := range scores {
			scores[k] = 10 * r.NormFloat64()
		}
		p, sum, total := softmax(scores), bigFloat(0), 0.0
		for _, f := range scores {
			sum.Add(sum, bigExp(bigFloat(f)))
		}
		for k, f := range scores {
			want := new(big.Float).SetPrec(precision).Quo(bigExp(bigFloat(f)), sum)
			if e := relative(p[k], want); e > 1e-14 {
				t.Fatalf("softmax(%v)[%d] = %v, relative error %g", scores, k, p[k], e)
			}
			total += p[k]
		}
		if math.Abs(total-1) > 1e-14 {
			t.Fatalf("softmax(%v) sums to %v", scores, total)
		}
	}
	for _, scores := range [][]float64{{1e308, -1e308}, {-1e308, -1e308}, {5000, 4000, 5000}} {
		p := softmax(scores)
		for k := range p {
			if !(p[k] >= 0 && p[k] <= 1) {
				t.Errorf("softmax(%v) = %v", scores, p)
			}
		}
	}
}

func TestNegLogSoftmax(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	for range 1000 {
		scores := make([]float64, 2+r.IntN(10))
		for k := range scores {
			scores[k] = []float64{0.1, 3, 15}[r.IntN(3)] * r.NormFloat64()
		}
		y := r.IntN(len(scores))
		others := bigFloat(0)
		for k, f := range scores {
			if k != y {
				others.Add(others, bigExp(new(big.Float).SetPrec(precision).Sub(bigFloat(f), bigFloat(scores[y]))))
			}
		}
		guess, _ := others.Float64()
		want := bigLog(others.Add(others, bigFloat(1)), math.Log1p(guess))
		got := NegLogSoftmax(scores, y)
		if e := relative(got, want); e > 1e-13 {
			t.Errorf("NegLogSoftmax(%v, %d) = %v, relative error %g", scores, y, got, e)
		}
	}
	for _, far := range []float64{34.6, 100, 1e300, math.MaxFloat64} {
		if got := NegLogSoftmax([]float64{far, 0}, 1); math.Abs(got/far-1) > 1e-15 {
			t.Errorf("NegLogSoftmax([%v 0], 1) = %v", far, got)
		}
		if got := NegLogSoftmax([]float64{far, far, 0}, 2); math.Abs(got/(far+math.Ln2)-1) > 1e-15 {
			t.Errorf("NegLogSoftmax([%[1]v %[1]v 0], 2) = %[2]v", far, got)
		}
		if got := NegLogSoftmax([]float64{far, 0}, 0); !(got >= 0 && got < 1e-14) {
			t.Errorf("NegLogSoftmax([%v 0], 0) = %v, want 0", far, got)
		}
	}
	if got := NegLogSoftmax([]float64{3}, 0); got != 0 {
		t.Errorf("NegLogSoftmax([3], 0) = %v, want 0", got)
	}
}

func TestFirstClasses(t *testing.T) {
	tests := []struct {
		gradient []int64
		m        int
		want     []int32
	}{
		{[]int64{1, 3, 2}, 1, []int32{1}},
		{[]int64{1, 3, 2}, 2, []int32{1, 2}},
		{[]int64{2, 2, 2, 2}, 1, []int32{0}},
		{[]int64{2, 2, 2, 2}, 2, []int32{0, 1}},
		{[]int64{0, 2, 1, 2}, 2, []int32{1, 3}},
		{[]int64{-1, -3, -2, -1}, 2, []int32{0, 3}},
		{[]int64{1, 2}, 0, []int32{}},
	}
	for _, test := range tests {
		if got := FirstClasses(nil, append(test.gradient, 99), len(test.gradient), test.m); !slices.Equal(got, test.want) {
			t.Errorf("gradient %v: classes %v, want %v", test.gradient, got, test.want)
		}
	}
	r := rand.New(rand.NewPCG(6, 0))
	for range 500 {
		classes := 2 + r.IntN(30)
		gradient := make([]int64, classes)
		order := make([]int32, classes)
		for k := range gradient {
			gradient[k], order[k] = int64(r.IntN(8)), int32(k)
		}
		slices.SortStableFunc(order, func(a, b int32) int { return int(gradient[b]) - int(gradient[a]) })
		m := r.IntN(classes/2 + 1)
		if got := FirstClasses([]int32{7, 7}, gradient, classes, m); !slices.Equal(got, order[:m]) {
			t.Fatalf("gradient %v: classes %v, want %v", gradient, got, order[:m])
		}
	}
}

// TestSecondClasses compares with a search through all classes. Its numbers are
// small integers, so ties are frequent.
func TestSecondClasses(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 0))
	units := Units{Sums: 1, Cross: 0.5}
	for range 3000 {
		classes := 2 + r.IntN(12)
		stride := kernel.Stride(classes, false)
		totals := Totals{Gradient: make([]int64, stride), Hessian: make([]int64, stride)}
		for k := range classes {
			totals.Gradient[k], totals.Hessian[k] = int64(r.IntN(7)-3), int64(r.IntN(4))
		}
		m := 1 + r.IntN(classes/2)
		first := FirstClasses(nil, totals.Gradient, classes, m)
		cross := make([]int64, m*stride)
		for i := range cross {
			cross[i] = int64(r.IntN(3))
		}
		by := []Selection{SecondOrder, FirstOrder, Root}[r.IntN(3)]
		pairs := SecondClasses(nil, first, &totals, cross, units, classes, stride, by)

		used := map[int32]bool{}
		for _, k := range first {
			used[k] = true
		}
		for i, pair := range pairs {
			best, bestScore := int32(-1), math.Inf(-1)
			for k := range int32(classes) {
				score := -float64(totals.Gradient[k])
				if by != FirstOrder {
					d := float64(totals.Gradient[first[i]] - totals.Gradient[k])
					h := float64(totals.Hessian[first[i]]+totals.Hessian[k]) + float64(cross[i*stride+int(k)])
					if h == 0 {
						h = 1
					}
					score = d * d / h
				}
				if !used[k] && score > bestScore {
					best, bestScore = k, score
				}
			}
			used[best] = true
			if want := (kernel.Pair{R: first[i], S: best}); pair != want {
				t.Fatalf("%v: pair %d of %+v is %v, want %v", by, i, totals, pair, want)
			}
		}
		if len(pairs) != m || len(used) != 2*m {
			t.Fatalf("%d pairs with %d classes in them, want %d disjoint pairs", len(pairs), len(used), m)
		}
	}
}

func TestSelection(t *testing.T) {
	for _, s := range []Selection{SecondOrder, FirstOrder, Root} {
		if got, err := ParseSelection(s.String()); got != s || err != nil {
			t.Errorf("ParseSelection(%q) = %v, %v", s, got, err)
		}
	}
	if _, err := ParseSelection("third_order"); err == nil {
		t.Error("ParseSelection accepts third_order")
	}
}

func TestTotalsSub(t *testing.T) {
	parent := Totals{Gradient: []int64{5, -2, 1, 4}, Hessian: []int64{8, 3, 1, 2}}
	sibling := Totals{Gradient: []int64{1, 1, 1 << 60, 1}, Hessian: []int64{2, 4, 1, 2}}
	got := Totals{Gradient: make([]int64, 4), Hessian: make([]int64, 4)}
	got.Sub(&parent, &sibling)
	if want := []int64{4, -3, 1 - 1<<60, 3}; !slices.Equal(got.Gradient, want) {
		t.Errorf("gradient %v, want %v", got.Gradient, want)
	}
	if want := []int64{6, -1, 0, 0}; !slices.Equal(got.Hessian, want) {
		t.Errorf("Hessian %v, want %v", got.Hessian, want)
	}
	parent.Sub(&parent, &sibling)
	if !slices.Equal(parent.Gradient, got.Gradient) || !slices.Equal(parent.Hessian, got.Hessian) {
		t.Error("the result in place differs")
	}
}

func TestStep(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	tests := []struct {
		newton  Newton
		g, h, t float64
	}{
		{Newton{Shrinkage: 1, MaxStep: 5, L2: 0}, 3, 2, 1.5},
		{Newton{Shrinkage: 0.1, MaxStep: 5, L2: 0}, 3, 2, 0.15},
		{Newton{Shrinkage: 0.1, MaxStep: 5, L2: 4}, 3, 2, 0.05},
		{Newton{Shrinkage: 0.1, MaxStep: 5, L2: 0}, 100, 2, 0.5},
		{Newton{Shrinkage: 0.1, MaxStep: 5, L2: 0}, -100, 2, -0.5},
		{Newton{Shrinkage: 0.1, MaxStep: 5, L2: 0}, 1, 0, 0.5},
		{Newton{Shrinkage: 0.1, MaxStep: 5, L2: 0}, -1, 0, -0.5},
		{Newton{Shrinkage: 0.1, MaxStep: 5, L2: 0}, 0, 0, 0},
		{Newton{Shrinkage: 0.1, MaxStep: 5, L2: 0}, inf, inf, 0},
		{Newton{Shrinkage: 0.1, MaxStep: 5, L2: 0}, nan, 1, 0},
	}
	for _, test := range tests {
		if got := test.newton.Step(test.g, test.h); got != float32(test.t) {
			t.Errorf("%+v: Step(%v, %v) = %v, want %v", test.newton, test.g, test.h, got, test.t)
		}
	}
}

func TestFullStep(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 0))
	for range 300 {
		classes := 2 + r.IntN(20)
		n := Newton{Shrinkage: 0.1, MaxStep: 5, L2: []float64{0, 1}[r.IntN(2)]}
		unit, totals := 0x1p-40, Totals{Gradient: make([]int64, classes+3), Hessian: make([]int64, classes+3)}
		want, mean := make([]float64, classes), 0.0
		for k := range classes {
			totals.Gradient[k], totals.Hessian[k] = int64(10*r.NormFloat64()/unit), int64(float64(r.IntN(5))/unit)
			step := float64(classes-1) / float64(classes) * (unit * float64(totals.Gradient[k])) / (unit*float64(totals.Hessian[k]) + n.L2)
			want[k] = max(-5, min(5, step))
			mean += want[k] / float64(classes)
		}
		got, sum := make([]float32, classes), 0.0
		n.FullLeaf(got, &totals, unit)
		for k := range got {
			if math.Abs(float64(got[k])-0.1*(want[k]-mean)) > 1e-6 {
				t.Fatalf("%+v: leaf value %v for class %d, want %v", totals, got[k], k, 0.1*(want[k]-mean))
			}
			sum += float64(got[k])
		}
		if math.Abs(sum) > 1e-6 {
			t.Fatalf("the leaf values sum to %v, want 0", sum)
		}
	}
}

// TestRounded: with many classes, values are multiples of a 64th of the power of two
// that the shrinkage is not below, and next to what they were.
func TestRounded(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 0))
	for shrinkage, unit := range map[float64]float64{0.1: 0x1p-10, 0.2: 0x1p-9, 0.25: 0x1p-8, 1: 0x1p-6} {
		n := Newton{Shrinkage: shrinkage, MaxStep: 5}
		for range 1000 {
			value := r.NormFloat64()
			got := float64(n.Round(value, ShortClasses))
			if units := got / unit; math.Abs(got-value) > unit/2 || units != math.Trunc(units) {
				t.Fatalf("shrinkage %v: %v becomes %v", shrinkage, value, got)
			}
			if got := n.Round(value, ShortClasses-1); got != float32(value) {
				t.Fatalf("%d classes: %v becomes %v", ShortClasses-1, value, got)
			}
		}
		if got := n.Round(-unit/3, ShortClasses); got != 0 || math.Signbit(float64(got)) {
			t.Errorf("shrinkage %v: %v becomes %v", shrinkage, -unit/3, got)
		}
	}
}

// TestRoundedLeast: the least shrinkage makes no value NaN.
func TestRoundedLeast(t *testing.T) {
	n := Newton{Shrinkage: math.SmallestNonzeroFloat64, MaxStep: 5}
	if got := n.Round(n.Shrinkage*3, ShortClasses); got != 0 {
		t.Errorf("a value of next to nothing becomes %v", got)
	}
}

// TestResiduals compares with probabilities in float64.
func TestResiduals(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 0))
	for _, classes := range []int{1, 2, 3, 8, 9, 26} {
		const rows = 200
		labels, weights := make([]int32, rows), make([]float32, rows)
		for i := range labels {
			labels[i], weights[i] = int32(r.IntN(classes)), float32(r.IntN(4))
		}
		stride := kernel.Stride(classes, true)
		for _, w := range [][]float32{nil, weights} {
			res := NewDense(labels, w, classes, stride).Form.(*Dense)
			scores := make([]float64, rows*classes)
			for round := range 2 { // first all scores are zero, then random
				loss, byClass := 0.0, make([]float64, classes)
				for i, y := range labels {
					f := scores[i*classes:][:classes]
					p := softmax(f)
					sum := 0.0
					for k, got := range res.Row(i) {
						negative := math.Signbit(float64(got))
						switch {
						case k >= classes:
							if got != 0 || negative {
								t.Fatalf("%d classes: padding element %d is %v, want 0", classes, k, got)
							}
						case k == int(y):
							if !negative || math.Abs(float64(got)+(1-p[k])) > 1e-7 {
								t.Fatalf("%d classes: residual of the own class is %v for p = %v", classes, got, p[k])
							}
						case negative || math.Abs(float64(got)-p[k]) > 1e-7*p[k]:
							t.Fatalf("%d classes: residual %v for p = %v", classes, got, p[k])
						}
						sum += float64(got)
					}
					if math.Abs(sum) > 1e-6 {
						t.Fatalf("%d classes: the residuals sum to %v, want 0", classes, sum)
					}
					l := NegLogSoftmax(f, int(y)) * res.Weight(i)
					loss += l
					byClass[y] += l
				}
				gotByClass := make([]float64, classes)
				if got := res.LogLoss(nil, gotByClass, 0, nil, nil); math.Abs(got-loss) > 1e-5*loss || res.LogLoss(scores, nil, 0, nil, nil) != got {
					t.Errorf("%d classes: loss %v, want %v", classes, got, loss)
				}
				for k := range byClass {
					if math.Abs(gotByClass[k]-byClass[k]) > 1e-4*byClass[k] {
						t.Errorf("%d classes: class %d has loss %v, want %v", classes, k, gotByClass[k], byClass[k])
					}
				}
				checkInfluence(t, res)
				if round == 0 {
					for i := range scores {
						scores[i] = 2 * r.NormFloat64()
					}
					res.SetScores(scores, 0, rows, kernel.Generic, &kernel.SoftmaxJob{})
				}
			}
			res.Free()
		}
	}
}

func checkInfluence(t *testing.T, res *Dense) {
	t.Helper()
	for i, y := range res.Labels {
		want := -res.Row(i)[y]
		if res.Weight(i) == 0 {
			want = 0
		}
		if got := res.Influence(i); got != want {
			t.Errorf("Influence(%d) = %v, want %v", i, got, want)
		}
	}
}

// TestLostRows checks that the loss of a clipped row comes from its scores.
func TestLostRows(t *testing.T) {
	res := NewDense([]int32{0, 1}, nil, 2, 8).Form.(*Dense)
	defer res.Free()
	scores := []float64{-200, 0, 0, -1}
	res.SetScores(scores, 0, 2, kernel.Generic, &kernel.SoftmaxJob{})
	want := 200 + math.Log1p(math.E)
	if got := res.LogLoss(scores, nil, 0, nil, nil); math.Abs(got-want) > 1e-5 || !res.HasClipped(1) {
		t.Errorf("loss %v, want %v", got, want)
	}
}

// TestConvergedRows checks that a small loss keeps its precision.
func TestConvergedRows(t *testing.T) {
	res := NewDense([]int32{0, 1}, nil, 2, 8).Form.(*Dense)
	defer res.Free()
	for _, f := range []float64{20, 30, 50, 68} {
		res.SetScores([]float64{f, 0, 0, 1000}, 0, 2, kernel.Generic, &kernel.SoftmaxJob{})
		if got, want := res.LogLoss(nil, nil, 0, nil, nil), math.Log1p(math.Exp(-f)); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("score %v: loss %v, want %v", f, got, want)
		}
		for _, r := range res.Data {
			if r > 0 && r < kernel.FlushBelow {
				t.Errorf("residual %v is not flushed to zero", r)
			}
		}
	}
}

// TestSame: rows with the same scores have the residuals that SetScores gives them.
func TestSame(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 0))
	for _, classes := range []int{1, 2, 3, 9, 26} {
		const rows = 50
		labels, one := make([]int32, rows), make([]float64, classes)
		for i := range labels {
			labels[i] = int32(r.IntN(classes))
		}
		for k := range one {
			one[k] = 30 * r.NormFloat64() // some probabilities are flushed to zero
		}
		fresh := func() *Dense { return NewDense(labels, nil, classes, kernel.Stride(classes, true)).Form.(*Dense) }
		got, want := fresh(), fresh()
		sum, most := got.SetSame(got.NewSame(one, kernel.Generic), 3, rows)
		dueSum, dueMost := want.SetScores(slices.Repeat(one, rows-3), 3, rows, kernel.Generic, new(kernel.SoftmaxJob))
		if sum != dueSum || most != dueMost || !slices.Equal(got.Own, want.Own) {
			t.Errorf("%d classes: sum %v, most %v; want %v, %v", classes, sum, most, dueSum, dueMost)
		}
		for i, v := range want.Data {
			if math.Float32bits(got.Data[i]) != math.Float32bits(v) {
				t.Fatalf("%d classes: element %d is %v, want %v", classes, i, got.Data[i], v)
			}
		}
	}
}
