package aoso

import (
	"fmt"

	"github.com/libaoso/aoso/internal/metric"
)

// Decide returns, for each row of x, the number of the decision whose expected cost
// is least, the lowest where some tie, and that cost. costs has a row for each class
// and a column for each decision: what the decision costs if the class is the true
// one. It may be negative. Decisions are often the classes, in which case the numbers
// on the diagonal are zero, but may be others, such as one to ask an expert.
// Expected costs are as good as the probabilities: see [Model.Calibrate].
func (m *Model) Decide(x Features, costs []float64, o PredictOptions) (decisions []int, expected []float64, err error) {
	classes := len(m.content.Classes)
	if len(costs) == 0 || len(costs)%classes != 0 {
		return nil, nil, badArgument("costs", fmt.Sprintf("%d numbers", len(costs)), "a number for each class and decision, a multiple of %d, the number of classes", classes)
	}
	choices := len(costs) / classes
	for i, c := range costs {
		if c-c != 0 {
			return nil, nil, badArgument(fmt.Sprintf("costs[%d][%d]", i/choices, i%choices), c, "finite numbers")
		}
	}
	j, err := m.job(x, o)
	if err != nil {
		return nil, nil, err
	}
	decisions, expected = make([]int, x.Rows()), make([]float64, x.Rows())
	m.predictor.Scores(j, nil, func(first int, scores []float64) {
		m.softmax(j.Kernels, scores)
		rows := len(scores) / classes
		metric.LeastCosts(scores, classes, costs, decisions[first:first+rows], expected[first:first+rows])
	})
	return decisions, expected, nil
}
