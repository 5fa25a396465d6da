package fit

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/data"
)

// people returns rows of groups, some of them large, of which each has some of the classes; and the group of each row.
func people(seed uint64, groups, classes int) (t *data.Target, of []uint64) {
	r := rand.New(rand.NewPCG(seed, 9))
	t = &data.Target{Classes: make([]string, classes)}
	for g := range groups {
		for range 1 + r.IntN(20)*(1+g%3) {
			t.Labels = append(t.Labels, int32((g+r.IntN(3))%classes))
			of = append(of, uint64(g)<<40)
		}
	}
	return t, of
}

// TestGroups: a fold has all rows of a group or none, and about its share of each class.
func TestGroups(t *testing.T) {
	for _, test := range []struct{ groups, classes, parts, folds int }{{60, 4, 5, 5}, {60, 4, 5, 1}, {40, 3, 6, 6}, {6, 2, 6, 6}, {2, 2, 5, 1}, {300, 12, 20, 20}} {
		target, of := people(uint64(test.groups), test.groups, test.classes)
		for i := range of[:len(of)/8] {
			target.Labels[i] = 0
		}
		g := NewGroups(target, of)
		fold := g.assign(target, test.parts, test.folds, false, 7)
		if !slices.Equal(fold, g.assign(target, test.parts, test.folds, false, 7)) {
			t.Error("other folds the second time")
		}
		first := map[uint64]int8{}
		count := make([]map[int32]float64, test.folds+1)
		for f := range count {
			count[f] = map[int32]float64{}
		}
		for row, f := range fold {
			if of, known := first[of[row]]; known && f != of {
				t.Fatalf("%+v: a group is in the folds %d and %d", test, f, of)
			}
			first[of[row]] = f
			if f == never {
				f = int8(test.folds)
			}
			count[f][target.Labels[row]]++
		}
		for f, of := range count[:test.folds] {
			if len(of) == 0 {
				t.Errorf("%+v: fold %d has no rows", test, f)
			}
			for y, n := range of {
				share := float64(g.totals[y]) / float64(test.parts)
				if test.groups > 30*test.classes/4 && test.classes < 12 && (n > 1.6*share || n < share/1.6) {
					t.Errorf("%+v: fold %d has %g rows of class %d, and %.1f would be its share", test, f, n, y, share)
				}
			}
		}
	}
}

// TestGroupsOfAClass: a group is not held out with all rows of a class, nor with the last that weigh something.
func TestGroupsOfAClass(t *testing.T) {
	target := &data.Target{Classes: make([]string, 3), Labels: []int32{0, 0, 1, 0, 1, 2, 2, 1}, Weights: []float32{1, 1, 1, 1, 1, 1, 1, 0}}
	of := []uint64{1, 2, 1, 2, 3, 3, 3, 2}
	g := NewGroups(target, of)
	if g.Len() != 2 {
		t.Fatalf("%d groups can be held out, not 2", g.Len())
	}
	for row, f := range g.assign(target, 2, 2, false, 1) {
		if (f == never) != (of[row] == 3 || target.Weights[row] == 0) {
			t.Errorf("row %d is in fold %d", row, f)
		}
	}
}

// TestLatest: the latest fifth is held out, with all rows of the same time or without them.
func TestLatest(t *testing.T) {
	target := &data.Target{Classes: make([]string, 3)}
	var times []float64
	for row := range 100 {
		target.Labels = append(target.Labels, int32(row%2))
		times = append(times, float64(row*37%100)-50)
	}
	target.Labels[73], times[73] = 2, 60 // a class without earlier rows
	for row, f := range Latest(target, times) {
		if (f == 0) != (times[row] >= 31 && row != 73) {
			t.Errorf("row %d of time %g is in fold %d", row, times[row], f)
		}
	}
	for row := range times {
		times[row] = min(times[row], 0)
	}
	times[4], times[6] = 1, 2
	for row, f := range Latest(target, times) {
		if (f == 0) != (row == 4 || row == 6) {
			t.Errorf("row %d of time %g is in fold %d", row, times[row], f)
		}
	}
	if Latest(target, make([]float64, 100)) != nil {
		t.Error("rows are held out though none is later")
	}
}
