package main

// #include "shim.h"
import "C"

import (
	"reflect"
	"unsafe"
)

// Every public struct starts with its size, as the program was compiled with it.
// If the size is smaller than here, the program is older than the library and
// lacks the last fields. If it is larger, the program is newer, and the fields
// that the library does not know must be zero.
const (
	minStruct = 8
	maxStruct = 1 << 12 // a larger value cannot be a size
)

// firstAddress is the lowest valid address. Smaller pointers count as null: Go
// stacks must not contain them as pointers, and some languages use them for empty
// arrays.
const firstAddress = 1 << 12

func structSize(p unsafe.Pointer) uintptr { return uintptr(*(*uint32)(p)) }

func checkStructSize(name string, size uintptr) error {
	if size < minStruct || size > maxStruct || size%8 != 0 {
		return badArgument(name+".struct_size", size, "sizeof the struct")
	}
	return nil
}

// structBytes returns the memory of a C struct, with the size that it states.
func structBytes[T any](p *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), structSize(unsafe.Pointer(p)))
}

func bytesOf[T any](p *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
}

// readStruct copies a C struct. Fields beyond the struct's size, or all fields if it is null, have the values in missing.
func readStruct[T any](name string, p *T, missing T) (*T, error) {
	copied := new(T) // on the heap, where pointers may hold handles and other numbers
	*copied = missing
	if p == nil {
		return copied, nil
	}
	if err := checkStructSize(name, structSize(unsafe.Pointer(p))); err != nil {
		return nil, err
	}
	given := structBytes(p)
	n := copy(bytesOf(copied), given)
	for _, b := range given[n:] {
		if b != 0 {
			return nil, badArgument(name+".struct_size", len(given), "%d in this version of the library, or only zeros beyond that", n)
		}
	}
	for field := range reflect.TypeFor[T]().Fields() {
		if kind := field.Type.Kind(); kind == reflect.Pointer || kind == reflect.UnsafePointer {
			if word := (*uintptr)(unsafe.Add(unsafe.Pointer(copied), field.Offset)); *word < firstAddress {
				*word = 0
			}
		}
	}
	return copied, nil
}

// readWord reads a field that is declared as a pointer but holds a number. It
// returns 0 if the struct is null or lacks the field.
func readWord[T any](p *T, offset uintptr) uintptr {
	if p == nil || structSize(unsafe.Pointer(p)) < offset+unsafe.Sizeof(offset) {
		return 0
	}
	return *(*uintptr)(unsafe.Add(unsafe.Pointer(p), offset))
}

// checkOut returns an error if writeStruct cannot write to p.
func checkOut[T any](name string, p *T) error {
	if p == nil {
		return badArgument(name, null, "a pointer to the struct for the result")
	}
	return checkStructSize(name, structSize(unsafe.Pointer(p)))
}

// checkOptionalOut is checkOut for a struct that may be null.
func checkOptionalOut[T any](name string, p *T) error {
	if p == nil {
		return nil
	}
	return checkOut(name, p)
}

// writeStruct sets the fields of a C struct except struct_size, unless p is null.
func writeStruct[T any](p *T, v T) {
	if p == nil {
		return
	}
	const first = 4 // after struct_size
	out := structBytes(p)[first:]
	clear(out[copy(out, bytesOf(&v)[first:]):])
}
