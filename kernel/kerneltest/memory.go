package kerneltest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"unsafe"
)

// memory holds the slices of one job, each in pages of its own. A slice ends
// right before a page that faults, or begins right after one, or lies in
// between at an odd alignment; the rest of its pages is a guard.
type memory struct {
	places  *rand.Rand // nil: plain memory will do
	buffers []*buffer
}

// buffer is a slice of a job, or a number that a job returned.
type buffer struct {
	name    string
	pages   pages
	sealed  bool
	data    []byte
	element int // bytes
	defined int // elements that the contract defines
	show    func(i int) string
}

const guard = 0xA5

// input returns a slice that the kernel may not write.
func input[T any](m *memory, name string, values []T) []T {
	return inputAfter(m, name, 0, values)
}

// inputAfter returns an input that begins with lead elements which nobody reads.
func inputAfter[T any](m *memory, name string, lead int, values []T) []T {
	s := inoutAfter(m, name, lead, values)
	if m.places != nil && s != nil {
		b := m.buffers[len(m.buffers)-1]
		b.pages.seal()
		b.sealed = true
	}
	return s
}

// output returns a slice of old contents that the kernel fills.
func output[T any](m *memory, name string, n int) []T {
	values := make([]T, n)
	for i := range view(values) {
		view(values)[i] = byte(3*i + 1)
	}
	return inout(m, name, values)
}

// inout returns a slice that the kernel reads and writes. A nil slice stays nil.
func inout[T any](m *memory, name string, values []T) []T {
	return inoutAfter(m, name, 0, values)
}

// inoutAfter returns an inout that begins with lead elements which nobody touches.
func inoutAfter[T any](m *memory, name string, lead int, values []T) []T {
	if values == nil {
		return nil
	}
	n := len(values)
	var zero T
	b := &buffer{name: name, element: int(unsafe.Sizeof(zero)), defined: n}
	var s []T
	if m.places == nil && lead == 0 {
		s = make([]T, n)
	} else {
		offset := b.allocate(m.places, lead, n)
		first := unsafe.Add(unsafe.Pointer(unsafe.SliceData(b.pages.mapping)), offset)
		s = unsafe.Slice((*T)(first), lead+n)
	}
	tail := s[lead:]
	copy(tail, values)
	b.data = view(tail)
	b.show = func(i int) string { return fmt.Sprintf("%v (bits %x)", tail[i], view(tail[i:i+1])) }
	m.buffers = append(m.buffers, b)
	return s
}

// allocate finds pages for lead + n elements and the place where they begin.
func (b *buffer) allocate(places *rand.Rand, lead, n int) (offset int) {
	lead, n = lead*b.element, n*b.element
	b.pages = newPages(lead, n+64+16*b.element)
	memory := b.pages.memory
	at := 0
	if places != nil {
		at = pick(dice{places}, 0, 64+b.element*(2*places.IntN(8)+1), len(memory)-n)
	}
	for _, around := range [][]byte{memory[:at], memory[at+n:]} {
		for i := range around {
			around[i] = guard
		}
	}
	return b.pages.before + at - lead
}

// result records numbers that a job returned.
func result[T any](m *memory, name string, values ...T) {
	s := values
	m.buffers = append(m.buffers, &buffer{
		name: name, data: view(s), element: len(view(s[:1])), defined: len(s),
		show: func(i int) string { return fmt.Sprintf("%v (bits %x)", s[i], view(s[i:i+1])) },
	})
}

// define bounds what the contract defines of the buffer that a slice is.
func (m *memory) define(name string, n int) {
	for _, b := range m.buffers {
		if b.name == name {
			b.defined = n
		}
	}
}

// view returns the bytes of a slice.
func view[T any](s []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}

// compare describes the first difference between what a kernel and what the
// reference left behind, and damage to the guards; "": none.
func (m *memory) compare(want *memory) string {
	for i, b := range m.buffers {
		w := want.buffers[i]
		if b.defined != w.defined {
			return fmt.Sprintf("%d values of %s, want %d", b.defined, b.name, w.defined)
		}
		n := b.defined * b.element
		if !bytes.Equal(b.data[:n], w.data[:n]) {
			for i := range b.defined {
				if bytes.Equal(b.data[i*b.element:(i+1)*b.element], w.data[i*b.element:(i+1)*b.element]) {
					continue
				}
				return fmt.Sprintf("%s[%d] = %s, want %s", b.name, i, b.show(i), w.show(i))
			}
		}
		if at, ok := b.damage(); ok {
			return fmt.Sprintf("write outside %s: byte %d of %d", b.name, at, len(b.data))
		}
	}
	return ""
}

// damage finds a guard byte that has changed, counted from the slice's start.
func (b *buffer) damage() (at int, ok bool) {
	if b.pages.memory == nil || b.sealed {
		return 0, false
	}
	first := b.offset(uintptr(unsafe.Pointer(unsafe.SliceData(b.pages.memory))))
	for i, v := range b.pages.memory {
		if at := first + i; v != guard && (at < 0 || at >= len(b.data)) {
			return at, true
		}
	}
	return 0, false
}

// offset returns an address counted from the slice's start.
func (b *buffer) offset(address uintptr) int {
	return int(address - uintptr(unsafe.Pointer(unsafe.SliceData(b.data))))
}

// locate says what lies at an address that faulted.
func (m *memory) locate(address uintptr) string {
	for _, b := range m.buffers {
		if b.pages.mapping == nil {
			continue
		}
		first := uintptr(unsafe.Pointer(unsafe.SliceData(b.pages.mapping)))
		if address < first || address >= first+uintptr(len(b.pages.mapping)) {
			continue
		}
		at := b.offset(address)
		if at >= 0 && at < len(b.data) {
			return fmt.Sprintf("write to input %s: byte %d of %d", b.name, at, len(b.data))
		}
		return fmt.Sprintf("access outside %s: byte %d of %d", b.name, at, len(b.data))
	}
	return fmt.Sprintf("access to address %#x, in no slice of the job, or a misaligned one", address)
}

func (m *memory) free() {
	for _, b := range m.buffers {
		if b.pages.mapping != nil {
			b.pages.free()
		}
	}
}
