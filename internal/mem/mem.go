// Package mem holds large arrays off the Go heap: aligned, on huge pages where
// the kernel grants them, and given back when their owner says so rather than
// when the garbage collector comes round.
package mem

import (
	"runtime"
	"unsafe"
)

// Block is zeroed memory that begins at a multiple of 64 bytes.
type Block struct {
	data   []byte
	unmap  func()
	onFree runtime.Cleanup
}

// least is the size from which a mapping of its own pays.
const least = 1 << 16

// New returns a block of n bytes. Blocks that nobody frees are freed when
// they become unreachable. Small blocks, and all where memory cannot be
// mapped, are on the Go heap.
func New(n int) *Block {
	b := &Block{}
	if n >= least {
		if data, unmap := mapMemory(n); data != nil {
			b.data, b.unmap = data[:n:n], unmap
			b.onFree = runtime.AddCleanup(b, func(unmap func()) { unmap() }, unmap)
			return b
		}
	}
	data := make([]byte, n+63)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(data))) & 63)
	b.data = data[skip : skip+n : skip+n]
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

// Bytes is the memory of the block.
func (b *Block) Bytes() []byte { return b.data }

// Int64s is the memory of the block as int64.
func (b *Block) Int64s() []int64 {
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(b.data))), len(b.data)/8)
}

// Uint16s is the memory of the block as uint16.
func (b *Block) Uint16s() []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(b.data))), len(b.data)/2)
}

// Floats is the memory of the block as float32.
func (b *Block) Floats() []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b.data))), len(b.data)/4)
}
