package aoso

import (
	"cmp"
	"iter"

	"github.com/libaoso/aoso/internal/predict"
	"github.com/libaoso/aoso/internal/settings"
	"github.com/libaoso/aoso/kernel"
)

// PredictOptions say how to predict. The zero value is the default.
type PredictOptions struct {
	Trees   int    // use only the first trees; 0: all
	NThread int    // 0: all cores that the process may use
	Level   string // instruction-set level of the kernels, one of [Levels]; "": AOSO_LEVEL, or the fastest
}

// last returns the last of the options given to a function; without any, the default.
func last[T any](options []T) (o T) {
	if len(options) > 0 {
		o = options[len(options)-1]
	}
	return o
}

// resolve checks the options and finds the kernels and the number of trees.
func (m *Model) resolve(o PredictOptions) (k *kernel.Funcs, trees int, err error) {
	if o.Trees < 0 || o.Trees > m.Trees() {
		return nil, 0, badArgument("trees", o.Trees, "0 to %d, the trees of the model", m.Trees())
	}
	if err := public(settings.CheckThreads(o.NThread)); err != nil {
		return nil, 0, err
	}
	k, err = kernels(o.Level)
	return k, cmp.Or(o.Trees, m.Trees()), err
}

// job checks what is to be predicted and how.
func (m *Model) job(x Features, o PredictOptions) (*predict.Job, error) {
	k, trees, err := m.resolve(o)
	if err != nil {
		return nil, err
	}
	columns, err := m.columns(x)
	if err != nil {
		return nil, err
	}
	return &predict.Job{Features: columns, Trees: trees, Kernels: k, Threads: o.NThread}, nil
}

// PredictRaw returns the raw scores F of the rows of x, rows × classes.
func (m *Model) PredictRaw(x Features, options ...PredictOptions) ([]float64, error) {
	o := last(options)
	return m.predict(nil, x, o, m.raw)
}

// PredictRawTo is [Model.PredictRaw] into memory of the caller's.
func (m *Model) PredictRawTo(scores []float64, x Features, options ...PredictOptions) error {
	o := last(options)
	_, err := m.predict(notNil(scores), x, o, m.raw)
	return err
}

// PredictProba returns the class probabilities of the rows of x, rows ×
// classes: the softmax of the raw scores, divided by the temperature if the
// model has one.
func (m *Model) PredictProba(x Features, options ...PredictOptions) ([]float64, error) {
	o := last(options)
	return m.predict(nil, x, o, m.proba)
}

// PredictProbaTo is [Model.PredictProba] into memory of the caller's.
func (m *Model) PredictProbaTo(proba []float64, x Features, options ...PredictOptions) error {
	o := last(options)
	_, err := m.predict(notNil(proba), x, o, m.proba)
	return err
}

func notNil(scores []float64) []float64 {
	if scores == nil {
		return []float64{}
	}
	return scores
}

// RawToProba replaces raw scores, rows × classes, by the probabilities that
// [Model.PredictProba] returns for the same rows.
func (m *Model) RawToProba(raw []float64) error {
	k, err := kernels("")
	if err == nil {
		err = m.checkRaw(raw)
	}
	if err == nil {
		m.softmax(k, raw)
	}
	return err
}

// softmax replaces raw scores by probabilities.
func (m *Model) softmax(k *kernel.Funcs, scores []float64) {
	k.Softmax(&kernel.SoftmaxJob{Scores: scores, Classes: len(m.content.Classes), Temperature: m.content.Temperature})
}

// Predict returns the number of the most likely class of each row of x, the
// lowest where some tie. [Model.Classes] has their labels.
func (m *Model) Predict(x Features, options ...PredictOptions) ([]int, error) {
	o := last(options)
	j, err := m.job(x, o)
	if err != nil {
		return nil, err
	}
	best := make([]int, x.Rows())
	m.predictor.Classes(j, best)
	return best, nil
}

// PredictTop returns the numbers of the top most likely classes of each row of x, the
// most likely first, and their probabilities, both rows × top. Of classes that tie, the
// lower comes first. With sparse leaves and start=zero it takes time by the classes
// that a row's leaves move, not by all classes; probabilities can then differ from those
// of [Model.PredictProba] by rounding.
func (m *Model) PredictTop(x Features, top int, options ...PredictOptions) (classes []int, proba []float64, err error) {
	o := last(options)
	if top < 1 || top > len(m.content.Classes) {
		return nil, nil, badArgument("top", top, "1 to %d, the classes of the model", len(m.content.Classes))
	}
	j, err := m.job(x, o)
	if err != nil {
		return nil, nil, err
	}
	classes, proba = make([]int, x.Rows()*top), make([]float64, x.Rows()*top)
	m.predictor.Top(j, top, m.content.Temperature, func(row int, best []predict.Scored) {
		for i, s := range best {
			classes[row*top+i], proba[row*top+i] = s.Class, s.Proba
		}
	})
	return classes, proba, nil
}

func (m *Model) raw(j *predict.Job, scores []float64) {
	m.predictor.Scores(j, scores, func(int, []float64) {})
}

func (m *Model) proba(j *predict.Job, proba []float64) {
	m.predictor.Proba(j, m.content.Temperature, proba)
}

// predict returns rows × classes numbers that write writes to the memory given; nil: to
// new memory.
func (m *Model) predict(scores []float64, x Features, o PredictOptions, write func(j *predict.Job, to []float64)) ([]float64, error) {
	j, err := m.job(x, o)
	if err != nil {
		return nil, err
	}
	due := x.Rows() * len(m.content.Classes)
	if scores == nil {
		scores = make([]float64, due)
	}
	if err := checkLength("the result", len(scores), due, "rows × classes"); err != nil {
		return nil, err
	}
	write(j, scores)
	return scores, nil
}

// PredictLeaf returns the leaf that each row of x reaches in each tree, rows
// × trees, leaves counted within their tree from left to right.
func (m *Model) PredictLeaf(x Features, options ...PredictOptions) ([]int32, error) {
	o := last(options)
	j, err := m.job(x, o)
	if err != nil {
		return nil, err
	}
	return m.predictor.Leaves(j), nil
}

// Staged yields the number of trees and the raw scores, rows × classes, each
// time after this number of iterations of boosting, and at the end. The scores are good
// until the next step.
func (m *Model) Staged(x Features, every int, options ...PredictOptions) (iter.Seq2[int, []float64], error) {
	o := last(options)
	j, err := m.job(x, o)
	if err == nil && every < 1 {
		err = badArgument("every", every, "at least 1")
	}
	if err != nil {
		return nil, err
	}
	return m.predictor.Staged(j, min(every, j.Trees/m.content.TreesPerIteration+1)*m.content.TreesPerIteration), nil
}
