package data

import (
	"slices"
	"strconv"
	"strings"
	"unique"
)

// Label is the class of a row. The text of a class is in memory once.
type Label = unique.Handle[string]

// Classes is the distinct labels in order: by value if all are integers, else
// as strings.
func Classes(labels []Label) []string {
	seen := map[Label]bool{}
	for _, label := range labels {
		if !seen[label] { // looking is faster than writing
			seen[label] = true
		}
	}
	classes := make([]string, 0, len(seen))
	values := map[string]int64{}
	for label := range seen {
		class := label.Value()
		classes = append(classes, class)
		if v, err := strconv.ParseInt(class, 10, 64); err == nil && strconv.FormatInt(v, 10) == class {
			values[class] = v
		}
	}
	slices.SortFunc(classes, func(a, b string) int {
		if len(values) == len(classes) {
			if values[a] < values[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return classes
}

// NewTarget makes the target of rows with the given labels, without weights.
func NewTarget(labels []Label, classes []string) Target {
	t := Target{Classes: classes, Labels: make([]int32, len(labels))}
	position := make(map[Label]int32, len(classes))
	for k, class := range classes {
		position[unique.Make(class)] = int32(k)
	}
	for i, label := range labels {
		k, ok := position[label]
		if !ok {
			k = -1
			t.Unknown++
		}
		t.Labels[i] = k
	}
	return t
}
