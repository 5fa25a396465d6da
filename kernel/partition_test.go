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
	for bin := range MaxBins {
		for _, missingLeft := range []bool{false, true} {
			var left, right []uint32
			for _, row := range rows {
				code := int(column[row])
				if 1 <= code && code <= bin || code == 0 && missingLeft {
					left = append(left, row)
				} else {
					right = append(right, row)
				}
			}
			j := PartitionJob{
				Column: column, Rows: rows, Bin: uint8(bin), MissingLeft: missingLeft,
				Left: make([]uint32, len(rows)), Right: make([]uint32, len(rows)),
			}
			Partition(&j)
			if j.NumLeft != len(left) || !slices.Equal(j.Left[:j.NumLeft], left) ||
				!slices.Equal(j.Right[:len(rows)-j.NumLeft], right) {
				t.Fatalf("bin %d, missing left %v: %d rows left, want %d", bin, missingLeft, j.NumLeft, len(left))
			}
		}
	}
}
