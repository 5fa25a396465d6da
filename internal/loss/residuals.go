// Package loss is the multi-class logistic loss: residuals, the choice of class
// pairs and leaf values. Its results have the same bits on every CPU.
package loss

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/par"
)

// Residuals are the residuals of rows in one of two forms: [Dense], of all classes, or those of
// package odds, of the likely classes of each row.
type Residuals struct {
	*Rows
	Form
}

// Form is how residuals are stored.
type Form interface {
	// Width returns how many numbers a row has, or about as many: a measure of the work with it.
	Width() int
	// MaxWidth returns the largest possible Width. Unlike Width, it is the same on all machines.
	MaxWidth() int
	// Bytes returns the memory of the values.
	Bytes() int
	// Free releases the memory; the residuals must not be used afterwards.
	Free()

	// Influence returns 1 − p_y of row i, or 0 if its weight is zero. Of a soft label, it is at least 1 − q_y.
	Influence(i int) float32
	// Influences is Influence for many rows from row first on, of which none has a weight.
	// It writes the bits of the numbers and returns their sum in units.
	Influences(bits []uint32, first int) (sum int64)
	// Bound returns Σ (1 − p_y) over all rows, without weights, and the greatest 1 − p_y.
	Bound() (sum float64, most float32)
	// BoundsLoss reports whether that sum, times LeastOwn, is a lower bound of the log loss without weights.
	BoundsLoss() bool
	// LogLoss returns Σ −w·log(p_y) over all rows of a group, where w is the weight of the row;
	// of a soft label, −Σ w·q_k·log(p_k). Smoothing does not matter here.
	// If byClass is not nil, it receives the sums over the rows of each class; only Dense has
	// them. scores are raw scores, rows × Classes, nil if they are not kept. If the loss is
	// greater than most, the result may be any number greater than most.
	LogLoss(scores, byClass []float64, most float64, team *par.Team, group *collective.Group) float64
	// HasClipped reports whether p_y of some row has been clipped to kernel.OwnFloor. Only the
	// raw scores know the true p_y of such a row. most is the greatest 1 − p_y.
	HasClipped(most float32) bool

	// Copy copies the residuals of o, which has the same form, rows and classes.
	Copy(o *Residuals)
	// NewSample returns residuals with space for up to rows rows, which CopyRows fills. They
	// have no p_y and no labels.
	NewSample(rows int) *Residuals
	// CopyRows fills a sample with the given rows of o, from whose NewSample it comes.
	CopyRows(o *Residuals, rows []uint32, team *par.Team)
}

// Rows are the labels and weights of rows, and the units of sums over them.
type Rows struct {
	Labels  []int32   // class of each row, less than Classes
	Weights []float32 // weight of each row; nil if all are 1
	Classes int
	Stride  int // lanes of a row of all classes
	Units

	soft      *soft   // nil: labels are hard
	all       int     // rows of the training set
	maxWeight float32 // of all rows
}

// NewRows returns rows at raw scores of zero, where all classes are equally likely.
func NewRows(labels []int32, weights []float32, classes, stride int) *Rows {
	r := &Rows{Stride: stride, Classes: classes, Labels: labels, Weights: weights, all: len(labels), maxWeight: 1}
	if len(weights) > 0 {
		r.maxWeight = slices.Max(weights)
	}
	r.SetUnits(r.mostAtStart())
	return r
}

// mostAtStart returns 1 − p_y of rows at raw scores of zero.
func (r *Rows) mostAtStart() float32 { return float32(float64(r.Classes-1) / float64(r.Classes)) }

// Sample returns rows like r, of other numbers: without labels.
func (r *Rows) Sample(weights []float32) *Rows {
	s := *r
	s.Labels, s.Weights = nil, weights
	return &s
}

// Share makes the rows those of a training on several machines.
func (r *Rows) Share(group *collective.Group) {
	if group == nil {
		return
	}
	rows, most := []int64{int64(r.all)}, []int64{int64(math.Float32bits(r.maxWeight)), 0}
	if r.soft != nil {
		most[1] = int64(math.Float32bits(r.soft.most))
	}
	group.SumMax(rows, most)
	r.all, r.maxWeight = int(rows[0]), math.Float32frombits(uint32(most[0]))
	if r.soft != nil {
		r.soft.most = math.Float32frombits(uint32(most[1]))
	}
	r.SetUnits(r.mostAtStart())
}

// SetUnits chooses the units of sums for residuals of which the greatest 1 − p_y is most.
func (r *Rows) SetUnits(most float32) {
	if r.soft != nil {
		most = max(most, r.soft.most)
	}
	r.Units = newUnits(most, r.maxWeight, r.all)
}

// Weight returns the weight of row i.
func (r *Rows) Weight(i int) float64 {
	if r.Weights == nil {
		return 1
	}
	return float64(r.Weights[i])
}

// SumWeights returns the sum of the weights of the given rows, in units of Units.Weights.
func (r *Rows) SumWeights(rows []uint32) (sum int64) {
	if r.Weights == nil {
		return Count(1, r.Units.Weights) * int64(len(rows))
	}
	for _, row := range rows {
		sum += Count(float64(r.Weights[row]), r.Units.Weights)
	}
	return sum
}
