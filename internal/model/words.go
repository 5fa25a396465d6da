package model

import (
	"fmt"
	"strings"
)

// Words describes a split in words, with each name as write returns it. Of a set of categories
// and its complement it lists the smaller, and the first if there are many.
func (m *Model) Words(s Split, write func(name string) string) string {
	sides := m.Sides(s)
	if sides == nil && s.set == nil {
		return fmt.Sprintf("%s < %v", write(m.columnName(int(s.Feature))), s.threshold)
	}
	var name string
	var left, right []string
	if sides == nil {
		name = write(m.columnName(int(s.Feature)))
		left, right = m.pairs(s)
	} else {
		name = write(m.Features[sides.Feature])
		categories := m.Encoder.Features[sides.Feature].Categories
		left, right = picked(categories, sides.Members(true)), picked(categories, sides.Members(false))
	}
	word, members := "in", left
	if len(right) == 0 {
		return name + " is there"
	}
	if len(right) < len(left) {
		word, members = "not in", right
	}
	const most = 6
	var names []string
	for _, member := range members[:min(len(members), most)] {
		names = append(names, write(member))
	}
	if more := len(members) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s %s {%s}", name, word, strings.Join(names, ", "))
}

func picked(names []string, positions []int) (picked []string) {
	for _, i := range positions {
		picked = append(picked, names[i])
	}
	return picked
}

// columnName returns the name of a column: of a feature, or of a cross.
func (m *Model) columnName(column int) string {
	if c, ok := m.Encoder.Cross(column); ok {
		return c.Name(m.Features)
	}
	return m.Features[column]
}

// pairs lists the pairs of categories that a split on a cross sends left, and the others.
func (m *Model) pairs(s Split) (left, right []string) {
	c, _ := m.Encoder.Cross(int(s.Feature))
	set, code := s.Left(), 0.0
	for _, first := range m.Encoder.Features[c.First].Categories {
		for _, second := range m.Encoder.Features[c.Second].Categories {
			pair := first + " & " + second
			if code++; set.Has(code) {
				left = append(left, pair)
			} else {
				right = append(right, pair)
			}
		}
	}
	return left, right
}
