package model

import (
	"fmt"
	"slices"
	"strings"
)

// Words is a split in words, with each name as write writes it.
func (m *Model) Words(s Split, write func(name string) string) string {
	if m.Encoder == nil {
		return fmt.Sprintf("%s < %v", write(m.Features[s.Feature]), s.threshold)
	}
	owner, rate := m.Encoder.Owner(int(s.Feature))
	name := write(m.Features[owner])
	switch {
	case s.categorical:
		return fmt.Sprintf("%s in {%s}", name, m.members(owner, &s.set, write))
	case rate >= 0:
		return fmt.Sprintf("rate of %s by %s < %v", write(m.Classes[m.Encoder.Classes[rate]]), name, s.threshold)
	}
	return fmt.Sprintf("%s < %v", name, s.threshold)
}

// members lists the categories of a feature that are in a set, not all of very
// many.
func (m *Model) members(feature int, set *Set, write func(name string) string) string {
	const most = 6
	f := &m.Encoder.Features[feature]
	var names []string
	more := 0
	for i, category := range f.Categories {
		switch {
		case !set.Has(i + 1):
		case len(names) < most:
			names = append(names, write(category))
		default:
			more++
		}
	}
	if more > 0 {
		names = slices.Insert(names, most, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
