package model

import (
	"fmt"
	"math"
)

// Split is the test of a node: which rows go left, and which right.
type Split struct {
	Feature     int32
	MissingLeft bool    // missing values go left
	Threshold   float64 // so do values below it; +Inf: all values do
}

// GoesLeft reports whether a row goes left that has value x of the feature. NaN
// is missing, and infinite values count as the largest finite ones.
func (s Split) GoesLeft(x float64) bool {
	if x != x {
		return s.MissingLeft
	}
	return below(x, s.Threshold)
}

func below(x, threshold float64) bool {
	return max(-math.MaxFloat64, min(x, math.MaxFloat64)) < threshold
}

// goesLeft is GoesLeft of a node's split for a row. It reads no more of the split
// than the row asks for.
func (f *Forest) goesLeft(node int, row []float64) bool {
	x := row[f.feature[node]]
	if x != x {
		return f.missingLeft[node] != 0
	}
	return below(x, f.threshold[node])
}

// Text is the test in words, of a feature with the given name.
func (s Split) Text(feature string) string { return fmt.Sprintf("%s < %v", feature, s.Threshold) }

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
	case s.Threshold < o.Threshold:
		return -1
	case s.Threshold > o.Threshold:
		return 1
	}
	return 0
}

// Left is the values that go left.
func (s Split) Left() Range {
	return Range{math.Inf(-1), math.Nextafter(s.Threshold, math.Inf(-1)), s.MissingLeft}
}

// Right is the values that go right.
func (s Split) Right() Range { return Range{s.Threshold, math.Inf(1), !s.MissingLeft} }

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
