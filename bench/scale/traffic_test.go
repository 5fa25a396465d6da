package main

import (
	"math"
	"testing"
)

// TestTraffic counts what ranks send for a tree: so many numbers for each split and for
// each node that is searched, as the formula says, and nothing else. What depends on the
// number of classes is the counts, the class totals and the products of probabilities.
func TestTraffic(t *testing.T) {
	const rows, features, leaves, pairs, bins = 6000, 7, 20, 4, 26
	for _, ranks := range []int{2, 3} {
		for _, classes := range []int{10, 300} {
			data := newTable(rows, features, classes, 4)
			run, err := data.train(ranks, 3, Network{Rate: math.Inf(1)})
			if err != nil {
				t.Fatal(err)
			}
			got := run.Sent
			s := Shape{Ranks: ranks, Rows: rows, Features: features, Bins: bins, Pairs: pairs, Classes: classes, Leaves: leaves}
			nodes := got.Scattered / (8 * pairs * (features*bins + 2*float64(ranks)))
			splits := (got.Reduced/8-3-nodes*pairs*float64(classes))/float64(2*classes+3) - 1
			own := (got.Gathered/8 - 3 - nodes*5*pairs) / nodes / 2
			t.Logf("%d ranks, %d classes: %+v; %v nodes, %v splits, rank 0 has %v features", ranks, classes, got, nodes, splits, own)
			for name, n := range map[string]float64{"nodes": nodes, "splits": splits, "features": own} {
				if n != math.Trunc(n) || n < 1 {
					t.Errorf("%d ranks, %d classes: %v is no number of %s", ranks, classes, n, name)
				}
			}
			if splits < leaves-1 || splits > 1.5*leaves || nodes > 2*splits-1 {
				t.Errorf("%d ranks, %d classes: %v splits, %v nodes for %d leaves", ranks, classes, splits, nodes, leaves)
			}
			want := s.Tree()
			if classes == 10 && (math.Abs(got.Bytes()/want.Bytes()-1) > 0.1 || math.Abs(got.Calls/want.Calls-1) > 0.2) {
				t.Errorf("%d ranks, %d classes: %v bytes in %v calls, the formula has %v in %v", ranks, classes, got.Bytes(), got.Calls, want.Bytes(), want.Calls)
			}
		}
	}
}
