package modelio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"unsafe"

	"github.com/libaoso/aoso/internal/mem"
)

// ReadFile reads a whole file of the kind, to an address that is a multiple of 64. It checks the header before it allocates the memory, so
// that it refuses a large file of another kind, or a small file that claims to be large, at once.
func ReadFile(kind Kind, path string) (data []byte, err error) {
	err = withFile(kind, path, func(s *start) error {
		data, err = s.readInto(alignedBytes)
		return err
	})
	if err != nil {
		return nil, err
	}
	return data, nil
}

// ReadBlock reads a file as [ReadFile] does, into a block of memory, which the caller must free.
func ReadBlock(kind Kind, path string) (*mem.Block, error) { return readBlock(kind, path, false) }

// MapFile maps a file into memory, or reads it as [ReadBlock] does if the system cannot map it. The memory is read-only, and the file must
// not be written to or truncated while it is in use. Replacing the file, as WriteFile does, is safe.
func MapFile(kind Kind, path string) (*mem.Block, error) { return readBlock(kind, path, true) }

func readBlock(kind Kind, path string, mapped bool) (memory *mem.Block, err error) {
	err = withFile(kind, path, func(s *start) error {
		if mapped && s.regular && s.size <= math.MaxInt {
			if memory = mem.MapFile(s.File, int(s.size)); memory != nil {
				return nil
			}
		}
		_, err := s.readInto(func(n int) []byte {
			memory = mem.New(n)
			return memory.Bytes()
		})
		return err
	})
	if err != nil {
		memory.Free()
		return nil, err
	}
	return memory, nil
}

// start is a file whose prefix and header have been read and checked.
type start struct {
	*os.File
	head    []byte // prefix and header
	size    uint64 // of the file, according to its prefix
	regular bool   // a regular file, which had this size when it was opened
}

// withFile opens a file, checks its prefix and header, and calls read with it. Its error names the path.
func withFile(kind Kind, path string, read func(*start) error) error {
	err := func() error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		s, err := kind.readStart(f)
		if err != nil {
			return err
		}
		return read(s)
	}()
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", path, withoutPath(err, path))
	}
	return nil
}

// readStart reads the prefix and header of a file. It allocates memory for bytes that are there, not for the length that the prefix claims.
func (k Kind) readStart(f *os.File) (*start, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	s := &start{File: f, regular: info.Mode().IsRegular()}
	if s.head, err = io.ReadAll(io.LimitReader(f, prefixSize)); err != nil {
		return nil, err
	}
	if err := k.checkPrefix(s.head); err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint64(s.head[16:])
	rest, err := io.ReadAll(io.LimitReader(f, int64(min(length, maxHeader))))
	if err != nil {
		return nil, err
	}
	s.head = append(s.head, rest...)
	have := uint64(len(s.head))
	if s.regular {
		have = max(have, uint64(info.Size()))
	}
	_, s.size, err = checkSizes(s.head, have, !s.regular)
	return s, err
}

// readInto reads the whole file into memory from allocate.
func (s *start) readInto(allocate func(n int) []byte) ([]byte, error) {
	if have := mem.Plannable(); float64(s.size) > min(have, math.MaxInt-alignment) {
		return nil, fmt.Errorf("it has %.3g GB; this machine has %.3g GB of memory", float64(s.size)/1e9, have/1e9)
	}
	if s.regular {
		data := allocate(int(s.size))
		n, err := io.ReadFull(s.File, data[copy(data, s.head):])
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) { // it was truncated meanwhile
			err = truncated(uint64(len(s.head)+n), s.size)
		}
		return data, err
	}
	// Read one byte more, to detect a file that is longer than its prefix says.
	rest, err := io.ReadAll(io.LimitReader(s.File, int64(s.size)-int64(len(s.head))+1))
	if err != nil {
		return nil, err
	}
	data := allocate(len(s.head) + len(rest))
	copy(data[copy(data, s.head):], rest)
	return data, nil
}

// alignedBytes allocates n bytes at an address that is a multiple of alignment.
func alignedBytes(n int) []byte {
	b := make([]byte, n+alignment)
	skip := -uintptr(unsafe.Pointer(&b[0])) & (alignment - 1)
	return b[skip : skip+uintptr(n) : skip+uintptr(n)]
}
