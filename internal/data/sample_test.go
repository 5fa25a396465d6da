package data

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/hash"
)

// TestSample compares samples of rows in several orders and blocks with all rows
// sorted by their hashes.
func TestSample(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for _, c := range []struct{ rows, size, block int }{
		{10, 3, 10}, {10, 10, 4}, {10, 20, 3}, {100, 1, 7}, {5000, 100, 5000}, {5000, 100, 33}, {5000, 4999, 1000}, {50000, 7000, 512},
	} {
		ids := make([]uint64, c.rows)
		for i, p := range r.Perm(c.rows) {
			ids[i] = uint64(p) * 0x1234567
		}
		seed := uint64(c.block)
		want := slices.Clone(ids)
		slices.SortFunc(want, func(a, b uint64) int {
			of := hash.Seed(seed, hash.BinSample)
			return cmp.Compare(hash.Row(of, a), hash.Row(of, b))
		})
		want = want[:min(c.size, c.rows)]
		slices.Sort(want)

		whole, merged := NewSample(seed, c.size), NewSample(seed, c.size)
		for first := 0; first < c.rows; first += c.block {
			n := min(c.block, c.rows-first)
			whole.Add(first, n, ids[first:][:n])
			part := NewSample(seed, c.size)
			part.Add(first, n, ids[first:][:n])
			merged.Merge(part)
			if most := 2 * c.size; len(whole.rows) > most || len(merged.rows) > most {
				t.Fatalf("%+v: %d and %d rows are kept", c, len(whole.rows), len(merged.rows))
			}
		}
		for _, sample := range []*Sample{whole, merged} {
			var got []uint64
			before := -1
			for _, row := range sample.Rows() {
				if row.ID != ids[row.Row] || row.Row <= before {
					t.Fatalf("%+v: row %d after %d has id %d", c, row.Row, before, row.ID)
				}
				before = row.Row
				got = append(got, row.ID)
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%+v: the sample is %d rows, not the %d of the least hashes", c, len(got), len(want))
			}
		}
	}
}

// TestSamplePositions: without ids the rows' numbers are their ids, and another
// seed draws other rows.
func TestSamplePositions(t *testing.T) {
	ids := make([]uint64, 1000)
	for i := range ids {
		ids[i] = uint64(i)
	}
	numbered, named, other := NewSample(5, 100), NewSample(5, 100), NewSample(6, 100)
	numbered.Add(0, 600, nil)
	numbered.Add(600, 400, nil)
	named.Add(0, 1000, ids)
	other.Add(0, 1000, nil)
	if !slices.Equal(numbered.Rows(), named.Rows()) {
		t.Error("positions as ids draw other rows than no ids")
	}
	if slices.Equal(numbered.Rows(), other.Rows()) {
		t.Error("two seeds draw the same rows")
	}
}
