package tree

import (
	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Partition is a list of row numbers in which every node of a tree owns one run. Row numbers
// increase within a run.
type Partition struct {
	Rows        []uint32
	left, right []uint32
	jobs        []kernel.PartitionJob // by block of the list
	places      [][2]int              // by block: where its left and its right rows go
	memory      *mem.Block

	runs     [][]run   // by block, of the last tree by which rows were ordered
	next     []int     // by its leaves: rows in a range, then where the next of them go
	segments []Segment // of the same tree
}

// NewPartition returns an empty partition for up to n rows.
func NewPartition(n int) *Partition {
	memory := mem.New(3 * 4 * n)
	rows := mem.View[uint32](memory)
	return &Partition{
		Rows:   rows[:0:n],
		left:   rows[n : 2*n],
		right:  rows[2*n:],
		memory: memory,
		jobs:   make([]kernel.PartitionJob, kernel.Blocks(n)+1),
		places: make([][2]int, kernel.Blocks(n)+1),
	}
}

// Free releases the memory; the partition must not be used afterwards.
func (p *Partition) Free() {
	p.Rows, p.left, p.right = nil, nil, nil
	p.memory.Free()
}

// Scratch returns memory for a number for each row, valid until the next split.
func (p *Partition) Scratch() []uint32 { return p.left }

// Cut moves the rows from position n on to another partition, which shares the memory and is
// valid until p is filled again.
func (p *Partition) Cut(n int) *Partition {
	rest := &Partition{Rows: p.Rows[n:], left: p.left[n:], right: p.right[n:], jobs: p.jobs, places: p.places}
	p.Rows = p.Rows[:n]
	return rest
}

// Fill sets the partition to rows 0 … n−1.
func (p *Partition) Fill(n int) {
	p.Rows = p.Rows[:n]
	p.list(0, n)
}

// list sets a part of the partition to rows start … end−1.
func (p *Partition) list(start, end int) {
	for i := start; i < end; i++ {
		p.Rows[i] = uint32(i)
	}
}

// Split reorders the run [start, end) so that the rows that go left come first, and returns
// where the right ones start.
func (p *Partition) Split(k *kernel.Funcs, x *bin.Matrix, s SplitInfo, start, end int, team *par.Team) int {
	return p.SplitBy(k, x.Columns[s.Feature], s.test(), start, end, team)
}

// Test says which codes go left: those of a set, or, without one, 1 to Last, and 0 if ZeroLeft.
type Test struct {
	Last     uint8
	ZeroLeft bool
	Set      *model.Set
}

func (s *SplitInfo) test() Test { return Test{s.Bin, s.MissingLeft, s.Set} }

// SplitBy is Split by a column of codes and a test.
func (p *Partition) SplitBy(k *kernel.Funcs, column []uint8, t Test, start, end int, team *par.Team) int {
	n := kernel.Blocks(end - start)
	if n <= 1 {
		return p.SplitAlone(&p.jobs[start/kernel.RowBlock], k, column, t, start, end)
	}
	jobs := p.jobs[start/kernel.RowBlock:][:n]
	team.Do(n, func(_, b int) {
		first, end := kernel.Block(b, end-start)
		p.divide(&jobs[b], p.left, k, column, t, start+first, start+end)
	})
	left := 0
	for b := range jobs {
		left += jobs[b].NumLeft
	}
	rows := p.Rows[start:end]
	l, r := 0, left
	for b := range jobs {
		j := &jobs[b]
		right := len(j.Rows) - j.NumLeft
		j.Left, j.Right = j.Left[:j.NumLeft], j.Right[:right]
		p.places[start/kernel.RowBlock+b] = [2]int{l, r}
		l, r = l+j.NumLeft, r+right
	}
	team.Do(n, func(_, b int) {
		place := p.places[start/kernel.RowBlock+b]
		copy(rows[place[0]:], jobs[b].Left)
		copy(rows[place[1]:], jobs[b].Right)
	})
	return start + left
}

// SplitAlone is SplitBy without a team: others may split other runs at the same time, with other jobs.
func (p *Partition) SplitAlone(job *kernel.PartitionJob, k *kernel.Funcs, column []uint8, t Test, start, end int) int {
	p.divide(job, p.Rows, k, column, t, start, end)
	middle := start + job.NumLeft
	copy(p.Rows[middle:], p.right[start:][:end-middle])
	return middle
}

// divide copies the rows of a run that go left to left, which may be p.Rows, and the others to
// p.right.
func (p *Partition) divide(job *kernel.PartitionJob, left []uint32, k *kernel.Funcs, column []uint8, t Test, start, end int) {
	*job = kernel.PartitionJob{
		Column:      column,
		Rows:        p.Rows[start:end],
		Bin:         t.Last,
		MissingLeft: t.ZeroLeft,
		Set:         (*[4]uint64)(t.Set),
		Left:        left[start:end],
		Right:       p.right[start:end],
	}
	k.Partition(job)
}
