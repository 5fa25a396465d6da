package tree

import "testing"

// candidateLeaf is a leaf that may be split, with its best gain.
type candidateLeaf struct {
	gain   float64
	parent int32
}

func TestIdle(t *testing.T) {
	node := []Node{{}}
	tests := []struct {
		name string
		tree Tree
		want bool
	}{
		{"no step", Tree{Leaves: []Leaf{{Steps: []float32{0, 0}}}}, true},
		{"steps too small to count", Tree{Leaves: []Leaf{{Steps: []float32{1e-9, -1e-9}}}}, true},
		{"a step", Tree{Leaves: []Leaf{{Steps: []float32{0, 1e-3}}}}, false},
		{"a step back", Tree{Leaves: []Leaf{{Steps: []float32{-1e-3, 0}}}}, false},
		{"a split", Tree{Nodes: node, Leaves: []Leaf{{}, {}}}, false},
	}
	for _, test := range tests {
		if got := test.tree.Idle(); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
