package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/category"
)

// trial is a trained scenario, the subject of the checks.
type trial struct {
	*scenario
	x           aoso.Features // the training rows
	trainSet    *aoso.Dataset
	validSet    *aoso.Dataset
	result      *aoso.Result
	model       *aoso.Model
	fingerprint string
	codes       []int           // the model's class index of each training row
	progress    []aoso.Progress // evaluated iterations
	raw         []float64       // raw scores of the training rows
	folder      string          // for temporary files
	trainings   int             // number of trainings, including those of checks
	trees       int             // number of trees that they grew
}

// newTrial trains a scenario. An error is a fault, because scenarios are valid.
func newTrial(c *scenario, folder string) (*trial, error) {
	t := &trial{scenario: c, x: c.train.columns(), folder: folder}
	var err error
	if t.trainSet, t.validSet, err = c.sets(t.x, nil); err != nil {
		return nil, err
	}
	each := func(now aoso.Progress) { t.progress = append(t.progress, now) }
	if t.result, err = t.run(t.trainSet, t.validSet, c.params, each); err != nil {
		return nil, err
	}
	t.model = t.result.Model
	t.fingerprint = t.model.Fingerprint()
	if p := t.model.Params(); p.Leaf == "sparse" {
		t.params.LeafClasses = p.LeafClasses // the default depends on the trees, which checks change
	}
	if t.raw, err = t.model.PredictRaw(t.x); err != nil {
		return nil, err
	}
	classes := t.model.Classes()
	for _, y := range c.train.y {
		t.codes = append(t.codes, slices.Index(classes, c.train.naming.label(y)))
	}
	return t, nil
}

// rated reports whether the model has a categorical feature of this many categories
// that training sees other numbers for it than prediction.
func (t *trial) rated() bool {
	codes := category.MostCodes
	if t.data.MaxBin > 0 {
		codes = min(codes, t.data.MaxBin)
	}
	for _, j := range t.data.Categorical {
		if len(t.model.Categories(j)) > codes {
			return true
		}
	}
	return false
}

// free releases the memory of the datasets.
func (t *trial) free() {
	t.trainSet.Close()
	if t.validSet != nil {
		t.validSet.Close()
	}
}

// run trains with the options of the scenario and counts the training.
func (t *trial) run(train, valid *aoso.Dataset, p aoso.Params, each func(aoso.Progress)) (*aoso.Result, error) {
	r, err := run(train, valid, p, t.every, t.limit, each)
	if err == nil {
		t.count(r)
	}
	return r, err
}

func (t *trial) count(r *aoso.Result) {
	t.trainings++
	t.trees += r.Model.Trees()
}

// same trains again and checks that the model is the same. change may set
// parameters that must not affect the model.
func (t *trial) same(how string, train, valid *aoso.Dataset, change func(*aoso.Params)) error {
	p := t.params
	if change != nil {
		change(&p)
	}
	r, err := t.run(train, valid, p, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", how, err)
	}
	return t.sameResult(how, r)
}

func (t *trial) sameResult(how string, r *aoso.Result) error {
	if got := r.Model.Fingerprint(); got != t.fingerprint {
		return fmt.Errorf("%s: fingerprint %s, want %s; %d trees, want %d", how, got, t.fingerprint, r.Model.Trees(), t.model.Trees())
	}
	if r.Iterations != t.result.Iterations || !sameBits(r.TrainLoss, t.result.TrainLoss) {
		return fmt.Errorf("%s: the model is the same, but the result has %d iterations and a training loss of %g, want %d and %g",
			how, r.Iterations, r.TrainLoss, t.result.Iterations, t.result.TrainLoss)
	}
	return nil
}

// loss returns the mean log loss of the training rows, weighted, at these raw
// scores.
func (t *trial) loss(raw []float64) float64 {
	sum := 0.0
	classes := len(raw) / t.train.rows()
	for i, y := range t.codes {
		w := 1.0
		if t.train.weights != nil {
			w = t.train.weights[i]
		}
		if w > 0 {
			sum += w * negLogSoftmax(raw[i*classes:][:classes], y)
		}
	}
	return sum / t.weight()
}

// weight returns the sum of the weights of the training rows.
func (t *trial) weight() float64 {
	if t.train.weights == nil {
		return float64(t.train.rows())
	}
	sum := 0.0
	for _, w := range t.train.weights {
		sum += w
	}
	return sum
}

// negLogSoftmax returns −log p_y. It is precise for p_y near 1 too.
func negLogSoftmax(scores []float64, y int) float64 {
	top := slices.Max(scores)
	others := 0.0
	for k, f := range scores {
		if k != y {
			others += math.Exp(f - top)
		}
	}
	if scores[y] == top {
		return math.Log1p(others)
	}
	return top - scores[y] + math.Log(others+math.Exp(scores[y]-top))
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// differ returns an error that names the first element in which two slices
// differ, or nil if all bits are equal.
func differ(how string, got, want []float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%s: %d elements, want %d", how, len(got), len(want))
	}
	for i := range got {
		if !sameBits(got[i], want[i]) {
			return fmt.Errorf("%s: element %d is %g, want %g", how, i, got[i], want[i])
		}
	}
	return nil
}

// near reports whether two numbers differ by at most the given share of the
// larger, or by at most 1e-9·scale.
func near(a, b, share, scale float64) bool {
	return a == b || math.Abs(a-b) <= max(share*max(math.Abs(a), math.Abs(b)), 1e-9*scale)
}

func argmax(v []float64) int {
	best := 0
	for k := range v {
		if v[k] > v[best] {
			best = k
		}
	}
	return best
}
