// Package exact adds up float64 numbers without rounding, so that a sum does not
// depend on the order of its addends.
package exact

import "math"

const (
	digitBits = 32
	finite    = (2046+53+digitBits-1)/digitBits + 1 // digits from 2⁻¹⁰⁷⁴ to beyond the greatest number
	carryFree = 1 << 30                             // additions that the digits take without a carry

	// Numbers that are not finite are counted after the digits.
	infinite  = finite
	lowest    = finite + 1
	notNumber = finite + 2
	digits    = finite + 3
)

// Sum is an exact sum: a number of digits of 32 bits, each with room above it for
// what the additions carry (R. M. Neal, Fast exact summation using small and large
// superaccumulators, 2015). The zero value is zero.
type Sum struct {
	digit [digits]int64
	added int // since the digits were last carried
}

// Add adds a number.
func (s *Sum) Add(x float64) {
	bits := math.Float64bits(x)
	exponent, fraction := int(bits>>52&0x7ff), bits&(1<<52-1)
	switch exponent {
	case 0x7ff:
		switch {
		case x > 0:
			s.digit[infinite]++
		case x < 0:
			s.digit[lowest]++
		default:
			s.digit[notNumber]++
		}
		return
	case 0:
		exponent = 1
	default:
		fraction |= 1 << 52
	}
	place, shift := (exponent-1)/digitBits, uint(exponent-1)%digitBits
	low, high := fraction<<shift, fraction>>(64-shift)
	d := s.digit[place : place+3 : place+3]
	if sign := int64(bits) >> 63; sign == 0 {
		d[0] += int64(low & math.MaxUint32)
		d[1] += int64(low >> digitBits)
		d[2] += int64(high)
	} else {
		d[0] -= int64(low & math.MaxUint32)
		d[1] -= int64(low >> digitBits)
		d[2] -= int64(high)
	}
	if s.added++; s.added == carryFree {
		s.carry()
	}
}

// Merge adds another sum.
func (s *Sum) Merge(o *Sum) {
	if s.added+o.added >= carryFree {
		s.carry()
		o.carry()
	}
	for i, d := range o.digit {
		s.digit[i] += d
	}
	s.added += o.added + 1
}

// Digits returns the digits of a sum. Adding up the digits of sums, one by one, gives the digits
// of their sum.
func (s *Sum) Digits() []int64 {
	s.carry()
	return s.digit[:]
}

// carry makes all digits but the last non-negative numbers of 32 bits. This form of a sum is
// unique.
func (s *Sum) carry() {
	const last = finite - 1
	for i, d := range s.digit[:last] {
		s.digit[i] = d & math.MaxUint32
		s.digit[i+1] += d >> digitBits
	}
	s.added = 0
}

// Float64 returns the sum, with an error of at most one in its last bits.
func (s *Sum) Float64() float64 {
	up, down := s.digit[infinite] > 0, s.digit[lowest] > 0
	switch {
	case s.digit[notNumber] > 0 || up && down:
		return math.NaN()
	case up:
		return math.Inf(1)
	case down:
		return math.Inf(-1)
	}
	s.carry()
	const last = finite - 1
	if s.digit[last] < 0 {
		var negated Sum
		for i, d := range s.digit[:finite] {
			negated.digit[i] = -d
		}
		return -negated.Float64()
	}
	sum := 0.0
	for i := last; i >= 0; i-- {
		if s.digit[i] != 0 {
			sum += math.Ldexp(float64(s.digit[i]), digitBits*i-1074)
		}
	}
	return sum
}
