package aoso

import (
	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/par"
)

// start is where a training that continues a model begins on a dataset.
type start struct {
	boost.Start
	model *Model
}

// newStart is the start for a validation set; nil: there is no model.
func newStart(m *Model, x Features, team *par.Team) (*start, error) {
	if m == nil {
		return nil, nil
	}
	scores, err := m.PredictRaw(x, PredictOptions{Threads: team.Workers()})
	return &start{boost.Start{Params: boost.Params(m.params), Forest: m.content.Forest, Scores: scores}, m}, err
}

// startScores is the raw scores of the model to continue; nil: there is none.
func (d *Dataset) startScores() []float64 {
	if d.start == nil {
		return nil
	}
	return d.start.Scores
}

// replay makes the start one for a training set.
func (s *start) replay(x Features, t *data.Target, team *par.Team) error {
	if s == nil {
		return nil
	}
	if _, err := s.model.params.complete(len(t.Classes)); err != nil {
		return err
	}
	k, err := kernels("")
	if err != nil {
		return err
	}
	columns, err := s.model.columns(x)
	if err != nil {
		return err
	}
	return s.Replay(columns, t, k, team, func(trees int) ([]float64, error) {
		return s.model.PredictRaw(x, PredictOptions{Trees: trees, Threads: team.Workers()})
	})
}
