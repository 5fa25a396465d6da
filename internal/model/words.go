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
		return fmt.Sprintf("%s < %v", write(m.Features[s.Feature]), s.threshold)
	}
	name, word, members, rest := write(m.Features[sides.Feature]), "in", sides.Members(true), sides.Members(false)
	if len(rest) == 0 {
		return name + " is there"
	}
	if len(rest) < len(members) {
		word, members = "not in", rest
	}
	const most = 6
	var names []string
	for _, i := range members[:min(len(members), most)] {
		names = append(names, write(m.Encoder.Features[sides.Feature].Categories[i]))
	}
	if more := len(members) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s %s {%s}", name, word, strings.Join(names, ", "))
}
