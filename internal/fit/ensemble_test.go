package fit

import (
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/model"
)

// TestGrowing: the members of both halves grow at the same time if they are no more than a half has.
func TestGrowing(t *testing.T) {
	for _, test := range []struct {
		members int
		grown   [2]int
		want    []int
	}{
		{6, [2]int{2, 2}, []int{0, 1}},
		{6, [2]int{2, 0}, []int{0}},
		{6, [2]int{3, 0}, []int{1}},
		{6, [2]int{0, 2}, []int{0}},
		{6, [2]int{3, 2}, []int{1}},
		{6, [2]int{3, 3}, nil},
		{20, [2]int{6, 6}, []int{0, 1}},
		{20, [2]int{3, 3}, []int{0}},
	} {
		e := &ensemble{job: &Job{Folds: test.members}}
		for i, n := range test.grown {
			e.halves[i].members = make([]*model.Forest, n)
		}
		if got := e.growing(); !slices.Equal(got, test.want) {
			t.Errorf("%d members, of which %v are grown: %v", test.members, test.grown, got)
		}
	}
}
