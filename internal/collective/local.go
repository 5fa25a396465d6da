package collective

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// NewLocal returns the ranks of a collective within one process. Each rank is for one goroutine. They are Scatterers.
func NewLocal(size int) []Collective {
	m := &meeting{}
	m.all.L = &m.mu
	m.given[0], m.given[1] = make([]any, size), make([]any, size)
	ranks := make([]Collective, size)
	for i := range ranks {
		ranks[i] = &local{meeting: m, rank: i}
	}
	return ranks
}

// meeting is the state that the ranks share.
type meeting struct {
	given   [2][]any               // what each rank has passed, in exchanges with even and with odd numbers
	arrived atomic.Int64           // number of arrivals in all exchanges so far
	asleep  atomic.Int64           // number of ranks that wait for others in their sleep
	aborted atomic.Pointer[string] // the reason; nil: no rank has aborted

	mu  sync.Mutex
	all sync.Cond // signals that all ranks have arrived, or one has aborted
}

type local struct {
	*meeting
	rank      int
	exchanges int64
	numbers   [2][]int64 // copies of the numbers that this rank passes
}

func (l *local) Rank() int { return l.rank }
func (l *local) Size() int { return len(l.given[0]) }

// exchange returns what each rank passes, by rank. The result is valid until this rank starts the exchange after the next; then all other
// ranks have started the next exchange, so they have finished this one.
func (l *local) exchange(give any) ([]any, error) {
	given := l.given[l.exchanges%2]
	l.exchanges++
	given[l.rank] = give
	all := l.exchanges * int64(len(given))
	if l.arrived.Add(1) == all {
		l.wake()
	} else if err := l.wait(all); err != nil {
		return nil, err
	}
	return given, l.err()
}

// wait returns when l.arrived has reached this number, or a rank has aborted.
func (l *local) wait(arrived int64) error {
	const turns = 100 // of polling, which take less time than sleeping and waking up
	for range turns {
		if l.arrived.Load() >= arrived || l.aborted.Load() != nil {
			return l.err()
		}
		runtime.Gosched()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asleep.Add(1)
	defer l.asleep.Add(-1)
	for l.arrived.Load() < arrived && l.aborted.Load() == nil {
		l.all.Wait()
	}
	return l.err()
}

func (l *local) wake() {
	if l.asleep.Load() > 0 {
		l.mu.Lock()
		l.all.Broadcast()
		l.mu.Unlock()
	}
}

func (l *local) err() error {
	if reason := l.aborted.Load(); reason != nil {
		return errors.New(*reason)
	}
	return nil
}

func (l *local) Abort(reason string) {
	l.aborted.CompareAndSwap(nil, &reason)
	l.wake()
}

// copyOf returns a copy of v that other ranks can read while this rank changes v.
func (l *local) copyOf(v []int64) []int64 {
	buffer := &l.numbers[l.exchanges%2]
	*buffer = append((*buffer)[:0], v...)
	return *buffer
}

func (l *local) AllReduce(op Op, v []int64) error {
	given, err := l.exchange(l.copyOf(v))
	for rank, g := range given {
		theirs, ok := g.([]int64)
		if !ok || len(theirs) != len(v) {
			return fmt.Errorf("rank %d made another call than AllReduce of %d numbers", rank, len(v))
		}
		switch {
		case rank == 0:
			copy(v, theirs)
		case op == Sum:
			for i, x := range theirs {
				v[i] += x
			}
		default:
			for i, x := range theirs {
				v[i] = max(v[i], x)
			}
		}
	}
	return err
}

// parts is what a rank passes to ReduceScatter.
type parts struct {
	v      []int64
	counts []int
}

func (l *local) ReduceScatter(v []int64, counts []int) ([]int64, error) {
	first := 0
	for _, n := range counts[:l.rank] {
		first += n
	}
	sums := make([]int64, counts[l.rank])
	given, err := l.exchange(parts{l.copyOf(v), slices.Clone(counts)})
	for rank, g := range given {
		theirs, ok := g.(parts)
		if !ok || len(theirs.v) != len(v) || !slices.Equal(theirs.counts, counts) {
			return nil, fmt.Errorf("rank %d made another call than ReduceScatter of %d numbers", rank, len(v))
		}
		for i, x := range theirs.v[first:][:len(sums)] {
			sums[i] += x
		}
	}
	return sums, err
}

func (l *local) AllGather(b []byte) (all [][]byte, err error) {
	given, err := l.exchange(slices.Clone(b))
	for rank, g := range given {
		theirs, ok := g.([]byte)
		if !ok {
			return nil, fmt.Errorf("rank %d made another call than AllGather", rank)
		}
		all = append(all, theirs)
	}
	return all, err
}
