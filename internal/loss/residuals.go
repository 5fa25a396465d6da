// Package loss is the multi-class logistic loss: residuals, the choice of class
// pairs and leaf values. Its results have the same bits on every CPU.
package loss

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/exact"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Residuals is the matrix R of package kernel, with the labels and weights of
// its rows.
type Residuals struct {
	Data    []float32 // rows × Stride
	Own     []float32 // p_y of each row; a small p_y cannot be recovered from Data
	Stride  int
	Classes int
	Labels  []int32   // class of each row, less than Classes
	Weights []float32 // weight of each row; nil if all are 1
	Units             // of sums over the rows
	memory  *mem.Block

	entries *entries // in place of Data and Own, in the form for many classes; else nil
	taken   []uint32 // of a sample in that form: which rows it has

	rows      int     // of the training set
	maxWeight float32 // of all rows
}

// Stride returns the length of a row of residuals: at least classes, and 8 or a
// multiple of 16, so that a row consists of whole vectors. If impossible is
// true, the row has space for one more class, which no row belongs to.
func Stride(classes int, impossible bool) int {
	if impossible {
		classes++
	}
	if classes <= 8 {
		return 8
	}
	return (classes + 15) / 16 * 16
}

// NewResiduals returns the residuals of raw scores of zero, where all classes
// are equally likely.
func NewResiduals(labels []int32, weights []float32, classes, stride int) *Residuals {
	memory := mem.New(4 * len(labels) * (stride + 1))
	floats := mem.View[float32](memory)
	end := len(labels) * stride
	r := &Residuals{
		Data: floats[:end:end], Own: floats[end:], Stride: stride, Classes: classes, Labels: labels, Weights: weights,
		memory: memory, rows: len(labels), maxWeight: 1,
	}
	if len(weights) > 0 {
		r.maxWeight = slices.Max(weights)
	}
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
	r.SetUnits(-q)
	return r
}

// Share makes the rows those of a training on several machines.
func (r *Residuals) Share(group *collective.Group) {
	if group == nil {
		return
	}
	rows, weight := []int64{int64(r.rows)}, []int64{int64(math.Float32bits(r.maxWeight))}
	group.SumMax(rows, weight)
	r.rows, r.maxWeight = int(rows[0]), math.Float32frombits(uint32(weight[0]))
	q := float64(r.Classes-1) / float64(r.Classes)
	r.SetUnits(float32(q))
}

// SetUnits chooses the units of sums for residuals of which the greatest 1 − p_y
// is most.
func (r *Residuals) SetUnits(most float32) { r.Units = newUnits(most, r.maxWeight, r.rows) }

// Free releases the memory of r, which must not be used afterwards.
func (r *Residuals) Free() {
	r.Data = nil
	if r.entries != nil && r.Labels != nil { // a sample owns none
		r.entries.free()
	}
	r.memory.Free()
}

var negativeZero = float32(math.Copysign(0, -1))

// SetScores sets the residuals of the rows first to end-1 from raw scores.
// scores holds those of these rows, rows × Classes. The results are the sum of 1 − p_y
// over the rows that were set, and the greatest of them. SetScores uses job.Scores
// as scratch space.
func (r *Residuals) SetScores(scores []float64, first, end int, f *kernel.Funcs, job *kernel.SoftmaxJob) (sum float64, most float32) {
	p := append(job.Scores[:0], scores[:(end-first)*r.Classes]...)
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
		sum += others
		most = max(most, float32(others))
	}
	return sum, most
}

// Copy copies the residuals of o, which has the same rows and classes.
func (r *Residuals) Copy(o *Residuals) {
	if o.entries != nil {
		r.entries.free()
		r.entries, r.Units = o.entries.copy(), o.Units
		return
	}
	for i := range r.Labels {
		copy(r.Row(i)[:r.Classes], o.Row(i))
	}
	copy(r.Own, o.Own)
	r.Units = o.Units
}

// NewSample returns residuals with space for up to rows rows of r. CopyRows fills
// them. A sample has no Own and no Labels.
func (r *Residuals) NewSample(rows int) *Residuals {
	floats := rows * r.Stride
	if r.Sparse() {
		floats = 0
	}
	data := floats
	if r.Weights != nil {
		floats += rows
	}
	memory := mem.New(4 * floats)
	s := &Residuals{
		Data: mem.View[float32](memory)[:data], Stride: r.Stride, Classes: r.Classes,
		memory: memory, entries: r.entries, rows: r.rows, maxWeight: r.maxWeight,
	}
	if r.Weights != nil {
		s.Weights = mem.View[float32](memory)[data:]
	}
	return s
}

// CopyRows fills r with the given rows of o. r must come from o.NewSample with at
// least len(rows) rows.
func (r *Residuals) CopyRows(o *Residuals, rows []uint32, team *par.Team) {
	r.Units = o.Units
	if r.Sparse() {
		r.taken = rows
	}
	team.Do(kernel.Blocks(len(rows)), func(_, b int) {
		first, end := kernel.Block(b, len(rows))
		for i := first; i < end; i++ {
			if !r.Sparse() {
				copy(r.Row(i), o.Row(int(rows[i])))
			}
			if o.Weights != nil {
				r.Weights[i] = o.Weights[rows[i]]
			}
		}
	})
}

// Bound returns Σ (1 − p_y) over all rows, a lower bound of the log loss without
// weights, and the greatest 1 − p_y.
func (r *Residuals) Bound() (sum float64, most float32) {
	if r.Sparse() {
		for i := range r.entries.rows {
			q := r.entries.rows[i].other
			sum += q
			most = max(most, float32(q))
		}
		return sum, most
	}
	for i, y := range r.Labels {
		q := -r.Row(i)[y]
		sum += float64(q)
		most = max(most, q)
	}
	return sum, most
}

// HasClipped reports whether p_y of some row has been clipped to kernel.OwnFloor. Only
// the raw scores know the true p_y of such a row.
func (r *Residuals) HasClipped() bool { return !r.Sparse() && slices.Contains(r.Own, kernel.OwnFloor) }

// Row returns the residuals of row i.
func (r *Residuals) Row(i int) []float32 { return r.Data[i*r.Stride:][:r.Stride] }

// SumWeights returns the sum of the weights of the given rows, in units of
// Units.Weights.
func (r *Residuals) SumWeights(rows []uint32) (sum int64) {
	if r.Weights == nil {
		return Count(1, r.Units.Weights) * int64(len(rows))
	}
	for _, row := range rows {
		sum += Count(float64(r.Weights[row]), r.Units.Weights)
	}
	return sum
}

// Weight returns the weight of row i.
func (r *Residuals) Weight(i int) float64 {
	if r.Weights == nil {
		return 1
	}
	return float64(r.Weights[i])
}

// reliable is the smallest p_y in Own that cannot come from a row that was
// clipped to kernel.OwnFloor: residuals are recomputed from the scores before p_y
// can grow from OwnFloor to e⁻²³.
const reliable = 0x1p-33

// LogLoss returns Σ −w·log(p_y) over all rows of a group, where w is the weight of the row.
// If byClass is not nil, it receives the sums over the rows of each class. scores
// are raw scores, rows × Classes; they are needed for the rows whose p_y in Own
// is or may have been clipped. If scores is nil, such rows count with the p_y in
// Own.
func (r *Residuals) LogLoss(scores, byClass []float64, group *collective.Group) float64 {
	sum, sums := exact.Sum{}, make([]exact.Sum, len(byClass))
	for i, y := range r.Labels {
		var l float64
		if r.Sparse() {
			l = negLogOwn(r.entries.rows[i].other, r.entries.rows[i].p())
		} else if p := r.Own[i]; p < reliable && scores != nil {
			l = NegLogSoftmax(scores[i*r.Classes:][:r.Classes], int(y))
		} else {
			l = negLogOwn(-float64(r.Data[i*r.Stride+int(y)]), float64(p))
		}
		l *= r.Weight(i)
		sum.Add(l)
		if byClass != nil {
			sums[y].Add(l)
		}
	}
	all := []*exact.Sum{&sum}
	for k := range sums {
		all = append(all, &sums[k])
	}
	group.Add(all...)
	for k := range byClass {
		byClass[k] = sums[k].Float64()
	}
	return sum.Float64()
}

// Influence returns 1 − p_y of row i, or 0 if its weight is zero.
func (r *Residuals) Influence(i int) float32 {
	if r.Weights != nil && r.Weights[i] == 0 {
		return 0
	}
	if r.Sparse() {
		return float32(r.entries.rows[i].other)
	}
	return -r.Data[i*r.Stride+int(r.Labels[i])]
}

// Influences is Influence for many rows from row first on, of which none has a weight.
// It writes the bits of the numbers and returns their sum in units.
func (r *Residuals) Influences(bits []uint32, first int) (sum int64) {
	shift := kernel.Shift(r.Units.Sums)
	labels, data := r.Labels[first:][:len(bits)], r.Data[first*r.Stride:]
	for i, y := range labels {
		influence := -data[i*r.Stride+int(y)]
		bits[i] = math.Float32bits(influence)
		sum += kernel.Units(float64(influence)+shift, shift)
	}
	return sum
}
