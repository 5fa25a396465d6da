package main

// #include "shim.h"
import "C"

import (
	"fmt"
	"sync/atomic"
	"unsafe"
)

// logger is the log function of the host.
type logger struct {
	callback C.aoso_log_callback
	user     C.uintptr_t
}

var currentLogger atomic.Pointer[logger]

//export goaoso_set_log
func goaoso_set_log(callback C.aoso_log_callback, user C.uintptr_t) C.aoso_status {
	return try(func() error {
		if callback == nil {
			currentLogger.Store(nil)
		} else {
			currentLogger.Store(&logger{callback, user})
		}
		return nil
	})
}

func logWarning(format string, a ...any) { log(C.AOSO_LOG_WARNING, format, a) }
func logInfo(format string, a ...any)    { log(C.AOSO_LOG_INFO, format, a) }

// log must be called on the goroutine of an export, so that the host's function
// runs on the thread that called the library.
func log(level C.int32_t, format string, a []any) {
	if l := currentLogger.Load(); l != nil {
		message := C.CString(fmt.Sprintf(format, a...))
		defer C.free(unsafe.Pointer(message))
		C.shim_log(l.callback, level, message, l.user)
	}
}
