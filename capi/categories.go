package main

// #include "shim.h"
import "C"

import (
	"fmt"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/libaoso/aoso/internal/category"
)

// missingCode is the code of a missing value.
const missingCode = -1

// categories has the categories of a column, in order of appearance.
type categories struct {
	column  string // for errors
	names   []string
	codes   map[string]int32 // positions in names
	bytes   float64          // memory in use
	checked float64          // memory that is known to be affordable
}

func newCategories(column string) *categories {
	return &categories{column: column, names: []string{}, codes: map[string]int32{"": missingCode}}
}

// code returns the code of a category, and adds it if it is new. The name may be in memory of the host.
func (c *categories) code(name string) (int32, error) {
	code, ok := c.codes[name]
	if ok {
		return code, nil
	}
	switch {
	case len(c.names) == category.MaxCategories:
		return 0, badArgument(c.column, text("a column of more categories"), "at most %d", category.MaxCategories)
	case !utf8.ValidString(name):
		return 0, badArgument(c.column, strings.Clone(name), "text in UTF-8")
	case strings.IndexByte(name, 0) >= 0:
		return 0, badArgument(c.column, strings.Clone(name), "text without zero bytes")
	}
	const perCategory = 64 // in the list and in the map
	if c.bytes += float64(len(name) + perCategory); c.bytes > c.checked {
		c.checked = 2*c.bytes + 1<<16
		if err := affordable(c.column, c.checked); err != nil {
			return 0, err
		}
	}
	code, name = int32(len(c.names)), strings.Clone(name)
	c.names, c.codes[name] = append(c.names, name), code
	return code, nil
}

// codesOf returns the codes of a list of categories, whose names the function returns.
func (c *categories) codesOf(count int64, name func(k int) (string, error)) ([]int32, error) {
	if err := within(c.column+", categories", count, 0, category.MaxCategories); err != nil {
		return nil, err
	}
	if err := affordable(c.column, 4*float64(count)); err != nil {
		return nil, err
	}
	codes := make([]int32, count)
	for k := range codes {
		s, err := name(k)
		if err == nil {
			codes[k], err = c.code(s)
		}
		if err != nil {
			return nil, err
		}
	}
	return codes, nil
}

// texts has strings that are parts of a text between offsets, in memory of the host.
type texts[T int32 | int64] struct {
	name    string // for errors
	bytes   unsafe.Pointer
	offsets unsafe.Pointer
}

func (t texts[T]) offset(i int) int64 {
	return int64(*(*T)(unsafe.Add(t.offsets, i*int(unsafe.Sizeof(*new(T))))))
}

func (t texts[T]) at(i int) (string, error) {
	first, end := t.offset(i), t.offset(i+1)
	if first < 0 || end < first || end > maxValues {
		return "", badArgument(fmt.Sprintf("%s: end of text %d", t.name, i), end, "at least %d, its start", max(first, 0))
	}
	if first == end {
		return "", nil
	}
	if t.bytes == nil {
		return "", badArgument(t.name+": text", null, "%d bytes", end)
	}
	return unsafe.String((*byte)(unsafe.Add(t.bytes, first)), end-first), nil
}

// putCategories copies the categories of a feature to a buffer of the host, each with a terminating zero. names is nil, and count becomes −1,
// if the feature is numeric.
func putCategories(names []string, buffer *C.char, size C.size_t, needed *C.size_t, count *C.int64_t) error {
	if count == nil {
		return badArgument("count", null, "memory for the number of categories")
	}
	bytes := 0
	for _, name := range names {
		bytes += len(name) + 1
	}
	if err := affordable("the categories", float64(bytes)); err != nil {
		return err
	}
	all := make([]byte, 0, bytes)
	for _, name := range names {
		if strings.IndexByte(name, 0) >= 0 {
			return badArgument("category", name, "one without zero bytes, for this function")
		}
		all = append(append(all, name...), 0)
	}
	n := C.int64_t(len(names))
	if names == nil {
		n = -1
	}
	if err := putBytes(all, unsafe.Pointer(buffer), size, needed); err != nil {
		return err
	}
	*count = n
	return nil
}
