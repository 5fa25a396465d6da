package pack

import "math"

// floats codes the bits of float32 elements as numbers. An element near its origin is coded as the difference between their bits. An
// element far from it is coded as
//
//	2^23 · (1 + sign + 2 · (greatest exponent of all − exponent)) + fraction
//
// so that the token of the number depends mostly on sign and exponent. The last element of a group is coded as the difference, by the bits,
// from the number that would make the sum of the group zero.
type floats struct{ greatest int64 } // exponent of all elements

const (
	fractionBits = 23
	near         = 1 << (fractionBits - 1) // differences below this have smaller codes than any element far from its origin
)

// floatsOf returns form 4 of float32 elements.
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

// number returns the code of an element, given the bits of its origin.
func (f *floats) number(n, base int64) uint64 {
	if d := n - base; -near <= d && d < near {
		return zigzag(d)
	}
	sign, exponent, fraction := float32Parts(n)
	return uint64((1+sign+2*(f.greatest-exponent))<<fractionBits | fraction)
}

// integer is the inverse of number; ok is false if no element has this code.
func (f *floats) integer(number uint64, base int64) (n int64, ok bool) {
	if number < 2*near {
		return base + unzigzag(number), true
	}
	parts := int64(number>>fractionBits) - 1
	exponent := f.greatest - parts/2
	word := uint32(parts%2<<31 | exponent<<fractionBits | int64(number%(1<<fractionBits)))
	return rising(int64(int32(word)), math.MinInt32), exponent >= 0
}

// closing returns the bits of the number that makes its sum with others zero.
func (e elements) closing(others []int64) int64 {
	sum := 0.0
	for _, n := range others {
		sum -= e.float(n)
	}
	if !(math.Abs(sum) <= math.MaxFloat32) { // the bits of NaN differ between CPUs
		return 0
	}
	return e.ofFloat(sum)
}
