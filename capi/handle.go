package main

// #include "shim.h"
import "C"

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// A handle is a number that C holds as a pointer. No two objects ever have the
// same handle. Its top bit is set, so it is never a valid address:
//
//	1 | serial number, 39 bits | position in the registry, 24 bits
const (
	handleMark   = 1 << 63
	positionBits = 24
	maxHandles   = 1 << positionBits
	chunkHandles = 1 << 10
)

// object is an object that a handle refers to.
type object interface {
	noun() string
}

func (*dataset) noun() string      { return "dataset" }
func (*builder) noun() string      { return "builder" }
func (*trainer) noun() string      { return "trainer" }
func (*tuner) noun() string        { return "tuner" }
func (*model) noun() string        { return "model" }
func (*predictor) noun() string    { return "predictor" }
func (contributions) noun() string { return "matrix of contributions" }

// registry holds the objects of all handles. Lookups take no lock.
type registry struct {
	chunks [maxHandles / chunkHandles]atomic.Pointer[[chunkHandles]atomic.Pointer[entry]]

	mu     sync.Mutex
	serial uint64
	used   int   // number of positions that were ever in use
	vacant []int // positions below used that are free
}

type entry struct {
	handle uint64
	object object
}

var handles registry

func (r *registry) slot(handle uint64) *atomic.Pointer[entry] {
	position := handle % maxHandles
	chunk := r.chunks[position/chunkHandles].Load()
	if chunk == nil {
		return nil
	}
	return &chunk[position%chunkHandles]
}

func (r *registry) add(o object) (handle uint64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer poisonOnPanic()
	checkpoint(inRegistry)
	position := r.used
	if n := len(r.vacant); n > 0 {
		position = r.vacant[n-1]
		r.vacant = r.vacant[:n-1]
	} else if r.used == maxHandles {
		return 0, outOfMemory("all %d handles are in use; free some", maxHandles)
	} else {
		if position%chunkHandles == 0 {
			r.chunks[position/chunkHandles].Store(new([chunkHandles]atomic.Pointer[entry]))
		}
		r.used++
	}
	r.serial++
	handle = handleMark | r.serial<<positionBits | uint64(position)
	r.slot(handle).Store(&entry{handle, o})
	return handle, nil
}

func (r *registry) find(handle uint64) object {
	if slot := r.slot(handle); slot != nil {
		if e := slot.Load(); e != nil && e.handle == handle {
			return e.object
		}
	}
	return nil
}

// remove invalidates a handle. It returns false if another thread has already
// done so.
func (r *registry) remove(handle uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer poisonOnPanic()
	if r.find(handle) == nil {
		return false
	}
	r.slot(handle).Store(nil)
	r.vacant = append(r.vacant, int(handle%maxHandles))
	return true
}

// find returns the object of a handle. name is the name of the argument in C.
func find[T object](name string, handle uint64) (o T, err error) {
	found := handles.find(handle)
	o, ok := found.(T)
	switch {
	case ok:
		return o, nil
	case handle == 0:
		return o, handleError(fmt.Sprintf("%s is null; allowed: a %s", name, o.noun()))
	case found == nil:
		return o, handleError(fmt.Sprintf("%s is %#x, which was freed or is not a handle; allowed: a %s", name, handle, o.noun()))
	}
	return o, handleError(fmt.Sprintf("%s is a %s; allowed: a %s", name, found.noun(), o.noun()))
}

// put makes a handle for an object and returns it to C. It must be the last step of a call.
func put(out *C.uintptr_t, o object) error {
	handle, err := handles.add(o)
	if err == nil {
		*out = C.uintptr_t(handle)
	}
	return err
}

// checkPut returns an error if out is null. noun is what out is for.
func checkPut[T any](out *T, noun string) error {
	if out == nil {
		return badArgument("out", null, "a pointer to the variable for the %s", noun)
	}
	return nil
}

// exclusive is the state of an object that only one thread at a time may use.
type exclusive struct{ state atomic.Int32 }

const (
	idle int32 = iota
	held
	broken // a panic occurred while it was held; it can only be freed
)

func (e *exclusive) lock(o object) error {
	switch {
	case e.state.CompareAndSwap(idle, held):
		return nil
	case e.state.Load() == broken:
		return brokenError(fmt.Sprintf("an internal error occurred in an earlier call with the %s; allowed: only to free it", o.noun()))
	}
	return busyError(fmt.Sprintf("the %s is in use by another call; allowed: one thread at a time", o.noun()))
}

func (e *exclusive) unlock(state int32) { e.state.Store(state) }

// lockToFree is lock, but it also succeeds if the object is broken.
func (e *exclusive) lockToFree(o object) error {
	if e.state.CompareAndSwap(broken, held) {
		return nil
	}
	return e.lock(o)
}

// lockable is an object that only one thread at a time may use.
type lockable interface {
	object
	lock(object) error
	lockToFree(object) error
	unlock(state int32)
}

// useAlone calls use with the object of a handle and keeps other threads from
// using it meanwhile. After a panic, the object is broken.
func useAlone[T lockable](name string, handle uint64, use func(T) error) error {
	o, err := find[T](name, handle)
	if err != nil {
		return err
	}
	return useFound(name, handle, o, use)
}

// useFound is useAlone for an object that find has returned. Another thread may
// have freed it since.
func useFound[T lockable](name string, handle uint64, o T, use func(T) error) error {
	if err := o.lock(o); err != nil {
		return err
	}
	state := broken
	defer func() { o.unlock(state) }()
	_, err := find[T](name, handle)
	if err == nil {
		err = use(o)
	}
	state = idle
	return err
}

// free invalidates a handle and calls release with its object. It does nothing if
// the handle is null.
func free[T object](name string, handle C.uintptr_t, release func(T)) C.aoso_status {
	return try(func() error {
		if handle == 0 {
			return nil
		}
		o, err := find[T](name, uint64(handle))
		if err != nil {
			return err
		}
		if alone, ok := object(o).(lockable); ok {
			if err := alone.lockToFree(o); err != nil {
				return err
			}
			defer alone.unlock(idle)
		}
		if !handles.remove(uint64(handle)) { // another thread has freed it
			_, err := find[T](name, uint64(handle))
			return err
		}
		release(o)
		return nil
	})
}
