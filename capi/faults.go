//go:build faults

package main

// #include "shim.h"
import "C"

import (
	"fmt"
	"sync/atomic"

	"github.com/libaoso/aoso"
)

// Faults that tests of a library built with the tag "faults" inject:
// capi/test/faults.h declares what faults.c makes of these exports.

// panics is by place how many passages there are left to the one that panics.
var panics [places]atomic.Int64

// denial is how many questions of affordable are left to the one denied.
var denial, questions atomic.Int64

//export goaoso_test_panic
func goaoso_test_panic(where C.int32_t, n C.int64_t) { panics[where].Store(int64(n)) }

//export goaoso_test_deny
func goaoso_test_deny(n C.int64_t) {
	denial.Store(int64(n))
	questions.Store(0)
}

//export goaoso_test_questions
func goaoso_test_questions() C.int64_t { return C.int64_t(questions.Load()) }

//export goaoso_test_handles
func goaoso_test_handles() C.int64_t {
	handles.mu.Lock()
	defer handles.mu.Unlock()
	return C.int64_t(handles.used - len(handles.vacant))
}

func checkpoint(p place) {
	if panics[p].Load() > 0 && panics[p].Add(-1) == 0 {
		panic(fmt.Sprintf("a test's fault at place %d", p))
	}
}

func denied() bool {
	questions.Add(1)
	return denial.Load() > 0 && denial.Add(-1) == 0
}

func watched(x aoso.Features) aoso.Features { return watchedFeatures{x} }

// watchedFeatures passes a checkpoint whenever a column is read, by whatever
// goroutine.
type watchedFeatures struct{ aoso.Features }

func (w watchedFeatures) Column(j, first int, dst []float64) {
	checkpoint(inColumn)
	w.Features.Column(j, first, dst)
}
