package fit

import (
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/data"
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

// TestChooseKinds: two kinds that know different rows are better together than twice the better of them; one that knows all is better alone.
// Linear scores that know no more than others are left out.
func TestChooseKinds(t *testing.T) {
	const rows = 60
	target := &data.Target{Classes: []string{"a", "b"}}
	for i := range rows {
		target.Labels = append(target.Labels, int32(i%2))
	}
	kind := func(knows func(row int) bool) half {
		var raw []float64
		for i, y := range target.Labels {
			certain := 1.0
			if i%7 == 0 || !knows(i) {
				certain = -0.3
			}
			raw = append(raw, certain*float64(1-2*y), 0)
		}
		p := follow(t, target)
		p.addPoint(1, raw)
		return half{scouted: p, from: p.last(), members: []*model.Forest{nil}}
	}
	first, second := kind(func(row int) bool { return row < 40 }), kind(func(row int) bool { return row >= 25 })
	neither, all := kind(func(row int) bool { return row%5 > 0 && row < 30 }), kind(func(int) bool { return true })
	linear := kind(func(row int) bool { return row >= 25 })
	linear.params.Start = "linear"
	for _, test := range []struct{ tried, want []half }{
		{[]half{first}, []half{first, first}},
		{[]half{first, neither, second}, []half{first, second}},
		{[]half{neither, all, first}, []half{all, all}},
		{[]half{first, linear}, []half{first, linear}},
		{[]half{first, linear, second}, []half{first, second}},
	} {
		e := &ensemble{tried: test.tried}
		e.chooseKinds()
		for i, want := range test.want {
			if e.halves[i].from != want.from {
				t.Errorf("%d kinds: half %d is of another", len(test.tried), i)
			}
		}
		if one := e.halves[0].from == e.halves[1].from; (len(e.halves[1].members) == 0) != one {
			t.Errorf("%d kinds: the second half has %d members", len(test.tried), len(e.halves[1].members))
		}
	}
}
