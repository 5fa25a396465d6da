package mem

import (
	"runtime"
	"runtime/debug"
	"testing"
	"unsafe"
)

func TestBlock(t *testing.T) {
	for _, n := range []int{0, 1, 63, mapMin - 1, mapMin, mapMin + 1, 3 << 20} {
		b := New(n)
		data := b.Bytes()
		if len(data) != n {
			t.Fatalf("New(%d) has %d bytes", n, len(data))
		}
		if uintptr(unsafe.Pointer(unsafe.SliceData(data)))%64 != 0 && n > 0 {
			t.Errorf("New(%d) is not aligned to 64 bytes", n)
		}
		for i := range data {
			if data[i] != 0 {
				t.Fatalf("New(%d) is not zero at %d", n, i)
			}
			data[i] = byte(i)
		}
		if floats := View[float32](b); len(floats) != n/4 {
			t.Errorf("New(%d) has %d floats", n, len(floats))
		}
		b.Free()
		b.Free()
		if b.Bytes() != nil {
			t.Errorf("New(%d) has memory after Free", n)
		}
	}
	(*Block)(nil).Free()
}

var garbage []byte

// TestCollect checks that garbage is collected where there is some.
func TestCollect(t *testing.T) {
	collected := func() uint32 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Collect()
		runtime.ReadMemStats(&after)
		return after.NumGC - before.NumGC
	}
	runtime.GC()
	if n := collected(); n != 0 {
		t.Errorf("without garbage: %d collections", n)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	garbage = make([]byte, 8<<20)
	garbage = nil
	if n := collected(); n != 1 {
		t.Errorf("with garbage: %d collections", n)
	}
}
