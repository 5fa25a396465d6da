// Package par runs numbered tasks on a team of goroutines.
//
// Any goroutine may run any task, so a task must write only to memory of its
// own. The caller combines the results in the order of the task numbers, so they
// do not depend on the size of the team.
package par

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Team is a fixed number of workers: the caller and its helpers. The helpers
// start with the first call of Do that needs them and run until Close. The zero
// value is a team of one worker, and so is nil. Only one goroutine may call Do at a time.
type Team struct {
	workers int
	spins   int // how often a helper checks for the next round before it sleeps
	started bool
	current atomic.Pointer[round]
	splits  map[int]*Split // by number of groups

	mu     sync.Mutex
	wake   sync.Cond
	asleep atomic.Int32
}

// round is one call of Do.
type round struct {
	number int // counts the rounds of a team from 1
	n      int64
	task   func(worker, i int)
	shares []share // one for each worker
	_      [64]byte
	done   atomic.Int64 // in a cache line of its own: the other fields are read by all
	failed atomic.Pointer[Panic]
}

// share is the range of tasks that a worker runs first. A worker has the same
// share in every round, so the data of its tasks is often still in the cache of
// its core.
type share struct {
	next atomic.Int64
	end  int64
	_    [48]byte // pads a share to a cache line
}

// NewTeam returns a team of n workers. If n < 1, the team has [Available]
// workers. It has no more than 64, or four for each core if that is more: each takes memory.
func NewTeam(n int) *Team {
	const most, mostPerCore = 64, 4
	if n < 1 {
		n = Available()
	}
	n = min(n, max(most, mostPerCore*Available()))
	t := &Team{workers: n}
	if n <= runtime.GOMAXPROCS(0) { // otherwise a spinning helper would take the core that another worker needs
		t.spins = spins
	}
	t.wake.L = &t.mu
	return t
}

// Workers returns the number of workers. They are numbered from 0, the caller.
func (t *Team) Workers() int {
	if t == nil {
		return 1
	}
	return max(t.workers, 1)
}

// Panic carries the panic of a task to the caller of [Team.Do].
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("panic in a worker: %v\n%s", p.Value, p.Stack) }

// Do runs task(worker, i) for every i from 0 to n-1 and returns when all have
// returned. The caller is one of the workers. If a task panics, Do starts no
// further tasks and panics with a [*Panic]. Without helpers, it passes on the
// original panic.
func (t *Team) Do(n int, task func(worker, i int)) {
	if n < 2 || t.Workers() < 2 {
		for i := range n {
			task(0, i)
		}
		return
	}
	if !t.started {
		t.started = true
		t.current.Store(&round{})
		for w := range t.workers - 1 {
			go t.help(w + 1)
		}
	}
	r := &round{number: t.current.Load().number + 1, n: int64(n), task: task, shares: make([]share, t.workers)}
	for w := range r.shares {
		s := &r.shares[w]
		s.next.Store(int64(n * w / t.workers))
		s.end = int64(n * (w + 1) / t.workers)
	}
	t.current.Store(r)
	if t.asleep.Load() > 0 {
		t.mu.Lock()
		t.wake.Broadcast()
		t.mu.Unlock()
	}
	r.work(0)
	for i := 0; r.done.Load() < r.n; i++ {
		pause(i)
	}
	if p := r.failed.Load(); p != nil {
		panic(p)
	}
}

// Task is a task of Run.
type Task interface{ Do(worker, i int) }

// Run is t.Do for a task that is a small struct: unlike a function with the same variables, it takes no memory
// from the heap where there are no helpers or only one number.
func Run[T Task](t *Team, n int, task T) {
	if n < 2 || t.Workers() < 2 {
		for i := range n {
			task.Do(0, i)
		}
		return
	}
	t.Do(n, task.Do)
}

// Close stops the helpers. The team must not be used afterwards.
func (t *Team) Close() {
	for _, s := range t.splits {
		s.close()
	}
	if t.started {
		t.mu.Lock()
		t.current.Store(nil)
		t.wake.Broadcast()
		t.mu.Unlock()
		runtime.Gosched() // on one core, helpers that have not run yet might otherwise never run and exit
	}
}

// spins takes some hundred microseconds. Waking a helper costs about as much, and the rounds of
// a training run follow each other closely.
const spins = 300_000

// pause is called in the i-th turn of a loop that waits for another worker. On a
// busy machine that worker may have lost its core, and waits for this one. Or its
// goroutine waits for a thread, which is rare; and when asked, Go's scheduler wakes
// an idle core, to which it moves this goroutine.
func pause(i int) {
	const system, scheduler = 1 << 11, 1 << 17
	if i%system == system-1 {
		yield()
	}
	if i%scheduler == scheduler-1 {
		runtime.Gosched()
	}
}

// help runs rounds until the team is closed.
func (t *Team) help(worker int) {
	seen := 0
	for {
		r := t.current.Load()
		for i := 0; i < t.spins && r != nil && r.number == seen; i++ {
			pause(i)
			r = t.current.Load()
		}
		if r != nil && r.number == seen {
			r = t.sleep(seen)
		}
		if r == nil {
			return
		}
		seen = r.number
		if r.task != nil {
			r.work(worker)
		}
	}
}

// sleep waits for a round after round number seen.
func (t *Team) sleep(seen int) *round {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asleep.Add(1)
	defer t.asleep.Add(-1)
	for {
		if r := t.current.Load(); r == nil || r.number != seen {
			return r
		}
		t.wake.Wait()
	}
}

// work runs tasks until none are left: first the worker's own share, then the rest of the
// others' shares.
func (r *round) work(worker int) {
	var taken int64
	defer func() {
		if v := recover(); v != nil {
			p, nested := v.(*Panic) // of a team that the task uses
			if !nested {
				p = &Panic{v, debug.Stack()}
			}
			r.failed.CompareAndSwap(nil, p)
			for w := range r.shares {
				s := &r.shares[w]
				taken += s.end - min(s.next.Swap(s.end), s.end)
			}
		}
		r.done.Add(taken)
	}()
	for w := range r.shares {
		s := &r.shares[(worker+w)%len(r.shares)]
		for s.next.Load() < s.end { // all workers pass here at the end of a round, most of them in vain
			i := s.next.Add(1) - 1
			if i >= s.end {
				break
			}
			taken++
			r.task(worker, int(i))
		}
	}
}

// Available returns the number of cores that this process may use, or the CPU
// quota of its container if that is lower.
func Available() int {
	n := runtime.NumCPU()
	if quota := cgroupQuota("/sys/fs/cgroup"); quota > 0 {
		n = min(n, quota)
	}
	return max(n, 1)
}

// cgroupQuota returns the CPU limit below a cgroup root (version 2, then 1),
// rounded up to whole cores, or 0 if there is no limit.
func cgroupQuota(root string) int {
	if text, err := os.ReadFile(root + "/cpu.max"); err == nil {
		quota, period, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
		return cores(quota, period)
	}
	quota, err1 := os.ReadFile(root + "/cpu/cpu.cfs_quota_us")
	period, err2 := os.ReadFile(root + "/cpu/cpu.cfs_period_us")
	if err1 != nil || err2 != nil {
		return 0
	}
	return cores(strings.TrimSpace(string(quota)), strings.TrimSpace(string(period)))
}

func cores(quota, period string) int {
	q, err1 := strconv.ParseInt(quota, 10, 64)
	p, err2 := strconv.ParseInt(period, 10, 64)
	if err1 != nil || err2 != nil || q <= 0 || p <= 0 {
		return 0
	}
	return int((q + p - 1) / p)
}
