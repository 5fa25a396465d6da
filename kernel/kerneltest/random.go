package kerneltest

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/libaoso/aoso/kernel"
)

// Random compares every kernel of a table with the reference on random jobs, with
// seeds from first to first + jobs − 1. It returns the number of all jobs. A fuzzer
// would do no better: it does not see the branches of assembly.
func Random(t *testing.T, f *kernel.Funcs, first, jobs uint64) (ran uint64) {
	for stream, s := range suites {
		shapes := s.shapes()
		var next atomic.Uint64
		var workers sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			workers.Go(func() {
				for i := next.Add(1) - 1; i < jobs && !t.Failed(); i = next.Add(1) - 1 {
					d := newDice(first+i, uint64(stream))
					shape := drawShape(d, shapes)
					if message := try(f, s.trial(d, shape), first+i); message != "" {
						t.Errorf("%s, seed %d, %+v: %s", s.name, first+i, shape, message)
					}
				}
			})
		}
		workers.Wait()
		ran += min(next.Load(), jobs)
	}
	return ran
}

// drawShape returns a shape between those given, mostly a small one.
func drawShape(d dice, shapes []shape) shape {
	shape := pick(d, shapes...)
	if most := pick(d, 20, 60, 60, 300, 2000); shape.rows > most && d.IntN(64) > 0 {
		shape.rows = 1 + d.IntN(most)
	}
	if shape.classes > 2 && d.yes() {
		shape.classes = 2 + d.IntN(shape.classes-2)
	}
	return shape
}
