package tree

import (
	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Partition is a list of row numbers in which every node of a tree owns one
// run. Rows rise within a run.
type Partition struct {
	Rows        []uint32
	left, right []uint32
	jobs        []kernel.PartitionJob // by block of the list
}

// NewPartition is an empty partition with room for n rows.
func NewPartition(n int) *Partition {
	return &Partition{
		Rows:  make([]uint32, 0, n),
		left:  make([]uint32, n),
		right: make([]uint32, n),
		jobs:  make([]kernel.PartitionJob, blocks(n)+1),
	}
}

// Fill makes rows 0 … n−1 the partition's.
func (p *Partition) Fill(n int) {
	p.Rows = p.Rows[:n]
	for i := range p.Rows {
		p.Rows[i] = uint32(i)
	}
}

// FillOthers makes those of rows 0 … n−1 the partition's that are not in a
// rising list.
func (p *Partition) FillOthers(list []uint32, n int) {
	p.Rows = p.Rows[:0]
	for i := range uint32(n) {
		if len(list) > 0 && list[0] == i {
			list = list[1:]
			continue
		}
		p.Rows = append(p.Rows, i)
	}
}

// Divide leaves to p the rows with a value, by row number, of at least least,
// and gives the others to rest.
func (p *Partition) Divide(rest *Partition, values []float32, least float32) {
	kept, others := p.Rows, rest.Rows[:len(p.Rows)]
	nk, no := 0, 0
	for _, row := range p.Rows {
		// Both stores happen, one of them counts: no branch to mispredict.
		kept[nk], others[no] = row, row
		keep := 0
		if values[row] >= least {
			keep = 1
		}
		nk += keep
		no += 1 - keep
	}
	p.Rows, rest.Rows = kept[:nk], others[:no]
}

// Split orders the run [start, end) so that the rows that go left come first,
// and returns where the right ones begin.
func (p *Partition) Split(k *kernel.Funcs, x *bin.Matrix, s SplitInfo, start, end int, team *par.Team) int {
	n := blocks(end - start)
	if n == 1 {
		return p.splitBlock(k, x, s, start, end)
	}
	team.Do(n, func(_, b int) {
		first, last := block(b, end-start)
		p.divide(&p.jobs[start/kernel.RowBlock+b], k, x, s, start+first, start+last)
	})
	jobs := p.jobs[start/kernel.RowBlock:][:n]
	left := 0
	for b := range jobs {
		left += jobs[b].NumLeft
	}
	rows := p.Rows[start:end]
	l, r := 0, left
	for b := range n {
		first, last := block(b, len(rows))
		l += copy(rows[l:], p.left[start+first:][:jobs[b].NumLeft])
		r += copy(rows[r:], p.right[start+first:][:last-first-jobs[b].NumLeft])
	}
	return start + left
}

// splitBlock is Split for at most one block of rows.
func (p *Partition) splitBlock(k *kernel.Funcs, x *bin.Matrix, s SplitInfo, start, end int) int {
	middle := start + p.divide(&p.jobs[start/kernel.RowBlock], k, x, s, start, end)
	copy(p.Rows[start:], p.left[start:middle])
	copy(p.Rows[middle:], p.right[start:][:end-middle])
	return middle
}

// divide copies a block of rows to left and right and returns how many go left.
func (p *Partition) divide(job *kernel.PartitionJob, k *kernel.Funcs, x *bin.Matrix, s SplitInfo, start, end int) int {
	*job = kernel.PartitionJob{
		Column:      x.Columns[s.Feature],
		Rows:        p.Rows[start:end],
		Bin:         s.Bin,
		MissingLeft: s.MissingLeft,
		Left:        p.left[start:end],
		Right:       p.right[start:end],
	}
	k.Partition(job)
	return job.NumLeft
}

// blocks is the number of row blocks that n rows are worked on in.
func blocks(n int) int { return (n + kernel.RowBlock - 1) / kernel.RowBlock }

// block is the range of block b of n rows.
func block(b, n int) (first, last int) {
	return b * kernel.RowBlock, min((b+1)*kernel.RowBlock, n)
}
