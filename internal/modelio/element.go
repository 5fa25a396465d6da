package modelio

import (
	"encoding/binary"
	"reflect"
	"slices"
	"unsafe"

	"github.com/libaoso/aoso/internal/pack"
)

// Element is a type of the elements of an array.
type Element interface {
	~int8 | ~uint8 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

var bigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

var typeNames = map[reflect.Kind]string{
	reflect.Int8: "i8", reflect.Uint8: "u8", reflect.Uint16: "u16",
	reflect.Int32: "i32", reflect.Uint32: "u32", reflect.Int64: "i64", reflect.Uint64: "u64",
	reflect.Float32: "f32", reflect.Float64: "f64",
}

// listOfNames is the type of a list of names, which is always packed.
const listOfNames = "str"

// typeSize returns the size of an element of a type in bytes, 1 for a list of names, and 0 if there is no such type.
func typeSize(typ string) uint64 {
	if typ == listOfNames {
		return 1
	}
	return uint64(pack.Size(typ))
}

func typeName[T Element]() string { return typeNames[reflect.TypeFor[T]().Kind()] }

func sizeOf[T Element]() int { return int(unsafe.Sizeof(*new(T))) }

// memory returns the bytes of data.
func memory[T Element](data []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*sizeOf[T]())
}

// encode returns the bytes of data, which share its memory unless swap is true: then they are in the other byte order.
func encode[T Element](data []T, swap bool) []byte {
	raw := memory(data)
	if swap && sizeOf[T]() > 1 {
		raw = slices.Clone(raw)
		swapBytes(raw, sizeOf[T]())
	}
	return raw
}

// decode is the inverse of encode. It also copies raw if it is not aligned.
func decode[T Element](raw []byte, swap bool) []T {
	size := sizeOf[T]()
	n := len(raw) / size
	if n == 0 {
		return []T{}
	}
	p := unsafe.Pointer(unsafe.SliceData(raw))
	swap = swap && size > 1
	if !swap && uintptr(p)%unsafe.Alignof(*new(T)) == 0 {
		return unsafe.Slice((*T)(p), n)
	}
	data := make([]T, n)
	copy(memory(data), raw)
	if swap {
		swapBytes(memory(data), size)
	}
	return data
}

func swapBytes(raw []byte, size int) {
	for element := range slices.Chunk(raw, size) {
		slices.Reverse(element)
	}
}
