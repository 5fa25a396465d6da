package acceptance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/tools/cases"
)

// linearly makes training begin with linear scores.
func linearly(p *aoso.Params) {
	p.Start, p.NEstimators, p.MaxLeaves, p.MinSamplesLeaf = "linear", 6, 6, 3
}

// linearCase is data and parameters of a training that begins with linear scores.
type linearCase struct {
	name    string
	data    *table
	options aoso.DatasetOptions
	params  aoso.Params
}

// linearCases returns a choice of kinds of data and of parameters, each with some of the others.
func linearCases() (cases []linearCase) {
	leaves := []variant{
		{"full", func(p *aoso.Params) { p.Leaf, p.Pairs = "full", 2 }},
		{"one pair", paper},
		{"pair leaf, 4 pairs", func(p *aoso.Params) { p.Leaf, p.Pairs = "pair", 4 }},
		{"sparse", func(p *aoso.Params) { p.Leaf, p.LeafClasses = "sparse", 2 }},
		{"sparse, one pair", func(p *aoso.Params) { p.Leaf, p.LeafClasses, p.Pairs = "sparse", 8, 1 }},
	}
	draws := []variant{
		{"plain", func(p *aoso.Params) {}},
		{"sampled", func(p *aoso.Params) { p.Subsample, p.ColsampleByTree, p.ColsampleByNode = 0.6, 0.8, 0.7 }},
		{"trimmed", func(p *aoso.Params) { p.Trim, p.ColsampleByNode = 0.1, 0.5 }},
		{"large steps", func(p *aoso.Params) { p.LearningRate, p.MaxDeltaStep = 0.5, 5 }},
		{"class frequencies", func(p *aoso.Params) { p.Start = "prior" }},
	}
	for c, classes := range []int{3, 20, 120} {
		seed := uint64(300 + c)
		plain := blobs(seed, 500, 5, classes, 255)
		holes := plain.punch(seed, 0.05)
		categories, r := &table{y: plain.y}, rand.New(rand.NewPCG(seed, 0))
		for i, row := range holes.x {
			categories.x = append(categories.x, append([]float64{float64((plain.y[i] + r.IntN(3)) % 7)}, row...))
		}
		for i, leaf := range leaves {
			for j, draw := range draws {
				of := linearCase{name: fmt.Sprintf("%d classes, %s, %s", classes, leaf.name, draw.name), data: plain}
				switch (i + j + c) % 4 {
				case 1:
					of.data = holes
				case 2:
					of.data = holes.weighted(seed)
				case 3:
					of.data, of.options.Categorical = categories, []int{0}
				}
				of.params = params(func(p *aoso.Params) { linearly(p); leaf.change(p); draw.change(p) })
				cases = append(cases, of)
			}
		}
	}
	return cases
}

func (c *linearCase) set(t testing.TB) *aoso.Dataset {
	t.Helper()
	o := c.options
	o.Weights = c.data.weights
	set, err := aoso.NewDataset(c.data.features(), c.data.labels(), o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// checkTrainLoss compares the training loss with that of the model.
func checkTrainLoss(t *testing.T, r *aoso.Result, d *table, slack float64) {
	t.Helper()
	e, err := r.Model.Evaluate(d.features(), d.labels(), d.weights)
	if err != nil {
		t.Fatal(err)
	}
	if !near(r.TrainLoss, e.LogLoss, slack) {
		t.Errorf("training says that its loss is %v, the model's is %v", r.TrainLoss, e.LogLoss)
	}
}

// TestStartLinear: whatever the data and the parameters, a model is the same with all levels,
// thread counts, row orders and interruptions. Its loss is as training says, and it can be
// continued, kept and refitted.
func TestStartLinear(t *testing.T) {
	t.Parallel()
	for _, c := range cases.Some(t, 6, linearCases()) {
		t.Run(c.name, func(t *testing.T) {
			set := c.set(t)
			r := train(t, set, c.params, aoso.TrainOptions{})
			slack := 1e-6
			if c.params.Leaf == "sparse" {
				slack = 1e-4
			}
			checkTrainLoss(t, r, c.data, slack)
			want := r.Model.Fingerprint()
			if r.Model.Params().Start != c.params.Start || (forest(r.Model).Linear().Terms() == 0) != (c.params.Start == "prior") {
				t.Fatalf("it starts with %q and %d terms", r.Model.Params().Start, forest(r.Model).Linear().Terms())
			}
			same := func(how string, m *aoso.Model) {
				t.Helper()
				if got := m.Fingerprint(); got != want {
					t.Errorf("%s: fingerprint %s, want %s", how, got, want)
				}
			}
			for _, level := range aoso.Levels() {
				for threads := 1; threads <= 3; threads++ {
					p := c.params
					p.Level, p.NThread = level, threads
					same(fmt.Sprint(level, threads), train(t, set, p, aoso.TrainOptions{}).Model)
				}
			}
			c.inOtherOrder(t, same)
			c.interrupted(t, set, same)
			c.inTwoGoes(t, r)
			loaded, err := decode(encode(t, r.Model))
			if err != nil {
				t.Fatal(err)
			}
			same("loaded", loaded)
			c.refits(t, r.Model)
		})
	}
}

func (c *linearCase) inOtherOrder(t *testing.T, same func(string, *aoso.Model)) {
	t.Helper()
	d, ids := shuffled(7, c.data, positionIDs(len(c.data.y)))
	same("in another order", train(t, withIDs(t, d, ids, c.options), c.params, aoso.TrainOptions{}).Model)
}

// interrupted trains with a checkpoint and ends without a word, then with a context that is
// cancelled now and then.
func (c *linearCase) interrupted(t *testing.T, set *aoso.Dataset, same func(string, *aoso.Model)) {
	t.Helper()
	o := aoso.TrainOptions{Checkpoint: filepath.Join(t.TempDir(), "training"), CheckpointEvery: 1}
	if err := crashed(set, c.params, o, 3); err != nil {
		t.Fatal(err)
	}
	same("resumed", train(t, set, c.params, o).Model)
	b, err := aoso.NewTrainer(set, c.params)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for more := true; more; {
		if _, more = b.Step(cancelled); more {
			t.Error("a step though it is cancelled")
		}
		if start := b.Result(); forest(start.Model).Linear() == nil || start.StoppedBy != aoso.StoppedByInterrupt && start.Iterations < c.params.NEstimators {
			t.Errorf("interrupted, it is stopped by %q", start.StoppedBy)
		}
		_, more = b.Step(t.Context())
	}
	same("interrupted", b.Result().Model)
}

// inTwoGoes trains half of the trees, and the others in a training that continues it.
func (c *linearCase) inTwoGoes(t *testing.T, whole *aoso.Result) {
	t.Helper()
	p := c.params
	p.NEstimators /= 2
	half := train(t, c.set(t), p, aoso.TrainOptions{}).Model
	again := *c
	again.options.Init, again.options.Categorical = half, nil
	p.Start = ""
	r := train(t, again.set(t), p, aoso.TrainOptions{})
	if r.Model.Fingerprint() != whole.Model.Fingerprint() || r.TrainLoss != whole.TrainLoss {
		t.Errorf("continued: another model of loss %v, want %v", r.TrainLoss, whole.TrainLoss)
	}
	if truncated(t, whole.Model, p.NEstimators).Fingerprint() != half.Fingerprint() {
		t.Error("the first half of the trees is another model")
	}
}

// refits: on its own training data a model stays what it is, unless rows were left out.
func (c *linearCase) refits(t *testing.T, m *aoso.Model) {
	t.Helper()
	if p := &c.params; p.Trim > 0 || p.Subsample < 1 {
		return
	}
	r := refitted(t, m, c.data, aoso.RefitOptions{})
	want := rawScores(t, m, c.data.features(), aoso.PredictOptions{})
	for i, score := range rawScores(t, r, c.data.features(), aoso.PredictOptions{}) {
		if math.Abs(score-want[i]) > 1e-3 {
			t.Fatalf("refitted, score %d is %v, was %v", i, score, want[i])
		}
	}
}

// TestStartLinearRefused: each error names the argument, the value and what is allowed.
func TestStartLinearRefused(t *testing.T) {
	d := blobs(310, 100, 3, 3, 255)
	set := newDataset(t, d)
	objective := aoso.TrainOptions{Objective: func(scores, gradient, hessian []float64) error { return nil }}
	for name, c := range map[string]struct {
		change func(*aoso.Params)
		o      aoso.TrainOptions
		texts  []string
	}{
		"abc":        {func(p *aoso.Params) { p.Method = aoso.MethodABC }, aoso.TrainOptions{}, []string{"linear", "zero", "method abc"}},
		"logitboost": {func(p *aoso.Params) { p.Method = aoso.MethodLogitBoost }, aoso.TrainOptions{}, []string{"linear", "zero", "method logitboost"}},
		"objective":  {func(p *aoso.Params) {}, objective, []string{"linear", "zero", "objective"}},
		"monotone":   {func(p *aoso.Params) { p.MonotoneConstraints = `{"f0":{"2":1}}` }, aoso.TrainOptions{}, []string{"linear", "zero", "monotone"}},
		"unknown":    {func(p *aoso.Params) { p.Start = "foo" }, aoso.TrainOptions{}, []string{"foo", "zero", "linear"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := aoso.NewTrainer(set, params(func(p *aoso.Params) { linearly(p); c.change(p) }), c.o)
			wantArgumentError(t, err, "start", c.texts...)
		})
	}
	for before, now := range map[string]string{"linear": "prior", "prior": "zero", "zero": "linear"} {
		m := trained(t, d, params(func(p *aoso.Params) { linearly(p); p.Start = before })).Model
		set, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Init: m})
		if err != nil {
			t.Fatal(err)
		}
		_, err = aoso.NewTrainer(set, params(func(p *aoso.Params) { linearly(p); p.Start = now }))
		wantArgumentError(t, err, "start", now, before, "continue")
	}
	_, err := aoso.Estimate(aoso.Shape{Rows: 10, Features: 1000, Classes: 1 << 20}, params(func(p *aoso.Params) { linearly(p); p.Leaf = "sparse" }))
	wantArgumentError(t, err, "start", "linear", "zero")
}

// TestStartLinearObjective: an objective can go on from linear scores.
func TestStartLinearObjective(t *testing.T) {
	d := blobs(311, 200, 3, 3, 255)
	set, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Init: trained(t, d, params(linearly)).Model})
	if err != nil {
		t.Fatal(err)
	}
	still := func(scores, gradient, hessian []float64) error {
		clear(gradient)
		for i := range hessian {
			hessian[i] = 1
		}
		return nil
	}
	r := train(t, set, params(func(p *aoso.Params) { p.NEstimators, p.Start = 2, "" }), aoso.TrainOptions{Objective: still})
	checkTrainLoss(t, r, d, 1e-6)
}

// TestLinearAlone: a model may have linear scores and no tree.
func TestLinearAlone(t *testing.T) {
	for _, leaf := range []string{"full", "pair", "sparse"} {
		d := blobs(318, 300, 4, 110, 255).punch(318, 0.05)
		m := trained(t, d, params(func(p *aoso.Params) { linearly(p); p.StopLoss, p.Leaf = 1e30, leaf })).Model
		if m.Trees() != 0 {
			t.Fatalf("%d trees", m.Trees())
		}
		loaded, err := decode(encode(t, m))
		if err != nil || loaded.Fingerprint() != m.Fingerprint() {
			t.Errorf("another model comes back (%v)", err)
		}
		scores, p := rawScores(t, m, d.features(), aoso.PredictOptions{}), proba(t, m, d)
		classes, err := m.Predict(d.features())
		if err != nil {
			t.Fatal(err)
		}
		alone, err := m.RowPredictor()
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range d.x {
			want := linearScores(m, row)
			if !slices.Equal(scores[i*110:][:110], want) {
				t.Fatalf("%s, row %d: scores %v, want %v", leaf, i, scores[i*110:][:110], want)
			}
			best := slices.Index(want, slices.Max(want))
			if class, err := alone.Class(row); err != nil || class != best || classes[i] != best {
				t.Fatalf("%s, row %d: class %d, alone %d (%v), want %d", leaf, i, classes[i], class, err, best)
			}
			if loss := rowLoss(want, d.y[i]); !near(p[i*110+d.y[i]], math.Exp(-loss), 1e-9) {
				t.Fatalf("%s, row %d: a probability of %v, want %v", leaf, i, p[i*110+d.y[i]], math.Exp(-loss))
			}
		}
	}
}

// TestStartLinearValidation: a validation set has the scores of the model, and early
// stopping ends with its best iteration.
func TestStartLinearValidation(t *testing.T) {
	for _, leaf := range []string{"full", "sparse"} {
		d := blobs(312, 1600, 5, 12, 255).punch(312, 0.05)
		rows, held, others := d.slice(0, 500), d.slice(500, 1100), d.slice(1100, 1600)
		set := newDataset(t, rows)
		o := aoso.TrainOptions{Valid: aligned(t, set, held), Others: []*aoso.Dataset{aligned(t, set, others)}}
		b, err := aoso.NewTrainer(set, params(func(p *aoso.Params) {
			linearly(p)
			p.Leaf, p.NEstimators, p.EarlyStoppingRounds, p.LearningRate, p.MaxDeltaStep = leaf, 300, 5, 0.4, 2
		}), o)
		if err != nil {
			t.Fatal(err)
		}
		var last aoso.Progress
		for more := true; more; {
			last, more = b.Step(t.Context())
		}
		r := b.Result()
		if r.StoppedBy != aoso.StoppedByEarlyStopping {
			t.Errorf("%s: stopped by %s", leaf, r.StoppedBy)
		}
		for i, d := range []*table{held, others} {
			scores, err := b.Scores(i)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for i, y := range d.y {
				sum += rowLoss(scores[i*12:][:12], y)
			}
			if i == 0 && !near(last.Valid.LogLoss, sum/float64(len(d.y)), 1e-9) {
				t.Errorf("%s: the scores have the loss %v, the evaluation says %v", leaf, sum/float64(len(d.y)), last.Valid.LogLoss)
			}
		}
		e, err := r.Model.Evaluate(held.features(), held.labels(), nil)
		if err != nil || !near(e.LogLoss, r.Valid.LogLoss, 1e-9) || e.Errors != r.Valid.Errors {
			t.Errorf("%s: the model does %+v (%v), said to do %+v", leaf, e, err, r.Valid)
		}
		b.Close()
	}
}

// TestStartLinearWide: a validation set with too many raw scores to keep them begins with
// linear scores, too.
func TestStartLinearWide(t *testing.T) {
	if !cases.Long() {
		t.Skip("takes long: make test-long runs it")
	}
	const distinct, times = 20, 340
	d, valid := wideTables(distinct, times)
	set := newDataset(t, d)
	p := params(func(p *aoso.Params) {
		linearly(p)
		p.Leaf, p.LeafClasses, p.NEstimators, p.MaxLeaves, p.EarlyStoppingRounds, p.MinSamplesLeaf = "sparse", 40, 3, 200, 3, 1
	})
	r := train(t, set, p, aoso.TrainOptions{Valid: aligned(t, set, valid)})
	few := valid.slice(0, distinct)
	want, err := r.Model.Evaluate(few.features(), few.labels(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.Valid.LogLoss-want.LogLoss) > 1e-9 || r.Valid.Errors != times*want.Errors || want.LogLoss > 9.5 {
		t.Errorf("the validation set has %+v, the model %+v on its distinct rows", r.Valid, want)
	}
}

// checkerboard has a class for each pair of diagonals of cells, which linear scores cannot
// tell apart: cells of all classes have the same means.
func checkerboard(seed uint64, rows, classes int) *table {
	r := rand.New(rand.NewPCG(seed, 3))
	d := &table{}
	for i := range rows {
		k := i % classes
		cell := r.IntN(40)
		d.x = append(d.x, []float64{float64(cell) + r.Float64(), float64((k+classes-3*cell%classes)%classes) + r.Float64()})
		d.y = append(d.y, k)
	}
	return d
}

// gaussians is classes about random means, as linear scores have it.
func gaussians(seed uint64, rows, cols, classes int) *table {
	r := rand.New(rand.NewPCG(seed, 4))
	means := make([][]float64, classes)
	for k := range means {
		for range cols {
			means[k] = append(means[k], r.NormFloat64())
		}
	}
	d := &table{}
	for i := range rows {
		k, row := i%classes, make([]float64, cols)
		for j := range row {
			row[j] = means[k][j] + r.NormFloat64()
		}
		d.x, d.y = append(d.x, row), append(d.y, k)
	}
	return d
}

// TestStartChosen: with more than 100 classes, rows held out say whether training begins with
// linear scores or class frequencies. A validation set does as well.
func TestStartChosen(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long")
	}
	type test struct {
		name  string
		data  *table
		valid bool
		want  string
	}
	linear, trees := gaussians(313, 2160, 12, 120), checkerboard(314, 2160, 120)
	for _, c := range cases.Some(t, 1, []test{
		{"gaussians", linear, false, "linear"},
		{"gaussians, validation", linear, true, "linear"},
		{"checkerboard", trees, false, "prior"},
		{"checkerboard, validation", trees, true, "prior"},
	}) {
		t.Run(c.name, func(t *testing.T) {
			var o aoso.TrainOptions
			p := aoso.DefaultParams()
			p.NThread, p.MaxLeaves = 2, 20
			d, test := c.data.slice(0, 1800), c.data.slice(1800, 2160)
			set := newDataset(t, d)
			if c.valid {
				o.Valid = aligned(t, set, test)
			} else {
				p.Calibration = "holdout"
			}
			r := train(t, set, p, o)
			if got := r.Model.Params().Start; got != c.want || forest(r.Model).Start() != got {
				t.Errorf("it starts with %s, want %s", got, c.want)
			}
			if c.want == "prior" { // the trees that were compared with linear scores are not grown again
				p := p
				p.Start = c.want
				if got := train(t, set, p, o).Model.Fingerprint(); got != r.Model.Fingerprint() {
					t.Errorf("the fingerprint is %s, %s with start=prior", r.Model.Fingerprint(), got)
				}
			}
			loss := lossOf(t, r.Model, test, aoso.PredictOptions{})
			for _, start := range cases.Some(t, 1, []string{"zero", "linear"}) {
				p := p
				p.Start = start
				alone := train(t, set, p, o)
				other := lossOf(t, alone.Model, test, aoso.PredictOptions{})
				t.Logf("%s: log loss %.4f with %d trees, chosen %.4f with %d", start, other, alone.Model.Trees(), loss, r.Model.Trees())
				if alone.Model.Params().Start != start {
					t.Errorf("%s: it starts with %s", start, alone.Model.Params().Start)
				}
				if loss > 1.1*other {
					t.Errorf("the log loss is %v, %v with %s", loss, other, start)
				}
			}
		})
	}
}

// TestStartChosenAnyhow: what is chosen does not depend on levels, threads or the order of rows.
func TestStartChosenAnyhow(t *testing.T) {
	t.Parallel()
	type test struct {
		name string
		data *table
	}
	for _, test := range cases.Some(t, 1, []test{{"gaussians", gaussians(321, 900, 6, 110)}, {"checkerboard", checkerboard(322, 900, 110)}}) {
		d := test.data.punch(321, 0.02).weighted(321)
		p := aoso.DefaultParams()
		p.NEstimators, p.MaxLeaves, p.NThread = 12, 20, 1
		set := newDataset(t, d)
		want := train(t, set, p, aoso.TrainOptions{}).Model.Fingerprint()
		for i, level := range cases.Some(t, 1, aoso.Levels()) {
			p.Level, p.NThread = level, 1+i%3
			if got := train(t, set, p, aoso.TrainOptions{}).Model.Fingerprint(); got != want {
				t.Errorf("%s, %s with %d threads: another model", test.name, level, p.NThread)
			}
			other, ids := shuffled(uint64(i), d, positionIDs(len(d.y)))
			if got := train(t, withIDs(t, other, ids, aoso.DatasetOptions{}), p, aoso.TrainOptions{}).Model.Fingerprint(); got != want {
				t.Errorf("%s, in another order: another model", test.name)
			}
		}
	}
}

// TestStartWithoutJudge: where nothing judges settings, training begins with class frequencies, or at zero.
func TestStartWithoutJudge(t *testing.T) {
	d := gaussians(315, 700, 4, 120)
	rows, held := d.slice(0, 500), d.slice(500, 700)
	set := newDataset(t, rows)
	valid := aoso.TrainOptions{Valid: aligned(t, set, held)}
	for name, c := range map[string]struct {
		change func(*aoso.Params)
		o      aoso.TrainOptions
		start  string
	}{
		"trees given, no calibration": {func(p *aoso.Params) { p.Calibration = "none" }, aoso.TrainOptions{}, "prior"},
		"early stopping":              {func(p *aoso.Params) { p.EarlyStoppingRounds = 2 }, valid, "prior"},
		"trees given, validation":     {func(p *aoso.Params) {}, valid, "prior"},
		"paper":                       {func(p *aoso.Params) { p.Preset = aoso.PresetPaper }, aoso.TrainOptions{}, "zero"},
		"monotone":                    {func(p *aoso.Params) { p.MonotoneConstraints, p.NEstimators = `{"f0":{"2":1}}`, 0; p.TimeLimit = 0.2 }, aoso.TrainOptions{}, "zero"},
	} {
		t.Run(name, func(t *testing.T) {
			p := aoso.DefaultParams()
			p.NEstimators, p.MaxLeaves = 3, 8
			c.change(&p)
			if got := train(t, set, p, c.o).Model.Params().Start; got != c.start {
				t.Errorf("it starts with %s, want %s", got, c.start)
			}
		})
	}
}

// TestStartLinearLost: linear scores that are sure of the wrong class of a row leave the state
// of a training what the model is.
func TestStartLinearLost(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long")
	}
	wrongRows := map[int][]int{3: {4}, 16: {1, 2, 3, 4}}
	for _, classes := range cases.Some(t, 1, []int{3, 16}) {
		wrong, d := wrongRows[classes], &table{}
		r := rand.New(rand.NewPCG(317, 0))
		for range 40_000 {
			y := r.IntN(classes)
			d.x = append(d.x, []float64{float64(y) + 1e-3*r.NormFloat64(), r.Float64()})
			d.y = append(d.y, y)
		}
		for _, row := range wrong {
			d.y[row] = (d.y[row] + classes/2) % classes
		}
		for _, leaf := range cases.Some(t, 1, []string{"full", "pair", "sparse"}) {
			p := params(func(p *aoso.Params) { linearly(p); p.Leaf, p.MaxLeaves, p.LeafClasses, p.NEstimators = leaf, 20, 2, 10 })
			set := newDataset(t, d)
			r := train(t, set, p, aoso.TrainOptions{})
			t.Logf("%d classes, %s: a loss of %v", classes, leaf, r.TrainLoss)
			if leaf != "sparse" { // whose odds have bounds
				checkTrainLoss(t, r, d, 1e-6)
			}
			p.NEstimators /= 2
			again, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Init: train(t, set, p, aoso.TrainOptions{}).Model})
			if err != nil {
				t.Fatal(err)
			}
			if got := train(t, again, p, aoso.TrainOptions{}); got.Model.Fingerprint() != r.Model.Fingerprint() {
				t.Error("continued: another model")
			}
		}
	}
}

// TestTuneStart: a search tries both beginnings, and the better one wins.
func TestTuneStart(t *testing.T) {
	for want, d := range map[string]*table{"linear": gaussians(319, 1300, 8, 110), "prior": checkerboard(320, 1300, 110)} {
		set := newDataset(t, d)
		r := tuned(t, set, aoso.TuneOptions{Trials: 3}, func(p *aoso.Params) { p.MaxLeaves, p.NEstimators, p.NThread = 30, 20, 2 })
		starts := map[string]int{}
		for _, trial := range r.Trials {
			p, err := aoso.ParseParams(trial.Params)
			if err != nil {
				t.Fatal(err)
			}
			starts[p.Start]++
		}
		t.Logf("%s: %v", want, starts)
		if got := r.Model.Params().Start; want == "linear" && got != want || forest(r.Model).Start() != got {
			t.Errorf("it starts with %s, want %s", got, want)
		}
	}
}

// TestStartLinearTimeLimit: time ends training in either phase, with a model that works.
func TestStartLinearTimeLimit(t *testing.T) {
	d := gaussians(316, 3000, 8, 120)
	for _, start := range []string{"", "linear"} {
		p := aoso.DefaultParams()
		p.Start, p.TimeLimit, p.MaxLeaves = start, 0.5, 30
		begun := time.Now()
		r := trained(t, d, p)
		if took := time.Since(begun).Seconds(); took > 20 {
			t.Errorf("it took %g seconds", took)
		}
		if loss := lossOf(t, r.Model, d, aoso.PredictOptions{}); !(loss < math.Log(120)) {
			t.Errorf("start %q: the log loss is %v after %d trees", start, loss, r.Model.Trees())
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	r, err := aoso.Train(ctx, newDataset(t, d), params(func(p *aoso.Params) { linearly(p); p.NEstimators = 100_000 }))
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if r.StoppedBy != aoso.StoppedByInterrupt || slices.Contains(rawScores(t, r.Model, d.features(), aoso.PredictOptions{}), math.NaN()) {
		t.Errorf("stopped by %s", r.StoppedBy)
	}
}
