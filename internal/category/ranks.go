package category

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
)

// With several ranks, every rank knows the categories of all. A row's rates depend on all rows before it, on any rank, so each rank
// computes the rates of all rows.

// unite returns the categories that occur on any rank, by column.
func (t *Target) unite(names [][]string) ([][]string, error) {
	if t.Ranks == nil {
		return names, nil
	}
	mine, err := json.Marshal(names)
	if err != nil {
		return nil, err
	}
	united := make([][]string, len(names))
	for _, theirs := range t.Ranks.Gather(mine, 1) {
		var more [][]string
		if err := json.Unmarshal(theirs, &more); err != nil {
			return nil, err
		}
		for j := range min(len(united), len(more)) {
			if more[j] != nil {
				united[j] = append(append([]string{}, united[j]...), more[j]...)
			}
		}
	}
	for j := range united {
		SortNames(united[j])
		united[j] = slices.Compact(united[j])
	}
	return united, t.Ranks.Err()
}

// gatherAll returns the target of the rows of all ranks, in the order of the ranks, and the position of this rank's first row.
func (t *Target) gatherAll() (whole *Target, first int) {
	if t.Ranks == nil {
		return t, 0
	}
	const size = 4 + 8 + 8
	order := binary.LittleEndian
	mine := make([]byte, 0, size*len(t.Labels))
	for row, y := range t.Labels {
		mine = order.AppendUint32(mine, uint32(y))
		mine = order.AppendUint64(mine, math.Float64bits(t.Weight(row)))
		mine = order.AppendUint64(mine, t.ID(row))
	}
	var labels []int32
	var weights []float64
	var ids []uint64
	for rank, theirs := range t.Ranks.Gather(mine, size) {
		if rank == t.Ranks.Rank() {
			first = len(labels)
		}
		for ; len(theirs) > 0; theirs = theirs[size:] {
			labels = append(labels, int32(order.Uint32(theirs)))
			weights = append(weights, math.Float64frombits(order.Uint64(theirs[4:])))
			ids = append(ids, order.Uint64(theirs[12:]))
		}
	}
	return &Target{
		Classes: t.Classes, Labels: labels,
		Weight: func(row int) float64 { return weights[row] },
		ID:     func(row int) uint64 { return ids[row] },
	}, first
}

// gatherPositions returns the positions of the rows of all ranks, in the order of the ranks.
func (t *Target) gatherPositions(positions []int32) []int32 {
	if t.Ranks == nil {
		return positions
	}
	mine := make([]byte, 0, 4*len(positions))
	for _, p := range positions {
		mine = binary.LittleEndian.AppendUint32(mine, uint32(p))
	}
	var all []int32
	for _, theirs := range t.Ranks.Gather(mine, 4) {
		for ; len(theirs) > 0; theirs = theirs[4:] {
			all = append(all, int32(binary.LittleEndian.Uint32(theirs)))
		}
	}
	return all
}
