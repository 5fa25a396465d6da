// Package loss is the multi-class logistic loss: residuals, the choice of
// class pairs, Newton steps, and the logarithm that they need, computed with the
// same bits on every CPU.
package loss

import (
	"math"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/kernel"
)

// Residuals is the matrix R of package kernel with what belongs to it.
type Residuals struct {
	Data    []float32 // rows × Stride
	Stride  int
	Classes int
	Labels  []int32   // by row, below Classes
	Weights []float32 // by row; nil: all one
	memory  *mem.Block
}

// Stride is the number of lanes of a residual row: at least classes, whole
// vectors of 8 or 16, and with room for the impossible class if asked.
func Stride(classes int, impossible bool) int {
	if impossible {
		classes++
	}
	if classes <= 8 {
		return 8
	}
	return (classes + 15) / 16 * 16
}

// NewResiduals is the state at scores zero, every class equally likely.
func NewResiduals(labels []int32, weights []float32, classes, stride int) *Residuals {
	memory := mem.New(4 * len(labels) * stride)
	r := &Residuals{memory.Floats(), stride, classes, labels, weights, memory}
	p := float32(1 / float64(classes))
	q := -float32(float64(classes-1) / float64(classes))
	for i, y := range labels {
		row := r.Row(i)
		for k := range classes {
			row[k] = p
		}
		row[y] = q + negativeZero
	}
	return r
}

// Free gives the memory back; nothing may use it any more.
func (r *Residuals) Free() {
	r.Data = nil
	r.memory.Free()
}

var negativeZero = float32(math.Copysign(0, -1))

// SetScores sets the residuals to those of raw scores, rows × Classes.
func (r *Residuals) SetScores(scores []float64, f *kernel.Funcs) {
	job := kernel.SoftmaxJob{Scores: make([]float64, r.Classes), Classes: r.Classes}
	for i, y := range r.Labels {
		copy(job.Scores, scores[i*r.Classes:])
		f.Softmax(&job)
		others := 0.0
		for k, p := range job.Scores {
			if k != int(y) {
				others += p
			}
		}
		row := r.Row(i)
		for k, p := range job.Scores {
			row[k] = float32(p)
			if row[k] < kernel.FlushBelow {
				row[k] = 0
			}
		}
		row[y] = float32(-others) + negativeZero
	}
}

// Row is the residuals of row i.
func (r *Residuals) Row(i int) []float32 { return r.Data[i*r.Stride:][:r.Stride] }

// Weight is the weight of row i.
func (r *Residuals) Weight(i int) float64 {
	if r.Weights == nil {
		return 1
	}
	return float64(r.Weights[i])
}

// LogLoss is Σ −w·log(p_y) over all rows and, if byClass is given, over the
// rows of each class.
func (r *Residuals) LogLoss(byClass []float64) float64 {
	clear(byClass)
	sum := 0.0
	for i, y := range r.Labels {
		q := -float64(r.Data[i*r.Stride+int(y)])
		l := float64(r.Weight(i) * NegLog1m(q))
		sum += l
		if byClass != nil {
			byClass[y] += l
		}
	}
	return sum
}

// Influence writes w·(1 − p_y) of the rows from first on to dst and returns
// their sum.
func (r *Residuals) Influence(dst []float32, first int) (sum float64) {
	at := first * r.Stride
	for i := range dst {
		q := -r.Data[at+int(r.Labels[first+i])]
		if r.Weights != nil {
			q *= r.Weights[first+i]
		}
		dst[i] = q
		sum += float64(q)
		at += r.Stride
	}
	return sum
}
