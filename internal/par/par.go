// Package par runs numbered pieces of work on a team of goroutines.
//
// Which goroutine runs a piece is left open, so a piece must write only what
// is its own; results are combined by the caller in the order of the numbers,
// and so do not depend on the size of the team.
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

// Team is a fixed number of workers: the caller and helpers, which start with
// the first work for them and last until Close. The zero value is one worker.
// Only one goroutine may give a team work.
type Team struct {
	workers int
	spins   int // how often a helper looks for the next round before it parks
	started bool
	current atomic.Pointer[round]

	mu     sync.Mutex
	wake   sync.Cond
	parked atomic.Int32
}

// round is one call of Do.
type round struct {
	number int // of the rounds of a team, from 1
	n      int64
	piece  func(worker, i int)
	shares []share // by worker
	done   atomic.Int64
	failed atomic.Pointer[Panic]
}

// share is the run of pieces that a worker does first: the data of the same
// pieces is then often still in its core's cache from the round before.
type share struct {
	next atomic.Int64
	end  int64
	_    [48]byte // each on a cache line of its own
}

// NewTeam is a team of n workers; n < 1 asks for [Available].
func NewTeam(n int) *Team {
	if n < 1 {
		n = Available()
	}
	t := &Team{workers: n}
	if n <= runtime.GOMAXPROCS(0) { // else it would take a core from the others
		t.spins = spins
	}
	t.wake.L = &t.mu
	return t
}

// Workers is the team's size: worker numbers are below it.
func (t *Team) Workers() int { return max(t.workers, 1) }

// Panic carries a panic of a worker to the caller of [Team.Do].
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("panic in a worker: %v\n%s", p.Value, p.Stack) }

// Do runs piece(worker, i) for every i below n and returns when all have
// returned. The caller is one of the workers. If a piece panics, the pieces
// not begun are dropped and Do panics with a [*Panic].
func (t *Team) Do(n int, piece func(worker, i int)) {
	if n < 2 || t.Workers() < 2 {
		for i := range n {
			piece(0, i)
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
	r := &round{number: t.current.Load().number + 1, n: int64(n), piece: piece, shares: make([]share, t.workers)}
	for w := range r.shares {
		s := &r.shares[w]
		s.next.Store(int64(n * w / t.workers))
		s.end = int64(n * (w + 1) / t.workers)
	}
	t.current.Store(r)
	if t.parked.Load() > 0 {
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

// Close ends the helpers. The team must not be given work after that.
func (t *Team) Close() {
	if t.started {
		t.mu.Lock()
		t.current.Store(nil)
		t.wake.Broadcast()
		t.mu.Unlock()
		runtime.Gosched() // on one core they might have to wait for ever to begin, and so to end
	}
}

// spins is some hundred microseconds: waking a helper costs about as much, and
// the rounds of a training follow one another closely.
const spins = 300_000

// pause is called in the i-th turn of a loop that waits for another worker. On a
// busy machine that worker may have lost its core, and waits for this one.
func pause(i int) {
	const between = 1 << 11
	if i%between == between-1 {
		runtime.Gosched()
		yield()
	}
}

// help is the life of a helper.
func (t *Team) help(worker int) {
	seen := 0
	for {
		r := t.current.Load()
		for i := 0; i < t.spins && r != nil && r.number == seen; i++ {
			pause(i)
			r = t.current.Load()
		}
		if r != nil && r.number == seen {
			r = t.park(seen)
		}
		if r == nil {
			return
		}
		seen = r.number
		if r.piece != nil {
			r.work(worker)
		}
	}
}

// park waits for a round after the one seen.
func (t *Team) park(seen int) *round {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.parked.Add(1)
	defer t.parked.Add(-1)
	for {
		if r := t.current.Load(); r == nil || r.number != seen {
			return r
		}
		t.wake.Wait()
	}
}

// work does pieces until there are none left: those of the worker's share
// first, then what is left of the others'.
func (r *round) work(worker int) {
	var taken int64
	defer func() {
		if v := recover(); v != nil {
			r.failed.CompareAndSwap(nil, &Panic{v, debug.Stack()})
			for w := range r.shares {
				s := &r.shares[w]
				taken += s.end - min(s.next.Swap(s.end), s.end)
			}
		}
		r.done.Add(taken)
	}()
	for w := range r.shares {
		s := &r.shares[(worker+w)%len(r.shares)]
		for {
			i := s.next.Add(1) - 1
			if i >= s.end {
				break
			}
			taken++
			r.piece(worker, int(i))
		}
	}
}

// Available is the number of threads worth starting here: the cores this
// process may use, or the container's CPU quota where that is lower.
func Available() int {
	n := runtime.NumCPU()
	if quota := cgroupQuota("/sys/fs/cgroup"); quota > 0 {
		n = min(n, quota)
	}
	return max(n, 1)
}

// cgroupQuota is the CPU limit under a cgroup root (version 2, then 1),
// rounded up to whole cores; 0 where there is none.
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
