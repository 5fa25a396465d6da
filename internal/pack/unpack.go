package pack

import (
	"encoding/binary"
	"math"
	"slices"
)

// Unpack is the inverse of [Pack]. ok is false if code is not the code of this many elements.
func Unpack(code []byte, typ string, count int) (data []byte, ok bool) {
	e, ok := unpack(code, typ, count)
	return e.data, ok
}

func unpack(code []byte, typ string, count int) (e elements, ok bool) {
	if len(code) == 0 || count/MostPerByte > len(code) {
		return e, false
	}
	p := packing{form: code[0] & 15, origin: code[0] >> 4}
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
		list, ok := unpack(code[:length], typ, int(entries))
		if !ok {
			return e, false
		}
		p.list = make([]int64, entries)
		list.get(0, p.list)
		code = code[length:]
	case formFloat:
		p.floats.greatest = int64(number(1))
	}
	tables := 1
	if ok && p.origin == originGroup {
		p.groups, code, ok = readGroups(code, count)
		p.last = p.form == formFloat
		tables = p.tables()
	}
	if float := typ[0] == 'f'; !ok || p.origin > originGroup || p.form > formFloat ||
		p.form == formFloat && (typ != "f32" || p.origin != originGroup) ||
		float && p.form == formInteger || !float && (p.form == formBits || p.form == formMultiple) {
		return e, false
	}
	if p.numbers, ok = readNumbers(code, tables); !ok {
		return e, false
	}
	e = newElements(typ, count)
	if p.group > 0 {
		return e, p.readGroups(e)
	}
	return e, p.read(e, 0, count, 0)
}

// packing decodes numbers to elements.
type packing struct {
	form, origin byte
	groups
	unit     float64 // of form 2
	list     []int64 // of form 3
	floats   floats  // of form 4
	numbers  *numbers
	base     int64           // the current origin
	scratch  [1 << 12]uint64 // numbers
	decoded  [1 << 12]int64  // elements
	elements []int64         // of a group
}

// read decodes elements from first up to end, with a table.
func (p *packing) read(e elements, first, end, table int) bool {
	for first < end {
		n := min(len(p.scratch), end-first)
		if !p.numbers.read(p.scratch[:n], table) || !p.integers(e, p.scratch[:n], p.decoded[:n]) {
			return false
		}
		e.set(first, p.decoded[:n])
		first += n
	}
	return true
}

// readGroups decodes all elements, in groups.
func (p *packing) readGroups(e elements) bool {
	kind, members := 0, p.group
	if p.last {
		members--
	}
	for first := 0; first < e.len(); first += p.group {
		if !p.numbers.read(p.scratch[:1], p.count) || !p.setBase(p.scratch[0]) {
			return false
		}
		if p.kinds != nil {
			kind = int(p.kinds[first/p.group])
		}
		if !p.read(e, first, first+members, kind) || p.last && !p.readLast(e, first) {
			return false
		}
	}
	return true
}

// setBase sets the origin of a group from the number that precedes it.
func (p *packing) setBase(number uint64) (ok bool) {
	if p.form == formFloat {
		p.base, ok = p.floats.integer(number, p.base)
		return ok
	}
	p.base += unzigzag(number)
	return true
}

// readLast decodes the last element of a group, after the others.
func (p *packing) readLast(e elements, first int) bool {
	p.elements = slices.Grow(p.elements[:0], p.group)[:p.group]
	e.get(first, p.elements)
	others, last := p.elements[:p.group-1], p.elements[p.group-1:]
	if !p.numbers.read(p.scratch[:1], p.count+1) {
		return false
	}
	last[0] = e.closing(others) + unzigzag(p.scratch[0])
	e.set(first+p.group-1, last)
	return true
}

// integers decodes numbers to the integers of elements. It returns false if they are invalid.
func (p *packing) integers(e elements, numbers []uint64, out []int64) bool {
	switch {
	case p.form == formFloat:
		for i, n := range numbers {
			var ok bool
			if out[i], ok = p.floats.integer(n, p.base); !ok {
				return false
			}
		}
	case p.origin == originPositive:
		for i, n := range numbers {
			out[i] = int64(n)
		}
	case p.origin == originBefore:
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
