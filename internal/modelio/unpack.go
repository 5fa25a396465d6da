package modelio

import (
	"encoding/binary"
	"math"
	"reflect"
)

// unpack is the way back from [pack]; ok is false if code is not that of so many elements.
func unpack[T Element](code []byte, count int) (data []T, ok bool) {
	if len(code) == 0 || count/mostPerByte > len(code) {
		return nil, false
	}
	form, origin, code := code[0]&15, code[0]>>4, code[1:]
	number := func(bytes int) int {
		if len(code) < bytes {
			ok = false
			return 0
		}
		var word [8]byte
		copy(word[:], code[:bytes])
		code = code[bytes:]
		return int(binary.LittleEndian.Uint64(word[:]))
	}
	ok = true
	e, list := 0, []T(nil)
	switch form {
	case formMultiple:
		e = int(int16(number(2)))
	case formPosition:
		entries, length := number(8), number(8)
		if !ok || length < 1 || length > len(code) || uint(entries) > uint(count) || code[0]&15 == formPosition {
			return nil, false
		}
		if list, ok = unpack[T](code[:length], entries); !ok {
			return nil, false
		}
		code = code[length:]
	}
	group := 0
	if origin == originGroup {
		group = number(8)
	}
	if float := isFloat[T](); !ok || origin > originGroup || origin == originGroup && group < 1 || form > formPosition ||
		float && form == formInteger || !float && (form == formBits || form == formMultiple) {
		return nil, false
	}
	integers, ok := readNumbers(code)
	if !ok {
		return nil, false
	}
	return elements(integers, form, origin, group, e, list, make([]T, count))
}

func isFloat[T Element]() bool {
	kind := reflect.TypeFor[T]().Kind()
	return kind == reflect.Float32 || kind == reflect.Float64
}

// elements reads the elements of data.
func elements[T Element](r *numbers, form, origin byte, group, e int, list, data []T) ([]T, bool) {
	base := int64(0)
	for i := range data {
		if origin == originGroup && i%group == 0 {
			n, ok := r.next()
			if !ok {
				return nil, false
			}
			base += unzigzag(n)
		}
		word, ok := r.next()
		if !ok {
			return nil, false
		}
		n := int64(word)
		if origin != originPositive {
			n = base + unzigzag(word)
		}
		if origin == originBefore {
			base = n
		}
		switch form {
		case formMultiple:
			data[i] = multiple[T](n, e)
		case formPosition:
			if uint64(n) >= uint64(len(list)) {
				return nil, false
			}
			data[i] = list[n]
		default:
			data[i] = element[T](n)
		}
	}
	return data, true
}

// element is the way back from integer.
func element[T Element](n int64) (x T) {
	switch x := any(&x).(type) {
	case *float32:
		*x = math.Float32frombits(uint32(rising(n, math.MinInt32)))
	case *float64:
		*x = math.Float64frombits(uint64(rising(n, math.MinInt64)))
	default:
		return T(n)
	}
	return x
}
