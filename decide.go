package aoso

import (
	"fmt"
	"slices"

	"github.com/libaoso/aoso/internal/conformal"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/metric"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Decide returns, for each row of x, the number of the decision whose expected cost
// is least, the lowest where some tie, and that cost. costs has a row for each class
// and a column for each decision: what the decision costs if the class is the true
// one. It may be negative. Decisions are often the classes, in which case the numbers
// on the diagonal are zero, but may be others. A column of equal costs is not to
// decide: to ask an expert, say.
// Expected costs are as good as the probabilities: see [Model.Calibrate].
func (m *Model) Decide(x Features, costs []float64, options ...PredictOptions) (decisions []int, expected []float64, err error) {
	o := last(options)
	classes := len(m.content.Classes)
	if len(costs) == 0 || len(costs)%classes != 0 {
		return nil, nil, badArgument("costs", fmt.Sprintf("%d numbers", len(costs)), "a number for each class and decision, a multiple of %d, the number of classes", classes)
	}
	choices := len(costs) / classes
	for i, c := range costs {
		if c-c != 0 {
			return nil, nil, badArgument(fmt.Sprintf("costs[%d][%d]", i/choices, i%choices), c, "finite numbers")
		}
	}
	j, err := m.job(x, o)
	if err != nil {
		return nil, nil, err
	}
	decisions, expected = make([]int, x.Rows()), make([]float64, x.Rows())
	m.predictor.Scores(j, nil, func(first int, scores []float64) {
		m.softmax(j.Kernels, scores)
		rows := len(scores) / classes
		metric.LeastCosts(scores, classes, costs, decisions[first:first+rows], expected[first:first+rows])
	})
	return decisions, expected, nil
}

// How [Model.PredictSet] measures how well a class fits a row.
const (
	SetLAC  = string(conformal.LAC)  // lac
	SetAPS  = string(conformal.APS)  // aps
	SetRAPS = string(conformal.RAPS) // raps
)

// SetOptions say which classes a prediction set has.
type SetOptions struct {
	Alpha            float64 // the probability that a set misses the class of its row, between 0 and 1
	Method           string  // SetLAC, SetAPS or SetRAPS; "": SetLAC
	ClassConditional bool    // sets miss the rows of each class with probability Alpha
	NonEmpty         bool    // sets that would be empty have the most likely class
}

// PredictSet returns, for each row of x, a set of classes that misses the row's
// class with probability Alpha only: rows × classes, true for the classes in the
// set.
//
// A class is in the set if its score is no worse than those of the true classes of
// all but a share Alpha of other rows: those held out in training, those of the
// validation set, or those given to [Model.Conformalize]. The methods differ in the
// score. SetLAC takes 1 − the class's probability, which makes the sets smallest on
// average (M. Sadinle, J. Lei and L. Wasserman, Least ambiguous set-valued
// classifiers with bounded error levels, 2019). SetAPS takes the probability of all
// classes that are likelier, and a part of the class's own; its sets are larger where
// the model is unsure (Y. Romano, M. Sesia and E. Candès, Classification with valid
// and adaptive coverage, 2020). SetRAPS adds a penalty for each class beyond the
// most likely ones, which keeps such sets small (A. Angelopoulos, S. Bates, J. Malik
// and M. Jordan, Uncertainty sets for image classifiers using conformal prediction,
// 2021).
//
// The probability holds for rows that are drawn like the other rows; exactly after
// Conformalize, and nearly after training, which goes on to learn from the rows that
// it held out. Sets can be empty: where the model errs less often than Alpha, only
// empty sets miss often enough. With ClassConditional, a class with fewer than
// 1/Alpha − 1 such rows is in every set. o.Trees must be zero.
func (m *Model) PredictSet(x Features, s SetOptions, options ...PredictOptions) ([]bool, error) {
	o := last(options)
	rule, err := m.rule(s, o)
	if err != nil {
		return nil, err
	}
	j, err := m.job(x, o)
	if err != nil {
		return nil, err
	}
	classes := len(m.content.Classes)
	sets := make([]bool, x.Rows()*classes)
	m.predictor.Scores(j, nil, func(first int, scores []float64) {
		m.softmax(j.Kernels, scores)
		rule.Sets(scores, sets[first*classes:][:len(scores)])
	})
	return sets, nil
}

// rule checks the options of prediction sets.
func (m *Model) rule(s SetOptions, o PredictOptions) (*conformal.Rule, error) {
	method := conformal.Method(s.Method)
	if method == "" {
		method = conformal.LAC
	}
	switch {
	case !(s.Alpha > 0 && s.Alpha < 1):
		return nil, badArgument("alpha", s.Alpha, "above 0 and below 1")
	case !slices.Contains(conformal.Methods, method):
		return nil, badArgument("method", s.Method, "lac, aps or raps")
	case o.Trees != 0 && o.Trees != m.Trees():
		return nil, badArgument("trees", o.Trees, "0: prediction sets take all trees")
	case m.content.Scores == nil:
		return nil, badArgument("model", "without conformity scores", "one trained with rows held out, as by default, or with a validation set, or conformalized or calibrated since")
	}
	rule := m.content.Scores.NewRule(method, s.Alpha, s.ClassConditional)
	rule.NonEmpty = s.NonEmpty
	return rule, nil
}

// ConformalRows returns the number of rows whose scores the model keeps for prediction
// sets; 0: it cannot make any.
func (m *Model) ConformalRows() int {
	if m.content.Scores == nil {
		return 0
	}
	return m.content.Scores.Rows()
}

// Conformalize returns the model with the scores of new rows for [Model.PredictSet].
// If the model has not seen these rows, sets miss the class of a further row that is
// drawn like them with a probability of at most Alpha. weights may be nil; rows of
// weight zero or of classes that the model does not know count for nothing. Of more
// than 20,000 rows, 20,000 are drawn at random. Probabilities do not change.
func (m *Model) Conformalize(x Features, labels Labels, weights []float64, options ...PredictOptions) (*Model, error) {
	o := last(options)
	if o.Trees != 0 && o.Trees != m.Trees() {
		return nil, badArgument("trees", o.Trees, "0: prediction sets take all trees")
	}
	scores, err := m.PredictRaw(x, o)
	if err != nil {
		return nil, err
	}
	t, err := m.target(x.Rows(), labels, weights)
	if err != nil {
		return nil, err
	}
	k, err := kernels(o.Level)
	if err != nil {
		return nil, err
	}
	team := par.NewTeam(o.NThread)
	defer team.Close()
	c := *m
	if c.conformalize(scores, t, k, team); c.content.Scores == nil {
		return nil, badArgument("labels", fmt.Sprintf("%d rows, %d of unknown classes", len(labels), t.Unknown), "at least one row with weight of the classes of the model: %s", listed(m.content.Classes))
	}
	return &c, nil
}

// conformalize takes the scores of rows whose raw scores are known.
func (m *Model) conformalize(raw []float64, t *data.Target, k *kernel.Funcs, team *par.Team) {
	m.content.Scores = conformal.NewSample(conformal.Target{Ranks: t.Ranks, Classes: len(t.Classes), Labels: t.Labels, Weights: t.Weights, IDs: t.IDs}).Scores(raw, func(block []float64) { m.softmax(k, block) }, team)
}
