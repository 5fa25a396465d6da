//go:build cgo

package main

import (
	"runtime/debug"

	"github.com/libaoso/aoso/internal/par"
)

// apart does the work of a team of threads on a goroutine of its own, and
// meanwhile makes the calls of the host that it sends. The goroutine of an
// export is bound to the host's thread: when it waits for the others of a
// team, as it does many times in each iteration, the operating system has to
// switch threads, which doubles the time that training takes. A team of one
// never waits.
func apart(threads int, calls <-chan func(), work func()) {
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
