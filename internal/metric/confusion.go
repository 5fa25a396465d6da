package metric

import (
	"cmp"
	"slices"
)

// Confusion is two classes that are taken for one another. aoso.Confusion documents the
// fields.
type Confusion struct {
	First, Second                int
	FirstAsSecond, SecondAsFirst int
	FirstRows, SecondRows        int
}

func (c *Confusion) rows() int { return c.FirstAsSecond + c.SecondAsFirst }

// Confusions returns the n pairs of classes that predictions confuse most often, those
// with most rows first; 0: all of them. Rows whose label is below 0 do not count.
func Confusions(labels []int32, predicted []int, classes, n int) []Confusion {
	rows := make([]int, classes)
	var wrong []miss
	for i, k := range labels {
		if k < 0 {
			continue
		}
		rows[k]++
		if p := predicted[i]; p != int(k) {
			wrong = append(wrong, miss{int(k), p})
		}
	}
	all := pairUp(wrong)
	slices.SortStableFunc(all, func(a, b Confusion) int { return cmp.Compare(b.rows(), a.rows()) })
	if n > 0 && n < len(all) {
		all = slices.Clone(all[:n])
	}
	for i := range all {
		all[i].FirstRows, all[i].SecondRows = rows[all[i].First], rows[all[i].Second]
	}
	return all
}

// miss is a row that is predicted wrongly.
type miss struct{ class, predicted int }

func (m miss) pair() (first, second int) { return min(m.class, m.predicted), max(m.class, m.predicted) }

// pairUp counts the rows of each pair of classes, in the order of the pairs.
func pairUp(wrong []miss) (all []Confusion) {
	slices.SortFunc(wrong, func(a, b miss) int {
		a1, a2 := a.pair()
		b1, b2 := b.pair()
		return cmp.Or(cmp.Compare(a1, b1), cmp.Compare(a2, b2))
	})
	for _, w := range wrong {
		first, second := w.pair()
		if n := len(all); n == 0 || all[n-1].First != first || all[n-1].Second != second {
			all = append(all, Confusion{First: first, Second: second})
		}
		if c := &all[len(all)-1]; w.class == first {
			c.FirstAsSecond++
		} else {
			c.SecondAsFirst++
		}
	}
	return all
}
