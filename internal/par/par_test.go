package par

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var sizes = []int{1, 2, 3, 8}

// TestDo checks that every task runs once, that no worker runs two at a time,
// that all end before Do returns, and that a team can be used again.
func TestDo(t *testing.T) {
	for _, workers := range sizes {
		team := NewTeam(workers)
		if team.Workers() != workers {
			t.Fatalf("%d workers, want %d", team.Workers(), workers)
		}
		for round := range 200 {
			n := []int{0, 1, 2, 3, 7, 100}[round%6]
			done := make([]int, n) // without a lock, so that the race detector finds tasks that run twice
			busy := make([]atomic.Bool, workers)
			team.Do(n, func(worker, i int) {
				if busy[worker].Swap(true) {
					t.Errorf("worker %d runs two tasks at a time", worker)
				}
				if round%20 == 0 {
					time.Sleep(time.Duration(i%3) * 10 * time.Microsecond)
				}
				done[i]++
				busy[worker].Store(false)
			})
			for i, times := range done {
				if times != 1 {
					t.Fatalf("%d workers, %d tasks: task %d ran %d times", workers, n, i, times)
				}
			}
		}
		team.Close()
	}
	var zero Team
	sum := 0
	zero.Do(10, func(worker, i int) { sum += i + worker })
	if sum != 45 || zero.Workers() != 1 {
		t.Errorf("the zero team has the sum %d and %d workers, want 45 and 1", sum, zero.Workers())
	}
	zero.Close()
}

// TestDoShares checks that all workers take part: each task waits for the
// others.
func TestDoShares(t *testing.T) {
	for _, workers := range sizes {
		team := NewTeam(workers)
		for range 3 {
			var all sync.WaitGroup
			all.Add(workers)
			seen := make([]bool, workers)
			team.Do(workers, func(worker, _ int) {
				seen[worker] = true
				all.Done()
				all.Wait()
			})
			if slices.Contains(seen, false) {
				t.Errorf("%d workers: which of them ran a task: %v", workers, seen)
			}
			time.Sleep(2 * time.Millisecond) // long enough for the helpers to fall asleep
		}
		team.Close()
	}
}

// TestDoNested checks that a task may use a team of its own.
func TestDoNested(t *testing.T) {
	team := NewTeam(3)
	defer team.Close()
	var sum atomic.Int64
	team.Do(5, func(_, i int) {
		inner := NewTeam(2)
		defer inner.Close()
		inner.Do(10, func(_, k int) { sum.Add(int64(10*i + k)) })
	})
	if sum.Load() != 49*25 {
		t.Errorf("sum %d", sum.Load())
	}
}

// TestPanic checks that Do passes on the panic of a task, and that the team
// still works afterwards.
func TestPanic(t *testing.T) {
	for _, workers := range sizes {
		for _, bad := range []int{0, 1, 50, 99} {
			team := NewTeam(workers)
			cause := errors.New("out of cheese")
			var done atomic.Int64
			got := caught(func() {
				team.Do(100, func(_, i int) {
					if i == bad {
						panic(cause)
					}
					done.Add(1)
				})
			})
			if p, ok := got.(*Panic); ok {
				if got = p.Value; !strings.Contains(p.Error(), "out of cheese") || !strings.Contains(string(p.Stack), "TestPanic") {
					t.Errorf("the panic reads %q", p.Error())
				}
			} else if workers > 1 {
				t.Errorf("%d workers: panic %v (%T), want a *Panic", workers, got, got)
			}
			if got != cause {
				t.Errorf("%d workers: panic %v, want %v", workers, got, cause)
			}
			if n := done.Load(); n > 99 {
				t.Errorf("%d tasks ended, but one of 100 panicked", n)
			}
			count := make([]int, 20)
			team.Do(20, func(_, i int) { count[i]++ })
			if slices.Contains(count, 0) {
				t.Errorf("%d workers: after a panic, the tasks ran %v times", workers, count)
			}
			team.Close()
		}
	}
}

// TestAllPanic checks that Do passes on one of many panics.
func TestAllPanic(t *testing.T) {
	team := NewTeam(4)
	defer team.Close()
	for range 50 {
		if p, ok := caught(func() { team.Do(40, func(_, i int) { panic(i) }) }).(*Panic); !ok {
			t.Fatal("no *Panic")
		} else if i, ok := p.Value.(int); !ok || i < 0 || i >= 40 {
			t.Fatalf("panic %v", p.Value)
		}
	}
}

func caught(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// TestClose checks that no goroutine is left over.
func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		team := NewTeam(5)
		team.Do(10, func(_, _ int) {})
		team.Close()
		NewTeam(5).Close() // a team that ran no task
	}
	awaitGoroutines(t, before)
}

// awaitGoroutines waits until no more goroutines are left than that.
func awaitGoroutines(t *testing.T, most int) {
	t.Helper()
	for range 500 {
		if runtime.NumGoroutine() <= most {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, want at most %d", runtime.NumGoroutine(), most)
}

func TestAvailable(t *testing.T) {
	if n := Available(); n < 1 || n > runtime.NumCPU() {
		t.Errorf("Available() = %d with %d cores", n, runtime.NumCPU())
	}
	for _, n := range []int{0, -1} {
		if got := NewTeam(n).Workers(); got != Available() {
			t.Errorf("NewTeam(%d) has %d workers, want %d", n, got, Available())
		}
	}
}

func TestCgroupQuota(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  int
	}{
		{"none", nil, 0},
		{"unlimited", map[string]string{"cpu.max": "max 100000\n"}, 0},
		{"two cores", map[string]string{"cpu.max": "200000 100000\n"}, 2},
		{"one and a half", map[string]string{"cpu.max": "150000 100000\n"}, 2},
		{"a tenth", map[string]string{"cpu.max": "10000 100000"}, 1},
		{"nonsense", map[string]string{"cpu.max": "many cores"}, 0},
		{"no period", map[string]string{"cpu.max": "100000\n"}, 0},
		{"empty", map[string]string{"cpu.max": ""}, 0},
		{"zero", map[string]string{"cpu.max": "0 100000"}, 0},
		{"period of zero", map[string]string{"cpu.max": "100000 0"}, 0},
		{"large", map[string]string{"cpu.max": "9223372036854775807 1"}, 9223372036854775807},
		{"version 1", map[string]string{"cpu/cpu.cfs_quota_us": "300000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 3},
		{"version 1, unlimited", map[string]string{"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, 0},
		{"version 1, no period", map[string]string{"cpu/cpu.cfs_quota_us": "300000\n"}, 0},
		{"version 2 before 1", map[string]string{"cpu.max": "400000 100000", "cpu/cpu.cfs_quota_us": "1", "cpu/cpu.cfs_period_us": "1"}, 4},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			for name, text := range test.files {
				path := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := cgroupQuota(root); got != test.want {
				t.Errorf("%d cores, want %d", got, test.want)
			}
		})
	}
}

// TestCloseEnds checks that helpers exit on one core too, even if they never ran
// before Close.
func TestCloseEnds(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	before := runtime.NumGoroutine()
	for range 1000 {
		team := NewTeam(2)
		team.Do(2, func(int, int) {})
		team.Close()
	}
	if more := runtime.NumGoroutine() - before; more > 10 {
		t.Errorf("1000 closed teams left %d goroutines", more)
	}
}
