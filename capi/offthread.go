package main

// #include "shim.h"
import "C"

import (
	"cmp"
	"runtime/debug"

	"github.com/libaoso/aoso/internal/par"
)

// hostCode is the type that functions of the host return.
type hostCode = C.int32_t

// calls carries calls of host functions from the goroutine of offThread to the host's thread, which called the library.
type calls chan func()

// callsFrom returns the calls for work on the given number of threads. It is nil if offThread does the work on the host's thread.
func callsFrom(threads int) calls {
	if threads == 1 {
		return nil
	}
	return make(calls)
}

// succeeds makes a call on the host's thread, and reports whether it returned 0.
func (c calls) succeeds(call func() hostCode) bool { return c.do(call) == 0 }

// do makes a call on the host's thread, and returns its result.
func (c calls) do(call func() hostCode) hostCode {
	if c == nil {
		return call()
	}
	answer := make(chan hostCode, 1)
	c <- func() {
		defer close(answer)
		answer <- call()
	}
	code, ok := <-answer
	if !ok {
		panic("a call to a function of the host failed")
	}
	return code
}

// offThread runs the work of a team of threads on another goroutine. Meanwhile it makes the host calls that the work sends, on the host's
// thread.
//
// The goroutine of an export is bound to the host's thread. If it waited for the
// other workers of a team, which happens many times in each iteration, the
// operating system would have to switch threads, and training would take twice
// as long. A team of one never waits, so its work runs directly.
//
// A panic on either goroutine is passed on when both are done.
func offThread(threads int, calls calls, work func()) {
	if threads == 1 {
		work()
		return
	}
	done := make(chan *par.Panic)
	go func() { done <- caught(work) }()
	var failed *par.Panic
	for {
		select {
		case call := <-calls:
			failed = cmp.Or(failed, caught(call))
		case inWork := <-done:
			if failed = cmp.Or(failed, inWork); failed != nil {
				panic(failed)
			}
			return
		}
	}
}

// caught calls f and returns its panic, or nil.
func caught(f func()) (failed *par.Panic) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *par.Panic:
			failed = v
		default:
			failed = &par.Panic{Value: v, Stack: debug.Stack()}
		}
	}()
	f()
	return nil
}
