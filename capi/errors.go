package main

// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime/debug"
	"syscall"
	"unsafe"

	"github.com/libaoso/aoso"
)

type (
	handleError string // the handle is invalid or has another type
	bufferError string // the buffer is too small
	busyError   string // another thread is using the object
	brokenError string // an internal error occurred while the object was in use
)

func (e handleError) Error() string { return "aoso: " + string(e) }
func (e bufferError) Error() string { return "aoso: " + string(e) }
func (e busyError) Error() string   { return "aoso: " + string(e) }
func (e brokenError) Error() string { return "aoso: " + string(e) }

// fileError is an error of a file operation.
type fileError struct{ error }

func (e fileError) Unwrap() error { return e.error }

// onFile marks an error as one of a file operation. It returns nil for nil.
func onFile(err error) error {
	if err == nil {
		return nil
	}
	return fileError{err}
}

func outOfMemory(format string, a ...any) error {
	return fmt.Errorf("%w: %s", aoso.ErrMemory, fmt.Sprintf(format, a...))
}

func badArgument(name string, value any, allowed string, a ...any) error {
	return &aoso.ArgumentError{Argument: name, Value: value, Allowed: fmt.Sprintf(allowed, a...)}
}

// text is a value that [aoso.ArgumentError] prints without quotation marks.
type text string

const null text = "null"

func statusOf(err error) C.aoso_status {
	var (
		handle   handleError
		buffer   bufferError
		busy     busyError
		broken   brokenError
		argument *aoso.ArgumentError
		file     fileError
		system   syscall.Errno
	)
	switch {
	case errors.As(err, &handle):
		return C.AOSO_INVALID_HANDLE
	case errors.As(err, &buffer):
		return C.AOSO_BUFFER_TOO_SMALL
	case errors.As(err, &busy):
		return C.AOSO_BUSY
	case errors.Is(err, aoso.ErrMemory):
		return C.AOSO_OUT_OF_MEMORY
	case errors.As(err, &broken):
		return C.AOSO_INTERNAL
	case errors.Is(err, aoso.ErrNotModel), errors.Is(err, aoso.ErrNewer), errors.Is(err, aoso.ErrTruncated), errors.Is(err, aoso.ErrCorrupt):
		return C.AOSO_BAD_FORMAT
	case errors.As(err, &argument):
		return C.AOSO_INVALID_ARGUMENT
	case errors.Is(err, aoso.ErrCollective):
		return C.AOSO_COLLECTIVE
	case errors.As(err, &file), errors.As(err, &system):
		return C.AOSO_IO
	}
	return C.AOSO_INVALID_ARGUMENT
}

func setError(message string) {
	C.shim_set_error((*C.char)(unsafe.Pointer(unsafe.StringData(message))), C.size_t(len(message)))
}

// try runs the work of an export. It turns an error into a status and a message,
// and a panic into AOSO_INTERNAL.
//
// Other calls can continue after a panic. The panic can leave two kinds of
// objects in a bad state: those that the call was creating, which have no handle
// yet, and the one that it used exclusively, which useAlone marks as broken.
// Datasets, models and contributions never change.
func try(work func() error) (status C.aoso_status) {
	defer func() {
		if v := recover(); v != nil {
			setError(fmt.Sprintf("aoso: internal error: %v\n%s", v, debug.Stack()))
			status = C.AOSO_INTERNAL
		}
	}()
	if err := work(); err != nil {
		setError(err.Error())
		return statusOf(err)
	}
	return C.AOSO_OK
}

// poisonOnPanic is deferred by code that changes state shared by all calls. After
// a panic there, the library refuses all further calls.
func poisonOnPanic() {
	if v := recover(); v != nil {
		C.process_poison()
		panic(v)
	}
}

// faultPoint is a point in the code at which a test can cause a panic.
type faultPoint int

const (
	inRegistry faultPoint = iota
	inTraining
	inCallback
	inPredictor
	inColumn
	faultPoints
)
