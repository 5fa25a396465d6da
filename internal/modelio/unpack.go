package modelio

import (
	"encoding/binary"
	"math"
)

// unpack is the way back from [pack]; ok is false if code is not that of so many elements.
func unpack(code []byte, of string, count int) (e elements, ok bool) {
	if len(code) == 0 || count/mostPerByte > len(code) {
		return e, false
	}
	p := packing{form: code[0] & 15, origin: code[0] >> 4, group: count}
	code = code[1:]
	number := func(bytes int) uint64 {
		if len(code) < bytes {
			ok = false
			return 0
		}
		var word [8]byte
		copy(word[:], code[:bytes])
		code = code[bytes:]
		return binary.LittleEndian.Uint64(word[:])
	}
	ok = true
	switch p.form {
	case formMultiple:
		exponent := int(int16(number(2)))
		if exponent < minExponent || exponent > maxExponent {
			return e, false
		}
		p.unit = math.Ldexp(1, exponent)
	case formPosition:
		entries, length := number(8), number(8)
		if !ok || length < 1 || length > uint64(len(code)) || entries > uint64(count) || code[0]&15 == formPosition {
			return e, false
		}
		list, ok := unpack(code[:length], of, int(entries))
		if !ok {
			return e, false
		}
		p.list = make([]int64, entries)
		list.get(0, p.list)
		code = code[length:]
	}
	if p.origin == originGroup {
		p.group = int(min(number(8), uint64(count)))
	}
	if float := of[0] == 'f'; !ok || p.origin > originGroup || p.origin == originGroup && p.group < 1 || p.form > formPosition ||
		float && p.form == formInteger || !float && (p.form == formBits || p.form == formMultiple) {
		return e, false
	}
	if p.numbers, ok = readNumbers(code); !ok {
		return e, false
	}
	e = newElements(of, count)
	return e, p.read(e)
}

// packing is how numbers make elements.
type packing struct {
	form, origin byte
	group        int
	unit         float64
	list         []int64
	numbers      *numbers
	base         int64
}

// read reads all elements.
func (p *packing) read(e elements) bool {
	const some = 1 << 12
	var room [some]uint64
	var integers [some]int64
	for first, count := 0, e.len(); first < count; {
		if p.origin == originGroup && first%p.group == 0 {
			if !p.numbers.read(room[:1]) {
				return false
			}
			p.base += unzigzag(room[0])
		}
		n := min(some, count-first, p.group-first%p.group)
		if !p.numbers.read(room[:n]) || !p.integers(e, room[:n], integers[:n]) {
			return false
		}
		e.set(first, integers[:n])
		first += n
	}
	return true
}

// integers are what numbers say of elements.
func (p *packing) integers(e elements, numbers []uint64, out []int64) bool {
	switch p.origin {
	case originPositive:
		for i, n := range numbers {
			out[i] = int64(n)
		}
	case originBefore:
		for i, n := range numbers {
			p.base += unzigzag(n)
			out[i] = p.base
		}
	default:
		for i, n := range numbers {
			out[i] = p.base + unzigzag(n)
		}
	}
	switch p.form {
	case formMultiple:
		for i, n := range out {
			out[i] = e.ofFloat(float64(n) * p.unit)
		}
	case formPosition:
		for i, n := range out {
			if uint64(n) >= uint64(len(p.list)) {
				return false
			}
			out[i] = p.list[n]
		}
	}
	return true
}
