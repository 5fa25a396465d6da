package constraint

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Interactions that have a name.
const (
	Pairwise = "pairwise"
	None     = "no_interactions"
)

const groupsAllowed = `a list of groups of features, such as [["age","income"],["height"]] or [[0,1],[2]], ` + Pairwise + " or " + None

// Interactions say which features may be split on along one path from the root.
type Interactions struct {
	Groups [][]int // all features of a path are in one of these
	Most   int     // most features of a path; 0: any number
	Owners []int   // by column: the feature that it encodes; nil: columns are features
}

// CheckInteractions checks a string of interaction constraints without data; "": there are none.
func CheckInteractions(text string) error {
	_, err := readGroups(text)
	return err
}

// NewInteractions parses a string of interaction constraints; nil: there are none. The string is
// a list of groups of features, by name or number, or a word. Features that are in no group form
// one more group.
func NewInteractions(text string, names []string) (*Interactions, error) {
	value, err := readGroups(text)
	if value == nil || err != nil {
		return nil, err
	}
	switch value {
	case Pairwise:
		return &Interactions{Most: 2}, nil
	case None:
		return &Interactions{Most: 1}, nil
	}
	i := &Interactions{}
	in := make([]bool, len(names)) // a group
	for _, group := range value.([]any) {
		var features []int
		for _, v := range group.([]any) {
			j, ok := 0, false
			switch v := v.(type) {
			case string:
				j = slices.Index(names, v)
				ok = j >= 0
			case json.Number:
				j, _ = strconv.Atoi(v.String())
				ok = j < len(names)
			}
			if !ok {
				return nil, wrong("for feature "+show(v), "features of the data, by number, 0 to %d, or name: %s", len(names)-1, listed(names))
			}
			in[j] = true
			features = append(features, j)
		}
		i.Groups = append(i.Groups, features)
	}
	var rest []int
	for j := range in {
		if !in[j] {
			rest = append(rest, j)
		}
	}
	i.Groups = append(i.Groups, rest)
	return i, nil
}

// readGroups decodes a string and checks all that needs no data.
func readGroups(text string) (any, error) {
	if text == "" {
		return nil, nil
	}
	value, err := read(text, groupsAllowed)
	if err != nil {
		return nil, err
	}
	if value == Pairwise || value == None {
		return value, nil
	}
	groups, ok := value.([]any)
	if !ok {
		return nil, wrong(show(value), "%s", groupsAllowed)
	}
	if len(groups) > 0 && !slices.ContainsFunc(groups, isList) { // "[0,1]": a single group
		groups = []any{groups}
	}
	for _, group := range groups {
		features, ok := group.([]any)
		if !ok {
			return nil, wrong("a group "+show(group), "%s", groupsAllowed)
		}
		for _, f := range features {
			if err := checkFeature(f); err != nil {
				return nil, err
			}
		}
	}
	return groups, nil
}

func isList(value any) bool {
	_, ok := value.([]any)
	return ok
}

func checkFeature(value any) error {
	if _, ok := value.(string); ok {
		return nil
	}
	if n, ok := value.(json.Number); ok {
		if j, err := strconv.Atoi(n.String()); err == nil && j >= 0 {
			return nil
		}
	}
	return wrong(fmt.Sprintf("for a feature %s", show(value)), "the name of a feature, or its number from 0")
}

// owner returns the feature that a column encodes.
func (i *Interactions) owner(column int) int {
	if i.Owners == nil {
		return column
	}
	return i.Owners[column]
}

// Extend returns a path with a split on a column.
func (i *Interactions) Extend(path []int, column int) []int {
	feature := i.owner(column)
	if slices.Contains(path, feature) {
		return path
	}
	return append(slices.Clip(path), feature)
}

// Allowed returns the columns that may be split on at the end of a path of features.
func (i *Interactions) Allowed(path, columns []int) []int {
	if len(path) == 0 {
		return columns
	}
	return slices.DeleteFunc(slices.Clone(columns), func(c int) bool { return !i.allows(path, i.owner(c)) })
}

func (i *Interactions) allows(path []int, feature int) bool {
	if slices.Contains(path, feature) {
		return true
	}
	if i.Most > 0 {
		return len(path) < i.Most
	}
	return slices.ContainsFunc(i.Groups, func(group []int) bool {
		return slices.Contains(group, feature) && !slices.ContainsFunc(path, func(f int) bool { return !slices.Contains(group, f) })
	})
}
