// Package pack codes the arrays of model files: numbers of all types, and lists of names.
package pack

import (
	"encoding/binary"
	"iter"
	"math"
	"math/bits"
	"slices"
)

// A packed array codes its elements as numbers. The first byte says how elements become integers (form, low 4 bits), and to what the
// integers are relative (origin, high 4 bits). What form and origin need follows, then the code of [numberWriter].
//
//	form
//	0  integers
//	1  the bits of floating-point numbers, as integers that compare as the numbers do
//	2  floating-point numbers as multiples of 2^e; e, −1022 to 1023, follows, int16
//	3  positions in a list of the distinct elements, in rising order; the list's length
//	   follows, uint64, the length of its code, uint64, and the list as a packed array
//	4  the bits of float32 numbers in groups that add up to about zero, as [floats]
//	   codes them; the greatest exponent follows, uint8
//	origin
//	0  zero, and no integer is negative
//	1  zero
//	2  the integer before; zero for the first
//	3  a number that precedes each group of elements, and is itself relative to the
//	   one that precedes the group before; [groups] says what follows, and which tables there are
//
// Numbers relative to origins 1 to 3 can be negative: n is coded as 2n, and −n as 2n − 1.
//
// A packed array has at least a byte for every 64 elements, so that a small file cannot claim much memory.
const (
	formInteger = iota
	formBits
	formMultiple
	formPosition
	formFloat
)

const (
	originPositive = iota
	originZero
	originBefore
	originGroup
)

// MostPerByte is the largest number of elements, or of bytes of names, for a byte of code.
const MostPerByte = 64

// A form is elements as integers.
type form struct {
	head     []byte // the beginning of the code
	integers elements
	floats   *floats // of form 4; nil: it is another form
}

// number returns the code of an integer relative to base.
func (f *form) number(n, base int64) uint64 {
	if f.floats != nil {
		return f.floats.number(n, base)
	}
	return zigzag(n - base)
}

// Pack returns the code of the little-endian elements of a type, such as "f32", which have groups of this size; nil if the code is not
// shorter than data.
func Pack(typ string, data []byte, group int) []byte {
	e := elementsOf(typ, data)
	if e.len() == 0 {
		return nil
	}
	code := lengthened(packed(e, group, true), e.len())
	if len(code) >= len(e.data) {
		return nil
	}
	return code
}

// lengthened returns code with enough zeros after it for this many elements.
func lengthened(code []byte, elements int) []byte {
	return append(code, make([]byte, max(0, (elements+MostPerByte-1)/MostPerByte-len(code)))...)
}

// packed returns the code of elements, in the form and origin that code a sample of them shortest. positions allows form 3.
func packed(e elements, group int, positions bool) []byte {
	grouped := group > 1 && e.len()%group == 0
	forms := []form{{[]byte{formInteger}, e, nil}}
	if e.floating() {
		forms[0].head[0] = formBits
		if f, ok := multiples(e); ok {
			forms = append(forms, f)
		} else if grouped && e.size == 4 {
			forms = append(forms, floatsOf(e))
		}
	}
	if positions && e.size == 8 {
		if f, ok := distinct(e); ok {
			forms = append(forms, f)
		}
	}
	var best form
	origin, least := byte(originPositive), -1
	for _, f := range forms {
		for o := byte(originPositive); o <= originGroup; o++ {
			if o == originGroup && !grouped || o != originGroup && f.floats != nil || o == originPositive && f.integers.negative() {
				continue
			}
			if cost := f.cost(o, group); least < 0 || cost < least {
				best, origin, least = f, o, cost
			}
		}
	}
	code := best.head
	code[0] |= origin << 4
	w := numberWriter{tokens: make([]byte, 0, e.len()+e.len()/group), further: make([]byte, 0, e.len())}
	for numbers := range best.relative(origin, group, 0, e.len()) {
		w.add(numbers)
	}
	if origin == originGroup {
		return w.appendGroups(code, group, best.floats != nil)
	}
	return w.appendTo(code, 1)
}

// negative reports whether any element is negative.
func (e elements) negative() bool {
	for _, block := range e.blocks(0, e.len(), 1) {
		if slices.Min(block) < 0 {
			return true
		}
	}
	return false
}

// multiples returns floating-point numbers in form 2, as multiples of 2^e, if int32 holds all of them.
func multiples(e elements) (f form, ok bool) {
	least, end := math.MaxInt, math.MinInt
	for _, block := range e.blocks(0, e.len(), 1) {
		for _, n := range block {
			fraction, exponent, ok := odd(e.float(n))
			if !ok {
				return f, false
			}
			if fraction != 0 {
				least, end = min(least, exponent), max(end, exponent+bits.Len64(uint64(max(fraction, -fraction))))
			}
		}
		if end > least && end-least > 31 {
			return f, false
		}
	}
	if end < least { // all are zero
		least = 0
	}
	integers := newElements("i32", e.len())
	for first, block := range e.blocks(0, e.len(), 1) {
		for i, n := range block {
			fraction, exponent, _ := odd(e.float(n))
			block[i] = fraction << max(0, exponent-least)
		}
		integers.set(first, block)
	}
	return form{binary.LittleEndian.AppendUint16([]byte{formMultiple}, uint16(least)), integers, nil}, least >= minExponent
}

const minExponent, maxExponent = -1022, 1023

// odd returns x as fraction·2^exponent with an odd fraction, or 0. ok is false for minus zero and for subnormal, infinite and NaN x.
func odd(x float64) (fraction int64, exponent int, ok bool) {
	word := math.Float64bits(x)
	if word == 0 {
		return 0, 0, true
	}
	exponent = int(word >> 52 & 0x7ff)
	if exponent == 0 || exponent == 0x7ff {
		return 0, 0, false
	}
	fraction = int64(word&(1<<52-1) | 1<<52)
	zeros := bits.TrailingZeros64(uint64(fraction))
	if fraction >>= zeros; x < 0 {
		fraction = -fraction
	}
	return fraction, exponent - 1075 + zeros, true
}

// distinct returns elements in form 3, as positions in a list, if the list has less than half as many.
func distinct(e elements) (f form, ok bool) {
	all := make([]int64, e.len())
	e.get(0, all)
	list := slices.Clone(all)
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) >= len(all)/2 || uint64(len(list)) > math.MaxUint32 {
		return f, false
	}
	for i, n := range all {
		at, _ := slices.BinarySearch(list, n)
		all[i] = int64(at)
	}
	entries, positions := newElements(e.typ, len(list)), newElements("u32", len(all))
	entries.set(0, list)
	positions.set(0, all)
	code := packed(entries, 1, false)
	head := binary.LittleEndian.AppendUint64([]byte{formPosition}, uint64(len(list)))
	head = binary.LittleEndian.AppendUint64(head, uint64(len(code)))
	return form{append(head, code...), positions, nil}, true
}

// cost estimates the number of bits of the code from a sample of the elements.
func (f *form) cost(origin byte, group int) int {
	const pieces, most = 8, 1 << 14 // elements, unless groups are large
	n := f.integers.len()
	piece, stride := n, n
	if n > most {
		piece = max(1, most/pieces/group) * group
		stride = max(piece, (n/pieces/group+1)*group)
	}
	var counts [256]int
	total, further := 0, 0
	for first := 0; first < n; first += stride {
		for numbers := range f.relative(origin, group, first, min(n, first+piece)) {
			total += len(numbers)
			for _, number := range numbers {
				token, bits := tokenOf(number)
				counts[token]++
				further += bits
			}
		}
	}
	cost, used := further<<16, 0
	for _, count := range counts {
		if count > 0 {
			cost += count * (log2(total) - log2(count))
			used++
		}
	}
	all, head := n, 8*len(f.head)+24*used
	if origin == originGroup {
		all += n / group
		head += 64
	}
	return int(float64(cost>>16)*float64(all)/float64(total)) + head
}

// log2 returns about 2^16 times the binary logarithm. It computes with integers, so that all CPUs choose the same form and origin.
func log2(n int) int {
	whole := bits.Len(uint(n)) - 1
	rest := uint64(n)<<16>>whole - 1<<16
	return whole<<16 + int(rest+rest*(1<<16-rest)*22282>>32)
}

// relative yields the codes of the integers from first up to end, relative to an origin, in blocks. first and end are boundaries of groups.
func (f *form) relative(origin byte, group, first, end int) iter.Seq[[]uint64] {
	return func(yield func([]uint64) bool) {
		e := f.integers
		var before [1]int64
		if first > 0 {
			e.get(first-1, before[:])
		}
		base, numbers, scratch := before[0], []uint64(nil), []int64(nil)
		for _, block := range e.blocks(first, end, group) {
			numbers = slices.Grow(numbers[:0], len(block)+len(block)/group+1)
			switch origin {
			case originPositive:
				for _, n := range block {
					numbers = append(numbers, uint64(n))
				}
			case originZero:
				for _, n := range block {
					numbers = append(numbers, zigzag(n))
				}
			case originBefore:
				for _, n := range block {
					numbers = append(numbers, zigzag(n-base))
					base = n
				}
			case originGroup:
				for members := range slices.Chunk(block, group) {
					scratch = append(scratch[:0], members...)
					middle := median(scratch)
					numbers = append(numbers, f.number(middle, base))
					base = middle
					for _, n := range members {
						numbers = append(numbers, f.number(n, base))
					}
					if f.floats != nil {
						numbers[len(numbers)-1] = zigzag(members[group-1] - e.closing(members[:group-1]))
					}
				}
			}
			if !yield(numbers) {
				return
			}
		}
	}
}

// median returns the median and reorders the numbers (C. A. R. Hoare, Algorithm 65: find, 1961).
func median(numbers []int64) int64 {
	middle := len(numbers) / 2
	for low, high := 0, len(numbers)-1; low < high; {
		pivot, i, j := numbers[middle], low, high
		for i <= j {
			for numbers[i] < pivot {
				i++
			}
			for numbers[j] > pivot {
				j--
			}
			if i <= j {
				numbers[i], numbers[j] = numbers[j], numbers[i]
				i++
				j--
			}
		}
		if j < middle {
			low = i
		}
		if i > middle {
			high = j
		}
	}
	return numbers[middle]
}

func zigzag(n int64) uint64 { return uint64(n<<1 ^ n>>63) }

func unzigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }
