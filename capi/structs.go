package main

// #include "shim.h"
import "C"

import (
	"reflect"
	"unsafe"
)

// Every struct of the header begins with the size that it has in the program
// that was compiled with it. Where that is smaller than here, the program is
// older and lacks the last fields; where it is larger, it is newer, and may
// not have set fields that are unknown here.
const (
	leastStruct = 8
	mostStruct  = 1 << 12 // a size beyond is no size
)

// firstAddress is the first that can be one. What lies below is taken for
// null: Go's stacks cannot hold it as a pointer, and some languages have such
// addresses for empty arrays.
const firstAddress = 1 << 12

func structSize(p unsafe.Pointer) uintptr { return uintptr(*(*uint32)(p)) }

func checkStructSize(name string, size uintptr) error {
	if size < leastStruct || size > mostStruct || size%8 != 0 {
		return badArgument(name+".struct_size", size, "sizeof the struct")
	}
	return nil
}

// structBytes is the memory of a struct of C, as large as C says.
func structBytes[T any](p *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), structSize(unsafe.Pointer(p)))
}

func bytesOf[T any](p *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
}

// readStruct copies a struct of C. The fields that it lacks, or all if it is
// null, are as in missing.
func readStruct[T any](name string, p *T, missing T) (*T, error) {
	copied := new(T) // on the heap, where numbers may pass for pointers
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
			return nil, badArgument(name+".struct_size", len(given), "%d in this version of the library, or zeros beyond", n)
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

// readWord reads a field that is declared as a pointer and holds a number.
func readWord[T any](p *T, offset uintptr) uintptr {
	if p == nil || structSize(unsafe.Pointer(p)) < offset+unsafe.Sizeof(offset) {
		return 0
	}
	return *(*uintptr)(unsafe.Add(unsafe.Pointer(p), offset))
}

// checkOut tells whether writeStruct can write.
func checkOut[T any](name string, p *T) error {
	if p == nil {
		return badArgument(name, null, "where to put the result")
	}
	return checkStructSize(name, structSize(unsafe.Pointer(p)))
}

// checkWanted is checkOut for a struct that C need not want.
func checkWanted[T any](name string, p *T) error {
	if p == nil {
		return nil
	}
	return checkOut(name, p)
}

// writeStruct fills in a struct of C, if it wants one; its struct_size stays.
func writeStruct[T any](p *T, v T) {
	if p == nil {
		return
	}
	const first = 4 // after struct_size
	out := structBytes(p)[first:]
	clear(out[copy(out, bytesOf(&v)[first:]):])
}
