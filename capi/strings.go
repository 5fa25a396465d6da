package main

// #include <string.h>
// #include "shim.h"
import "C"

import (
	"fmt"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// given is a string in C's memory.
func given(s *C.char) string { return unsafe.String((*byte)(unsafe.Pointer(s)), C.strlen(s)) }

// goString copies a string of C's, which must be UTF-8.
func goString(name string, s *C.char) (string, error) {
	if s == nil {
		return "", badArgument(name, null, "a string")
	}
	if err := affordable(name, float64(len(given(s)))); err != nil {
		return "", err
	}
	copied := strings.Clone(given(s))
	if !utf8.ValidString(copied) {
		return "", badArgument(name, copied, "UTF-8")
	}
	return copied, nil
}

// goStrings copies as many strings as count, an argument, says; none if p is
// null.
func goStrings(name, count string, p **C.char, n int64) ([]string, error) {
	if p == nil {
		if n != 0 {
			return nil, badArgument(count, n, "0, as %s is null", name)
		}
		return nil, nil
	}
	if err := within(count, n, 0, mostValues); err != nil {
		return nil, err
	}
	if err := affordable(name, float64(n)*float64(unsafe.Sizeof(""))); err != nil {
		return nil, err
	}
	copies := make([]string, n)
	for i, s := range unsafe.Slice(p, n) {
		var err error
		if copies[i], err = goString(fmt.Sprintf("%s[%d]", name, i), s); err != nil {
			return nil, err
		}
	}
	return copies, nil
}

// distinct numbers strings of C's, of which those that are equal have one
// number, and one copy.
func distinct(name string, p []*C.char) (numbers []int32, copies []string, err error) {
	numbers = make([]int32, len(p))
	known := map[string]int32{}
	for i, s := range p {
		if s == nil {
			return nil, nil, badArgument(fmt.Sprintf("%s[%d]", name, i), null, "a string")
		}
		k, ok := known[given(s)]
		if !ok {
			k = int32(len(copies))
			copied, err := goString(fmt.Sprintf("%s[%d]", name, i), s)
			if err != nil {
				return nil, nil, err
			}
			copies = append(copies, copied)
			known[copied] = k
		}
		numbers[i] = k
	}
	return numbers, copies, nil
}

// room is memory of C, of so many elements, with the names of its arguments.
type room struct {
	name     string
	memory   unsafe.Pointer
	sizeName string
	size     uint64
}

// putAll gives C elements, or their number if it asks for that alone.
func putAll[T any](data []T, r room, needed *uint64) error {
	if r.memory == nil && (r.size != 0 || needed == nil) {
		return badArgument(r.name, null, "memory of the given %[1]s; or null, %[1]s 0 and needed, to ask for the %[1]s", r.sizeName)
	}
	if needed != nil {
		*needed = uint64(len(data))
	}
	switch {
	case r.memory == nil:
	case r.size < uint64(len(data)):
		return bufferError(fmt.Sprintf("%s is %d; allowed: at least %d", r.sizeName, r.size, len(data)))
	default:
		copyTo(r.memory, data)
	}
	return nil
}

// copyTo copies to memory of C, if it wants that.
func copyTo[T any](out unsafe.Pointer, data []T) {
	if out != nil {
		copy(unsafe.Slice((*T)(out), len(data)), data)
	}
}

// putBytes is putAll of bytes.
func putBytes(data []byte, buffer unsafe.Pointer, size C.size_t, needed *C.size_t) error {
	return putAll(data, room{"buffer", buffer, "size", uint64(size)}, (*uint64)(unsafe.Pointer(needed)))
}

// putText is putBytes of a string of C.
func putText(s string, buffer *C.char, size C.size_t, needed *C.size_t) error {
	return putBytes(append([]byte(s), 0), unsafe.Pointer(buffer), size, needed)
}

// putName gives C one of several names.
func putName(names []string, argument string, i C.int64_t, buffer *C.char, size C.size_t, needed *C.size_t) error {
	if err := within(argument, int64(i), 0, int64(len(names))-1); err != nil {
		return err
	}
	return putText(names[i], buffer, size, needed)
}
