package data

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unique"
)

// Label is the class of a row. Equal labels share one string in memory.
type Label = unique.Handle[string]

// Classes returns the distinct labels: sorted by value if all are numbers and texts is false, otherwise by their bytes.
func Classes(labels []Label, texts bool) []string {
	seen := map[Label]bool{}
	for _, label := range labels {
		if !seen[label] { // reading is faster than writing
			seen[label] = true
		}
	}
	classes := make([]string, 0, len(seen))
	for label := range seen {
		classes = append(classes, label.Value())
	}
	slices.Sort(classes)
	if !texts {
		sortNumbers(classes)
	}
	return classes
}

// sortNumbers sorts strings by value if all are JSON numbers.
func sortNumbers(texts []string) {
	values := make(map[string]float64, len(texts))
	for _, text := range texts {
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || !json.Valid([]byte(text)) || strings.TrimSpace(text) != text {
			return
		}
		values[text] = value
	}
	slices.SortStableFunc(texts, func(a, b string) int {
		order := cmp.Compare(values[a], values[b])
		if order != 0 || strings.ContainsAny(a+b, ".eE") {
			return order
		}
		if a[0] == '-' { // of two integers that round to the same float64, the longer one is further from 0
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
}

// NewTarget returns the target of rows with the given labels, without weights.
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
