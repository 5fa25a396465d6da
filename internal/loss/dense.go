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

// Dense is the residuals of all classes: the matrix R of package kernel.
type Dense struct {
	*Rows
	Data   []float32 // rows × Stride
	Own    []float32 // p_y of each row; a small p_y cannot be recovered from Data
	from   []uint32  // of a sample: the rows that it has; nil: all
	memory *mem.Block
}

// NewDense returns the residuals of raw scores of zero, where all classes are equally likely.
func NewDense(labels []int32, weights []float32, classes, stride int) *Residuals {
	memory := mem.New(4 * len(labels) * (stride + 1))
	floats := mem.View[float32](memory)
	end := len(labels) * stride
	d := &Dense{Rows: NewRows(labels, weights, classes, stride), Data: floats[:end:end], Own: floats[end:], memory: memory}
	p, q := float32(1/float64(classes)), -d.mostAtStart()
	for i, y := range labels {
		row := d.Row(i)
		for k := range classes {
			row[k] = p
		}
		row[y] = q + NegativeZero
		d.Own[i] = p
	}
	return &Residuals{d.Rows, d}
}

// NegativeZero is added to −(1 − p_y), so that it has a sign even if it is zero.
var NegativeZero = float32(math.Copysign(0, -1))

// SetScores sets the residuals of the rows first to end-1 from raw scores.
// scores holds those of these rows, rows × Classes. The results are the sum of 1 − p_y
// over the rows that were set, and the greatest of them. SetScores uses job.Scores
// as scratch space.
func (d *Dense) SetScores(scores []float64, first, end int, f *kernel.Funcs, job *kernel.SoftmaxJob) (sum float64, most float32) {
	p := append(job.Scores[:0], scores[:(end-first)*d.Classes]...)
	job.Scores, job.Classes = p, d.Classes
	f.Softmax(job)
	for i := first; i < end; i++ {
		row, y := d.Row(i), int(d.Labels[i])
		others := 0.0
		for k, p := range p[(i-first)*d.Classes:][:d.Classes] {
			if k != y {
				others += p
			}
			row[k] = flushed(p)
		}
		d.Own[i] = max(row[y], kernel.OwnFloor)
		row[y] = float32(-others) + NegativeZero
		sum += others
		most = max(most, float32(others))
	}
	return sum, most
}

// flushed returns the residual of another class than the row's: its probability, or zero below FlushBelow.
func flushed(p float64) float32 {
	if p := float32(p); !(p < kernel.FlushBelow) {
		return p
	}
	return 0
}

// Same has what rows with the same raw scores have in common.
type Same struct {
	residuals []float32 // of the other classes
	others    []float64 // by class of the row: the sum of the other probabilities
}

// NewSame prepares rows that all have these raw scores, one for each class.
func (d *Dense) NewSame(scores []float64, f *kernel.Funcs) *Same {
	p := slices.Clone(scores)
	f.Softmax(&kernel.SoftmaxJob{Scores: p, Classes: d.Classes})
	s := &Same{make([]float32, d.Classes), make([]float64, d.Classes)}
	for k, p := range p {
		s.residuals[k] = flushed(p)
	}
	for y := range s.others {
		for k, p := range p {
			if k != y {
				s.others[y] += p
			}
		}
	}
	return s
}

// SetSame does what SetScores does, for rows with the same raw scores.
func (d *Dense) SetSame(s *Same, first, end int) (sum float64, most float32) {
	for i := first; i < end; i++ {
		row, y := d.Row(i), d.Labels[i]
		copy(row, s.residuals)
		d.Own[i] = max(row[y], kernel.OwnFloor)
		row[y] = float32(-s.others[y]) + NegativeZero
		sum += s.others[y]
		most = max(most, float32(s.others[y]))
	}
	return sum, most
}

// Row returns the residuals of row i.
func (d *Dense) Row(i int) []float32 { return d.Data[i*d.Stride:][:d.Stride] }

func (d *Dense) Width() int { return d.Stride }

func (d *Dense) MaxWidth() int { return d.Stride }

func (d *Dense) Bytes() int { return 4 * (len(d.Data) + len(d.Own)) }

func (d *Dense) Free() {
	d.Data = nil
	d.memory.Free()
}

func (d *Dense) Copy(o *Residuals) {
	of := o.Form.(*Dense)
	for i := range d.Labels {
		copy(d.Row(i)[:d.Classes], of.Row(i))
	}
	copy(d.Own, of.Own)
	d.Units = of.Units
}

func (d *Dense) NewSample(rows int) *Residuals {
	data := rows * d.Stride
	floats := data
	if d.Weights != nil {
		floats += rows
	}
	memory := mem.New(4 * floats)
	var weights []float32
	if d.Weights != nil {
		weights = mem.View[float32](memory)[data:]
	}
	s := &Dense{Rows: d.Sample(weights), Data: mem.View[float32](memory)[:data], memory: memory}
	return &Residuals{s.Rows, s}
}

func (d *Dense) CopyRows(o *Residuals, rows []uint32, team *par.Team) {
	of := o.Form.(*Dense)
	d.Units, d.from = of.Units, rows
	team.Do(kernel.Blocks(len(rows)), func(_, b int) {
		first, end := kernel.Block(b, len(rows))
		for i := first; i < end; i++ {
			copy(d.Row(i), of.Row(int(rows[i])))
			if of.Weights != nil {
				d.Weights[i] = of.Weights[rows[i]]
			}
		}
	})
}

func (d *Dense) Bound() (sum float64, most float32) {
	for i, y := range d.Labels {
		q := -d.Row(i)[y]
		sum += float64(q)
		most = max(most, q)
	}
	return sum, most
}

func (d *Dense) BoundsLoss() bool { return true }

func (d *Dense) HasClipped(most float32) bool {
	const nearOne = 1 - 0x1p-20 // 1 − kernel.OwnFloor, with rounding
	return most > nearOne && slices.Contains(d.Own, kernel.OwnFloor) || d.soft.lost(d)
}

// reliable is the smallest p_y in Own that cannot come from a row that was
// clipped to kernel.OwnFloor: residuals are recomputed from the scores before p_y
// can grow from OwnFloor to e⁻²³.
const reliable = 0x1p-33

// LogLoss needs scores for the rows whose p_y in Own is or may have been clipped. Without
// scores, such rows count with the p_y in Own.
func (d *Dense) LogLoss(scores, byClass []float64, _ float64, _ *par.Team, group *collective.Group) float64 {
	sum, sums, soft := exact.Sum{}, make([]exact.Sum, len(byClass)), d.Soft()
	for i, y := range d.Labels {
		var l float64
		p := d.Own[i]
		if scores != nil && (p < reliable || soft && d.shared(i)) {
			f := scores[i*d.Classes:][:d.Classes]
			if l = NegLogSoftmax(f, int(y)); soft {
				l += d.soft.of.Gap(i, f, int(y))
			}
		} else if l = NegLogOwn(-float64(d.Data[i*d.Stride+int(y)]), float64(p)); soft {
			l += d.Gap(i, l, func(k int32) float64 { return -Log(max(float64(d.Row(i)[k]), kernel.FlushBelow)) })
		}
		l *= d.Weight(i)
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

func (d *Dense) Influence(i int) float32 {
	if d.Weights != nil && d.Weights[i] == 0 {
		return 0
	}
	return d.AtLeast(i, -d.Data[i*d.Stride+int(d.Labels[i])])
}

func (d *Dense) Influences(bits []uint32, first int) (sum int64) {
	shift := kernel.Shift(d.Units.Sums)
	if d.soft != nil {
		for i := range bits {
			influence := d.Influence(first + i)
			bits[i] = math.Float32bits(influence)
			sum += kernel.Units(float64(influence)+shift, shift)
		}
		return sum
	}
	labels, data := d.Labels[first:][:len(bits)], d.Data[first*d.Stride:]
	for i, y := range labels {
		influence := -data[i*d.Stride+int(y)]
		bits[i] = math.Float32bits(influence)
		sum += kernel.Units(float64(influence)+shift, shift)
	}
	return sum
}
