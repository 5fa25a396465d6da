package model

import "github.com/libaoso/aoso/internal/category"

// Sides says where a split on a categorical feature, or on pairs of categories, sends rows.
type Sides struct {
	Feature     int    // or the column of pairs
	Left        []bool // by category, or by pair: those of the first category of the first feature come first
	UnseenLeft  bool   // categories unknown to training
	MissingLeft bool
}

// Sides returns where a split sends categories; nil: it is on numbers.
func (m *Model) Sides(s Split) *Sides {
	if m.Encoder == nil {
		return nil
	}
	if c, crossed := m.Encoder.Cross(int(s.Feature)); crossed {
		if c.Op != category.Pair {
			return nil
		}
		sides := &Sides{int(s.Feature), nil, s.MissingLeft, s.MissingLeft}
		left := s.Left()
		for i := range m.categoriesOf(int(s.Feature)) {
			sides.Left = append(sides.Left, left.Has(float64(i+1)))
		}
		return sides
	}
	feature, _ := m.Encoder.Owner(int(s.Feature))
	if m.Encoder.Features[feature].Categories == nil {
		return nil
	}
	left, values := s.Left(), m.Encoder.Values(int(s.Feature))
	goes := make([]bool, len(values))
	for i, v := range values {
		goes[i] = left.Has(v)
	}
	last := len(values) - 1
	return &Sides{feature, goes[:last], goes[last], s.MissingLeft}
}

// Members lists the categories that go left, or those that go right, by their
// positions.
func (s *Sides) Members(left bool) []int {
	members := []int{}
	for i, goes := range s.Left {
		if goes == left {
			members = append(members, i)
		}
	}
	return members
}

// UnseenSide returns, in words, where categories unknown to training go.
func (s *Sides) UnseenSide() string { return side(s.UnseenLeft) }

func side(left bool) string {
	if left {
		return "left"
	}
	return "right"
}
