package columnar

import (
	"fmt"
	"runtime"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/libaoso/aoso/internal/mem"
)

// guard runs a function that reads the file, and adds the name of the file to its
// error. arrow-go panics when it reads some damaged files; these panics become
// errors too.
func (f *File) guard(read func() error) (err error) {
	defer func() {
		if f.calling { // the panic is that of the caller
			f.calling = false
			return
		}
		if p := recover(); p != nil {
			err = f.named(damage(p))
		}
	}()
	return f.named(read())
}

// call calls a function of the caller while the file is read.
func (f *File) call(give func() error) error {
	f.calling = true
	err := give()
	f.calling = false
	return err
}

// named adds the name of the file to an error.
func (f *File) named(err error) error {
	if _, named := err.(*Error); err == nil || named || err == errStopped {
		return err
	}
	return &Error{f.name, err}
}

// damage returns the error for a panic.
func damage(p any) error {
	switch p := p.(type) {
	case memoryError:
		return p
	case runtime.Error:
		return fmt.Errorf("the file is damaged: %w", p)
	case error:
		return fmt.Errorf("the file is damaged: %w", p)
	}
	return fmt.Errorf("the file is damaged: %v", p)
}

// Error is what is wrong with a file.
type Error struct {
	File string // its path
	Err  error  // what is wrong with it
}

// Error names the file and says what is wrong.
func (e *Error) Error() string { return e.File + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// A part of a file may take this share of the memory, for whoever reads it wants to
// do something with it, and no more than compression can explain.
const (
	share           = 0.5
	mostCompression = 1000
	small           = 1 << 24 // bytes; these a part may always take
)

// unknownSize is the size of a stream.
const unknownSize = -1

// memoryError is a part of a file that takes too much memory. It is thrown by the
// allocator, which cannot return an error.
type memoryError struct{ need, most float64 }

func (e memoryError) Error() string {
	return fmt.Sprintf("the file is damaged, or a part of it takes %.3g GB at once, more than is allowed: %.3g GB", e.need/1e9, e.most/1e9)
}

// allocator allocates on the Go heap, but not more than a part may take: damaged
// files may claim any size, and Go ends a program that runs out of memory.
type allocator struct {
	memory.GoAllocator
	most float64
}

// newAllocator allocates for a file of this many bytes.
func newAllocator(size int64) *allocator {
	a := &allocator{*memory.NewGoAllocator(), share * mem.Plannable()}
	if size != unknownSize {
		a.most = min(a.most, small+mostCompression*float64(size))
	}
	return a
}

func (a *allocator) check(size int) {
	if size < 0 || float64(size) > a.most {
		panic(memoryError{float64(size), a.most})
	}
}

func (a *allocator) Allocate(size int) []byte {
	a.check(size)
	return a.GoAllocator.Allocate(size)
}

func (a *allocator) Reallocate(size int, b []byte) []byte {
	a.check(size)
	return a.GoAllocator.Reallocate(size, b)
}
