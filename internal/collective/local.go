package collective

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// NewLocal is the ranks of a collective within a process, each to be used by a
// goroutine of its own. They are Scatterers.
func NewLocal(size int) []Collective {
	m := &meeting{}
	m.all = sync.NewCond(&m.mu)
	m.given = make([]any, size)
	ranks := make([]Collective, size)
	for i := range ranks {
		ranks[i] = &local{m, i}
	}
	return ranks
}

// meeting is where ranks wait for one another.
type meeting struct {
	mu      sync.Mutex
	all     *sync.Cond
	given   []any // by rank
	arrived int
	left    int // ranks that have taken what was given
	aborted error
}

type local struct {
	*meeting
	rank int
}

func (l *local) Rank() int { return l.rank }
func (l *local) Size() int { return len(l.given) }

// exchange returns what all ranks have given. take must not keep it: the last to
// take it lets the next exchange begin.
func (l *local) exchange(give any, take func(given []any) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.left > 0 && l.aborted == nil { // of the exchange before
		l.all.Wait()
	}
	l.given[l.rank] = give
	l.arrived++
	if l.arrived == len(l.given) {
		l.arrived, l.left = 0, len(l.given)
		l.all.Broadcast()
	}
	for l.left == 0 && l.aborted == nil {
		l.all.Wait()
	}
	if l.aborted != nil {
		return l.aborted
	}
	err := take(l.given)
	if l.left--; l.left == 0 {
		clear(l.given)
		l.all.Broadcast()
	}
	return err
}

func (l *local) AllReduce(op Op, v []int64) error {
	mine := append([]int64(nil), v...)
	return l.exchange(mine, func(given []any) error {
		for rank, g := range given {
			theirs, ok := g.([]int64)
			if !ok || len(theirs) != len(v) {
				return fmt.Errorf("rank %d makes another call than AllReduce of %d numbers", rank, len(v))
			}
			for i, x := range theirs {
				switch {
				case rank == 0:
					v[i] = x
				case op == Sum:
					v[i] += x
				default:
					v[i] = max(v[i], x)
				}
			}
		}
		return nil
	})
}

// parts is what a rank gives to ReduceScatter.
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
	mine := parts{slices.Clone(v), slices.Clone(counts)}
	err := l.exchange(mine, func(given []any) error {
		for rank, g := range given {
			theirs, ok := g.(parts)
			if !ok || len(theirs.v) != len(v) || !slices.Equal(theirs.counts, counts) {
				return fmt.Errorf("rank %d makes another call than ReduceScatter of %d numbers", rank, len(v))
			}
			for i, x := range theirs.v[first:][:len(sums)] {
				sums[i] += x
			}
		}
		return nil
	})
	return sums, err
}

func (l *local) AllGather(b []byte) (all [][]byte, err error) {
	mine := append([]byte(nil), b...)
	err = l.exchange(mine, func(given []any) error {
		for rank, g := range given {
			theirs, ok := g.([]byte)
			if !ok {
				return fmt.Errorf("rank %d makes another call than AllGather", rank)
			}
			all = append(all, theirs)
		}
		return nil
	})
	return all, err
}

func (l *local) Abort(reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.aborted == nil {
		l.aborted = errors.New(reason)
	}
	l.all.Broadcast()
}
