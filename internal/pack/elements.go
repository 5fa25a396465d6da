package pack

import (
	"encoding/binary"
	"iter"
	"math"
)

// sizes has the size of an element in bytes, by type.
var sizes = map[string]int{"i8": 1, "u8": 1, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8, "f32": 4, "f64": 8}

// Size returns the size of an element of a type in bytes; 0 if there is no such type.
func Size(typ string) int { return sizes[typ] }

// elements is an array of any type as little-endian bytes. The elements are read and written as int64, so that the code that packs them
// need not be generic.
type elements struct {
	typ  string // the type
	size int    // of an element, in bytes
	data []byte
}

func elementsOf(typ string, data []byte) elements { return elements{typ, Size(typ), data} }

func newElements(typ string, count int) elements {
	return elementsOf(typ, make([]byte, count*Size(typ)))
}

func (e elements) len() int { return len(e.data) / e.size }

func (e elements) floating() bool { return e.typ[0] == 'f' }

// get reads elements as integers, from the element at first on. Floating-point numbers become their bits, mapped so that the integers
// compare as the numbers do.
func (e elements) get(first int, out []int64) {
	data := e.data[first*e.size:][:len(out)*e.size]
	switch e.typ {
	case "i8":
		for i := range out {
			out[i] = int64(int8(data[i]))
		}
	case "u8":
		for i := range out {
			out[i] = int64(data[i])
		}
	case "u16":
		for i := range out {
			out[i] = int64(binary.LittleEndian.Uint16(data[2*i:]))
		}
	case "u32":
		for i := range out {
			out[i] = int64(binary.LittleEndian.Uint32(data[4*i:]))
		}
	case "i32":
		for i := range out {
			out[i] = int64(int32(binary.LittleEndian.Uint32(data[4*i:])))
		}
	case "f32":
		for i := range out {
			out[i] = rising(int64(int32(binary.LittleEndian.Uint32(data[4*i:]))), math.MinInt32)
		}
	case "f64":
		for i := range out {
			out[i] = rising(int64(binary.LittleEndian.Uint64(data[8*i:])), math.MinInt64)
		}
	default:
		for i := range out {
			out[i] = int64(binary.LittleEndian.Uint64(data[8*i:]))
		}
	}
}

// set writes elements, from the element at first on. It is the inverse of get.
func (e elements) set(first int, integers []int64) {
	data := e.data[first*e.size:][:len(integers)*e.size]
	switch e.typ {
	case "i8", "u8":
		for i, n := range integers {
			data[i] = byte(n)
		}
	case "u16":
		for i, n := range integers {
			binary.LittleEndian.PutUint16(data[2*i:], uint16(n))
		}
	case "i32", "u32":
		for i, n := range integers {
			binary.LittleEndian.PutUint32(data[4*i:], uint32(n))
		}
	case "f32":
		for i, n := range integers {
			binary.LittleEndian.PutUint32(data[4*i:], uint32(rising(n, math.MinInt32)))
		}
	case "f64":
		for i, n := range integers {
			binary.LittleEndian.PutUint64(data[8*i:], uint64(rising(n, math.MinInt64)))
		}
	default:
		for i, n := range integers {
			binary.LittleEndian.PutUint64(data[8*i:], uint64(n))
		}
	}
}

// rising maps the bits of a floating-point number, sign and magnitude, to an integer in two's complement that compares as the number does,
// and back. least has the bits of minus zero.
func rising(bits, least int64) int64 {
	if bits < 0 {
		return least - bits - 1
	}
	return bits
}

// float returns the floating-point number of an integer from get.
func (e elements) float(n int64) float64 {
	if e.size == 4 {
		return float64(math.Float32frombits(uint32(rising(n, math.MinInt32))))
	}
	return math.Float64frombits(uint64(rising(n, math.MinInt64)))
}

// ofFloat is the inverse of float.
func (e elements) ofFloat(x float64) int64 {
	if e.size == 4 {
		return rising(int64(int32(math.Float32bits(float32(x)))), math.MinInt32)
	}
	return rising(int64(math.Float64bits(x)), math.MinInt64)
}

// blocks yields the elements from first up to end as integers, in blocks of whole groups, each with the position of its first element.
// The caller may change a block.
func (e elements) blocks(first, end, group int) iter.Seq2[int, []int64] {
	const size = 1 << 10 // of a block, unless a group is larger
	block := make([]int64, min(end-first, max(1, size/group)*group))
	return func(yield func(int, []int64) bool) {
		for ; first < end; first += len(block) {
			block = block[:min(len(block), end-first)]
			e.get(first, block)
			if !yield(first, block) {
				return
			}
		}
	}
}
