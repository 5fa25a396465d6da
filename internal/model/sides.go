package model

// Sides says where a split on a categorical feature sends rows.
type Sides struct {
	Feature     int
	Left        []bool // by category
	UnseenLeft  bool   // categories unknown to training
	MissingLeft bool
}

// Sides returns where a split sends categories; nil: its feature is numeric, or it is on a cross.
func (m *Model) Sides(s Split) *Sides {
	if m.Encoder == nil {
		return nil
	}
	if _, crossed := m.Encoder.Cross(int(s.Feature)); crossed {
		return nil
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
