package main

// #include "shim.h"
import "C"

import (
	"cmp"
	"runtime/debug"

	"github.com/libaoso/aoso/internal/par"
)

// hostCode is what functions of the host return.
type hostCode = C.int32_t

// calls are calls of the host that work apart has to make.
type calls chan func()

// callsFrom is calls from work of so many threads: nil if it is not apart.
func callsFrom(threads int) calls {
	if threads == 1 {
		return nil
	}
	return make(calls)
}

// zero makes a call, on the thread that the host called from, and tells
// whether it returns 0.
func (c calls) zero(call func() hostCode) bool {
	if c == nil {
		return call() == 0
	}
	answer := make(chan hostCode, 1)
	c <- func() {
		defer close(answer)
		answer <- call()
	}
	code, ok := <-answer
	if !ok {
		panic("a call of the host failed")
	}
	return code == 0
}

// apart does the work of a team of threads on a goroutine of its own, and
// meanwhile makes the calls of the host that it sends. The goroutine of an
// export is bound to the host's thread: when it waits for the others of a
// team, as it does many times in each iteration, the operating system has to
// switch threads, which doubles the time that training takes. A team of one
// never waits. A panic, on either goroutine, shows when both are done.
func apart(threads int, calls calls, work func()) {
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

// caught calls f and returns its panic.
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
