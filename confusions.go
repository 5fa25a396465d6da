package aoso

import (
	"cmp"
	"slices"
)

// Confusion is two classes that a model takes for one another.
type Confusion struct {
	First, Second int // classes of the model; First < Second
	FirstAsSecond int // rows of First that the model predicts to be of Second
	SecondAsFirst int // rows of Second that the model predicts to be of First
	FirstRows     int // rows of First in all
	SecondRows    int // rows of Second in all
}

// Rows is how many rows of the two classes are predicted to be of the other one.
func (c *Confusion) Rows() int { return c.FirstAsSecond + c.SecondAsFirst }

// Confusions returns the n pairs of classes that the model confuses most often on x,
// those with most rows first, and equal ones in the order of their classes; 0: all
// pairs that it confuses. Rows of classes that the model does not know do not count.
// It needs memory for the wrong rows, not for classes × classes.
func (m *Model) Confusions(x Features, labels Labels, n int, o PredictOptions) ([]Confusion, error) {
	if n < 0 {
		return nil, badArgument("n", n, "at least 0")
	}
	t, err := m.target(x.Rows(), labels, nil)
	if err != nil {
		return nil, err
	}
	predicted, err := m.Predict(x, o)
	if err != nil {
		return nil, err
	}
	rows := make([]int, len(m.classes))
	var wrong []miss
	for i, k := range t.Labels {
		if k < 0 {
			continue
		}
		rows[k]++
		if p := predicted[i]; p != int(k) {
			wrong = append(wrong, miss{int(k), p})
		}
	}
	all := pairUp(wrong)
	slices.SortStableFunc(all, func(a, b Confusion) int { return cmp.Compare(b.Rows(), a.Rows()) })
	if n > 0 && n < len(all) {
		all = slices.Clone(all[:n])
	}
	for i := range all {
		all[i].FirstRows, all[i].SecondRows = rows[all[i].First], rows[all[i].Second]
	}
	return all, nil
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
