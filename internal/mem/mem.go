// Package mem holds large arrays outside the Go heap. They are aligned, lie on
// huge pages if the kernel grants them, and are released as soon as their owner
// frees them, without waiting for the garbage collector.
package mem

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"unsafe"
)

// Plannable returns how many bytes a computation may plan to use: the memory of
// the machine, or half of what the limits of the process leave if that is lower.
// It is only half because Go never returns address space.
func Plannable() float64 { return min(Machine(), Left()/2) }

// GiveBack collects garbage on the Go heap and gives it back to the system, if there
// are many bytes of it. Else Go would keep it for as long as the heap does not grow,
// which blocks do not make it do.
func GiveBack(bytes int) {
	const many = 16 << 20
	if bytes >= many {
		debug.FreeOSMemory()
	}
}

// Collect collects garbage on the Go heap if there are some MB of it. Go itself would wait until there is as much
// as there is in use.
func Collect() {
	const some = 4 << 20
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(heap)
	if heap[0].Value.Uint64() >= heap[1].Value.Uint64()+some {
		runtime.GC()
	}
}

// Block is memory that starts at a multiple of 64 bytes.
type Block struct {
	data   []byte
	unmap  func()
	onFree runtime.Cleanup
	folder string // of the file that is mapped; "": none is
}

// unlimited is more memory than any machine has.
const unlimited = 1 << 62

// mapMin is the size in bytes from which a block gets a mapping of its own.
const mapMin = 1 << 16

// New returns a block of n zero bytes. A block that becomes unreachable is freed.
// Small blocks are on the Go heap, and so are all blocks where memory cannot be
// mapped.
func New(n int) *Block {
	if n >= mapMin {
		if data, unmap := mapMemory(n); data != nil {
			return mapped(data[:n:n], unmap)
		}
	}
	data := make([]byte, n+63)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(data))) & 63)
	return Of(data[skip : skip+n : skip+n])
}

// Of returns a block that uses data. Free does not release it.
func Of(data []byte) *Block { return &Block{data: data} }

// MapFile maps the first n bytes of a file as a read-only block, or returns nil
// if that is impossible. The file must have at least n bytes. It may be closed
// afterwards.
func MapFile(f *os.File, n int) *Block {
	if data, unmap := mapFile(f, n); data != nil {
		b := mapped(data, unmap)
		b.folder = filepath.Dir(f.Name())
		return b
	}
	return nil
}

// FileMin is the size in bytes from which memory beside a mapped file is in a file
// as well.
var FileMin = 64 << 20

// Like returns a block of n zero bytes for data derived from b's. If b is a mapped file and n is
// large, the block is an unnamed file in the same folder: the system can then write pages to
// disk when memory is short. Else it is the same as New.
func (b *Block) Like(n int) *Block {
	if b != nil && b.folder != "" && n >= FileMin {
		if data, unmap := mapTemporary(b.folder, n); data != nil {
			like := mapped(data, unmap)
			like.folder = b.folder
			return like
		}
	}
	return New(n)
}

func mapped(data []byte, unmap func()) *Block {
	b := &Block{data: data, unmap: unmap}
	b.onFree = runtime.AddCleanup(b, func(unmap func()) { unmap() }, unmap)
	return b
}

// Free releases the memory, which must not be used afterwards. Freeing a block
// twice or a nil block does nothing.
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

// Bytes returns the memory of the block. It is nil for a nil block.
func (b *Block) Bytes() []byte {
	if b == nil {
		return nil
	}
	return b.data
}

// View returns the memory of the block as a slice of T.
func View[T uint8 | uint16 | uint32 | int32 | int64 | uint64 | float32 | float64](b *Block) []T {
	var number T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b.data))), len(b.data)/int(unsafe.Sizeof(number)))
}
