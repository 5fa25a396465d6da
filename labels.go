package aoso

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaxClasses is the largest number of classes.
const MaxClasses = 1<<16 - 2

// Labels are the classes of the rows. Any set of values will do; integers
// and their decimal strings are the same labels.
type Labels []string

// Integer is the type of integer labels.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// IntLabels are labels given as integers.
func IntLabels[T Integer](y []T) Labels {
	labels := make(Labels, len(y))
	known := map[T]string{}
	for i, v := range y {
		s, ok := known[v]
		if !ok {
			s = fmt.Sprint(v)
			known[v] = s
		}
		labels[i] = s
	}
	return labels
}

// StringLabels are labels given as strings, none of them empty.
func StringLabels(y []string) Labels { return y }

// classesOf is the distinct labels in order: by value if all are integers,
// else as strings.
func classesOf(y Labels) []string {
	seen := map[string]bool{}
	for _, label := range y {
		seen[label] = true
	}
	classes := make([]string, 0, len(seen))
	values := map[string]int64{}
	for label := range seen {
		classes = append(classes, label)
		if v, err := strconv.ParseInt(label, 10, 64); err == nil && strconv.FormatInt(v, 10) == label {
			values[label] = v
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

// codesOf is each label's position in classes, −1 for one that is not there.
func codesOf(y Labels, classes []string) (codes []int32, unknown int) {
	position := make(map[string]int32, len(classes))
	for k, label := range classes {
		position[label] = int32(k)
	}
	codes = make([]int32, len(y))
	for i, label := range y {
		k, ok := position[label]
		if !ok {
			k = -1
			unknown++
		}
		codes[i] = k
	}
	return codes, unknown
}
