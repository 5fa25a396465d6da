package modelio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"unsafe"

	"github.com/libaoso/aoso/internal/mem"
)

// ReadFile reads a file of the kind whole, to an address that is a multiple of
// 64. It looks at the first bytes before it takes the memory, so that a large
// file of another kind is refused at once.
func ReadFile(kind Kind, path string) (data []byte, err error) {
	err = withFile(kind, path, func(f *os.File, info fs.FileInfo, start []byte) error {
		data, err = readRest(f, info, start)
		return err
	})
	if err != nil {
		return nil, err
	}
	return data, nil
}

// MapFile is ReadFile without the copy, where the system can map files: the
// memory can then only be read, and nobody may write to the file or cut it
// short while it is in use. That the file is replaced, as by WriteFile, does
// no harm.
func MapFile(kind Kind, path string) (memory *mem.Block, err error) {
	err = withFile(kind, path, func(f *os.File, info fs.FileInfo, start []byte) error {
		if info.Mode().IsRegular() && info.Size() <= math.MaxInt {
			if memory = mem.MapFile(f, int(info.Size())); memory != nil {
				return nil
			}
		}
		data, err := readRest(f, info, start)
		memory = mem.Of(data)
		return err
	})
	if err != nil {
		return nil, err
	}
	return memory, nil
}

// withFile opens a file, and if it can be of the kind calls read with it and
// the first bytes, which are read. The error names the path.
func withFile(kind Kind, path string, read func(f *os.File, info fs.FileInfo, start []byte) error) error {
	err := func() error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		var start [prefixSize]byte
		n, err := io.ReadFull(f, start[:])
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		if err := kind.checkPrefix(start[:n]); err != nil {
			return err
		}
		return read(f, info, start[:n])
	}()
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", path, withoutPath(err, path))
	}
	return nil
}

// readRest is start and what follows it in a file.
func readRest(f *os.File, info fs.FileInfo, start []byte) ([]byte, error) {
	if !info.Mode().IsRegular() { // a pipe does not know its length
		rest, err := io.ReadAll(f)
		data := alignedBytes(len(start) + len(rest))
		copy(data[copy(data, start):], rest)
		return data, err
	}
	if info.Size() > math.MaxInt-alignment {
		return nil, errors.New("it is too large for this machine")
	}
	data := alignedBytes(max(int(info.Size()), len(start)))
	_, err := io.ReadFull(f, data[copy(data, start):])
	return data, err
}

func alignedBytes(n int) []byte {
	b := make([]byte, n+alignment)
	skip := -uintptr(unsafe.Pointer(&b[0])) & (alignment - 1)
	return b[skip : skip+uintptr(n) : skip+uintptr(n)]
}
