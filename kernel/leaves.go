package kernel

import "math/bits"

// Compare implements [Funcs.Compare] and [Funcs.Compare32] in plain Go.
func Compare[T float32 | float64](j *CompareJob[T]) {
	for i, threshold := range j.Thresholds {
		right := j.Right[i*PredictWords:][:len(j.Values)/64]
		for w := range right {
			var word uint64
			for b, x := range j.Values[w*64:][:64] {
				var bit uint64
				if x >= threshold || x != x && i >= j.MissingLeft {
					bit = 1
				}
				word |= bit << b
			}
			right[w] = word
		}
	}
}

// Members implements [Funcs.Members] in plain Go.
func Members(j *MembersJob) {
	for i, set := range j.Sets {
		right := j.Right[i*PredictWords:][:len(j.Codes)/64]
		for w := range right {
			var in uint64
			for b, code := range j.Codes[w*64:][:64] {
				in |= set[code/64] >> (code % 64) & 1 << b
			}
			right[w] = ^in
		}
	}
}

// Leaves implements [Funcs.Leaves] in plain Go.
func Leaves(j *LeavesJob) {
	for t, first := range j.FirstCut[:len(j.FirstCut)-1] {
		cuts := j.Cuts[first:j.FirstCut[t+1]]
		atLeast := j.AtLeast[:len(cuts)+2]
		leaves := j.Leaves[t*j.LeafStride:][:j.Words*64]
		for w := range j.Words {
			atLeast[0], atLeast[len(cuts)+1] = ^uint64(0), 0
			for i := range cuts {
				c := &cuts[i]
				atLeast[c.Middle] = atLeast[c.High] | atLeast[c.Low]&j.Right[int(c.Test)*PredictWords+w]
			}
			number(leaves[w*64:][:64], atLeast[:len(cuts)+1])
		}
	}
}

// number turns the rows that reach each leaf or a later one into the leaf of
// each row. Bit p of a number is odd as often as it has passed a multiple of
// 2^p.
func number(leaves []uint16, atLeast []uint64) {
	var planes [16]uint64
	n := bits.Len(uint(len(atLeast) - 1))
	for p := range n {
		for i := 1 << p; i < len(atLeast); i += 1 << p {
			planes[p] ^= atLeast[i]
		}
	}
	for i := 0; i < len(leaves); i += 4 {
		var four uint64
		for p := n - 1; p >= 0; p-- {
			four = four<<1 | spread[planes[p]>>i&15]
		}
		leaves[i], leaves[i+1], leaves[i+2], leaves[i+3] = uint16(four), uint16(four>>16), uint16(four>>32), uint16(four>>48)
	}
}

// spread has bit i of its index in the 16 bits from 16·i on.
var spread = func() (table [16]uint64) {
	for n := range table {
		for i := range 4 {
			table[n] |= uint64(n>>i&1) << (16 * i)
		}
	}
	return table
}()

// WalkTrees implements [Funcs.Walk] in plain Go.
func WalkTrees(j *WalkJob) {
	for i, depth := range j.Depths {
		walks := j.Walks[i*WalkLanes:][:WalkLanes]
		var at [WalkLanes]uint32
		for l := range at {
			at[l] = walks[l].Root
		}
		for range depth {
			for l := range at {
				b := &j.Branches[at[l]]
				var left uint32
				if j.Keys[b.Slot] < b.Key {
					left = 1
				}
				at[l] = b.Right - left
			}
		}
		for l := range at {
			j.Leaves[walks[l].Tree] = uint16(j.Branches[at[l]].Slot)
		}
	}
}
