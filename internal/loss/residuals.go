// Package loss is the multi-class logistic loss: residuals, the choice of
// class pairs, Newton steps, and the logarithm that they need, computed with the
// same bits on every CPU.
package loss

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/kernel"
)

// Residuals is the matrix R of package kernel with what belongs to it.
type Residuals struct {
	Data    []float32 // rows × Stride
	Own     []float32 // by row: p_y, which Data has lost where it is small
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
	memory := mem.New(4 * len(labels) * (stride + 1))
	floats := mem.View[float32](memory)
	end := len(labels) * stride
	r := &Residuals{floats[:end:end], floats[end:], stride, classes, labels, weights, memory}
	p := float32(1 / float64(classes))
	q := -float32(float64(classes-1) / float64(classes))
	for i, y := range labels {
		row := r.Row(i)
		for k := range classes {
			row[k] = p
		}
		row[y] = q + negativeZero
		r.Own[i] = p
	}
	return r
}

// Free gives the memory back; nothing may use it any more.
func (r *Residuals) Free() {
	r.Data = nil
	r.memory.Free()
}

var negativeZero = float32(math.Copysign(0, -1))

// SetScores sets the residuals of the rows from first up to end to those of
// raw scores, rows × Classes of all rows. It returns their Σ (1 − p_y). The
// job's scores are room for those rows.
func (r *Residuals) SetScores(scores []float64, first, end int, f *kernel.Funcs, job *kernel.SoftmaxJob) (bound float64) {
	p := append(job.Scores[:0], scores[first*r.Classes:end*r.Classes]...)
	job.Scores, job.Classes = p, r.Classes
	f.Softmax(job)
	for i := first; i < end; i++ {
		row, y := r.Row(i), int(r.Labels[i])
		others := 0.0
		for k, p := range p[(i-first)*r.Classes:][:r.Classes] {
			if k != y {
				others += p
			}
			row[k] = float32(p)
			if row[k] < kernel.FlushBelow {
				row[k] = 0
			}
		}
		r.Own[i] = max(row[y], kernel.OwnFloor)
		row[y] = float32(-others) + negativeZero
		bound += others
	}
	return bound
}

// Copy makes the residuals those of o, of the same rows and classes.
func (r *Residuals) Copy(o *Residuals) {
	for i := range r.Labels {
		copy(r.Row(i)[:r.Classes], o.Row(i))
	}
	copy(r.Own, o.Own)
}

// Bound is Σ (1 − p_y) over all rows, which is below the log loss.
func (r *Residuals) Bound() (sum float64) {
	for i, y := range r.Labels {
		sum -= float64(r.Row(i)[y])
	}
	return sum
}

// Lost tells whether Own has come down to its least value in some row: where it
// would be by now is not known any more.
func (r *Residuals) Lost() bool { return slices.Contains(r.Own, kernel.OwnFloor) }

// Row is the residuals of row i.
func (r *Residuals) Row(i int) []float32 { return r.Data[i*r.Stride:][:r.Stride] }

// SumWeights is the weight of some rows.
func (r *Residuals) SumWeights(rows []uint32) (sum float64) {
	if r.Weights == nil {
		return float64(len(rows))
	}
	for _, row := range rows {
		sum += float64(r.Weights[row])
	}
	return sum
}

// Weight is the weight of row i.
func (r *Residuals) Weight(i int) float64 {
	if r.Weights == nil {
		return 1
	}
	return float64(r.Weights[i])
}

// lately is the odds, e⁻²³, that a class comes to at most from odds of
// kernel.OwnFloor before residuals are renewed from scores.
const lately = 0x1p-33

// LogLoss is Σ −w·log(p_y) over all rows and, if byClass is given, over the
// rows of each class. Of rows whose own class is, or was of late, lost only the
// raw scores, rows × Classes, know it; scores may be nil.
func (r *Residuals) LogLoss(scores, byClass []float64) (sum float64) {
	clear(byClass)
	for i, y := range r.Labels {
		var l float64
		if p := r.Own[i]; p < lately && scores != nil {
			l = NegLogSoftmax(scores[i*r.Classes:][:r.Classes], int(y))
		} else {
			l = negLogOwn(-float64(r.Data[i*r.Stride+int(y)]), float64(p))
		}
		l *= r.Weight(i)
		sum += l
		if byClass != nil {
			byClass[y] += l
		}
	}
	return sum
}

// Influence writes 1 − p_y of the rows from first on to dst; 0 for rows of
// weight zero.
func (r *Residuals) Influence(dst []float32, first int) {
	at := first * r.Stride
	for i := range dst {
		dst[i] = -r.Data[at+int(r.Labels[first+i])]
		if r.Weights != nil && r.Weights[first+i] == 0 {
			dst[i] = 0
		}
		at += r.Stride
	}
}
