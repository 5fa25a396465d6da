package collective

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/libaoso/aoso/internal/exact"
)

// each runs a function on every rank of a group.
func each(size int, do func(g *Group)) {
	var all sync.WaitGroup
	for _, c := range NewLocal(size) {
		all.Go(func() { do(NewGroup(c)) })
	}
	all.Wait()
}

func TestGroup(t *testing.T) {
	for size := 2; size <= 5; size++ {
		each(size, func(g *Group) {
			for round := range 200 {
				rank := g.Rank()
				sums, most := []int64{int64(rank), math.MaxInt64, -1}, []int64{int64(-rank), 7}
				g.Sum(sums)
				g.Max(most)
				total := int64(size * (size - 1) / 2)
				if overflow := math.MaxInt64 * int64(size); !slices.Equal(sums, []int64{total, overflow, -int64(size)}) || !slices.Equal(most, []int64{0, 7}) {
					t.Errorf("%d ranks: sums %v, most %v", size, sums, most)
				}
				sums, most = []int64{int64(rank)}, []int64{int64(-rank), int64(rank)}
				g.SumMax(sums, most)
				if sums[0] != total || most[0] != 0 || most[1] != int64(size-1) {
					t.Errorf("%d ranks: sums %v, most %v", size, sums, most)
				}
				all := g.Gather(fmt.Appendf(nil, "%*d", round%3*rank, rank), 1)
				for from, b := range all {
					if want := fmt.Sprintf("%*d", round%3*from, from); string(b) != want {
						t.Errorf("rank %d has given %q, want %q", from, b, want)
					}
				}
				var sum exact.Sum
				sum.Add(1e300)
				sum.Add(float64(rank))
				sum.Add(-1e300)
				g.Add(&sum)
				if got := sum.Float64(); got != float64(total) {
					t.Errorf("exact sum %v, want %v", got, total)
				}
				if g.Any(false) || !g.Any(rank == size-1) || g.Int(2) != 2*size {
					t.Error("Any or Int")
				}
			}
			if bytes, calls := g.Traffic(); g.Err() != nil || calls < 1000 || bytes < 8*calls {
				t.Errorf("%v, %d bytes, %d calls", g.Err(), bytes, calls)
			}
		})
	}
}

// plain hides that a collective is a Scatterer.
type plain struct{ Collective }

// TestSumPart sums parts, some of them empty, with and without ReduceScatter.
func TestSumPart(t *testing.T) {
	for size := 2; size <= 5; size++ {
		for _, scatters := range []bool{false, true} {
			each(size, func(g *Group) {
				if !scatters {
					g.c = plain{g.c}
				}
				for round := range 20 {
					var counts []int
					var v, want []int64
					for r := range size {
						counts = append(counts, (r+round)%3)
						for i := range counts[r] {
							v = append(v, int64((g.Rank()+1)*(10*r+i)))
							if r == g.Rank() {
								want = append(want, int64(size*(size+1)/2*(10*r+i)))
							}
						}
					}
					if got := g.SumPart(v, counts); !slices.Equal(got, want) || g.Err() != nil {
						t.Errorf("rank %d of %d: %v, want %v; %v", g.Rank(), size, got, want, g.Err())
					}
				}
			})
		}
	}
}

// short is a Scatterer that returns too few numbers.
type short struct{ Collective }

func (short) ReduceScatter([]int64, []int) ([]int64, error) { return nil, nil }

// TestAlone: a nil group is a single rank.
func TestAlone(t *testing.T) {
	g := NewGroup(NewLocal(1)[0])
	if g != nil || NewGroup(nil) != nil {
		t.Fatal("a group of one rank")
	}
	v := []int64{3}
	g.Sum(v)
	g.Max(v)
	g.SumMax(v, v)
	g.Abort(errors.New("no"))
	if v[0] != 3 || g.Err() != nil || g.Size() != 1 || g.Rank() != 0 || g.Int(4) != 4 || !g.Any(true) || g.Any(false) || len(g.Gather(nil, 1)) != 1 {
		t.Error("a group of one rank does something")
	}
}

// TestErrors: if ranks make different calls or pass different lengths, all ranks get an error, and the first error is final.
func TestErrors(t *testing.T) {
	for name, do := range map[string]func(g *Group){
		"lengths": func(g *Group) { g.Sum(make([]int64, 1+g.Rank())) },
		"calls": func(g *Group) {
			if g.Rank() == 0 {
				g.Sum(make([]int64, 2))
			} else {
				g.Gather(make([]byte, 16), 8)
				g.Sum(make([]int64, 1))
			}
		},
		"records": func(g *Group) { g.Gather(make([]byte, 8+g.Rank()), 8) },
		"same":    func(g *Group) { g.GatherSame(make([]byte, 8+g.Rank())) },
		"parts":   func(g *Group) { g.SumPart(make([]int64, 3), []int{1 + g.Rank(), 2 - g.Rank()}) },
		"scatter": func(g *Group) { g.c = short{g.c}; g.SumPart(make([]int64, 2), []int{1, 1}) },
		"pairs":   func(g *Group) { g.SumMax(make([]int64, 1+g.Rank()), nil) },
		"abort": func(g *Group) {
			if g.Rank() == 1 {
				g.Abort(errors.New("no more memory"))
			}
			g.Sum(make([]int64, 1))
		},
	} {
		each(2, func(g *Group) {
			do(g)
			err := g.Err()
			if err == nil && name == "calls" { // its part of the exchange was valid
				g.Abort(errors.New("the other rank is lost"))
				err = g.Err()
			}
			if !errors.Is(err, ErrCollective) {
				t.Errorf("%s, rank %d: %v", name, g.Rank(), err)
				return
			}
			g.Sum(make([]int64, 1))
			g.Abort(errors.New("again"))
			if g.Gather(nil, 1) != nil || g.Err() != err {
				t.Errorf("%s, rank %d: the error became %v", name, g.Rank(), g.Err())
			}
		})
	}
}
