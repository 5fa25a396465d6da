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

// ReadFile reads a file of the kind whole, to an address that is a multiple of
// 64. It looks at the header before it takes the memory, so that a large file
// of another kind, or a small one that claims to be large, is refused at once.
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

// ReadBlock is ReadFile into memory that its owner gives back.
func ReadBlock(kind Kind, path string) (*mem.Block, error) { return block(kind, path, false) }

// MapFile is ReadBlock without the copy, where the system can map files: the
// memory can then only be read, and nobody may write to the file or cut it
// short while it is in use. That the file is replaced, as by WriteFile, does
// no harm.
func MapFile(kind Kind, path string) (*mem.Block, error) { return block(kind, path, true) }

func block(kind Kind, path string, mapped bool) (memory *mem.Block, err error) {
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

// start is a file whose prefix and header have been read and found sound.
type start struct {
	*os.File
	head    []byte
	size    uint64 // of the file, as its prefix says
	regular bool   // so that it has the size, or did when it was opened
}

// withFile opens a file, and if it can be of the kind calls read with it. The
// error names the path.
func withFile(kind Kind, path string, read func(*start) error) error {
	err := func() error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		s, err := kind.begin(f)
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

// begin reads prefix and header of a file. Memory is taken for what has been
// read, not for what the prefix says.
func (k Kind) begin(f *os.File) (*start, error) {
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

// readInto reads all of the file into the memory that it asks for.
func (s *start) readInto(allocate func(n int) []byte) ([]byte, error) {
	if have := mem.Plannable(); float64(s.size) > min(have, math.MaxInt-alignment) {
		return nil, fmt.Errorf("it has %.3g GB; this machine has %.3g GB of memory", float64(s.size)/1e9, have/1e9)
	}
	if s.regular {
		data := allocate(int(s.size))
		n, err := io.ReadFull(s.File, data[copy(data, s.head):])
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) { // it was cut short meanwhile
			err = truncated(uint64(len(s.head)+n), s.size)
		}
		return data, err
	}
	// One byte more shows that there are more.
	rest, err := io.ReadAll(io.LimitReader(s.File, int64(s.size)-int64(len(s.head))+1))
	if err != nil {
		return nil, err
	}
	data := allocate(len(s.head) + len(rest))
	copy(data[copy(data, s.head):], rest)
	return data, nil
}

func alignedBytes(n int) []byte {
	b := make([]byte, n+alignment)
	skip := -uintptr(unsafe.Pointer(&b[0])) & (alignment - 1)
	return b[skip : skip+uintptr(n) : skip+uintptr(n)]
}
