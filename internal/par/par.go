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

// Team is a fixed number of workers. The zero value is one worker.
type Team struct{ workers int }

// NewTeam is a team of n workers; n < 1 asks for [Available].
func NewTeam(n int) *Team {
	if n < 1 {
		n = Available()
	}
	return &Team{n}
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
// returned. The caller is one of the workers. If a piece panics, the
// remaining pieces are dropped and Do panics with a [*Panic].
func (t *Team) Do(n int, piece func(worker, i int)) {
	helpers := min(t.Workers(), n) - 1
	if helpers < 1 {
		for i := range n {
			piece(0, i)
		}
		return
	}
	var next atomic.Int64
	var failed atomic.Pointer[Panic]
	run := func(worker int) {
		defer func() {
			if v := recover(); v != nil {
				failed.CompareAndSwap(nil, &Panic{v, debug.Stack()})
				next.Store(int64(n))
			}
		}()
		for {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			piece(worker, i)
		}
	}
	var wg sync.WaitGroup
	for w := range helpers {
		wg.Go(func() { run(w + 1) })
	}
	run(0)
	wg.Wait()
	if p := failed.Load(); p != nil {
		panic(p)
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
