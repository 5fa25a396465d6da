package main

// #include "shim.h"
import "C"

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// A handle is a number that C holds as a pointer. It is never that of two
// objects, and, its top bit set, never the address of anything:
//
//	1 | serial number, 39 bits | position in the registry, 24 bits
const (
	handleMark    = 1 << 63
	positionBits  = 24
	mostHandles   = 1 << positionBits
	handlesAChunk = 1 << 10
)

// object is what a handle stands for.
type object interface {
	noun() string
}

func (*dataset) noun() string      { return "dataset" }
func (*builder) noun() string      { return "builder" }
func (*booster) noun() string      { return "booster" }
func (*model) noun() string        { return "model" }
func (*predictor) noun() string    { return "predictor" }
func (contributions) noun() string { return "matrix of contributions" }

// registry holds the objects of all handles. Looking one up takes no lock.
type registry struct {
	chunks [mostHandles / handlesAChunk]atomic.Pointer[[handlesAChunk]atomic.Pointer[entry]]

	mu     sync.Mutex
	serial uint64
	used   int   // positions that were ever taken
	vacant []int // of these, the ones free again
}

type entry struct {
	handle uint64
	object object
}

var handles registry

func (r *registry) slot(handle uint64) *atomic.Pointer[entry] {
	position := handle % mostHandles
	chunk := r.chunks[position/handlesAChunk].Load()
	if chunk == nil {
		return nil
	}
	return &chunk[position%handlesAChunk]
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
	} else if r.used == mostHandles {
		return 0, outOfMemory("%d handles are in use; free some", mostHandles)
	} else {
		if position%handlesAChunk == 0 {
			r.chunks[position/handlesAChunk].Store(new([handlesAChunk]atomic.Pointer[entry]))
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

// remove forgets a handle; false if another thread was faster.
func (r *registry) remove(handle uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer poisonOnPanic()
	if r.find(handle) == nil {
		return false
	}
	r.slot(handle).Store(nil)
	r.vacant = append(r.vacant, int(handle%mostHandles))
	return true
}

// find is the object of a handle that C gave as argument name.
func find[T object](name string, handle uint64) (o T, err error) {
	found := handles.find(handle)
	o, ok := found.(T)
	switch {
	case ok:
		return o, nil
	case handle == 0:
		return o, handleError(fmt.Sprintf("%s is null; allowed: a %s", name, o.noun()))
	case found == nil:
		return o, handleError(fmt.Sprintf("%s is %#x, which was freed or never was a handle; allowed: a %s", name, handle, o.noun()))
	}
	return o, handleError(fmt.Sprintf("%s is a %s; allowed: a %s", name, found.noun(), o.noun()))
}

// put makes a handle and gives it to C: the last thing that a call does.
func put(out *C.uintptr_t, o object) error {
	handle, err := handles.add(o)
	if err == nil {
		*out = C.uintptr_t(handle)
	}
	return err
}

// checkPut tells whether there is a place for a result.
func checkPut[T any](out *T, noun string) error {
	if out == nil {
		return badArgument("out", null, "where to put the %s", noun)
	}
	return nil
}

// exclusive is the state of an object that one thread at a time uses.
type exclusive struct{ state atomic.Int32 }

const (
	idle int32 = iota
	held
	broken // by a panic while it was held: it can only be freed
)

func (e *exclusive) lock(o object) error {
	switch {
	case e.state.CompareAndSwap(idle, held):
		return nil
	case e.state.Load() == broken:
		return defectError(fmt.Sprintf("a defect of the library showed in an earlier call with the %s; allowed: to free it", o.noun()))
	}
	return busyError(fmt.Sprintf("the %s is in use by another call; allowed: one thread at a time", o.noun()))
}

func (e *exclusive) unlock(state int32) { e.state.Store(state) }

// lockToFree is lock, which a broken object does not refuse.
func (e *exclusive) lockToFree(o object) error {
	if e.state.CompareAndSwap(broken, held) {
		return nil
	}
	return e.lock(o)
}

// lockable is an object that one thread at a time may use.
type lockable interface {
	object
	lock(object) error
	lockToFree(object) error
	unlock(state int32)
}

// useAlone calls use with the object of a handle, which is its own meanwhile.
// A panic may leave it in any state, so nothing can use it after one.
func useAlone[T lockable](name string, handle uint64, use func(T) error) error {
	o, err := find[T](name, handle)
	if err != nil {
		return err
	}
	return useFound(name, handle, o, use)
}

// useFound is useAlone with the object that find found, which another thread
// may have freed meanwhile.
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

// free forgets a handle, unless it is null, and calls letGo with its object.
func free[T object](name string, handle C.uintptr_t, letGo func(T)) C.aoso_status {
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
		if !handles.remove(uint64(handle)) { // another thread was faster
			_, err := find[T](name, uint64(handle))
			return err
		}
		letGo(o)
		return nil
	})
}
