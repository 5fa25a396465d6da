package model

import (
	"fmt"
	"strings"
)

// Words describes a split in words, with each name as write returns it. Of a set of categories
// and its complement it lists the smaller, and the first if there are many.
func (m *Model) Words(s Split, write func(name string) string) string {
	sides := m.Sides(s)
	if sides == nil {
		return fmt.Sprintf("%s < %v", write(m.columnName(int(s.Feature))), s.threshold)
	}
	name, word, members, rest := write(m.columnName(sides.Feature)), "in", sides.Members(true), sides.Members(false)
	if len(rest) == 0 {
		return name + " is there"
	}
	if len(rest) < len(members) {
		word, members = "not in", rest
	}
	const most = 6
	var names []string
	categories := m.categoriesOf(sides.Feature)
	for _, i := range members[:min(len(members), most)] {
		names = append(names, write(categories[i]))
	}
	if more := len(members) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s %s {%s}", name, word, strings.Join(names, ", "))
}

// columnName returns the name of a feature, or of a cross.
func (m *Model) columnName(column int) string {
	if c, ok := m.Encoder.Cross(column); ok {
		return c.Name(m.Features)
	}
	return m.Features[column]
}

// categoriesOf lists the categories of a feature, or the pairs of a cross.
func (m *Model) categoriesOf(column int) (names []string) {
	c, ok := m.Encoder.Cross(column)
	if !ok {
		return m.Encoder.Features[column].Categories
	}
	for _, first := range m.Encoder.Features[c.First].Categories {
		for _, second := range m.Encoder.Features[c.Second].Categories {
			names = append(names, first+" & "+second)
		}
	}
	return names
}
