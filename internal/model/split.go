package model

import (
	"cmp"
	"math"
	"slices"
)

// Set is a set of bin codes, 0 to 255.
type Set [4]uint64

// Add adds a code.
func (s *Set) Add(code int) { s[code/64] |= 1 << (code % 64) }

// Toggle adds a code, or removes it.
func (s *Set) Toggle(code int) { s[code/64] ^= 1 << (code % 64) }

// Has reports whether a code is in the set.
func (s *Set) Has(code int) bool { return s[code/64]>>(code%64)&1 != 0 }

// Split is the test of a node: it decides which rows go left.
type Split struct {
	Feature     int32
	MissingLeft bool // missing values go left

	threshold float64
	set       *Set // nil: numeric; code 0 is for missing values
}

// NumericSplit sends values below the threshold left. +Inf sends all values left
// that are not missing.
func NumericSplit(feature int, threshold float64, missingLeft bool) Split {
	return Split{Feature: int32(feature), MissingLeft: missingLeft, threshold: threshold}
}

// CategoricalSplit sends categories whose codes are in a set left, and missing
// values if 0 is.
func CategoricalSplit(feature int, set Set) Split {
	return Split{Feature: int32(feature), MissingLeft: set.Has(0), set: &set}
}

// Threshold returns the number that values which go left are below. Categorical splits have
// none.
func (s Split) Threshold() float64 { return s.threshold }

// Set returns the codes that a categorical split sends left, which must not be changed; nil: it
// is numeric.
func (s Split) Set() *Set { return s.set }

// MissingSide returns, in words, where missing values go.
func (s Split) MissingSide() string { return side(s.MissingLeft) }

// Compare orders splits by feature, then those that send missing values left
// before the others, then numeric ones by threshold, then by set.
func (s Split) Compare(o Split) int {
	switch {
	case s.Feature != o.Feature:
		return int(s.Feature) - int(o.Feature)
	case s.MissingLeft != o.MissingLeft:
		if s.MissingLeft {
			return -1
		}
		return 1
	case s.set == nil && o.set == nil:
		return cmp.Compare(s.threshold, o.threshold)
	case s.set == nil:
		return -1
	case o.set == nil:
		return 1
	}
	return slices.Compare(s.set[:], o.set[:])
}

// Left returns the values that go left.
func (s Split) Left() Values {
	if s.set != nil {
		return Values{low: 1, high: math.MaxUint8, missing: s.MissingLeft, set: s.set}
	}
	return Values{low: math.Inf(-1), high: math.Nextafter(s.threshold, math.Inf(-1)), missing: s.MissingLeft}
}

// Right returns the values that go right.
func (s Split) Right() Values {
	if s.set != nil {
		rest := *s.set
		for i := range rest {
			rest[i] = ^rest[i]
		}
		return Values{low: 1, high: math.MaxUint8, missing: !s.MissingLeft, set: &rest}
	}
	return Values{low: s.threshold, high: math.Inf(1), missing: !s.MissingLeft}
}

// Values is a set of values of a feature: the values that pass some splits on one side each.
type Values struct {
	low, high float64 // both included
	missing   bool
	set       *Set // set of codes; nil: all
}

// And returns the values that are in both sets.
func (v Values) And(o Values) Values {
	both := Values{max(v.low, o.low), min(v.high, o.high), v.missing && o.missing, v.set}
	if v.set != nil {
		both.set = new(Set)
		for i := range both.set {
			both.set[i] = v.set[i] & o.set[i]
		}
	}
	return both
}

// Has reports whether x is in the set. NaN is missing.
func (v *Values) Has(x float64) bool {
	if v.low <= x && x <= v.high {
		return v.set == nil || v.set.Has(int(x))
	}
	return v.missing && x != x
}
