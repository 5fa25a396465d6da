package aoso

import (
	"cmp"
	"iter"
	"slices"

	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// PredictOptions say how to predict. The zero value is the default.
type PredictOptions struct {
	Trees   int    // use the first so many trees; 0: all
	Threads int    // 0: all cores that the process may use
	Level   string // instruction-set level of the kernels, one of [Levels]; "": AOSO_LEVEL, or the fastest
}

// prediction is how rows are predicted: block after block, by several workers.
type prediction struct {
	x       Features
	trees   int
	kernels *kernel.Funcs
	threads int
	size    int // rows of a block
}

// resolve checks the options and finds the kernels and the number of trees.
func (m *Model) resolve(o PredictOptions) (k *kernel.Funcs, trees int, err error) {
	if o.Trees < 0 || o.Trees > m.Trees() {
		return nil, 0, badArgument("trees", o.Trees, "0 to %d, the trees of the model", m.Trees())
	}
	if err := checkThreads(o.Threads); err != nil {
		return nil, 0, err
	}
	k, err = kernels(o.Level)
	return k, cmp.Or(o.Trees, m.Trees()), err
}

// plan checks what is to be predicted and how.
func (m *Model) plan(x Features, o PredictOptions) (*prediction, error) {
	k, trees, err := m.resolve(o)
	if err == nil {
		err = m.checkFeatures(x)
	}
	if err != nil {
		return nil, err
	}
	p := &prediction{x: x, trees: trees, kernels: k, threads: o.Threads}
	words := max(1, (x.Rows()+63)/64) // of rows; less than one takes as long
	if p.threads == 0 && words > 1 {
		p.threads = par.Available()
	}
	p.threads = max(1, min(p.threads, words))
	rounds := (words + p.threads*kernel.PredictWords - 1) / (p.threads * kernel.PredictWords)
	p.size = (words + p.threads*rounds - 1) / (p.threads * rounds) * 64
	return p, nil
}

// run calls f with every block, ready to be predicted by the trees of t, and
// the number of its first row.
func (p *prediction) run(t *tree.Predictor, team *par.Team, f func(b *tree.Block, first int)) {
	blocks := make([]*tree.Block, team.Workers())
	team.Do((p.x.Rows()+p.size-1)/p.size, func(worker, i int) {
		if blocks[worker] == nil {
			blocks[worker] = t.NewBlock(p.kernels)
		}
		b, first := blocks[worker], i*p.size
		b.Load(p.x, first, min(p.size, p.x.Rows()-first))
		f(b, first)
	})
}

// PredictRaw returns the raw scores F of the rows of x, rows × classes.
func (m *Model) PredictRaw(x Features, o PredictOptions) ([]float64, error) {
	return m.predict(x, o, func(*kernel.Funcs, []float64) {})
}

// PredictProba returns the class probabilities of the rows of x, rows ×
// classes: the softmax of the raw scores, divided by the temperature if the
// model has one.
func (m *Model) PredictProba(x Features, o PredictOptions) ([]float64, error) {
	return m.predict(x, o, func(k *kernel.Funcs, scores []float64) {
		k.Softmax(&kernel.SoftmaxJob{Scores: scores, Classes: len(m.classes), Temperature: m.temperature})
	})
}

// Predict returns the number of the likeliest class of each row of x, the
// lowest where some tie. [Model.Classes] has their labels.
func (m *Model) Predict(x Features, o PredictOptions) ([]int, error) {
	p, err := m.plan(x, o)
	if err != nil {
		return nil, err
	}
	best := make([]int, x.Rows())
	m.score(p, nil, func(first int, scores []float64) {
		for i := range len(scores) / len(m.classes) {
			best[first+i] = argmax(scores[i*len(m.classes):][:len(m.classes)])
		}
	})
	return best, nil
}

// predict returns what finish makes of the raw scores of rows, block by block.
func (m *Model) predict(x Features, o PredictOptions, finish func(k *kernel.Funcs, scores []float64)) ([]float64, error) {
	p, err := m.plan(x, o)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, x.Rows()*len(m.classes))
	m.score(p, scores, func(_ int, block []float64) { finish(p.kernels, block) })
	return scores, nil
}

// fewRows are predicted one by one in less time than as a block.
const fewRows = 12

// score calls use with the raw scores of a block of rows after the other and
// the number of its first row. The scores go to all, rows × classes of zeros,
// or, if that is nil, are lost after use.
func (m *Model) score(p *prediction, all []float64, use func(first int, scores []float64)) {
	rows, classes := p.x.Rows(), len(m.classes)
	if rows <= fewRows {
		if all == nil {
			all = make([]float64, rows*classes)
		}
		row, values := m.walker().NewRow(p.kernels, p.trees), make([]float64, p.x.Cols())
		for i := range rows {
			for j := range values {
				p.x.Column(j, i, values[j:j+1])
			}
			row.Load(values)
			copy(all[i*classes:], row.Scores())
		}
		use(0, all)
		return
	}
	team := par.NewTeam(p.threads)
	defer team.Close()
	p.run(m.predictor(), team, func(b *tree.Block, first int) {
		var scores []float64
		if all != nil {
			scores = all[first*classes:][:b.Rows()*classes]
		} else {
			scores = make([]float64, b.Rows()*classes)
		}
		b.AddTo(scores, p.trees)
		use(first, scores)
	})
}

// PredictLeaf returns the leaf that each row of x reaches in each tree, rows
// × trees, leaves counted within their tree from left to right.
func (m *Model) PredictLeaf(x Features, o PredictOptions) ([]int32, error) {
	p, err := m.plan(x, o)
	if err != nil {
		return nil, err
	}
	leaves := make([]int32, x.Rows()*p.trees)
	team := par.NewTeam(p.threads)
	defer team.Close()
	p.run(m.predictor(), team, func(b *tree.Block, first int) {
		b.Leaves(leaves[first*p.trees:], p.trees)
	})
	return leaves, nil
}

// Staged yields the number of trees and the raw scores, rows × classes, after
// every so many iterations of boosting and at the end. The scores are good
// until the next step.
func (m *Model) Staged(x Features, every int, o PredictOptions) (iter.Seq2[int, []float64], error) {
	p, err := m.plan(x, o)
	if err == nil && every < 1 {
		err = badArgument("every", every, "at least 1")
	}
	if err != nil {
		return nil, err
	}
	classes, step := len(m.classes), min(every, p.trees/m.perRound+1)*m.perRound
	return func(yield func(int, []float64) bool) {
		scores := make([]float64, x.Rows()*classes)
		team := par.NewTeam(p.threads)
		defer team.Close()
		for first := 0; first < p.trees; first += step {
			last := min(first+step, p.trees)
			stage := tree.NewPredictor(m.forest, first, tree.NewSteps(m.forest, first, last), cacheBytes())
			p.run(stage, team, func(b *tree.Block, row int) {
				b.AddTo(scores[row*classes:], last-first)
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
