package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/tools/cases"
)

// checkpointMeta is the description of a training in its file.
type checkpointMeta struct {
	Params    json.RawMessage `json:"params"`
	Train     string          `json:"train"`
	Valid     string          `json:"valid,omitempty"`
	Continues string          `json:"continues,omitempty"`
	Weights   []float64       `json:"class_weights,omitempty"`
	Objective bool            `json:"objective,omitempty"`
	EvalEvery int             `json:"eval_every,omitempty"`
	Seconds   float64         `json:"seconds"`
	Runs      []runMeta       `json:"runs"`
}

// runMeta describes a run, whose models follow as arrays.
type runMeta struct {
	Models  int  `json:"models"`
	TimeOut bool `json:"time_out,omitempty"`
}

func arrayName(run, model int) string { return fmt.Sprintf("run_%d_model_%d", run, model) }

// checkpointFile is the content of a checkpoint, as a hostile writer has it.
type checkpointFile struct {
	meta   checkpointMeta
	models map[string][]byte // by name of the array: model files
}

func readCheckpoint(t *testing.T, path string) *checkpointFile {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := modelio.Open(modelio.Training, data)
	if err != nil {
		t.Fatal(err)
	}
	c := &checkpointFile{models: map[string][]byte{}}
	if err := file.Meta(&c.meta); err != nil {
		t.Fatal(err)
	}
	for i := range c.meta.Runs {
		for j := 0; file.Has(arrayName(i, j)); j++ {
			var content []byte
			clone(t, file, arrayName(i, j), &content)
			c.models[arrayName(i, j)] = content
		}
	}
	return c
}

func (c *checkpointFile) write(t *testing.T, path string) {
	t.Helper()
	w := modelio.NewWriter(modelio.Training, c.meta)
	for _, name := range slices.Sorted(maps.Keys(c.models)) {
		modelio.Add(w, name, c.models[name])
	}
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// kinds are trainings whose models are of other kinds. Models whose trees are of one kind can stand for
// each other, once their parameters and linear scores are gone.
var kinds = []struct {
	name, trees string
	change      func(*aoso.Params)
}{
	{"full", "full", func(p *aoso.Params) { p.Leaf, p.Start = "full", "zero" }},
	{"full, 2 pairs", "full, 2 pairs", func(p *aoso.Params) { p.Leaf, p.Start, p.Pairs = "full", "zero", 2 }},
	{"full, linear", "full", func(p *aoso.Params) { p.Leaf, p.Start = "full", "linear" }},
	{"pair", "pair", func(p *aoso.Params) { p.Leaf, p.Start = "pair", "zero" }},
	{"pair, linear", "pair", func(p *aoso.Params) { p.Leaf, p.Start = "pair", "linear" }},
	{"sparse", "sparse", func(p *aoso.Params) { p.Leaf, p.LeafClasses, p.Start = "sparse", 3, "zero" }},
	{"sparse, 2 classes", "sparse, 2", func(p *aoso.Params) { p.Leaf, p.LeafClasses, p.Start = "sparse", 2, "zero" }},
	{"sparse, linear", "sparse", func(p *aoso.Params) { p.Leaf, p.LeafClasses, p.Start = "sparse", 3, "linear" }},
	{"abc", "abc", func(p *aoso.Params) { p.Method = aoso.MethodABC }},
	{"logitboost", "logitboost", func(p *aoso.Params) { p.Method = aoso.MethodLogitBoost }},
	{"holdout", "full", func(p *aoso.Params) { p.Calibration = "holdout" }},
	{"folds", "full", func(p *aoso.Params) { p.Calibration = "folds" }},
	{"other seed, more trees and leaves", "full", func(p *aoso.Params) { p.NEstimators, p.MaxLeaves, p.Seed = 40, 9, 3 }},
}

// kindParams returns the parameters of a kind: 7 or 8 iterations, and rows are held out only for the kind.
func kindParams(change func(*aoso.Params)) aoso.Params {
	p := aoso.DefaultParams()
	p.NEstimators, p.MaxLeaves, p.Calibration, p.NThread = 8, 6, "none", 1
	change(&p)
	if p.Method != aoso.MethodAOSO {
		p.NEstimators *= 8
	}
	return p
}

// interrupted trains for a number of steps, and returns the checkpoint.
func interrupted(t *testing.T, d *aoso.Dataset, p aoso.Params, steps int) *checkpointFile {
	t.Helper()
	path := filepath.Join(t.TempDir(), "training")
	if err := crashed(d, p, aoso.TrainOptions{Checkpoint: path, CheckpointEvery: 1}, steps); err != nil {
		t.Fatal(err)
	}
	return readCheckpoint(t, path)
}

// TestCheckpointEveryStep: training that was interrupted after any step ends as if it had not been.
func TestCheckpointEveryStep(t *testing.T) {
	d := newDataset(t, blobs(4, 300, 4, 8, 60).punch(4, 0.1).weighted(4))
	for _, kind := range kinds {
		p := kindParams(kind.change)
		want, err := followed(d, p, aoso.TrainOptions{})
		if err != nil {
			t.Fatal(err)
		}
		steps := strings.Count(want, "\n") - 1
		path := filepath.Join(t.TempDir(), "training")
		for _, at := range cases.Some(t, 4, cases.Numbers(steps)) {
			o := aoso.TrainOptions{Checkpoint: path, CheckpointEvery: 1}
			if err := crashed(d, p, o, at); err != nil { // from the checkpoint of one step less
				t.Fatal(err)
			}
			o.CheckpointEvery = 1 << 62 // so that the file is left as it is
			b, err := aoso.NewTrainer(d, p, o)
			if err != nil {
				t.Fatal(err)
			}
			for more := true; more; {
				_, more = b.Step(t.Context())
			}
			r := b.Result()
			if line := fmt.Sprintln(r.Model.Fingerprint(), r.Model.Temperature(), r.Phase, r.Iterations, r.BestIteration, r.TrainLoss, r.Valid, r.HeldOut, r.StoppedBy); !strings.HasSuffix(want, line) {
				t.Errorf("%s, interrupted after %d of %d steps: %s, want %s", kind.name, at, steps, line, want)
			}
			b.Close()
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// checkForged checks that a forged checkpoint is refused with an error that names the file and a
// reason, or else leads to the same model.
func checkForged(t *testing.T, what string, c *checkpointFile, d *aoso.Dataset, p aoso.Params, want string) (refused bool) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "training")
	c.write(t, path)
	got, err := followed(d, p, aoso.TrainOptions{Checkpoint: path})
	switch {
	case err == nil && got != want:
		t.Errorf("%s:\n%s\nwant:\n%s", what, got, want)
	case err != nil && !strings.Contains(err.Error(), path):
		t.Errorf("%s: the error does not name the file: %v", what, err)
	}
	return err != nil
}

// TestForeignCheckpoint puts the models of other trainings into checkpoints.
func TestForeignCheckpoint(t *testing.T) {
	rows := blobs(4, 300, 4, 8, 60).punch(4, 0.1)
	d := newDataset(t, rows)
	moved := blobs(4, 300, 4, 8, 60)
	for _, row := range moved.x {
		for j := range row {
			row[j] += 0.1
		}
	}
	other := newDataset(t, moved) // of the same names and other bins
	var files, others []*checkpointFile
	for _, kind := range kinds {
		p := kindParams(kind.change)
		files, others = append(files, interrupted(t, d, p, 5)), append(others, interrupted(t, other, p, 5))
	}
	for i, kind := range kinds {
		p := kindParams(kind.change)
		want, err := followed(d, p, aoso.TrainOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for j, foreign := range slices.Concat(files, others) {
			if i == j {
				continue
			}
			from := kinds[j%len(kinds)]
			for _, name := range slices.Sorted(maps.Keys(foreign.models)) {
				what := fmt.Sprintf("%s: %s of %s, other bins: %t", kind.name, name, from.name, j >= len(kinds))
				c := &checkpointFile{files[i].meta, maps.Clone(files[i].models)}
				c.models[arrayName(0, 0)] = foreign.models[name]
				if refused := checkForged(t, what, c, d, p, want); !refused {
					t.Errorf("%s is taken", what)
				}
				var params map[string]any // of this training
				forge(t, files[i].models[arrayName(0, 0)], func(m *modelFile) { params = m.Params })
				c.models[arrayName(0, 0)] = forge(t, foreign.models[name], func(m *modelFile) { m.Params = params })
				if kind.trees != from.trees || j >= len(kinds) {
					checkForged(t, what+", with the right parameters", c, d, p, want)
				}
			}
		}
	}
}

// TestForgedCheckpoint changes the numbers of a checkpoint one by one.
func TestForgedCheckpoint(t *testing.T) {
	d := newDataset(t, blobs(4, 300, 4, 8, 60).punch(4, 0.1))
	p := kindParams(func(p *aoso.Params) { p.Calibration, p.NEstimators = "holdout", 0 })
	want, err := followed(d, p, aoso.TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	steps := strings.Count(want, "\n") - 1
	path := filepath.Join(t.TempDir(), "training")
	if err := crashed(d, p, aoso.TrainOptions{Checkpoint: path, CheckpointEvery: 1}, steps-3); err != nil {
		t.Fatal(err)
	}
	first := func(change func(m *modelFile)) func(c *checkpointFile) {
		return func(c *checkpointFile) { c.models[arrayName(0, 0)] = forge(t, c.models[arrayName(0, 0)], change) }
	}
	parameter := func(name string, value any) func(c *checkpointFile) {
		return first(func(m *modelFile) { m.Params[name] = value })
	}
	for what, test := range map[string]struct {
		want   string // the error; "": it may be taken
		change func(c *checkpointFile)
	}{
		"as it is":            {"", func(c *checkpointFile) {}},
		"negative time":       {"took -1 seconds", func(c *checkpointFile) { c.meta.Seconds = -1 }},
		"endless time":        {"took 1e+300 seconds", func(c *checkpointFile) { c.meta.Seconds = 1e300 }},
		"294 years":           {"seconds", func(c *checkpointFile) { c.meta.Seconds = 9223372036854775807 }},
		"no run":              {"", func(c *checkpointFile) { c.meta.Runs = nil }},
		"no model":            {"run 0 has", func(c *checkpointFile) { c.meta.Runs[0].Models = 0 }},
		"−1 models":           {"run 0 has", func(c *checkpointFile) { c.meta.Runs[0].Models = -1 }},
		"2 models":            {"run_0_model_1", func(c *checkpointFile) { c.meta.Runs[0].Models = 2 }},
		"a billion models":    {"run_0_model_1", func(c *checkpointFile) { c.meta.Runs[0].Models = 1_000_000_000 }},
		"time was over":       {"", func(c *checkpointFile) { c.meta.Runs[0].TimeOut = true }},
		"runs without models": {"run 1", func(c *checkpointFile) { c.meta.Runs = append(c.meta.Runs[:1], runMeta{}) }},
		"a run twice": {"", func(c *checkpointFile) {
			c.models[arrayName(1, 0)] = c.models[arrayName(0, 0)]
		}},
		"many runs": {"there are", func(c *checkpointFile) {
			for i := range 9 {
				c.models[arrayName(i, 0)] = c.models[arrayName(0, 0)]
			}
			c.meta.Runs = slices.Repeat([]runMeta{{Models: 1}}, 9)
		}},
		"two models": {"run 0 has 2 models", func(c *checkpointFile) {
			c.meta.Runs[0].Models, c.models[arrayName(0, 1)] = 2, c.models[arrayName(0, 0)]
		}},
		"other parameters": {"other parameters", func(c *checkpointFile) { c.meta.Params = []byte(`{"trees":11}`) }},
		"other rows":       {"other rows", func(c *checkpointFile) { c.meta.Train = "x" }},
		"validation":       {"rows to validate on", func(c *checkpointFile) { c.meta.Valid = "x" }},
		"continues":        {"model to continue", func(c *checkpointFile) { c.meta.Continues = "x" }},
		"class weights":    {"class weights", func(c *checkpointFile) { c.meta.Weights = []float64{1} }},
		"objective":        {"other loss", func(c *checkpointFile) { c.meta.Objective = true }},
		"evaluation":       {"eval_every", func(c *checkpointFile) { c.meta.EvalEvery = 3 }},

		"method":         {"method abc", first(func(m *modelFile) { m.Method = aoso.MethodABC })},
		"leaf":           {"leaf_pairs", first(func(m *modelFile) { m.Leaf = "pair" })},
		"classes":        {"other classes", first(func(m *modelFile) { m.Classes[0] = "z" })},
		"features":       {"other features", first(func(m *modelFile) { m.Features[0] = "z" })},
		"one more":       {"other features", first(func(m *modelFile) { m.Features = append(m.Features, "z") })},
		"per round":      {"trees_per_iteration", first(func(m *modelFile) { m.TreesPerIteration = 2 })},
		"threshold":      {"between no bins", first(func(m *modelFile) { m.Threshold[0] += 1e-9 })},
		"learning_rate":  {"settings", parameter("learning_rate", 0.5)},
		"max_leaves":     {"settings", parameter("max_leaves", 99)},
		"max_delta_step": {"settings", parameter("max_delta_step", 99)},
		"seed":           {"settings", parameter("seed", 99)},
		"start":          {"settings", parameter("start", "linear")},
		"more trees":     {"settings", parameter("n_estimators", 999999)},
		"few trees":      {"trees, and 0 to 1", parameter("n_estimators", 1)},
		"pairs":          {"pairs 2", parameter("pairs", 2)},
	} {
		c := readCheckpoint(t, path)
		test.change(c)
		forged := filepath.Join(t.TempDir(), "training")
		c.write(t, forged)
		got, err := followed(d, p, aoso.TrainOptions{Checkpoint: forged})
		switch {
		case err == nil && (test.want != "" || got != want):
			t.Errorf("%s is taken: %t", what, got == want)
		case err != nil && (test.want == "" || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), forged)):
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestForgedCheckpointPairs has leaves with the padding class, for which the residuals of 8 classes
// have no lane.
func TestForgedCheckpointPairs(t *testing.T) {
	d := newDataset(t, blobs(4, 300, 4, 8, 60))
	p := kindParams(func(p *aoso.Params) { p.Leaf, p.Start = "pair", "zero" })
	c, path := interrupted(t, d, p, 5), filepath.Join(t.TempDir(), "training")
	c.models[arrayName(0, 0)] = forge(t, c.models[arrayName(0, 0)], func(m *modelFile) {
		for i := 1; i < len(m.LeafPairs); i += 2 {
			m.LeafPairs[i] = 8
		}
	})
	c.write(t, path)
	if r := train(t, d, p, aoso.TrainOptions{Checkpoint: path}); r.Model.Trees() != p.NEstimators {
		t.Errorf("%d trees", r.Model.Trees())
	}
}
