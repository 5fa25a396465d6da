// Package collective connects the ranks of a distributed training run: each rank has some of the rows, and they exchange sums over their
// rows.
package collective

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/libaoso/aoso/internal/exact"
)

// Op is the operation by which AllReduce combines the numbers of all ranks.
type Op int

const (
	Sum Op = iota // modulo 2⁶⁴
	Max
)

// Collective connects the ranks of a training run, for instance by MPI. Every rank makes the
// same calls in the same order, one at a time. A call returns when all ranks have made it, or
// with an error. After an error no other call follows but Abort.
type Collective interface {
	Rank() int // of this process, from 0
	Size() int // number of ranks, at least 1

	// AllReduce replaces v by the sums or maxima over the ranks, element by element. v has the
	// same length on all ranks.
	AllReduce(op Op, v []int64) error

	// AllGather returns the bytes that each rank passes, by rank. Their lengths may differ, and may be 0.
	AllGather(b []byte) ([][]byte, error)

	// Abort tells the other ranks that this rank gives up, and why, so that their calls fail instead of waiting. An implementation may
	// end the other processes instead.
	Abort(reason string)
}

// Scatterer is a collective with ReduceScatter, which sends less than AllReduce if a rank needs only its part of the sums. Either all ranks
// of a collective are Scatterers, or none is.
type Scatterer interface {
	Collective

	// ReduceScatter returns this rank's part of the sums of v over all ranks, modulo 2⁶⁴. v consists of a part for each rank, in order, of
	// counts[rank] numbers. counts are the same on all ranks. ReduceScatter may overwrite v.
	ReduceScatter(v []int64, counts []int) ([]int64, error)
}

// Group is a collective whose first error is final: afterwards, calls do nothing and their results have no meaning. A nil group is a
// single rank, for which sums, maxima and gathering change nothing.
type Group struct {
	c      Collective
	err    error
	bytes  int64
	calls  int64
	waited time.Duration
}

// NewGroup returns the group of a collective; nil if c is nil or has a single rank.
func NewGroup(c Collective) *Group {
	if c == nil || c.Size() == 1 {
		return nil
	}
	return &Group{c: c}
}

// Err returns the first error; nil if there was none.
func (g *Group) Err() error {
	if g == nil {
		return nil
	}
	return g.err
}

// Rank returns the rank of this process.
func (g *Group) Rank() int {
	if g == nil {
		return 0
	}
	return g.c.Rank()
}

// Size returns the number of ranks.
func (g *Group) Size() int {
	if g == nil {
		return 1
	}
	return g.c.Size()
}

// Traffic returns the number of bytes that this rank has passed to the collective, and the number of calls.
func (g *Group) Traffic() (bytes, calls int64) {
	if g == nil {
		return 0, 0
	}
	return g.bytes, g.calls
}

// Waited returns how long the calls of the collective have taken.
func (g *Group) Waited() time.Duration { return g.waited }

// Sum replaces v by the sums over all ranks, element by element.
func (g *Group) Sum(v []int64) { g.reduce(Sum, v) }

// Max replaces v by the maxima over all ranks, element by element.
func (g *Group) Max(v []int64) { g.reduce(Max, v) }

func (g *Group) reduce(op Op, v []int64) {
	if g == nil || g.err != nil || len(v) == 0 {
		return
	}
	defer g.count(8*len(v), time.Now())
	g.fail(g.c.AllReduce(op, v))
}

// SumPart returns this rank's part of the sums of v over all ranks, and overwrites v. v consists of a part for each rank, in order, of
// counts[rank] numbers. After an error the result has the right length, but no meaning.
func (g *Group) SumPart(v []int64, counts []int) []int64 {
	rank := g.c.Rank()
	first := 0
	for _, n := range counts[:rank] {
		first += n
	}
	part := v[first:][:counts[rank]]
	c, scatters := g.c.(Scatterer)
	if !scatters || g.err != nil || len(v) == 0 {
		g.reduce(Sum, v)
		return part
	}
	defer g.count(8*len(v), time.Now())
	sums, err := c.ReduceScatter(v, counts)
	if err == nil && len(sums) != len(part) {
		err = fmt.Errorf("ReduceScatter returned %d numbers, must return %d", len(sums), len(part))
	}
	if err != nil {
		g.fail(err)
		return part
	}
	return sums
}

// SumMax replaces sums by their sums and most by their maxima, over all ranks, with one message. It is meant for few numbers.
func (g *Group) SumMax(sums, most []int64) {
	if g == nil {
		return
	}
	mine := make([]uint64, 0, len(sums)+len(most))
	for _, x := range slices.Concat(sums, most) {
		mine = append(mine, uint64(x))
	}
	all := g.GatherSame(Pack(mine))
	if all != nil {
		clear(sums) // all includes this rank
	}
	for _, b := range all {
		theirs := Unpack(b)
		for i := range sums {
			sums[i] += int64(theirs[i])
		}
		for i := range most {
			most[i] = max(most[i], int64(theirs[len(sums)+i]))
		}
	}
}

// Add replaces each exact sum by its sum over all ranks.
func (g *Group) Add(sums ...*exact.Sum) {
	if g == nil {
		return
	}
	var all []int64
	for _, s := range sums {
		all = append(all, s.Digits()...)
	}
	g.Sum(all)
	for _, s := range sums {
		n := copy(s.Digits(), all)
		all = all[n:]
	}
}

// Int returns the sum of n over all ranks.
func (g *Group) Int(n int) int {
	v := [1]int64{int64(n)}
	g.Sum(v[:])
	return int(v[0])
}

// Any reports whether the condition is true on any rank.
func (g *Group) Any(condition bool) bool {
	var v [1]int64
	if condition {
		v[0] = 1
	}
	g.Max(v[:])
	return v[0] != 0
}

// Gather returns the bytes that each rank passes, by rank; nil after an error. Their lengths are multiples of record.
func (g *Group) Gather(b []byte, record int) [][]byte {
	if g == nil {
		return [][]byte{b}
	}
	if g.err != nil {
		return nil
	}
	defer g.count(len(b), time.Now())
	all, err := g.c.AllGather(b)
	if err == nil && len(all) != g.c.Size() {
		err = fmt.Errorf("AllGather returned %d parts, must return %d, one of each rank", len(all), g.c.Size())
	}
	for rank := range all {
		if n := len(all[rank]); err == nil && n%record != 0 {
			err = fmt.Errorf("AllGather returned %d bytes of rank %d, must return a multiple of %d", n, rank, record)
		}
	}
	if err != nil {
		g.fail(err)
		return nil
	}
	return all
}

// GatherSame is [Group.Gather] if all ranks pass the same number of bytes.
func (g *Group) GatherSame(b []byte) [][]byte {
	all := g.Gather(b, 1)
	for rank := range all {
		if len(all[rank]) != len(b) {
			g.fail(fmt.Errorf("AllGather returned %d bytes of rank %d, must return %d", len(all[rank]), rank, len(b)))
			return nil
		}
	}
	return all
}

// Pack returns numbers as little-endian bytes, for Gather.
func Pack(v []uint64) []byte {
	b := make([]byte, 0, 8*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

// Unpack returns the inverse of Pack.
func Unpack(b []byte) []uint64 {
	v := make([]uint64, len(b)/8)
	for i := range v {
		v[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return v
}

// Abort ends the training run on all ranks because of an error on this rank.
func (g *Group) Abort(err error) {
	if g != nil && g.err == nil {
		g.c.Abort(fmt.Sprintf("rank %d: %v", g.c.Rank(), err))
		g.fail(err)
	}
}

// count counts a call that ends now.
func (g *Group) count(bytes int, began time.Time) {
	g.bytes += int64(bytes)
	g.calls++
	g.waited += time.Since(began)
}

// ErrCollective matches every error of a group.
var ErrCollective = errors.New("the ranks of the training cannot reach one another")

func (g *Group) fail(err error) {
	if err != nil {
		g.err = fmt.Errorf("%w: rank %d of %d: %w", ErrCollective, g.c.Rank(), g.c.Size(), err)
	}
}
