package acceptance

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/tools/cases"
)

const members = 6

func ofMembers(trees int) func(*aoso.Params) {
	return func(p *aoso.Params) { p.Ensemble, p.NEstimators = members, trees }
}

// TestEnsemble: an ensemble predicts other rows better than a single model, and as well as the held-out rows say. Its
// first trees are a model as well.
func TestEnsemble(t *testing.T) {
	all := letter()
	d, other := all.slice(0, 1000), all.slice(1000, 4000)
	single := trained(t, d, defaults(func(p *aoso.Params) { p.Ensemble = 1 }))
	r := trained(t, d, defaults())
	if trees := r.Model.Trees(); trees > members*700 || r.Model.Params().Ensemble != members || r.Model.Params().NEstimators != trees ||
		r.Iterations != trees || r.BestIteration != trees || r.StoppedBy != aoso.StoppedByTrees || r.Phase != aoso.PhaseTrain {
		t.Errorf("%d trees: %+v, %s", trees, r, r.Model.Params().Changes())
	}
	evaluated := func(m *aoso.Model) *aoso.Evaluation {
		e, err := m.Evaluate(other.features(), other.labels(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	got, one := evaluated(r.Model), evaluated(single.Model)
	if got.LogLoss > 0.99*one.LogLoss || got.Errors >= one.Errors {
		t.Errorf("log loss %.4f and %d errors, of a single model %.4f and %d", got.LogLoss, got.Errors, one.LogLoss, one.Errors)
	}
	if r.HeldOutRows != 1000 || !near(r.HeldOut.LogLoss, got.LogLoss, 0.1) {
		t.Errorf("%d rows held out, with log loss %.4f; other rows have %.4f", r.HeldOutRows, r.HeldOut.LogLoss, got.LogLoss)
	}
	half, err := r.Model.Truncated(r.Model.Trees() / 2 / members * members)
	if err != nil {
		t.Fatal(err)
	}
	if first := evaluated(half); first.ErrorRate > 1.1*got.ErrorRate {
		t.Errorf("%d errors with half of the trees, %d with all", first.Errors, got.Errors)
	}
}

// TestEnsembleRefitted: every member has the leaf values that Refit gives its trees on all rows. Linear scores are those
// of all rows, in half of the members.
func TestEnsembleRefitted(t *testing.T) {
	for name, test := range map[string]struct {
		d     *table
		start string
	}{
		"plain":       {gaussians(32, 700, 4, 5), "zero"},
		"linear":      {gaussians(32, 700, 4, 5), "linear"},
		"mixed":       {letter().slice(0, 1000), "mixed"},
		"weights":     {gaussians(32, 700, 4, 5).weighted(3), "zero"},
		"100 classes": {gaussians(33, 700, 6, 100), "zero"},
	} {
		d := test.d
		p := defaults(ofMembers(60))
		if test.start == "mixed" {
			p.NEstimators = 600
		}
		p.RegLambda, p.Start, p.GrowPolicy = 0.5, test.start, "lossguide"
		ensemble := trained(t, d, p).Model
		if start := ensemble.Params().Start; start != test.start {
			t.Errorf("%s: start %s", name, start)
		}
		for member := range members {
			alone := changed(ensemble, func(c *model.Model) {
				f := c.Forest.Truncated(0)
				for i := member; i < c.Forest.Trees(); i += members {
					f.AddTree(c.Forest.Tree(i))
				}
				f.Scale(members, func(v float64) float32 { return float32(v) })
				switch {
				case test.start == "mixed" && member < members/2:
					f.SetLinear(nil)
				case test.start == "mixed":
					f.SetLinear(f.Linear().Scaled(2))
				}
				c.Forest = f
			})
			again := refitted(t, alone, d, aoso.RefitOptions{})
			most := 0.0
			for i, want := range leafValues(forest(again)) {
				most = max(most, math.Abs(float64(want-leafValues(forest(alone))[i])))
			}
			// Rounding of values of 100 classes, times the number of members.
			allowed := 1e-4
			if name == "100 classes" {
				allowed = 0.02
			}
			if most > allowed {
				t.Errorf("%s, member %d: a leaf value differs by %g", name, member, most)
			}
		}
	}
}

// TestEnsembleStart: by default, an ensemble has members of both kinds, unless one kind is much better.
func TestEnsembleStart(t *testing.T) {
	for _, test := range cases.Some(t, 1, []struct {
		start string
		d     *table
	}{{"mixed", letter().slice(0, 1000)}, {"linear", gaussians(38, 1000, 10, 4)}, {"zero", checkerboard(39, 1000, 4)}}) {
		r := trained(t, test.d, defaults())
		if got := r.Model.Params().Start; got != test.start || (forest(r.Model).Linear() != nil) != (test.start != "zero") {
			t.Errorf("start %s in place of %s", got, test.start)
		}
	}
}

// TestPresetBest: preset best has more members, also with more rows.
func TestPresetBest(t *testing.T) {
	for _, rows := range []int{400, 20_000} {
		r := trained(t, gaussians(40, rows, 2, 2), defaults(func(p *aoso.Params) { p.Preset, p.MaxLeaves, p.LearningRate = aoso.PresetBest, 2, 1 }))
		if got := r.Model.Params().Ensemble; got != 20 || r.HeldOutRows != rows {
			t.Errorf("%d rows: %d members, %d rows held out", rows, got, r.HeldOutRows)
		}
	}
}

// TestEnsembleBits: an ensemble is the same for every level and number of threads.
func TestEnsembleBits(t *testing.T) {
	d := newDataset(t, gaussians(34, 1000, 5, 6).punch(4, 0.1))
	want := ""
	for _, level := range aoso.Levels() {
		for threads := 1; threads <= 3; threads++ {
			r := train(t, d, defaults(ofMembers(100), func(p *aoso.Params) { p.Level, p.NThread = level, threads }), aoso.TrainOptions{})
			var file bytes.Buffer
			if err := r.Model.Write(&file); err != nil {
				t.Fatal(err)
			}
			if want == "" {
				want = file.String()
			}
			if file.String() != want {
				t.Errorf("level %s, %d threads: another model", level, threads)
			}
		}
	}
}

// TestEnsembleRare: classes of two rows, which no member holds out both, and classes of one row.
func TestEnsembleRare(t *testing.T) {
	d := gaussians(35, 200, 3, 2)
	for i := range 6 {
		d.y[i] = 2 + i/2
	}
	d.y[6] = 5
	r := trained(t, d, defaults())
	if r.HeldOutRows != 199 || len(r.Model.Classes()) != 6 || math.IsNaN(r.HeldOut.LogLoss) {
		t.Errorf("%d rows held out, %d classes, log loss %g", r.HeldOutRows, len(r.Model.Classes()), r.HeldOut.LogLoss)
	}
}

// TestEnsembleExcluded: what excludes an ensemble is an error if one is asked for. By default, the model is then a
// single one.
func TestEnsembleExcluded(t *testing.T) {
	set := newDataset(t, blobs(36, 300, 3, 3, 255))
	valid := aligned(t, set, blobs(37, 100, 3, 3, 255))
	for name, test := range map[string]struct {
		o      aoso.TrainOptions
		change func(*aoso.Params)
	}{
		"no rows held out":     {change: func(p *aoso.Params) { p.Preset = aoso.PresetPaper }},
		"a validation set":     {o: aoso.TrainOptions{Valid: valid}},
		"validation sets":      {o: aoso.TrainOptions{Others: []*aoso.Dataset{valid}}},
		"method abc":           {change: func(p *aoso.Params) { p.Method = aoso.MethodABC }},
		"leaf pair":            {change: func(p *aoso.Params) { p.Leaf = "pair" }},
		"leaf sparse":          {change: func(p *aoso.Params) { p.Leaf = "sparse" }},
		"monotone constraints": {change: func(p *aoso.Params) { p.MonotoneConstraints = "[[1,0,0],0,0]" }},
		"a time limit":         {change: func(p *aoso.Params) { p.TimeLimit = 100 }},
	} {
		p := defaults()
		if test.change != nil {
			test.change(&p)
		}
		p.NEstimators, p.Ensemble = 20, members
		if _, err := aoso.NewTrainer(set, p, test.o); err == nil {
			t.Errorf("%s: no error", name)
		} else {
			wantArgumentError(t, err, "ensemble", fmt.Sprint(members))
		}
		p.NEstimators, p.Ensemble = 0, 0
		r := train(t, set, p, test.o)
		if got := r.Model.Params().Ensemble; got != 1 {
			t.Errorf("%s: ensemble %d", name, got)
		}
	}
}
