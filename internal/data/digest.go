package data

import (
	"encoding/hex"
	"math"

	"github.com/libaoso/aoso/internal/hash"
)

// Digest returns a hash, as hexadecimal digits, of the ids, classes and weights of the rows, the bins and the categories. It depends
// neither on the order of the rows nor on which rank has a row. All ranks must call it together.
func (s *Set) Digest() string {
	withoutRows := &Set{Names: s.Names, Encoder: s.Encoder, Mapper: s.Mapper}
	withoutRows.Classes = s.Classes
	w := withoutRows.writer(s.AllRows())
	s.Encoder.Write(w)
	sum := w.Hash()
	return hex.EncodeToString(sum[:12]) + s.DigestRows(s.labelHash,
		func(row int) uint64 { return math.Float64bits(s.Weight(row)) })
}

// labelHash returns the class of a row or, of a soft label, a hash of it.
func (s *Set) labelHash(row int) uint64 {
	h := uint64(s.Labels[row])
	classes, shares := s.Soft.Row(row)
	for i, k := range classes {
		h = hash.Mix(hash.Row(uint64(k)<<32|uint64(math.Float32bits(shares[i])), h))
	}
	return h
}

// DigestRows returns a hash of numbers of the rows and of their ids, in the same way.
func (s *Set) DigestRows(of ...func(row int) uint64) string {
	sum := [1]int64{}
	before := s.rowsBefore()
	for row := range s.Labels {
		h := before + s.ID(row)
		for _, number := range of {
			h = hash.Mix(hash.Row(number(row), h))
		}
		sum[0] += int64(h)
	}
	s.Ranks.Sum(sum[:])
	b := hash.Mix(uint64(sum[0]))
	return hex.EncodeToString([]byte{byte(b >> 24), byte(b >> 16), byte(b >> 8), byte(b)})
}

// rowsBefore returns the number of rows of lower ranks, which precede this rank's rows if positions are the ids; 0 if rows have ids.
func (s *Set) rowsBefore() (before uint64) {
	counts := make([]int64, s.Ranks.Size())
	counts[s.Ranks.Rank()] = int64(len(s.Labels))
	s.Ranks.Sum(counts)
	if s.IDs != nil {
		return 0
	}
	for _, n := range counts[:s.Ranks.Rank()] {
		before += uint64(n)
	}
	return before
}
