package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPartition(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	column := make([]uint8, 3000)
	for i := range column {
		column[i] = uint8(r.IntN(MaxBins))
	}
	var rows []uint32
	for i := range uint32(len(column)) {
		if r.IntN(3) > 0 {
			rows = append(rows, i)
		}
	}
	check := func(j PartitionJob, goesLeft func(code int) bool) {
		t.Helper()
		var left, right []uint32
		for _, row := range rows {
			if goesLeft(int(column[row])) {
				left = append(left, row)
			} else {
				right = append(right, row)
			}
		}
		j.Column, j.Rows = column, rows
		j.Left, j.Right = make([]uint32, len(rows)), make([]uint32, len(rows))
		Partition(&j)
		if j.NumLeft != len(left) || !slices.Equal(j.Left[:j.NumLeft], left) ||
			!slices.Equal(j.Right[:len(rows)-j.NumLeft], right) {
			t.Fatalf("bin %d, missing left %v, set %x: %d rows left, want %d", j.Bin, j.MissingLeft, j.Set, j.NumLeft, len(left))
		}
	}
	for bin := range MaxBins {
		for _, missingLeft := range []bool{false, true} {
			check(PartitionJob{Bin: uint8(bin), MissingLeft: missingLeft}, func(code int) bool {
				return 1 <= code && code <= bin || code == 0 && missingLeft
			})
		}
		var codes [MaxBins]bool
		var set [4]uint64
		for range bin {
			code := r.IntN(MaxBins)
			codes[code] = true
			set[code/64] |= 1 << (code % 64)
		}
		check(PartitionJob{Bin: uint8(bin), MissingLeft: true, Set: &set}, func(code int) bool { return codes[code] })
	}
}
