package conformal

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/libaoso/aoso/internal/modelio"
)

// Header is what the header of a model file says of scores.
type Header struct {
	Rows   int     `json:"rows"`
	Tuning int     `json:"tuning"`
	Lambda float64 `json:"lambda"`
	Free   int     `json:"free"`
}

// Header is that of the scores; nil: there are none.
func (s *Scores) Header() *Header {
	if s == nil {
		return nil
	}
	return &Header{s.Rows(), s.Tuning, s.Lambda, s.Free}
}

// Write adds the arrays of the scores to a file, if there are any.
func (s *Scores) Write(w *modelio.Writer) {
	if s == nil {
		return
	}
	modelio.Add(w, "conformal_labels", s.Labels)
	modelio.Add(w, "conformal_weights", s.Weights)
	modelio.Add(w, "conformal_lac", s.LAC)
	modelio.Add(w, "conformal_aps", s.APS)
	modelio.Add(w, "conformal_ranks", s.Ranks)
}

// Read reads the scores of a model of this many classes; nil if it has none.
func (h *Header) Read(file *modelio.File, classes int) (*Scores, error) {
	if h == nil {
		return nil, nil
	}
	s := &Scores{Classes: classes, Penalty: Penalty{h.Lambda, h.Free}, Tuning: h.Tuning}
	if err := cmp.Or(
		modelio.Read(file, "conformal_labels", &s.Labels),
		modelio.Read(file, "conformal_weights", &s.Weights),
		modelio.Read(file, "conformal_lac", &s.LAC),
		modelio.Read(file, "conformal_aps", &s.APS),
		modelio.Read(file, "conformal_ranks", &s.Ranks),
	); err != nil {
		return nil, err
	}
	if len(s.Weights) == 0 {
		s.Weights = nil
	}
	if err := s.check(h.Rows); err != nil {
		return nil, fmt.Errorf("%w: conformal: %w", modelio.ErrCorrupt, err)
	}
	return s, nil
}

// check tells what is wrong with the scores of this many rows, if anything.
func (s *Scores) check(rows int) error {
	switch {
	case rows < 1 || rows > MaxRows || rows != len(s.Labels) || rows != len(s.LAC) || rows != len(s.APS) || rows != len(s.Ranks) ||
		s.Weights != nil && rows != len(s.Weights):
		return errors.New("the arrays do not have one number for each row")
	case s.Tuning < 0 || s.Tuning >= rows:
		return fmt.Errorf("tuning is %d of %d rows", s.Tuning, rows)
	case !(s.Lambda >= 0 && s.Lambda <= 1):
		return fmt.Errorf("lambda is %v", s.Lambda)
	case s.Free < 1 || s.Free > s.Classes:
		return fmt.Errorf("free is %d of %d classes", s.Free, s.Classes)
	}
	for i := range rows {
		switch w := s.weight(i); {
		case int(s.Labels[i]) >= s.Classes || int(s.Ranks[i]) >= s.Classes:
			return fmt.Errorf("row %d has class %d and rank %d of %d", i, s.Labels[i], s.Ranks[i], s.Classes)
		case !(s.LAC[i] >= 0 && s.LAC[i] <= 1 && s.APS[i] >= 0 && s.APS[i] <= 1):
			return fmt.Errorf("row %d has the scores %v and %v", i, s.LAC[i], s.APS[i])
		case !(w > 0 && w-w == 0):
			return fmt.Errorf("row %d has weight %v", i, w)
		}
	}
	return nil
}
