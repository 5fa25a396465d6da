package aoso

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/mem"
)

// Codes have at least 3 values, since 2 have no order, and few enough that each category has a code of its own. They are tried on
// at most codeRows rows: at most codesTried columns on one split into folds, and the best codesPromising of them on all splits.
const (
	fewestCodes, mostCodes                             = 3, 100
	codeRows, codesTried, codesPromising               = 10_000, 20, 5
	codeFolds, codeSplits, codeTrees, rowsForEachValue = 3, 8, 60, 10
)

// SuggestCodes finds columns of numbers that are codes without an order, such as of a profession, by what it gains to list them in
// o.Categorical. It tries columns of 3 to 100 different whole numbers one by one, in three folds, with 60 trees: as numbers, and as
// categories. It then tries the best five in eight splits into folds, the best first, and adds them to one another. Of more than
// 10,000 rows, it draws 10,000; of more than 20 columns, it tries the 20 that matter most to a model.
//
// It returns all columns that it tried, those suggested first. The gain of a suggested column is in addition to those before it. The
// options are those of [NewDataset], of which Seed also splits the rows; Init and Collective must be nil. A soft label counts as the
// class of its greatest share. If ctx is cancelled, the error is that of ctx.
func (o DatasetOptions) SuggestCodes(ctx context.Context, features Features, labels Labels) (found []struct {
	Feature   int
	Values    int     // number of different values
	Gain      float64 // by how much the log loss of held-out rows falls, as a mean over the rows
	Error     float64 // standard error of the gain
	Suggested bool    // the gain is above its standard error in eight splits
}, err error) {
	t, tried, err := newCodeTrial(ctx, features, labels, o)
	if err != nil || len(tried) == 0 {
		return nil, err
	}
	known := slices.Clone(o.Categorical)
	base, importance, err := t.losses(known, 1)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(tried, func(a, b code) int { return -cmp.Compare(importance[a.Feature], importance[b.Feature]) })
	tried = tried[:min(len(tried), codesTried)]
	for i := range tried {
		if _, err := t.try(&tried[i], base, known, 1); err != nil {
			return nil, err
		}
	}
	byGain := func(a, b code) int { return cmp.Or(-cmp.Compare(a.Gain, b.Gain), a.Feature-b.Feature) }
	slices.SortStableFunc(tried, byGain)
	if base, _, err = t.losses(known, codeSplits); err != nil {
		return nil, err
	}
	for i := range tried[:min(len(tried), codesPromising)] { // of any gain: the luck of one split is the same for all
		c := &tried[i]
		losses, err := t.try(c, base, known, codeSplits)
		if err != nil {
			return nil, err
		}
		if c.Suggested = c.Gain > c.Error; c.Suggested {
			found = append(found, *c)
			base, known = losses, append(known, c.Feature)
		}
	}
	slices.SortStableFunc(tried, byGain)
	for _, c := range tried {
		if !c.Suggested {
			found = append(found, c)
		}
	}
	return found, nil
}

// code is a column that may be a code.
type code struct {
	Feature, Values int
	Gain, Error     float64
	Suggested       bool
}

// codeTrial has rows in folds, on which columns are tried as categories.
type codeTrial struct {
	ctx     context.Context
	rows    *someRows
	labels  Labels
	options DatasetOptions // with the weights of the rows
	splits  [][]int        // the rows in random orders; every codeFolds-th is of one fold
}

// newCodeTrial draws the rows, and returns the columns that may be codes.
func newCodeTrial(ctx context.Context, features Features, labels Labels, o DatasetOptions) (*codeTrial, []code, error) {
	switch {
	case o.Collective != nil:
		return nil, nil, badArgument("collective", "ranks", "nil: codes are tried on one machine")
	case o.Init != nil:
		return nil, nil, badArgument("init", "a model", "nil: its features are settled")
	}
	labels, err := o.readSoft(labels)
	if err == nil {
		err = checkFeatures(features)
	}
	if err == nil {
		err = o.check(features.Cols())
	}
	if err == nil {
		err = labels.check(features.Rows())
	}
	if err == nil {
		_, err = checkWeights(o.Weights, features.Rows())
	}
	if err != nil {
		return nil, nil, err
	}
	random := rand.New(rand.NewPCG(o.Seed, 0))
	var rows []int
	for _, i := range random.Perm(features.Rows()) {
		if len(rows) < codeRows && (o.Weights == nil || o.Weights[i] > 0) {
			rows = append(rows, i)
		}
	}
	slices.Sort(rows)
	if err := mem.Afford("trying codes", 0, 16*float64(len(rows))*float64(features.Cols())); err != nil {
		return nil, nil, err
	}
	t := &codeTrial{ctx: ctx, labels: picked(labels, rows), options: o}
	t.options.Weights, t.options.RowIDs, t.options.Path, t.options.soft, t.options.classes = picked(o.Weights, rows), nil, "", nil, nil
	for range codeSplits {
		t.splits = append(t.splits, random.Perm(len(rows)))
	}
	var counts []int
	t.rows, counts = readSome(features, rows, o.Categorical)
	var tried []code
	for j, n := range counts {
		if n >= fewestCodes && n*rowsForEachValue <= len(rows) && !slices.Contains(o.Categorical, j) {
			tried = append(tried, code{Feature: j, Values: n})
		}
	}
	return t, tried, nil
}

// try sets the gain of a column, by how much the losses are below base if it is categorical as well, and returns the losses.
func (t *codeTrial) try(c *code, base []float64, categorical []int, splits int) ([]float64, error) {
	losses, _, err := t.losses(append(slices.Clone(categorical), c.Feature), splits)
	if err != nil {
		return nil, err
	}
	n, weight := float64(len(losses)), 0.0
	for i := range losses {
		weight += t.weight(i) / n
	}
	sum, squares := 0.0, 0.0
	for i := range losses {
		less := (base[i] - losses[i]) / weight
		sum, squares = sum+less, squares+float64(less*less)
	}
	c.Gain = sum / n
	c.Error = math.Sqrt(max(0, squares/n-float64(c.Gain*c.Gain)) / n)
	return losses, nil
}

func (t *codeTrial) weight(row int) float64 {
	if t.options.Weights == nil {
		return 1
	}
	return t.options.Weights[row]
}

// losses returns, by row, the log loss where it is held out, with its weight, as a mean over the splits; and by feature the gain of
// its splits.
func (t *codeTrial) losses(categorical []int, splits int) (losses, importance []float64, err error) {
	losses, importance = make([]float64, len(t.labels)), make([]float64, t.rows.Cols())
	for _, order := range t.splits[:splits] {
		for fold := range codeFolds {
			if err := t.fit(order, fold, categorical, losses, importance); err != nil {
				return nil, nil, err
			}
		}
	}
	for i := range losses {
		losses[i] *= t.weight(i) / float64(splits)
	}
	return losses, importance, nil
}

// fit trains without a fold, and adds the losses of its rows, and the importance of the features.
func (t *codeTrial) fit(order []int, fold int, categorical []int, losses, importance []float64) error {
	var inside, outside []int
	for i, row := range order {
		if i%codeFolds == fold {
			outside = append(outside, row)
		} else {
			inside = append(inside, row)
		}
	}
	slices.Sort(inside)
	o := t.options
	o.Weights, o.Categorical = picked(o.Weights, inside), categorical
	d, err := NewDataset(t.rows.take(inside), picked(t.labels, inside), o)
	if err != nil {
		return err
	}
	defer d.Close()
	p := DefaultParams()
	p.NEstimators, p.LearningRate, p.Calibration, p.NThread = codeTrees, 0.1, "none", o.NThread
	r, err := Train(t.ctx, d, p)
	if err = cmp.Or(t.ctx.Err(), err); err != nil {
		return err
	}
	proba, err := r.Model.PredictProba(t.rows.take(outside), PredictOptions{NThread: o.NThread})
	if err != nil {
		return err
	}
	classes := r.Model.Classes()
	position := map[string]int{}
	for k, class := range classes {
		position[class] = k
	}
	for i, row := range outside {
		if k, ok := position[t.labels[row].Value()]; ok {
			losses[row] -= math.Log(max(proba[i*len(classes)+k], 1e-15))
		}
	}
	gains, err := r.Model.Importance("gain")
	for j, gain := range gains {
		importance[j] += gain
	}
	return err
}

// picked returns the values of some rows; nil of nil.
func picked[S ~[]E, E any](values S, rows []int) S {
	if values == nil {
		return nil
	}
	some := make(S, len(rows))
	for i, row := range rows {
		some[i] = values[row]
	}
	return some
}

// someRows is a table of some rows of another, in memory.
type someRows struct {
	of       Features    // has the categories
	values   [][]float64 // by column
	integers [][]int64   // by column; nil: they are not needed
	rows     []int       // of values
}

// readSome reads some rows of a table, and returns for each column of whole numbers how many are different in all rows; 0: more than
// mostCodes, or it has others. Integers in coded columns keep all digits.
func readSome(x Features, rows, coded []int) (s *someRows, counts []int) {
	s, counts = &someRows{of: x, integers: make([][]int64, x.Cols())}, make([]int, x.Cols())
	values := make([]float64, x.Rows())
	for j := range counts {
		x.Column(j, 0, values)
		if category.Categories(x, j) == nil {
			counts[j] = codesIn(values)
		}
		s.values = append(s.values, picked(values, rows))
		if integers := make([]int64, len(values)); slices.Contains(coded, j) && category.IntegersOf(x, j, 0, integers) {
			s.integers[j] = picked(integers, rows)
		}
	}
	return s, counts
}

// codesIn returns the number of different whole numbers; 0: more than mostCodes, or there are others.
func codesIn(values []float64) int {
	seen := map[float64]bool{}
	for _, v := range values {
		if v != v {
			continue
		}
		if seen[v] = true; len(seen) > mostCodes || v != math.Trunc(v) || v-v != 0 {
			return 0
		}
	}
	return len(seen)
}

// take returns some of the rows.
func (s *someRows) take(rows []int) *someRows { return &someRows{s.of, s.values, s.integers, rows} }

func (s *someRows) Rows() int { return len(s.rows) }
func (s *someRows) Cols() int { return len(s.values) }

func (s *someRows) Column(j, first int, dst []float64) {
	for i := range dst {
		dst[i] = s.values[j][s.rows[first+i]]
	}
}

func (s *someRows) Integers(j, first int, dst []int64) bool {
	integers := s.integers[j]
	for i := range dst[:min(len(dst), len(integers))] {
		dst[i] = integers[s.rows[first+i]]
	}
	return integers != nil
}

func (s *someRows) Categories(j int) []string { return category.Categories(s.of, j) }
