package modelio

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// A packed array is code of numbers. Its first byte says what they are made of its
// elements (form, low 4 bits), and what each of them is relative to (origin, high 4
// bits). What form and origin need follows, then the code of [appendNumbers].
//
//	form
//	0  integers
//	1  the bits of floating-point numbers, as integers that rise with them
//	2  floating-point numbers as multiples of 2^e; e follows, int16
//	3  positions in a list of all that differ, which rise; its length follows,
//	   uint64, that of its code, uint64, and the list as a packed array
//	origin
//	0  zero, and none is below it
//	1  zero
//	2  the number before, or zero
//	3  a number that stands before each so many elements, which itself is relative
//	   to the one before; how many follows, uint64
//
// Numbers relative to origins 1 to 3 can be negative: n becomes 2n, and −n 2n − 1.
//
// A packed array has at least a byte for every 64 elements, so that a small file cannot
// ask for much memory.
const (
	formInteger = iota
	formBits
	formMultiple
	formPosition
)

const (
	originPositive = iota
	originZero
	originBefore
	originGroup
)

const mostPerByte = 64

// pack returns the code of an array whose elements come in groups of so many, or nil
// if that is no shorter.
func pack[T Element](data []T, group int) []byte {
	if len(data) == 0 {
		return nil
	}
	code := packed(data, group, sizeOf[T]() == 8)
	for len(code)*mostPerByte < len(data) {
		code = append(code, 0)
	}
	if len(code) >= len(data)*sizeOf[T]() {
		return nil
	}
	return code
}

// packed takes the shortest code of those in forms that suit.
func packed[T Element](data []T, group int, positions bool) []byte {
	var code []byte
	shorter := func(form byte, head []byte, numbers []int64) {
		if other := appendArray(append([]byte{form}, head...), numbers, group); code == nil || len(other) < len(code) {
			code = other
		}
	}
	numbers, form := integers(data)
	shorter(form, nil, numbers)
	if e, ok := multiples(data, numbers); ok {
		shorter(formMultiple, binary.LittleEndian.AppendUint16(nil, uint16(e)), numbers)
	}
	if list := distinct(data); positions && len(list) < len(data)/2 {
		all := packed(list, 1, false)
		head := binary.LittleEndian.AppendUint64(nil, uint64(len(list)))
		head = append(binary.LittleEndian.AppendUint64(head, uint64(len(all))), all...)
		for i, x := range data {
			at, _ := slices.BinarySearchFunc(list, x, compare)
			numbers[i] = int64(at)
		}
		shorter(formPosition, head, numbers)
	}
	return code
}

// integers is the elements as integers, and the form that says how.
func integers[T Element](data []T) ([]int64, byte) {
	numbers := make([]int64, len(data))
	for i, x := range data {
		numbers[i] = integer(x)
	}
	if isFloat[T]() {
		return numbers, formBits
	}
	return numbers, formInteger
}

// integer is a number as an integer: a floating-point number by its bits.
func integer[T Element](x T) int64 {
	switch x := any(x).(type) {
	case float32:
		return rising(int64(int32(math.Float32bits(x))), math.MinInt32)
	case float64:
		return rising(int64(math.Float64bits(x)), math.MinInt64)
	}
	return int64(x)
}

// rising turns sign and magnitude, least being those of minus zero, into a number that
// rises with what they stand for, and back.
func rising(bits, least int64) int64 {
	if bits < 0 {
		return least - bits - 1
	}
	return bits
}

// compare orders elements by their integers, which tell every two apart.
func compare[T Element](a, b T) int { return cmp.Compare(integer(a), integer(b)) }

// distinct is the different elements, rising.
func distinct[T Element](data []T) []T {
	list := slices.Clone(data)
	slices.SortFunc(list, compare)
	return slices.CompactFunc(list, func(a, b T) bool { return compare(a, b) == 0 })
}

// multiples writes floating-point numbers as multiples of 2^e, if 32 bits hold each of them.
func multiples[T Element](data []T, numbers []int64) (e int, ok bool) {
	if !isFloat[T]() {
		return 0, false
	}
	e = math.MaxInt16
	for _, x := range data {
		if x != 0 {
			fraction, exponent := math.Frexp(float64(x))
			e = min(e, exponent-53+bits.TrailingZeros64(uint64(int64(math.Ldexp(fraction, 53)))))
		}
	}
	for i, x := range data {
		n := math.Ldexp(float64(x), -e)
		if !(math.Abs(n) <= math.MaxInt32) || integer(multiple[T](int64(n), e)) != integer(x) { // as of −0
			return 0, false
		}
		numbers[i] = int64(n)
	}
	return e, true
}

// multiple is n·2^e.
func multiple[T Element](n int64, e int) T { return T(math.Ldexp(float64(n), e)) }

// appendArray appends the code of numbers relative to the origins that make it
// shortest, by those of the first numbers. The form is the first byte.
func appendArray(code []byte, numbers []int64, group int) []byte {
	const some = 1 << 16
	first := numbers[:min(len(numbers), max(1, some/group)*group)]
	best, least := byte(originPositive), -1
	for origin := byte(originPositive); origin <= originGroup; origin++ {
		if origin == originPositive && slices.Min(numbers) < 0 || origin == originGroup && (group == 1 || len(numbers)%group != 0) {
			continue
		}
		if length := len(appendNumbers(nil, relative(first, origin, group))); least < 0 || length < least {
			best, least = origin, length
		}
	}
	code[0] |= best << 4
	if best == originGroup {
		code = binary.LittleEndian.AppendUint64(code, uint64(group))
	}
	return appendNumbers(code, relative(numbers, best, group))
}

// relative is numbers relative to an origin. That of a group is its median.
func relative(numbers []int64, origin byte, group int) []uint64 {
	out, base := make([]uint64, 0, len(numbers)+len(numbers)/group+1), int64(0)
	if origin != originGroup {
		group = len(numbers)
	}
	for members := range slices.Chunk(numbers, group) {
		if origin == originGroup {
			sorted := slices.Sorted(slices.Values(members))
			median := sorted[len(sorted)/2]
			out, base = append(out, zigzag(median-base)), median
		}
		for _, n := range members {
			switch origin {
			case originPositive:
				out = append(out, uint64(n))
				continue
			case originBefore:
				out, base = append(out, zigzag(n-base)), n
				continue
			}
			out = append(out, zigzag(n-base))
		}
	}
	return out
}

func zigzag(n int64) uint64 { return uint64(n<<1 ^ n>>63) }

func unzigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }
