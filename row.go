package aoso

import (
	"fmt"

	"github.com/libaoso/aoso/internal/predict"
	"github.com/libaoso/aoso/kernel"
)

// RowPredictor predicts rows one by one. Its methods allocate no memory, take
// no lock and start no goroutine; what they return is, bit for bit, what the
// model's methods return. No two goroutines may use a RowPredictor at once, but
// each can have its own: after the first one of a model they cost little.
type RowPredictor struct {
	kernels       *kernel.Funcs
	row           *predict.Row
	softmax       kernel.SoftmaxJob
	model         *Model
	columns       []float64 // of the row, if the model encodes categories
	trees         int
	asked, walked int // trees, in all calls of Class
}

// RowPredictor prepares for predicting row by row. There is nothing for
// o.Threads to say.
func (m *Model) RowPredictor(options ...PredictOptions) (*RowPredictor, error) {
	o := last(options)
	k, trees, err := m.resolve(o)
	if err != nil {
		return nil, err
	}
	softmax := kernel.SoftmaxJob{Classes: len(m.content.Classes), Temperature: m.content.Temperature}
	return &RowPredictor{kernels: k, row: m.predictor.Row(k, trees), softmax: softmax, model: m, columns: make([]float64, m.content.Encoder.Columns(0)), trees: trees}, nil
}

// Raw writes the raw scores F of a row, by class. NaN is missing. A category is
// its position in [Model.Categories], which [Model.FindCategory] returns.
func (p *RowPredictor) Raw(row, scores []float64) error {
	if err := p.load(row); err != nil {
		return err
	}
	if err := checkLength("scores", len(scores), p.softmax.Classes, "classes"); err != nil {
		return err
	}
	copy(scores, p.row.Scores())
	return nil
}

// Proba writes the class probabilities of a row, as [Model.PredictProba] does.
func (p *RowPredictor) Proba(row, proba []float64) error {
	if err := p.load(row); err != nil {
		return err
	}
	if err := checkLength("proba", len(proba), p.softmax.Classes, "classes"); err != nil {
		return err
	}
	copy(proba, p.row.Scores())
	p.softmax.Scores = proba
	p.kernels.Softmax(&p.softmax)
	return nil
}

// RawOf writes the raw scores of some classes only, in the order in which they
// are given.
func (p *RowPredictor) RawOf(row []float64, classes []int, scores []float64) error {
	if err := p.load(row); err != nil {
		return err
	}
	if err := checkLength("scores", len(scores), len(classes), "classes asked for"); err != nil {
		return err
	}
	for _, k := range classes {
		if uint(k) >= uint(p.softmax.Classes) {
			return badArgument("classes", k, "0 to %d, the classes of the model", p.softmax.Classes-1)
		}
	}
	p.row.ScoresOf(classes, scores)
	return nil
}

// Class returns the number of the most likely class of a row, the lowest where
// some tie. It stops at the tree from which on no score can catch up any more.
func (p *RowPredictor) Class(row []float64) (int, error) {
	if err := p.load(row); err != nil {
		return 0, err
	}
	class, trees := p.row.Class()
	p.asked += p.trees
	p.walked += trees
	return class, nil
}

// walkedShare returns the share of the trees that the calls of Class have needed so far.
func (p *RowPredictor) walkedShare() float64 {
	if p.asked == 0 {
		return 0
	}
	return float64(p.walked) / float64(p.asked)
}

func (p *RowPredictor) load(row []float64) error {
	if err := checkLength("row", len(row), len(p.model.content.Features), "features"); err != nil {
		return err
	}
	if e := p.model.content.Encoder; e != nil {
		e.EncodeRow(row, p.columns)
		row = p.columns
	}
	p.row.Load(row)
	return nil
}

func checkLength(argument string, n, want int, of string) error {
	if n == want {
		return nil
	}
	return badArgument(argument, fmt.Sprintf("%d long", n), "%d, the %s", want, of)
}
