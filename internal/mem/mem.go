// Package mem holds large arrays off the Go heap: aligned, on huge pages where
// the kernel grants them, and given back when their owner says so rather than
// when the garbage collector comes round.
package mem

import (
	"os"
	"runtime"
	"unsafe"
)

// Plannable is the memory, in bytes, that one use may plan on: that of the
// machine, or half of what the limits of the process leave, since Go keeps
// address space that it once had.
func Plannable() float64 { return min(Machine(), Left()/2) }

// Block is memory that begins at a multiple of 64 bytes.
type Block struct {
	data   []byte
	unmap  func()
	onFree runtime.Cleanup
}

// unlimited is more memory than there is.
const unlimited = 1 << 62

// least is the size from which a mapping of its own pays.
const least = 1 << 16

// New returns a block of n bytes, all zero. Blocks that nobody frees are freed when
// they become unreachable. Small blocks, and all where memory cannot be
// mapped, are on the Go heap.
func New(n int) *Block {
	if n >= least {
		if data, unmap := mapMemory(n); data != nil {
			return mapped(data[:n:n], unmap)
		}
	}
	data := make([]byte, n+63)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(data))) & 63)
	return Of(data[skip : skip+n : skip+n])
}

// Of returns a block of the given memory, which stays the caller's.
func Of(data []byte) *Block { return &Block{data: data} }

// MapFile returns the first n bytes of a file, which it has, as a block that
// can only be read; nil where that cannot be. The file may be closed.
func MapFile(f *os.File, n int) *Block {
	if data, unmap := mapFile(f, n); data != nil {
		return mapped(data, unmap)
	}
	return nil
}

func mapped(data []byte, unmap func()) *Block {
	b := &Block{data: data, unmap: unmap}
	b.onFree = runtime.AddCleanup(b, func(unmap func()) { unmap() }, unmap)
	return b
}

// Free gives the memory back. Nothing may use it any more. Freeing twice, or
// no block, does nothing.
func (b *Block) Free() {
	if b == nil {
		return
	}
	if b.unmap != nil {
		b.onFree.Stop()
		b.unmap()
	}
	b.data, b.unmap = nil, nil
}

// Bytes is the memory of the block; no block has none.
func (b *Block) Bytes() []byte {
	if b == nil {
		return nil
	}
	return b.data
}

// View is the memory of the block as numbers.
func View[T uint8 | uint16 | uint32 | int64 | float32 | float64](b *Block) []T {
	var number T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b.data))), len(b.data)/int(unsafe.Sizeof(number)))
}
