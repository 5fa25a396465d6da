package aoso

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/fit"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/internal/settings"
)

// checkpoint keeps how far a training has come in a file. Rank 0 reads and writes it.
type checkpoint struct {
	path    string // "": this rank does not write
	every   time.Duration
	of      training
	classes *Dataset // whose classes and features the trees are about
	warn    func(error)
	tried   time.Time // to save
	failed  error     // the last time
}

// training tells trainings apart that do not grow the same trees.
type training struct {
	Params    json.RawMessage `json:"params"`
	EvalEvery int             `json:"eval_every,omitempty"` // where early stopping depends on it
	Train     string          `json:"train"`
	Valid     string          `json:"valid,omitempty"`
	Continues string          `json:"continues,omitempty"`
	Weights   []float64       `json:"class_weights,omitempty"`
	Objective bool            `json:"objective,omitempty"` // which one, the program must know
}

// checkpointMeta is what a file says of a training for people to read.
type checkpointMeta struct {
	training
	Seconds float64   `json:"seconds"`
	Runs    []runMeta `json:"runs"`
}

// runMeta is a run whose models follow as arrays, each a model file.
type runMeta struct {
	Models  int  `json:"models"`
	TimeOut bool `json:"time_out,omitempty"`
}

// checkpointEvery is the time between two saves, unless another is asked for.
const checkpointEvery = time.Minute

// newCheckpoint is the checkpoint of a training, and what its file has; nil: the
// training has none. All ranks call it.
func newCheckpoint(train *Dataset, p Params, o TrainOptions, job *fit.Job) (*checkpoint, *fit.Record, error) {
	ranks := train.set.Ranks
	if o.CheckpointEvery < 0 {
		return nil, nil, badArgument("checkpoint_every", o.CheckpointEvery, "at least 0")
	}
	if !ranks.Any(o.Checkpoint != "") {
		return nil, nil, nil
	}
	c := &checkpoint{every: o.CheckpointEvery, classes: train, warn: o.Warn}
	if c.every == 0 {
		c.every = checkpointEvery
	}
	if ranks.Rank() == 0 {
		if c.path = o.Checkpoint; c.path == "" {
			return nil, nil, badArgument("checkpoint", c.path, "a path on rank 0, if it is one on another rank")
		}
	}
	var err error
	if c.of, err = trainingOf(train, p, o); err != nil {
		return nil, nil, err
	}
	data, err := c.read()
	if err != nil {
		return nil, nil, err
	}
	if all := ranks.Gather(data, 1); ranks.Err() == nil {
		data = all[0]
	}
	if len(data) == 0 {
		return c, nil, ranks.Err()
	}
	record, err := c.decode(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.path, err)
	}
	if err := record.Check(job); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.path, foreign("a file in which "+err.Error()))
	}
	return c, record, nil
}

// trainingOf describes a training. Its threads, its level and its time limit do not matter.
func trainingOf(train *Dataset, p Params, o TrainOptions) (t training, err error) {
	p.TimeLimit = 0
	if t.Params, err = p.settings().Encode(); err != nil {
		return t, err
	}
	t.Train = train.set.Digest()
	if o.Valid != nil {
		t.Valid = o.Valid.set.Digest()
	}
	if p.EarlyStopping > 0 {
		t.EvalEvery = max(o.EvalEvery, 1)
	}
	t.Weights, t.Objective = o.ClassWeights, o.Objective != nil
	if train.start != nil {
		t.Continues = train.start.model.Fingerprint()
	}
	return t, nil
}

// read reads the file on rank 0; nil: there is none.
func (c *checkpoint) read() ([]byte, error) {
	if c.path == "" {
		return nil, nil
	}
	data, err := modelio.ReadFile(modelio.Training, c.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, modelio.Writable(c.path)
	}
	return data, err
}

// decode reads what the file has, which must be of this training.
func (c *checkpoint) decode(data []byte) (*fit.Record, error) {
	file, err := modelio.Open(modelio.Training, data)
	if err != nil {
		return nil, err
	}
	var meta checkpointMeta
	if err := file.Meta(&meta); err != nil {
		return nil, err
	}
	if other := c.of.differs(&meta.training); other != "" {
		return nil, foreign("a file of a training with other " + other)
	}
	if most := time.Duration(math.MaxInt64).Seconds(); !(meta.Seconds >= 0 && meta.Seconds < most) {
		return nil, foreign(fmt.Sprintf("a file whose training took %v seconds", meta.Seconds))
	}
	record := &fit.Record{Elapsed: time.Duration(meta.Seconds * float64(time.Second))}
	for i, of := range meta.Runs {
		run := fit.RunRecord{TimeOut: of.TimeOut}
		for j := range of.Models {
			content, err := modelio.Array[uint8](file, arrayName(i, j))
			if err != nil {
				return nil, err
			}
			m, err := Decode(content)
			if err != nil {
				return nil, err
			}
			params := boost.Params(m.params)
			if what := c.unlike(m); what != "" || j > 0 && params != run.Params {
				return nil, foreign(fmt.Sprintf("a file in which the models of run %d have other %s", i, cmp.Or(what, "parameters")))
			}
			run.Params, run.Forests = params, append(run.Forests, m.content.Forest)
		}
		record.Runs = append(record.Runs, run)
	}
	return record, nil
}

// foreign is the error of a file that is not of the training.
func foreign(what string) error {
	return badArgument("checkpoint", what, "a file of the same training, or one that does not exist")
}

// unlike says what a model has that is not of the training set; "": nothing.
func (c *checkpoint) unlike(m *Model) string {
	set := c.classes.set
	switch {
	case !slices.Equal(m.content.Classes, set.Classes):
		return "classes"
	case !slices.Equal(m.content.Features, set.Names):
		return "features"
	case !m.content.Encoder.Equal(set.Encoder):
		return "categories"
	}
	return ""
}

// differs says how a training differs from another; "": not at all.
func (t *training) differs(other *training) string {
	var mine, theirs bytes.Buffer
	if json.Compact(&mine, t.Params) != nil || json.Compact(&theirs, other.Params) != nil {
		return "parameters"
	}
	switch {
	case mine.String() != theirs.String():
		return "parameters"
	case t.EvalEvery != other.EvalEvery:
		return "eval_every: " + strconv.Itoa(other.EvalEvery)
	case t.Train != other.Train:
		return "rows"
	case t.Valid != other.Valid:
		return "rows to validate on"
	case t.Continues != other.Continues:
		return "model to continue"
	case !slices.Equal(t.Weights, other.Weights):
		return "class weights"
	case t.Objective != other.Objective:
		return "loss"
	}
	return ""
}

func arrayName(run, model int) string { return fmt.Sprintf("run_%d_model_%d", run, model) }

// note takes note of an iteration, and saves the training if it is time or over. As
// long as the file has more trees than the training, it stays. A save that fails costs
// nothing but the file: the training goes on.
func (c *checkpoint) note(f *fit.Fit, over bool) {
	if c.path == "" || f.Repeating() || !over && time.Since(c.tried) < c.every {
		return
	}
	record, before := f.Record(), c.failed
	c.failed = modelio.WriteFile(c.path, func(w io.Writer) error { return c.write(w, &record) })
	c.tried = time.Now()
	if c.failed != nil && before == nil && c.warn != nil {
		c.warn(c.failed)
	}
}

func (c *checkpoint) write(w io.Writer, record *fit.Record) error {
	meta := checkpointMeta{training: c.of, Seconds: record.Elapsed.Seconds()}
	for _, run := range record.Runs {
		meta.Runs = append(meta.Runs, runMeta{len(run.Forests), run.TimeOut})
	}
	file, set := modelio.NewWriter(modelio.Training, meta), c.classes.set
	for i, run := range record.Runs {
		for j, forest := range run.Forests {
			params, err := settings.Params(run.Params).Encode()
			if err != nil {
				return err
			}
			m := model.New(run.Params.Method, forest, set.Classes, set.Names, set.Encoder)
			m.Named, m.Params = set.Named, params
			var content bytes.Buffer
			if err := m.EncodePlain(&content); err != nil {
				return err
			}
			modelio.Add(file, arrayName(i, j), content.Bytes())
		}
	}
	_, err := file.WriteTo(w)
	return err
}
