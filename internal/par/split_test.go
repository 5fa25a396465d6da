package par

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// TestSplit: groups work at the same time, each task of the leaders in its own, and a single worker takes turns.
func TestSplit(t *testing.T) {
	for _, workers := range sizes {
		for groups := range 5 {
			team := NewTeam(workers)
			s := team.Split(groups)
			if len(s.Groups) != groups || s != team.Split(groups) && groups > 1 && workers > 1 {
				t.Fatalf("%d workers in %d groups: %d, or others the second time", workers, groups, len(s.Groups))
			}
			together := min(workers, groups)
			var all sync.WaitGroup
			all.Add(together)
			var sum atomic.Int64
			s.Leaders.Do(groups, func(_, i int) {
				if i < together && together > 1 && s.Leaders.Workers() == groups {
					all.Done()
					all.Wait() // ends only if all groups work at the same time
				}
				s.Groups[i].Do(100, func(_, k int) { sum.Add(int64(k)) })
			})
			if sum.Load() != int64(groups)*4950 {
				t.Errorf("%d workers in %d groups: sum %d", workers, groups, sum.Load())
			}
			total := 0
			for _, g := range s.Groups {
				total += g.Workers()
			}
			if s.Leaders.Workers() > 1 && total > max(workers, groups) || s.Leaders.Workers() == 1 && total != groups*workers {
				t.Errorf("%d workers in %d groups: %d", workers, groups, total)
			}
			team.Close()
		}
	}
}

// TestSplitClose checks that no goroutine of a group is left over.
func TestSplitClose(t *testing.T) {
	before := runtime.NumGoroutine()
	team := NewTeam(8)
	s := team.Split(3)
	s.Leaders.Do(3, func(_, i int) { s.Groups[i].Do(4, func(_, _ int) {}) })
	team.Close()
	awaitGoroutines(t, before)
}

// TestSplitPanic: the panic of a task of a group reaches the caller of the leaders as it is.
func TestSplitPanic(t *testing.T) {
	team := NewTeam(4)
	defer team.Close()
	s := team.Split(2)
	got := caught(func() {
		s.Leaders.Do(2, func(_, i int) {
			s.Groups[i].Do(2, func(_, k int) {
				if i == 1 && k == 1 {
					panic("out of cheese")
				}
			})
		})
	})
	if p, ok := got.(*Panic); !ok || p.Value != "out of cheese" {
		t.Errorf("panic %v", got)
	}
}
