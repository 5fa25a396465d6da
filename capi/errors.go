package main

// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime/debug"
	"unsafe"

	"github.com/libaoso/aoso"
)

type (
	handleError string // not a handle of the type needed
	bufferError string // a buffer is too small
	busyError   string // another thread is using the object
	memoryError string // more memory is needed than there is
	defectError string // the object was in use when a defect showed
)

func (e handleError) Error() string { return "aoso: " + string(e) }
func (e bufferError) Error() string { return "aoso: " + string(e) }
func (e busyError) Error() string   { return "aoso: " + string(e) }
func (e memoryError) Error() string { return "aoso: " + string(e) }
func (e defectError) Error() string { return "aoso: " + string(e) }

// fileError is what went wrong with a file.
type fileError struct{ error }

func (e fileError) Unwrap() error { return e.error }

// onFile marks an error, if there is one, as a file's.
func onFile(err error) error {
	if err == nil {
		return nil
	}
	return fileError{err}
}

func badArgument(name string, value any, allowed string, a ...any) error {
	return &aoso.ArgumentError{Argument: name, Value: value, Allowed: fmt.Sprintf(allowed, a...)}
}

func outOfMemory(format string, a ...any) error { return memoryError(fmt.Sprintf(format, a...)) }

// text prints as it is, where an [aoso.ArgumentError] would quote a string.
type text string

const null text = "null"

func statusOf(err error) C.aoso_status {
	var (
		handle   handleError
		buffer   bufferError
		busy     busyError
		memory   memoryError
		defect   defectError
		argument *aoso.ArgumentError
		file     fileError
	)
	switch {
	case errors.As(err, &handle):
		return C.AOSO_INVALID_HANDLE
	case errors.As(err, &buffer):
		return C.AOSO_BUFFER_TOO_SMALL
	case errors.As(err, &busy):
		return C.AOSO_BUSY
	case errors.As(err, &memory):
		return C.AOSO_OUT_OF_MEMORY
	case errors.As(err, &defect):
		return C.AOSO_INTERNAL
	case errors.Is(err, aoso.ErrNotModel), errors.Is(err, aoso.ErrNewer), errors.Is(err, aoso.ErrTruncated), errors.Is(err, aoso.ErrCorrupt):
		return C.AOSO_BAD_FORMAT
	case errors.As(err, &argument):
		return C.AOSO_INVALID_ARGUMENT
	case errors.As(err, &file):
		return C.AOSO_IO
	}
	return C.AOSO_INVALID_ARGUMENT
}

func setError(message string) {
	C.shim_set_error((*C.char)(unsafe.Pointer(unsafe.StringData(message))), C.size_t(len(message)))
}

// try does the work of an export. What a panic, which nothing is known to
// cause, can leave half done is what the call made, which nobody has a handle
// of, and what it alone used, which useAlone closes. Datasets, models and
// contributions never change, so other calls go on.
func try(work func() error) (status C.aoso_status) {
	defer func() {
		if v := recover(); v != nil {
			setError(fmt.Sprintf("aoso: a defect of the library: %v\n%s", v, debug.Stack()))
			status = C.AOSO_INTERNAL
		}
	}()
	if err := work(); err != nil {
		setError(err.Error())
		return statusOf(err)
	}
	return C.AOSO_OK
}

// poisonOnPanic is deferred by work on what all calls share. After a panic
// there none can go on.
func poisonOnPanic() {
	if v := recover(); v != nil {
		C.process_poison()
		panic(v)
	}
}

// place is where a test can have a panic happen.
type place int

const (
	inRegistry place = iota
	inTraining
	inCallback
	inPredictor
	inColumn
	places
)
