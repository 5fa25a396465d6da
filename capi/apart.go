package main

// #include "shim.h"
import "C"

import (
	"runtime/debug"

	"github.com/libaoso/aoso/internal/par"
)

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
func (c calls) zero(call func() C.int32_t) bool {
	if c == nil {
		return call() == 0
	}
	answer := make(chan C.int32_t)
	c <- func() { answer <- call() }
	return <-answer == 0
}

// apart does the work of a team of threads on a goroutine of its own, and
// meanwhile makes the calls of the host that it sends. The goroutine of an
// export is bound to the host's thread: when it waits for the others of a
// team, as it does many times in each iteration, the operating system has to
// switch threads, which doubles the time that training takes. A team of one
// never waits.
func apart(threads int, calls calls, work func()) {
	if threads == 1 {
		work()
		return
	}
	done := make(chan *par.Panic)
	go func() {
		var failed *par.Panic
		defer func() { done <- failed }()
		defer func() {
			if v := recover(); v != nil {
				failed = &par.Panic{Value: v, Stack: debug.Stack()}
			}
		}()
		work()
	}()
	for {
		select {
		case call := <-calls:
			call()
		case failed := <-done:
			if failed != nil {
				panic(failed)
			}
			return
		}
	}
}
