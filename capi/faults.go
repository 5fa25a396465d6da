//go:build faults

package main

// #include "shim.h"
import "C"

import (
	"fmt"
	"sync/atomic"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/category"
)

// In a library built with the tag "faults", tests can inject faults. faults.c
// wraps these exports, and capi/test/faults.h declares them.

// panics has, by fault point, n if the n-th next passage is to panic; 0: none.
var panics [faultPoints]atomic.Int64

// denial is n if the n-th next call of affordable is to fail; 0: none. questions counts the calls.
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

func checkpoint(p faultPoint) {
	if panics[p].Load() > 0 && panics[p].Add(-1) == 0 {
		panic(fmt.Sprintf("fault injected by a test at place %d", p))
	}
}

func denied() bool {
	questions.Add(1)
	return denial.Load() > 0 && denial.Add(-1) == 0
}

func watched(x aoso.Features) aoso.Features { return watchedFeatures{x} }

// watchedFeatures passes the fault point inColumn whenever a column is read.
type watchedFeatures struct{ aoso.Features }

func (w watchedFeatures) Column(j, first int, dst []float64) {
	checkpoint(inColumn)
	w.Features.Column(j, first, dst)
}

func (w watchedFeatures) Integers(j, first int, dst []int64) bool {
	return category.IntegersOf(w.Features, j, first, dst)
}

func (w watchedFeatures) Categories(j int) []string {
	if x, ok := w.Features.(aoso.CategoricalFeatures); ok {
		return x.Categories(j)
	}
	return nil
}
