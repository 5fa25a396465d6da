package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSoftmax(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 0))
	for _, classes := range []int{1, 2, 3, 8, 9, 26} {
		j := SoftmaxJob{Scores: make([]float64, 20*classes), Classes: classes}
		for i := range j.Scores {
			j.Scores[i] = 20 * r.NormFloat64()
		}
		scores := slices.Clone(j.Scores)
		cooler := SoftmaxJob{Scores: slices.Clone(j.Scores), Classes: classes, Temperature: 2}
		for i := range scores {
			cooler.Scores[i] *= 2
		}
		Softmax(&j)
		Softmax(&cooler)
		if !slices.Equal(j.Scores, cooler.Scores) {
			t.Errorf("%d classes: others at a temperature", classes)
		}
		for i := 0; i < len(scores); i += classes {
			sum, total := 0.0, 0.0
			for _, f := range scores[i:][:classes] {
				sum += math.Exp(f)
			}
			for k, f := range scores[i:][:classes] {
				p := j.Scores[i+k]
				if want := math.Exp(f) / sum; !near(p, want, want, 1e-14) {
					t.Errorf("probability %v of class %d of %d, want %v", p, k, classes, want)
				}
				total += p
			}
			if !near(total, 1, 1, 1e-15*float64(classes)) {
				t.Errorf("probabilities of %d classes add up to %v", classes, total)
			}
		}
	}
}

// TestSoftmaxOrder: partial sums by lane, and which.
func TestSoftmaxOrder(t *testing.T) {
	j := SoftmaxJob{Scores: make([]float64, 11), Classes: 11}
	e := make([]float64, 11)
	for k := range e {
		j.Scores[k] = -0.37 * float64(k)
		e[k] = Exp(j.Scores[k])
	}
	Softmax(&j)
	sum := (((e[0] + e[8]) + e[4]) + ((e[2] + e[10]) + e[6])) + (((e[1] + e[9]) + e[5]) + (e[3] + e[7]))
	for k, p := range j.Scores {
		if want := e[k] * (1 / sum); p != want {
			t.Errorf("class %d: %v, want %v", k, p, want)
		}
	}
}

func TestSoftmaxSpecial(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct{ scores, want []float64 }{
		{[]float64{7}, []float64{1}},
		{[]float64{0, math.Copysign(0, -1)}, []float64{0.5, 0.5}},
		{[]float64{-inf, 3, -1e308}, []float64{0, 1, 0}},
		{[]float64{1e308, -1e308}, []float64{1, 0}},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, []float64{0.5, 0.5}},
		{[]float64{690.1, 0}, []float64{1, 0}},
		{[]float64{1, nan, 2}, []float64{nan, nan, nan}},
		{[]float64{inf, 1}, []float64{nan, nan}},
		{[]float64{inf, -inf}, []float64{nan, nan}},
		{[]float64{-inf, -inf}, []float64{nan, nan}},
		{[]float64{math.Float64frombits(0xfff8000000000003), 1}, []float64{nan, nan}},
	} {
		p := slices.Clone(test.scores)
		Softmax(&SoftmaxJob{Scores: p, Classes: len(p)})
		for k := range p {
			if math.Float64bits(p[k]) != math.Float64bits(test.want[k]) {
				t.Errorf("%v becomes %v, want %v", test.scores, p, test.want)
				break
			}
		}
	}
	// However many the classes, none becomes subnormal.
	p := make([]float64, 1<<17)
	p[0] = SoftmaxLeast
	Softmax(&SoftmaxJob{Scores: p, Classes: len(p)})
	if p[0] < 0x1p-1022 {
		t.Errorf("%v is subnormal", p[0])
	}
}
