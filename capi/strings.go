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

// hostString returns a string that stays in memory of the host.
func hostString(s *C.char) string { return unsafe.String((*byte)(unsafe.Pointer(s)), C.strlen(s)) }

// goString copies a C string, which must be UTF-8.
func goString(name string, s *C.char) (string, error) {
	if s == nil {
		return "", badArgument(name, null, "a string")
	}
	if err := affordable(name, float64(len(hostString(s)))); err != nil {
		return "", err
	}
	copied := strings.Clone(hostString(s))
	if !utf8.ValidString(copied) {
		return "", badArgument(name, copied, "UTF-8")
	}
	return copied, nil
}

// goStrings copies n C strings. It returns nil if p is null. count is the name of the argument n.
func goStrings(name, count string, p **C.char, n int64) ([]string, error) {
	if p == nil {
		if n != 0 {
			return nil, badArgument(count, n, "0, because %s is null", name)
		}
		return nil, nil
	}
	if err := within(count, n, 0, maxValues); err != nil {
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

// distinct copies each distinct C string once. It returns the copies, in order of appearance, and for each string the position of its copy.
func distinct(name string, p []*C.char) (numbers []int32, copies []string, err error) {
	numbers = make([]int32, len(p))
	known := map[string]int32{}
	for i, s := range p {
		if s == nil {
			return nil, nil, badArgument(fmt.Sprintf("%s[%d]", name, i), null, "a string")
		}
		k, ok := known[hostString(s)]
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

// buffer is memory of the host for size elements, with the names of the arguments
// that it comes from.
type buffer struct {
	name     string
	memory   unsafe.Pointer
	sizeName string
	size     uint64
}

// putAll copies data to a buffer of the host and sets needed to its length. If the
// buffer is null, it only sets needed.
func putAll[T any](data []T, b buffer, needed *uint64) error {
	if b.memory == nil && (b.size != 0 || needed == nil) {
		return badArgument(b.name, null, "memory of the given %[1]s; or null with %[1]s 0 and a pointer needed, to query the %[1]s", b.sizeName)
	}
	if needed != nil {
		*needed = uint64(len(data))
	}
	switch {
	case b.memory == nil:
	case b.size < uint64(len(data)):
		return bufferError(fmt.Sprintf("%s is %d; allowed: at least %d", b.sizeName, b.size, len(data)))
	default:
		copyTo(b.memory, data)
	}
	return nil
}

// copyTo copies data to memory of the host, unless out is null.
func copyTo[T any](out unsafe.Pointer, data []T) {
	if out != nil {
		copy(unsafe.Slice((*T)(out), len(data)), data)
	}
}

// putBytes is putAll for bytes.
func putBytes(data []byte, memory unsafe.Pointer, size C.size_t, needed *C.size_t) error {
	return putAll(data, buffer{"buffer", memory, "size", uint64(size)}, (*uint64)(unsafe.Pointer(needed)))
}

// putText is putBytes for a string with a terminating zero.
func putText(s string, buffer *C.char, size C.size_t, needed *C.size_t) error {
	return putBytes(append([]byte(s), 0), unsafe.Pointer(buffer), size, needed)
}

// putName copies name number i to a buffer of the host.
func putName(names []string, argument string, i C.int64_t, buffer *C.char, size C.size_t, needed *C.size_t) error {
	if err := within(argument, int64(i), 0, int64(len(names))-1); err != nil {
		return err
	}
	return putText(names[i], buffer, size, needed)
}
