package aoso

import (
	"slices"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
)

// start is where a training that continues a model begins on a dataset.
type start struct {
	boost.Start
	model *Model // with the classes of the dataset
	grown bool   // the model to continue had fewer classes
}

// newStart returns the start for a validation set; nil: there is no model.
func newStart(m *Model, x Features, team *par.Team) (*start, error) {
	if m == nil {
		return nil, nil
	}
	scores, err := m.PredictRaw(x, PredictOptions{NThread: team.Workers()})
	return &start{boost.Start{Params: boost.Params(m.params), Forest: m.content.Forest, Scores: scores}, m, false}, err
}

// newTrainingStart returns the start for a training set; nil: there is no model. fresh says which of the classes the
// model does not know; nil: it knows all.
func newTrainingStart(m *Model, fresh []bool, x Features, t *data.Target, team *par.Team) (*start, error) {
	s, err := newStart(m, x, team)
	if err != nil || s == nil {
		return s, err
	}
	if fresh != nil {
		s.addClasses(fresh, t, team)
	}
	return s, s.replay(x, t, team)
}

// startScores returns the raw scores of the model to continue; nil: there is none.
func (d *Dataset) startScores() []float64 {
	if d.start == nil {
		return nil
	}
	return d.start.Scores
}

// addClasses gives fresh classes constant scores, which make them as likely as they are frequent.
func (s *start) addClasses(fresh []bool, t *data.Target, team *par.Team) {
	scores, p := boost.NewClassScores(t, s.Scores, fresh, team), &s.model.params
	newton := loss.Newton{Shrinkage: p.LearningRate}
	var classes []int
	var constants []float32
	for k, isFresh := range fresh {
		if !isFresh {
			continue
		}
		classes, constants = append(classes, k), append(constants, scores[k])
		if s.Forest.Full() {
			constants[len(constants)-1] = newton.Round(float64(scores[k]), len(fresh))
		}
	}
	s.Forest = s.Forest.Clone()
	s.Forest.AddConstants(classes, constants, t.AllRows())
	for row := range t.Rows() {
		for i, k := range classes {
			s.Scores[row*len(fresh)+k] += float64(constants[i])
		}
	}
	content := s.model.content
	content.Forest = s.Forest
	s.model, s.grown = newModel(content, *p), true
}

// replay makes the start one for a training set.
func (s *start) replay(x Features, t *data.Target, team *par.Team) error {
	if _, err := s.model.params.settings().Complete(len(t.Classes)); err != nil {
		return public(err)
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
		return s.model.PredictRaw(x, PredictOptions{Trees: trees, NThread: team.Workers()})
	})
}

// withClasses returns the model with the classes of labels that it does not know, and which they are; nil: none.
// A model has its classes in the order of all labels. Where that would reorder those that it has, the new ones follow them.
func (m *Model) withClasses(found []string, texts bool) (wide *Model, fresh []bool, err error) {
	known := map[string]bool{}
	for _, class := range m.content.Classes {
		known[class] = true
	}
	added := slices.DeleteFunc(slices.Clone(found), func(class string) bool { return known[class] })
	switch {
	case len(added) == 0:
		return m, nil, nil
	case m.content.Method != model.AOSO:
		return nil, nil, badArgument("labels", added[0], "with method %s, the classes of the model to continue: %s", m.content.Method, listed(m.content.Classes))
	}
	all := append(slices.Clone(m.content.Classes), added...)
	texts = texts || !slices.Equal(m.content.Classes, data.Classes(StringLabels(m.content.Classes), false))
	classes, err := StringLabels(all).classes(texts)
	if err != nil {
		return nil, nil, err
	}
	if kept := slices.DeleteFunc(slices.Clone(classes), func(class string) bool { return !known[class] }); !slices.Equal(kept, m.content.Classes) {
		classes = all
	}
	fresh = make([]bool, len(classes))
	for k, class := range classes {
		fresh[k] = !known[class]
	}
	return newModel(*m.content.Widened(classes), m.params), fresh, nil
}
