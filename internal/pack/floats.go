package pack

import "math"

// floats makes numbers of the bits of 32-bit floating-point numbers. One near its origin is
// the difference of their bits. Of one far from it, sign and exponent say most:
//
//	2^23 · (1 + sign + 2 · (greatest exponent of all − exponent)) + fraction
//
// The last of a group is relative to what makes the sum of the group zero, by their bits.
type floats struct{ greatest int64 }

const (
	fractionBits = 23
	near         = 1 << (fractionBits - 1) // differences of bits that are less are less than any number of one far away
)

// floatsOf returns numbers of elements, by their bits.
func floatsOf(e elements) form {
	f := &floats{}
	for _, block := range e.blocks(0, e.len(), 1) {
		for _, n := range block {
			_, exponent, _ := float32Parts(n)
			f.greatest = max(f.greatest, exponent)
		}
	}
	return form{[]byte{formFloat, byte(f.greatest)}, e, f}
}

func float32Parts(n int64) (sign, exponent, fraction int64) {
	word := int64(uint32(rising(n, math.MinInt32)))
	return word >> 31, word >> fractionBits & 0xff, word & (1<<fractionBits - 1)
}

func (f *floats) number(n, base int64) uint64 {
	if d := n - base; -near <= d && d < near {
		return zigzag(d)
	}
	sign, exponent, fraction := float32Parts(n)
	return uint64((1+sign+2*(f.greatest-exponent))<<fractionBits | fraction)
}

// integer is the inverse of number.
func (f *floats) integer(number uint64, base int64) (n int64, ok bool) {
	if number < 2*near {
		return base + unzigzag(number), true
	}
	parts := int64(number>>fractionBits) - 1
	exponent := f.greatest - parts/2
	word := uint32(parts%2<<31 | exponent<<fractionBits | int64(number%(1<<fractionBits)))
	return rising(int64(int32(word)), math.MinInt32), exponent >= 0
}

// closing returns the bits of what makes the sum of some others zero.
func (e elements) closing(others []int64) int64 {
	sum := 0.0
	for _, n := range others {
		sum -= e.float(n)
	}
	if !(math.Abs(sum) <= math.MaxFloat32) { // machines differ on what is no number
		return 0
	}
	return e.ofFloat(sum)
}
