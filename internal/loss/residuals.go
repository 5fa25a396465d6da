// Package loss is the multi-class logistic loss: residuals, the choice of
// class pairs, Newton steps, and the logarithm that they need, computed with the
// same bits on every CPU.
package loss

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
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

// NewSample is room for so many rows of r, which Take copies. A sample has no
// Own and no Labels.
func (r *Residuals) NewSample(rows int) *Residuals {
	floats := rows * r.Stride
	if r.Weights != nil {
		floats += rows
	}
	memory := mem.New(4 * floats)
	s := &Residuals{Data: mem.View[float32](memory)[:rows*r.Stride], Stride: r.Stride, Classes: r.Classes, memory: memory}
	if r.Weights != nil {
		s.Weights = mem.View[float32](memory)[rows*r.Stride:]
	}
	return s
}

// Take makes the sample that of the given rows of o, as many as it has room
// for or fewer.
func (r *Residuals) Take(o *Residuals, rows []uint32, team *par.Team) {
	team.Do(kernel.Blocks(len(rows)), func(_, b int) {
		first, end := kernel.Block(b, len(rows))
		for i := first; i < end; i++ {
			copy(r.Row(i), o.Row(int(rows[i])))
			if o.Weights != nil {
				r.Weights[i] = o.Weights[rows[i]]
			}
		}
	})
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

// Influence is 1 − p_y of row i; 0 if its weight is zero.
func (r *Residuals) Influence(i int) float32 {
	if r.Weights != nil && r.Weights[i] == 0 {
		return 0
	}
	return -r.Data[i*r.Stride+int(r.Labels[i])]
}
