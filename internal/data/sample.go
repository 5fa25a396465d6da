package data

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/libaoso/aoso/internal/hash"
)

// Sample is a pseudo-random sample of rows: the rows whose ids have the smallest hashes (a bottom-k sample; E. Cohen and H. Kaplan,
// Summarizing data using bottom-k sketches, 2007). It depends on the set of ids only, not on their order nor on the blocks in which they
// come, and its memory does not grow with the rows added.
type Sample struct {
	seed  uint64
	size  int
	rows  []SampledRow // the sample and rows that prune drops later, at most twice the size
	bound uint64       // the hashes of the sample are at most this
}

// SampledRow is a row of a sample.
type SampledRow struct {
	Hash uint64 // of the id
	ID   uint64
	Row  int // the row's number, see [Sample.Add]
}

// NewSample returns a sample of at most size rows, at least 1, to which no row was added. Samples with equal seeds draw equal rows.
func NewSample(seed uint64, size int) *Sample {
	return &Sample{seed: hash.Seed(seed, hash.BinSample), size: min(size, math.MaxInt/2), bound: math.MaxUint64}
}

// Add adds n rows with the numbers first, first+1, …. If ids is nil, the numbers are the ids. No two rows of a sample may have the same
// id.
func (s *Sample) Add(first, n int, ids []uint64) {
	s.reserve(n)
	for i := range n {
		id := uint64(first + i)
		if ids != nil {
			id = ids[i]
		}
		if h := hash.Row(s.seed, id); h <= s.bound {
			s.add(SampledRow{h, id, first + i})
		}
	}
}

// Merge adds the rows of another sample with the same seed and size. The result is the sample of all rows added to either of the two.
func (s *Sample) Merge(o *Sample) {
	s.reserve(len(o.rows))
	for _, row := range o.rows {
		if row.Hash <= s.bound {
			s.add(row)
		}
	}
}

// Rows returns the sample, ordered by the rows' numbers.
func (s *Sample) Rows() []SampledRow {
	s.prune()
	rows := slices.Clone(s.rows)
	slices.SortFunc(rows, func(a, b SampledRow) int { return cmp.Compare(a.Row, b.Row) })
	return rows
}

// reserve allocates memory for n more rows, but not for more than twice the size.
func (s *Sample) reserve(n int) {
	if need := min(len(s.rows)+n, 2*s.size); need > cap(s.rows) {
		s.rows = append(make([]SampledRow, 0, min(max(need, 2*cap(s.rows)), 2*s.size)), s.rows...)
	}
}

func (s *Sample) add(row SampledRow) {
	s.rows = append(s.rows, row)
	if len(s.rows) >= 2*s.size {
		s.prune()
	}
}

// prune drops the rows that are not in the sample.
func (s *Sample) prune() {
	if len(s.rows) <= s.size {
		return
	}
	s.bound = s.greatest()
	s.rows = slices.DeleteFunc(s.rows, func(row SampledRow) bool { return row.Hash > s.bound })
}

// greatest returns the greatest hash of the sample: of the s.rows, the one with rank s.size.
func (s *Sample) greatest() uint64 {
	const digits = 12
	shift := max(0, bits.Len64(s.bound)-digits)
	var counts [1 << digits]int // by the leading bits of the hash
	for _, row := range s.rows {
		counts[row.Hash>>shift]++
	}
	last, left := uint64(0), s.size // the sample has left of the rows with the leading bits last
	for counts[last] < left {
		left -= counts[last]
		last++
	}
	hashes := make([]uint64, 0, counts[last])
	for _, row := range s.rows {
		if row.Hash>>shift == last {
			hashes = append(hashes, row.Hash)
		}
	}
	slices.Sort(hashes)
	return hashes[left-1]
}
