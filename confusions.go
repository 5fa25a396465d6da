package aoso

import "github.com/libaoso/aoso/internal/metric"

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
	var all []Confusion
	for _, c := range metric.Confusions(t.Labels, predicted, len(m.content.Classes), n) {
		all = append(all, Confusion(c))
	}
	return all, nil
}
