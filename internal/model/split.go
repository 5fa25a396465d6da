package model

import (
	"fmt"
	"math"
)

// Split is the test of a node: which rows go left, and which right.
type Split struct {
	Feature     int32
	MissingLeft bool // missing values go left

	threshold float64
}

// NumericSplit sends values below the threshold left. +Inf sends all values left
// that are not missing.
func NumericSplit(feature int, threshold float64, missingLeft bool) Split {
	return Split{int32(feature), missingLeft, threshold}
}

// Threshold is what the values that go left are below.
func (s Split) Threshold() float64 { return s.threshold }

// Text is the test in words, of a feature with the given name.
func (s Split) Text(feature string) string { return fmt.Sprintf("%s < %v", feature, s.threshold) }

// MissingSide is where missing values go, in words.
func (s Split) MissingSide() string {
	if s.MissingLeft {
		return "left"
	}
	return "right"
}

// Compare orders splits by feature, then those that send missing values left
// before the others, then by threshold.
func (s Split) Compare(o Split) int {
	switch {
	case s.Feature != o.Feature:
		return int(s.Feature) - int(o.Feature)
	case s.MissingLeft != o.MissingLeft:
		if s.MissingLeft {
			return -1
		}
		return 1
	case s.threshold < o.threshold:
		return -1
	case s.threshold > o.threshold:
		return 1
	}
	return 0
}

// Left is the values that go left.
func (s Split) Left() Range {
	return Range{math.Inf(-1), math.Nextafter(s.threshold, math.Inf(-1)), s.MissingLeft}
}

// Right is the values that go right.
func (s Split) Right() Range { return Range{s.threshold, math.Inf(1), !s.MissingLeft} }

// Range is a set of values of a feature: those that take one way at some splits.
type Range struct {
	low, high float64 // both included
	missing   bool
}

// And is the values that are in both ranges.
func (r Range) And(o Range) Range {
	return Range{max(r.low, o.low), min(r.high, o.high), r.missing && o.missing}
}

// Has reports whether x is in the range. NaN is missing.
func (r Range) Has(x float64) bool {
	return r.low <= x && x <= r.high || r.missing && x != x
}
