package data

import (
	"unique"

	"github.com/libaoso/aoso/internal/category"
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
	for label := range seen {
		classes = append(classes, label.Value())
	}
	category.SortNames(classes)
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
