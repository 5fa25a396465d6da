package acceptance

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// liteModel is a parsed checkpoint of treelite.
type liteModel struct {
	classes int
	trees   []liteTree
}

type liteTree struct {
	kinds, compares          []int8
	lefts, rights, features  []int32
	missingLeft, membersLeft []bool // membersLeft is the opposite of what the file has
	thresholds, values       []float64
	valueFirst, valueEnd     []uint64
	members                  []uint32
	memberFirst, memberEnd   []uint64
}

type liteReader struct {
	t testing.TB
	*bytes.Reader
}

func lite[T any](r liteReader) (v T) {
	if err := binary.Read(r, binary.LittleEndian, &v); err != nil {
		r.t.Fatal(err)
	}
	return v
}

func liteList[T any](r liteReader) []T {
	v := make([]T, lite[uint64](r))
	if err := binary.Read(r, binary.LittleEndian, v); err != nil {
		r.t.Fatal(err)
	}
	return v
}

func parseTreelite(t testing.TB, b []byte) *liteModel {
	t.Helper()
	r := liteReader{t, bytes.NewReader(b)}
	version, types := lite[[3]int32](r), lite[[2]uint8](r)
	trees := lite[uint64](r)
	features, task, target := lite[int32](r), lite[[2]uint8](r), lite[int32](r)
	classes, shape := liteList[int32](r), liteList[int32](r)
	targets, of := liteList[int32](r), liteList[int32](r)
	function := liteList[byte](r)
	lite[[2]float32](r)
	base, attributes := liteList[float64](r), liteList[byte](r)
	if version[0] != 4 || types != [2]uint8{3, 3} || features < 1 || task != [2]uint8{2, 0} || target != 1 || len(classes) != 1 || !slices.Equal(shape, []int32{1, classes[0]}) ||
		len(targets) != int(trees) || len(of) != int(trees) || string(function) != "softmax" || len(base) != int(classes[0]) || string(attributes) != "{}" || lite[int32](r) != 0 {
		t.Fatalf("version %d, types %d, task %d, classes %d", version, types, task, classes)
	}
	m := &liteModel{classes: int(classes[0])}
	for range trees {
		nodes := lite[int32](r)
		lite[bool](r)
		tree := liteTree{kinds: liteList[int8](r), lefts: liteList[int32](r), rights: liteList[int32](r), features: liteList[int32](r), missingLeft: liteList[bool](r)}
		liteList[float64](r)
		tree.thresholds, tree.compares, tree.membersLeft = liteList[float64](r), liteList[int8](r), liteList[bool](r)
		for i, right := range tree.membersLeft {
			tree.membersLeft[i] = !right
		}
		tree.values, tree.valueFirst, tree.valueEnd = liteList[float64](r), liteList[uint64](r), liteList[uint64](r)
		tree.members, tree.memberFirst, tree.memberEnd = liteList[uint32](r), liteList[uint64](r), liteList[uint64](r)
		lite[[6]uint64](r)
		lite[[2]int32](r)
		if len(tree.kinds) != int(nodes) || len(tree.memberEnd) != int(nodes) {
			t.Fatalf("%d nodes of %d", len(tree.kinds), nodes)
		}
		m.trees = append(m.trees, tree)
	}
	if r.Len() > 0 {
		t.Fatalf("%d bytes are left", r.Len())
	}
	return m
}

// scores returns the scores of a row, by treelite's rules.
func (m *liteModel) scores(row []float64) []float64 {
	scores := make([]float64, m.classes)
	for _, t := range m.trees {
		at := int32(0)
		for t.kinds[at] != 0 {
			x := row[t.features[at]]
			left := x < t.thresholds[at]
			switch {
			case math.IsNaN(x):
				left = t.missingLeft[at]
			case t.kinds[at] == 2:
				left = slices.Contains(t.members[t.memberFirst[at]:t.memberEnd[at]], uint32(x)) == t.membersLeft[at]
			}
			if left {
				at = t.lefts[at]
			} else {
				at = t.rights[at]
			}
		}
		for k, v := range t.values[t.valueFirst[at]:t.valueEnd[at]] {
			scores[k] += v
		}
	}
	return scores
}
