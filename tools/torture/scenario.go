package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/libaoso/aoso"
)

// scenario is the data and the parameters of a training, drawn from a seed.
type scenario struct {
	seed   uint64
	size   size
	shape  string
	train  *table
	valid  *table // nil without a validation set
	data   aoso.DatasetOptions
	params aoso.Params
	kinds  map[string]string // the kind of value of each parameter
	every  int               // number of iterations between evaluations
	limit  int               // number of iterations after which the callback ends training
}

// newScenario draws scenarios until it finds one that does not take too long.
func newScenario(seed uint64) *scenario {
	d := newDice(seed, "size")
	s := small
	switch u := d.Float64(); {
	case u < 0.003:
		s = large
	case u < 0.05:
		s = medium
	}
	for attempt := 0; ; attempt++ {
		c := drawScenario(newDice(seed, fmt.Sprint("scenario ", attempt)), s)
		if iterations := int(s.work / c.work()); iterations > 0 {
			c.seed, c.limit = seed, min(c.limit, iterations)
			return c
		}
	}
}

func drawScenario(d dice, s size) *scenario {
	shape := shapes[d.IntN(len(shapes))]
	t := shape.draw(d, s)
	t.naming = pick(d, plainIntegers, plainIntegers, otherIntegers, words)
	t.drawWeights(d)
	c := &scenario{size: s, shape: shape.name, train: t, every: pick(d, 0, 1, 1, 3), limit: 3000}
	if d.chance(0.6) {
		c.limit = d.between(1, 30)
	}
	if rows := t.rows(); rows > 1 && d.chance(0.5) {
		first := d.between(1, rows)
		c.train, c.valid = t.slice(0, first), t.slice(first, rows)
		if c.train.weights != nil {
			c.train.weights[0] = 1
		}
		if c.valid.weights != nil && c.valid.rows() > 0 {
			c.valid.weights[0] = 1
		}
		known := func(y int) bool { return slices.Contains(c.train.y, y) }
		if c.valid.rows() > 0 && !slices.ContainsFunc(c.valid.y, known) { // which is an error
			c.valid.y[0] = c.train.y[0]
		}
	}
	if d.chance(0.4) {
		c.data = aoso.DatasetOptions{
			MaxBin:     pick(d, 0, 2, 3, 16, 255),
			SampleRows: pick(d, 0, -1, 1, 7),
			Seed:       d.Uint64(),
			NThread:    d.IntN(4),
			DenseOnly:  d.chance(0.5),
		}
	}
	if d.chance(0.3) {
		for j := range c.train.cols() {
			if d.chance(0.5) {
				c.data.Categorical = append(c.data.Categorical, j)
			}
		}
	}
	c.data.Weights = c.train.weights
	draws := &setting{dice: d, classes: c.train.classes(), valid: c.valid != nil}
	for j := range c.train.cols() {
		if !slices.Contains(c.data.Categorical, j) {
			draws.ordered = append(draws.ordered, j)
		}
	}
	c.params, c.kinds = drawParams(draws)
	if d.chance(0.05) {
		c.steepen(d)
	}
	return c
}

// steepen sets parameters with which scores grow fastest: many trees with large
// leaf values.
func (c *scenario) steepen(d dice) {
	p := &c.params
	p.LearningRate, p.MaxDeltaStep = pick(d, 1, 0.7), pick(d, 20.0, 10)
	p.NEstimators, p.MaxLeaves, p.StopLoss = math.MaxInt, d.between(2, 30), pick(d, 0, 1e-16)
	p.MinChildWeight, p.Gamma, p.RegLambda, p.EarlyStoppingRounds = 0, 0, 0, 0
	c.limit = 3000
}

// work estimates how many nanoseconds an iteration takes on one thread.
func (c *scenario) work() float64 {
	rows, classes, cols := c.train.rows(), c.train.classes(), c.train.cols()
	trees, pairs := 1, 1
	switch c.params.Method {
	case aoso.MethodAOSO:
		pairs = max(c.params.Pairs, 1)
	case aoso.MethodABC:
		if trees = classes; c.params.BaseClass == "exhaustive" {
			trees = classes * classes
		}
	case aoso.MethodLogitBoost:
		trees = classes
	}
	perRow := 20 + 4*float64(classes) + float64(cols*pairs)
	perLeaf := 1000 + float64(classes) + float64(cols*pairs*c.train.distinct())
	leaves := min(max(c.params.MaxLeaves, 20), rows)
	folds := 1
	if c.phased() {
		folds += 6 // the folds and another setting
	}
	validRows := 0
	if c.valid != nil {
		validRows = c.valid.rows()
	}
	return float64(folds) * (float64(trees)*(float64(rows)*perRow+float64(leaves)*perLeaf) + float64(validRows*classes)*20)
}

// phased reports whether training may hold rows out, or choose the number of trees.
func (c *scenario) phased() bool { return c.params.Calibration != "none" || c.params.NEstimators == 0 }

// String describes the scenario in one line.
func (c *scenario) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s: %d rows, %d features, %d classes (%s)", c.size.name, c.shape, c.train.rows(), c.train.cols(), c.train.classes(), c.train.naming)
	if c.train.weights != nil {
		fmt.Fprintf(&b, ", weighted")
	}
	if c.valid != nil {
		fmt.Fprintf(&b, ", %d validation rows", c.valid.rows())
	}
	if c.data.MaxBin != 0 || c.data.SampleRows != 0 {
		fmt.Fprintf(&b, ", max_bin=%d sample_rows=%d", c.data.MaxBin, c.data.SampleRows)
	}
	if n := len(c.data.Categorical); n > 0 {
		fmt.Fprintf(&b, ", %d categorical features", n)
	}
	fmt.Fprintf(&b, ", at most %d iterations, evaluated every %d; %s", c.limit, c.every, differences(c.params))
	return b.String()
}

// sets returns the training set and the validation set. change may modify the
// dataset options of the scenario.
func (c *scenario) sets(x aoso.Features, change func(*aoso.DatasetOptions)) (train, valid *aoso.Dataset, err error) {
	options := c.data
	if change != nil {
		change(&options)
	}
	if train, err = aoso.NewDataset(x, c.train.labels(), options); err == nil {
		valid, err = c.aligned(train)
	}
	return train, valid, err
}

// aligned returns the validation set, or nil if the scenario has none.
func (c *scenario) aligned(train *aoso.Dataset) (*aoso.Dataset, error) {
	if c.valid == nil {
		return nil, nil
	}
	return train.Aligned(c.valid.columns(), c.valid.labels(), c.valid.weights)
}

// run trains for at most limit iterations. It calls each, unless nil, after each
// iteration that was evaluated.
func run(train, valid *aoso.Dataset, p aoso.Params, every, limit int, each func(aoso.Progress)) (*aoso.Result, error) {
	return aoso.Train(context.Background(), train, p, aoso.TrainOptions{
		Valid:     valid,
		EvalEvery: every,
		Callback: func(now aoso.Progress) bool {
			if each != nil && now.Evaluated {
				each(now)
			}
			return now.Iteration < limit
		},
	})
}
