package main

// #include "shim.h"
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/tcp"
)

// ranks is an [aoso.Collective] of functions of the host. It is nil for a dataset without other ranks.
type ranks struct {
	host    *C.aoso_collective
	context C.uintptr_t
	inUse   sync.Mutex
	calls   calls // makes the calls of the host's functions, while the ranks are in use
	failed  error // error of a function, after which only abort is called
	aborted bool
	tcp     *tcp.Collective // nil: the functions of the host are called
}

// maxRanks is so large that only a mistake exceeds it.
const maxRanks = 1 << 20

// readRanks reads a collective. It returns nil for null.
func readRanks(p *C.aoso_collective) (*ranks, error) {
	if p == nil {
		return nil, nil
	}
	const name = "options.collective"
	c, err := readStruct(name, p, C.aoso_collective{})
	if err != nil {
		return nil, err
	}
	if err := within(name+".size", int64(c.size), 1, maxRanks); err != nil {
		return nil, err
	}
	if err := within(name+".rank", int64(c.rank), 0, int64(c.size)-1); err != nil {
		return nil, err
	}
	for function, missing := range map[string]bool{
		"all_reduce": c.all_reduce == nil, "gather_sizes": c.gather_sizes == nil, "gather": c.gather == nil,
	} {
		if missing {
			return nil, badArgument(name+"."+function, null, "a function")
		}
	}
	r := &ranks{host: c, context: C.uintptr_t(readWord(p, unsafe.Offsetof(p.context)))}
	r.tcp, err = readDirect(c, r.context)
	return r, err
}

// collective returns the ranks as an option of a dataset; nil if there are none.
func (r *ranks) collective() aoso.Collective {
	switch {
	case r == nil:
		return nil
	case r.tcp != nil:
		return direct{r}
	case r.host.reduce_scatter != nil:
		return scatterers{r}
	}
	return r
}

// scatterers are ranks whose host has the optional function reduce_scatter.
type scatterers struct{ *ranks }

func (r scatterers) ReduceScatter(v []int64, counts []int) ([]int64, error) {
	sizes := make([]int64, len(counts))
	for rank, n := range counts {
		sizes[rank] = int64(n)
	}
	sums := make([]int64, counts[r.Rank()])
	return sums, r.call("reduce_scatter", func() hostCode {
		return C.shim_reduce_scatter(r.host.reduce_scatter, addressOf(v), addressOf(sizes), addressOf(sums), r.context)
	})
}

// use does work that calls the ranks' functions. It makes the calls through calls, and aborts the other ranks if the work fails.
func (r *ranks) use(calls calls, work func() error) error {
	if r == nil {
		return work()
	}
	if !r.inUse.TryLock() {
		return busyError("the collective is in use by another call; allowed: one at a time")
	}
	defer r.inUse.Unlock()
	r.calls = calls
	err := work()
	r.calls = nil
	if err == nil && r.failed != nil {
		err = ofRank(r, r.failed)
	}
	if err != nil {
		r.Abort(fmt.Sprintf("rank %d: %v", r.Rank(), err))
	}
	return err
}

// offThread is [offThread] for work that calls the ranks' functions.
func (r *ranks) offThread(threads int, work func() error) error {
	var calls calls
	if r != nil {
		calls = callsFrom(threads)
	}
	return r.use(calls, func() (err error) {
		offThread(threads, calls, func() { err = work() })
		return err
	})
}

// ofRank returns an error of a call of a rank.
func ofRank(r aoso.Collective, err error) error {
	return fmt.Errorf("%w: rank %d of %d: %w", aoso.ErrCollective, r.Rank(), r.Size(), err)
}

func (r *ranks) Rank() int { return int(r.host.rank) }
func (r *ranks) Size() int { return int(r.host.size) }

// call calls a function of the host, which returns 0 or an error code.
func (r *ranks) call(name string, function func() hostCode) error {
	if r.failed != nil {
		return r.failed
	}
	if code := r.calls.do(function); code != 0 {
		r.failed = fmt.Errorf("%s of the collective has returned %d", name, code)
	}
	return r.failed
}

func (r *ranks) AllReduce(op aoso.CollectiveOp, v []int64) error {
	code := C.int32_t(C.AOSO_SUM)
	if op == aoso.CollectiveMax {
		code = C.AOSO_MAX
	}
	return r.call("all_reduce", func() hostCode {
		return C.shim_all_reduce(r.host.all_reduce, code, addressOf(v), C.int64_t(len(v)), r.context)
	})
}

func (r *ranks) AllGather(b []byte) ([][]byte, error) {
	sizes := make([]int64, r.Size())
	mine, n := addressOrAny(b), C.int64_t(len(b))
	if err := r.call("gather_sizes", func() hostCode {
		return C.shim_gather_sizes(r.host.gather_sizes, mine, n, addressOf(sizes), r.context)
	}); err != nil {
		return nil, err
	}
	total, err := r.total(sizes, len(b))
	if err != nil {
		return nil, err
	}
	all := make([]byte, total)
	if err := r.call("gather", func() hostCode {
		return C.shim_gather(r.host.gather, mine, n, addressOf(sizes), addressOrAny(all), r.context)
	}); err != nil {
		return nil, err
	}
	parts := make([][]byte, len(sizes))
	for i, size := range sizes {
		parts[i], all = all[:size:size], all[size:]
	}
	return parts, nil
}

// total checks the sizes that gather_sizes returned, and returns their sum. mine is the size that this rank has passed.
func (r *ranks) total(sizes []int64, mine int) (total int64, err error) {
	const most = 1 << 40
	for i, size := range sizes {
		if size < 0 || size > most || total > most || i == r.Rank() && size != int64(mine) {
			return 0, fmt.Errorf("gather_sizes of the collective has given %d bytes for rank %d", size, i)
		}
		total += size
	}
	return total, affordable("what the ranks gather", float64(total))
}

func (r *ranks) Abort(reason string) {
	if r.tcp != nil {
		r.tcp.Abort(reason)
		return
	}
	if r.host.abort == nil || r.aborted {
		return
	}
	r.aborted = true
	text := C.CString(reason)
	defer C.free(unsafe.Pointer(text))
	r.calls.do(func() hostCode {
		C.shim_abort(r.host.abort, text, r.context)
		return 0
	})
}

// addressOrAny returns the address of b. If b is empty, it returns any address but null, which memcpy does not allow.
func addressOrAny(b []byte) unsafe.Pointer {
	if len(b) == 0 {
		b = make([]byte, 1)
	}
	return unsafe.Pointer(unsafe.SliceData(b))
}

func addressOf(v []int64) *C.int64_t { return (*C.int64_t)(unsafe.Pointer(unsafe.SliceData(v))) }
