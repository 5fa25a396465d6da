package tree

import (
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// TestOrder: bins and raw values lead to the same leaves as growing did.
func TestOrder(t *testing.T) {
	p := newProblem(t, 24, problemOptions{rows: rangeRows + 10_000, classes: 5, missing: true})
	tree, grown, segments := p.grow(Params{Leaves: 15, MinSamples: 1, Newton: loss.Newton{Shrinkage: 0.1, MaxStep: 5}, Pairs: 2}, nil, 2)
	defer grown.Free() // which has the rows of the segments
	f := model.NewForest(5, 2, false)
	tree.AppendTo(f)
	leafOf := make([]int, p.matrix.Rows)
	for i := range leafOf {
		var row []float64
		for _, column := range p.source {
			row = append(row, column[i])
		}
		leafOf[i] = f.Tree(0).Find(row)
	}
	for _, s := range segments {
		for _, row := range s.Rows {
			if leafOf[row] != s.Leaf {
				t.Fatalf("row %d was grown into leaf %d, raw values lead to %d", row, s.Leaf, leafOf[row])
			}
		}
	}
	for _, threads := range []int{1, 3} {
		team := par.NewTeam(threads)
		defer team.Close()
		rows := NewPartition(p.matrix.Rows)
		rows.Fill(p.matrix.Rows)
		rows.Rows = slices.DeleteFunc(rows.Rows, func(row uint32) bool { return row == 5000 || row >= 1 && row <= 3 })
		seen := 0
		for _, s := range rows.Order(tree, kernel.Generic, p.matrix, 20, team) {
			if !slices.IsSorted(s.Rows) {
				t.Errorf("the rows of leaf %d are not in their order", s.Leaf)
			}
			for _, row := range s.Rows {
				if leafOf[row] != s.Leaf {
					t.Fatalf("row %d is ordered to leaf %d, raw values lead to %d", row, s.Leaf, leafOf[row])
				}
				seen++
			}
		}
		if seen != p.matrix.Rows-4 {
			t.Errorf("%d rows", seen)
		}
		slices.Sort(rows.Rows)
		if len(slices.Compact(rows.Rows)) != seen {
			t.Error("a row is there twice")
		}
		for _, values := range []int{fewValues, fewValues + 1} {
			next := make([]int, len(tree.Leaves))
			segments := rows.OrderAll(tree, kernel.Generic, p.matrix, values, team)
			for _, s := range segments {
				for _, row := range s.Rows {
					if leafOf[row] != s.Leaf || int(row) < next[s.Leaf] {
						t.Fatalf("of all rows, row %d is in leaf %d after row %d", row, s.Leaf, next[s.Leaf]-1)
					}
					next[s.Leaf] = int(row) + 1
				}
				if first, last := s.Rows[0], s.Rows[len(s.Rows)-1]; values <= fewValues && first/rangeRows != last/rangeRows {
					t.Errorf("rows %d to %d of leaf %d are not of one range", first, last, s.Leaf)
				}
			}
			if len(rows.Rows) != p.matrix.Rows || (len(segments) > len(tree.Leaves)) != (values <= fewValues) {
				t.Errorf("%d values: %d of %d rows in %d segments of %d leaves", values, len(rows.Rows), p.matrix.Rows, len(segments), len(tree.Leaves))
			}
		}
		stump := &Tree{Leaves: []Leaf{{}}}
		rows.Fill(10)
		if got := rows.Order(stump, kernel.Generic, p.matrix, 20, team); len(got) != 1 || len(got[0].Rows) != 10 {
			t.Errorf("a tree of one leaf: %v", got)
		}
		rows.Fill(0)
		if got := rows.Order(tree, kernel.Generic, p.matrix, 20, team); len(got) != 0 {
			t.Errorf("no rows: %v", got)
		}
	}
}
