package aoso

import (
	"iter"
	"slices"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
)

// PredictOptions say how to predict. The zero value is the default.
type PredictOptions struct {
	Trees   int // use the first so many trees; 0: all
	Threads int // 0: all cores that the process may use
}

// predictRows is the number of rows that are read and predicted at once.
const predictRows = 256

func (o *PredictOptions) resolve(m *Model) (trees int, team *par.Team, err error) {
	if o.Trees < 0 || o.Trees > m.Trees() {
		return 0, nil, badArgument("trees", o.Trees, "0 to %d, the trees of the model", m.Trees())
	}
	if o.Threads < 0 {
		return 0, nil, badArgument("threads", o.Threads, "at least 0")
	}
	trees = o.Trees
	if trees == 0 {
		trees = m.Trees()
	}
	return trees, par.NewTeam(o.Threads), nil
}

// forRows calls f with every row of x, in blocks by several workers.
func forRows(x Features, team *par.Team, f func(i int, row []float64)) {
	rows, cols := x.Rows(), x.Cols()
	if rows == 0 {
		return
	}
	team.Do((rows+predictRows-1)/predictRows, func(_, b int) {
		first, last := b*predictRows, min((b+1)*predictRows, rows)
		column := make([]float64, last-first)
		block := make([]float64, (last-first)*cols)
		for j := range cols {
			x.Column(j, first, column)
			for i, v := range column {
				block[i*cols+j] = v
			}
		}
		for i := first; i < last; i++ {
			f(i, block[(i-first)*cols:][:cols])
		}
	})
}

// PredictRaw returns the raw scores F of the rows of x, rows × classes.
func (m *Model) PredictRaw(x Features, o PredictOptions) ([]float64, error) {
	trees, team, err := o.resolve(m)
	if err == nil {
		err = m.checkFeatures(x)
	}
	if err != nil {
		return nil, err
	}
	classes := len(m.classes)
	scores := make([]float64, x.Rows()*classes)
	defer team.Close()
	forRows(x, team, func(i int, row []float64) {
		f := scores[i*classes:][:classes]
		for t := range trees {
			m.forest.AddLeaf(t, m.forest.Leaf(t, row), f)
		}
	})
	return scores, nil
}

// PredictProba returns the class probabilities of the rows of x, rows ×
// classes: the softmax of the raw scores, divided by the temperature if the
// model has one.
func (m *Model) PredictProba(x Features, o PredictOptions) ([]float64, error) {
	p, err := m.PredictRaw(x, o)
	m.tempered(p)
	classes := len(m.classes)
	for i := 0; i < len(p); i += classes {
		loss.Softmax(p[i:i+classes], p[i:i+classes])
	}
	return p, err
}

// Predict returns the number of the likeliest class of each row of x, the
// lowest where some tie. [Model.Classes] has their labels.
func (m *Model) Predict(x Features, o PredictOptions) ([]int, error) {
	scores, err := m.PredictRaw(x, o)
	if err != nil {
		return nil, err
	}
	return argmaxRows(scores, len(m.classes)), nil
}

func argmaxRows(scores []float64, classes int) []int {
	best := make([]int, len(scores)/classes)
	for i := range best {
		best[i] = argmax(scores[i*classes:][:classes])
	}
	return best
}

// PredictLeaf returns the leaf that each row of x reaches in each tree, rows
// × trees, leaves counted within their tree from left to right.
func (m *Model) PredictLeaf(x Features, o PredictOptions) ([]int32, error) {
	trees, team, err := o.resolve(m)
	if err == nil {
		err = m.checkFeatures(x)
	}
	if err != nil {
		return nil, err
	}
	leaves := make([]int32, x.Rows()*trees)
	defer team.Close()
	forRows(x, team, func(i int, row []float64) {
		for t := range trees {
			leaves[i*trees+t] = int32(m.forest.Leaf(t, row))
		}
	})
	return leaves, nil
}

// Staged yields the number of trees and the raw scores, rows × classes, after
// every so many iterations of boosting and at the end. The scores are good
// until the next step.
func (m *Model) Staged(x Features, every int, o PredictOptions) (iter.Seq2[int, []float64], error) {
	trees, _, err := o.resolve(m)
	if err == nil {
		err = m.checkFeatures(x)
	}
	if err == nil && every < 1 {
		err = badArgument("every", every, "at least 1")
	}
	if err != nil {
		return nil, err
	}
	classes, step := len(m.classes), min(every, trees/m.perRound+1)*m.perRound
	return func(yield func(int, []float64) bool) {
		scores := make([]float64, x.Rows()*classes)
		team := par.NewTeam(o.Threads)
		defer team.Close()
		for first := 0; first < trees; first += step {
			last := min(first+step, trees)
			forRows(x, team, func(i int, row []float64) {
				for t := first; t < last; t++ {
					m.forest.AddLeaf(t, m.forest.Leaf(t, row), scores[i*classes:][:classes])
				}
			})
			if !yield(last, scores) {
				return
			}
		}
	}, nil
}

// Evaluate compares the model's predictions for x with labels; weights may be
// nil. Labels that the model does not know count as errors.
func (m *Model) Evaluate(x Features, labels Labels, weights []float64, o PredictOptions) (*Evaluation, error) {
	scores, err := m.PredictRaw(x, o)
	if err != nil {
		return nil, err
	}
	d, err := m.labelled(x, labels, weights)
	if err != nil {
		return nil, err
	}
	return m.evaluate(scores, d), nil
}

// labelled is labels and weights of rows to evaluate the model on.
func (m *Model) labelled(x Features, labels Labels, weights []float64) (d *Dataset, err error) {
	if len(labels) != x.Rows() {
		return nil, badArgument("labels", len(labels), "%d, one for each row", x.Rows())
	}
	d = &Dataset{classes: m.classes}
	d.labels, d.unknown = codesOf(labels, m.classes)
	d.weights, err = checkWeights(weights, x.Rows())
	return d, err
}

// evaluate compares raw scores, rows × classes, with labels.
func (m *Model) evaluate(scores []float64, d *Dataset) *Evaluation {
	e := evaluate(scores, d)
	if m.temperature != 0 {
		e.LogLoss = evaluate(m.tempered(slices.Clone(scores)), d).LogLoss
	}
	return e
}
