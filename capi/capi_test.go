//go:build cgo

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"testing"

	"github.com/libaoso/aoso"
)

// TestRegistry checks, with several goroutines, that no two objects ever have the
// same handle and that a handle is valid until it is removed.
func TestRegistry(t *testing.T) {
	var r registry
	var all sync.Map
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			var own []uint64
			for i := range 20_000 {
				o := &model{}
				h, err := r.add(o)
				if err != nil {
					t.Error(err)
					return
				}
				if _, again := all.LoadOrStore(h, true); again {
					t.Errorf("two objects have the handle %#x", h)
				}
				if r.find(h) != object(o) {
					t.Errorf("handle %#x refers to another object", h)
				}
				if own = append(own, h); i%3 == 2 {
					h, own = own[0], own[1:]
					if !r.remove(h) || r.remove(h) || r.find(h) != nil {
						t.Errorf("handle %#x was not removed exactly once", h)
					}
				}
			}
			for _, h := range own {
				if !r.remove(h) {
					t.Errorf("handle %#x cannot be removed", h)
				}
			}
		})
	}
	wait.Wait()
	if len(r.vacant) != r.used {
		t.Errorf("%d of %d positions are vacant, want all", len(r.vacant), r.used)
	}
	for _, h := range []uint64{0, 1, handleMark, ^uint64(0), handleMark | 1<<positionBits} {
		if r.find(h) != nil {
			t.Errorf("%#x is accepted as a handle", h)
		}
	}
}

func TestStatus(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{badArgument("x", 1, "2"), 1},
		{fmt.Errorf("with more: %w", badArgument("x", 1, "2")), 1},
		{handleError("x"), 2},
		{bufferError("x"), 3},
		{onFile(&fs.PathError{Op: "open", Path: "x", Err: errors.New("no")}), 4},
		{onFile(badArgument("dataset", "one that continues a model", "another")), 1},
		{onFile(fmt.Errorf("x: %w", aoso.ErrCorrupt)), 5},
		{aoso.ErrNotModel, 5},
		{outOfMemory("x"), 6},
		{busyError("x"), 7},
		{brokenError("x"), 9},
		{onFile(fmt.Errorf("x: %w", aoso.ErrCollective)), 10},
	} {
		if got := try(func() error { return c.err }); int(got) != c.want {
			t.Errorf("%v: status %d, want %d", c.err, got, c.want)
		}
	}
	if onFile(nil) != nil {
		t.Error("onFile(nil) is not nil")
	}
}

// TestPanic checks that a panic becomes a status, on another goroutine too.
func TestPanic(t *testing.T) {
	const internal = 9
	bad := func() { panic("bad") }
	for _, threads := range []int{1, 2} {
		if got := try(func() error { offThread(threads, nil, bad); return nil }); got != internal {
			t.Errorf("with %d threads: status %d, want %d", threads, got, internal)
		}
	}
}

// TestBroken checks that a panic breaks the object in use, and that it can still
// be freed.
func TestBroken(t *testing.T) {
	const internal = 9
	h, err := handles.add(&trainer{training: &training{}})
	if err != nil {
		t.Fatal(err)
	}
	if got := try(func() error { return useAlone("trainer", h, func(*trainer) error { panic("bad") }) }); got != internal {
		t.Errorf("call that panics: status %d, want %d", got, internal)
	}
	used := false
	if got := try(func() error { return useAlone("trainer", h, func(*trainer) error { used = true; return nil }) }); got != internal || used {
		t.Errorf("next call: status %d, want %d; used %v", got, internal, used)
	}
	if got := freeTrainer(h); got != 0 || handles.find(h) != nil {
		t.Errorf("free: status %d, the handle refers to %v", got, handles.find(h))
	}
}

// TestFreedBeforeLocked checks that an object is not used if it is freed between
// find and lock.
func TestFreedBeforeLocked(t *testing.T) {
	const invalidHandle = 2
	o := &trainer{training: &training{}}
	h, err := handles.add(o)
	if err != nil {
		t.Fatal(err)
	}
	if got := freeTrainer(h); got != 0 {
		t.Fatalf("free: status %d", got)
	}
	got := try(func() error {
		return useFound("trainer", h, o, func(*trainer) error {
			t.Error("the freed object was used")
			return nil
		})
	})
	if got != invalidHandle {
		t.Errorf("status %d, want %d", got, invalidHandle)
	}
}

// TestCallPanics checks that a panic in a call on the host's thread ends the work
// that waits for the answer.
func TestCallPanics(t *testing.T) {
	const internal = 9
	ended := false
	c := callsFrom(2)
	if got := try(func() error {
		offThread(2, c, func() {
			defer func() { ended = true }()
			c.succeeds(func() (n hostCode) { panic("bad") })
		})
		return nil
	}); got != internal || !ended {
		t.Errorf("status %d, want %d; ended %v", got, internal, ended)
	}
}
