// Package checkpoint keeps how far a training has come in a file, from which it can go on.
package checkpoint

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

	"github.com/libaoso/aoso/internal/argument"
	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/fit"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/internal/settings"
)

// Options say where a checkpoint is and what of.
type Options struct {
	Path  string        // "": none, at least on this rank
	Every time.Duration // between two saves; 0: a minute
	Warn  func(error)   // receives the first of several failures to save
	Of    func() (Training, error)
	Set   *data.Set // the rows that training is on
}

// File holds the trees of a training under way. Rank 0 reads and writes it.
type File struct {
	Options
	of     Training
	tried  time.Time // to save
	failed error     // the last time
}

// Training describes a training. Trainings with the same description grow the same trees.
type Training struct {
	Params    json.RawMessage `json:"params"`
	EvalEvery int             `json:"eval_every,omitempty"` // where early stopping depends on it
	Train     string          `json:"train"`
	Valid     string          `json:"valid,omitempty"`
	Continues string          `json:"continues,omitempty"`
	Weights   []float64       `json:"class_weights,omitempty"`
	Split     string          `json:"split,omitempty"`     // the groups or times of the rows
	Objective bool            `json:"objective,omitempty"` // which one, the program must know
}

// meta is the part of a file that people can read.
type meta struct {
	Training
	Seconds float64   `json:"seconds"`
	Runs    []runMeta `json:"runs"`
}

// runMeta describes a run, whose models follow as arrays, each a model file.
type runMeta struct {
	Models  int  `json:"models"`
	TimeOut bool `json:"time_out,omitempty"`
}

// Open returns the file of a training, and what it holds; nil: no rank has one, or it holds nothing yet.
// All ranks call it.
func Open(o Options, job *fit.Job) (*File, *fit.Record, error) {
	ranks := o.Set.Ranks
	if o.Every < 0 {
		return nil, nil, argument.New("checkpoint_every", o.Every, "at least 0")
	}
	if !ranks.Any(o.Path != "") {
		return nil, nil, nil
	}
	c := &File{Options: o}
	c.Every = cmp.Or(c.Every, time.Minute)
	if ranks.Rank() != 0 {
		c.Path = ""
	} else if c.Path == "" {
		return nil, nil, argument.New("checkpoint", c.Path, "a path on rank 0, if it is one on another rank")
	}
	var err error
	if c.of, err = o.Of(); err != nil {
		return nil, nil, err
	}
	content, err := c.read()
	if err != nil {
		return nil, nil, err
	}
	if all := ranks.Gather(content, 1); ranks.Err() == nil {
		content = all[0]
	}
	if len(content) == 0 {
		return c, nil, ranks.Err()
	}
	record, err := c.decode(content)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.Path, err)
	}
	if err := record.Check(job); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.Path, foreign("a file in which "+err.Error()))
	}
	return c, record, nil
}

// Err returns why the last save failed; nil: it did not, or there is no file.
func (c *File) Err() error {
	if c == nil {
		return nil
	}
	return c.failed
}

// read reads the file on rank 0; nil: there is none.
func (c *File) read() ([]byte, error) {
	if c.Path == "" {
		return nil, nil
	}
	data, err := modelio.ReadFile(modelio.Training, c.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, modelio.Writable(c.Path)
	}
	return data, err
}

// decode reads what the file has, which must be of this training.
func (c *File) decode(data []byte) (*fit.Record, error) {
	file, err := modelio.Open(modelio.Training, data)
	if err != nil {
		return nil, err
	}
	var m meta
	if err := file.Meta(&m); err != nil {
		return nil, err
	}
	if other := c.of.differs(&m.Training); other != "" {
		return nil, foreign("a file of a training with other " + other)
	}
	if most := time.Duration(math.MaxInt64).Seconds(); !(m.Seconds >= 0 && m.Seconds < most) {
		return nil, foreign(fmt.Sprintf("a file whose training took %v seconds", m.Seconds))
	}
	record := &fit.Record{Elapsed: time.Duration(m.Seconds * float64(time.Second))}
	for i, of := range m.Runs {
		run := fit.RunRecord{TimeOut: of.TimeOut}
		for j := range of.Models {
			content, err := modelio.Array[uint8](file, arrayName(i, j))
			if err != nil {
				return nil, err
			}
			decoded, err := model.Decode(content)
			if err != nil {
				return nil, err
			}
			p, err := settings.Of(decoded)
			if err != nil {
				return nil, err
			}
			params := boost.Params(p)
			if what := c.unlike(decoded); what != "" || j > 0 && params != run.Params {
				return nil, foreign(fmt.Sprintf("a file in which the models of run %d have other %s", i, cmp.Or(what, "parameters")))
			}
			run.Params, run.Forests = params, append(run.Forests, decoded.Forest)
		}
		record.Runs = append(record.Runs, run)
	}
	return record, nil
}

// foreign returns the error for a file of another training.
func foreign(what string) error {
	return argument.New("checkpoint", what, "a file of the same training, or one that does not exist")
}

// unlike returns what a model has that the training set does not; "": nothing.
func (c *File) unlike(m *model.Model) string {
	set := c.Set
	switch {
	case !slices.Equal(m.Classes, set.Classes):
		return "classes"
	case !slices.Equal(m.Features, set.Names):
		return "features"
	case !m.Encoder.Equal(set.Encoder):
		return "categories"
	}
	return ""
}

// differs returns how a training differs from another; "": not at all.
func (t *Training) differs(other *Training) string {
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
	case t.Split != other.Split:
		return "groups or times"
	case t.Objective != other.Objective:
		return "loss"
	}
	return ""
}

func arrayName(run, model int) string { return fmt.Sprintf("run_%d_model_%d", run, model) }

// Update saves the training after an iteration, if it is time or the training is over. As
// long as the file has more trees than the training, it stays. A save that fails costs
// nothing but the file: the training goes on.
func (c *File) Update(f *fit.Fit, over bool) {
	if c.Path == "" || f.Repeating() || !over && time.Since(c.tried) < c.Every {
		return
	}
	record, before := f.Record(), c.failed
	c.failed = modelio.WriteFile(c.Path, func(w io.Writer) error { return c.write(w, &record) })
	c.tried = time.Now()
	if c.failed != nil && before == nil && c.Warn != nil {
		c.Warn(c.failed)
	}
}

func (c *File) write(w io.Writer, record *fit.Record) error {
	head := meta{Training: c.of, Seconds: record.Elapsed.Seconds()}
	for _, run := range record.Runs {
		head.Runs = append(head.Runs, runMeta{len(run.Forests), run.TimeOut})
	}
	file, set := modelio.NewWriter(modelio.Training, head), c.Set
	for i, run := range record.Runs {
		params, err := settings.Params(run.Params).Encode()
		if err != nil {
			return err
		}
		for j, forest := range run.Forests {
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
