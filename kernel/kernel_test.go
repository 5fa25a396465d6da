package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// rows are random rows of a residual matrix beside what they stand for.
type rows struct {
	stride    int
	residuals []float32
	own       []float32
	p         [][]float64 // by row and class
	y         []int
	list      []uint32
	weights   []float32
}

func newRows(r *rand.Rand, n, classes int) *rows {
	x := &rows{stride: (classes + 15) / 16 * 16}
	for i := range n {
		p, spread := make([]float64, classes), 12*r.Float64()
		sum := 0.0
		for k := range p {
			p[k] = math.Exp(spread * r.NormFloat64())
			sum += p[k]
		}
		y := r.IntN(classes)
		row, others := make([]float32, x.stride), 0.0
		for k := range p {
			p[k] /= sum
			if k != y {
				row[k] = float32(p[k])
				others += p[k]
			}
		}
		row[y] = -float32(others)
		x.residuals = append(x.residuals, row...)
		x.own = append(x.own, max(float32(p[y]), OwnFloor))
		x.p, x.y = append(x.p, p), append(x.y, y)
		x.weights = append(x.weights, 2*r.Float32())
		if r.IntN(3) > 0 {
			x.list = append(x.list, uint32(i))
		}
	}
	return x
}

// weight returns the weight of a row; one without weights.
func (x *rows) weight(weights []float32, row uint32) float64 {
	if weights == nil {
		return 1
	}
	return float64(weights[row])
}

// near reports whether two numbers differ by at most a part of a scale.
func near(got, want, scale, part float64) bool { return math.Abs(got-want) <= part*scale }

// each runs a test on matrices of several sizes, weighted and not.
func each(t *testing.T, test func(r *rand.Rand, x *rows, weights []float32)) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for _, classes := range []int{2, 3, 9, 26} {
		x := newRows(r, 300, classes)
		test(r, x, nil)
		test(r, x, x.weights)
	}
}

// TestStride: rows are whole vectors, and no longer than they need to be.
func TestStride(t *testing.T) {
	for classes := 1; classes < 300; classes++ {
		for _, padding := range []bool{false, true} {
			need := classes
			if padding {
				need++
			}
			got := Stride(classes, padding)
			if got < need || !goodStride(got) || got > 16 && got-16 >= need || got <= 16 && got > 4 && got/2 >= need {
				t.Errorf("Stride(%d, %v) = %d", classes, padding, got)
			}
		}
	}
}
