package export

import (
	"cmp"
	"iter"

	"github.com/libaoso/aoso/internal/model"
)

// addScores adds the operators of a model with linear scores, in double. An ensemble with a tree
// for each term looks up the places of a row, and a matrix product makes linear scores of them.
// Scores of trees are sums in double, which the operator rounds to float32.
func addScores(graph *message, m *model.Model, columns string, threshold placing, labels onnxLabels) {
	linear, temperature := m.Forest.Linear(), cmp.Or(m.Temperature, 1)
	divided := func(numbers []float32) (all []float64) {
		for _, x := range numbers {
			all = append(all, float64(x)/temperature)
		}
		return all
	}
	addRegressor(graph, scoreTrees(m, threshold), columns, "trees", divided(linear.Bias()))
	scores := "trees"
	if terms := linear.Terms(); terms > 0 {
		var weights []float64
		for t := range terms {
			weights = append(weights, divided(linear.Weights(t))...)
		}
		places := newEnsemble(m, threshold, linear.PlaceTrees(), func(tree int, leaf model.Leaf) iter.Seq2[int, float64] {
			return func(yield func(int, float64) bool) { yield(tree, float64(leaf.Values()[0])) }
		})
		addRegressor(graph, places, columns, "places", make([]float64, terms))
		graph.addDoubles(5, "weights", weights, terms, len(m.Classes))
		graph.operator("Gemm", []string{"places", "weights", "trees"}, "scores", nil)
		scores = "scores"
	}
	labels.addTensor(graph, "labels")
	last := func(node *message) { node.intAttribute("axis", 1) }
	graph.operator("ArgMax", []string{scores}, "best", func(node *message) {
		last(node)
		node.intAttribute("keepdims", 0)
	})
	graph.operator("Gather", []string{"labels", "best"}, "label", nil)
	graph.operator("Softmax", []string{scores}, "softmax", last)
	graph.cast("softmax", "probabilities", tensorFloat)
}

// addRegressor adds an ensemble that computes a number for each target, and casts them to double.
func addRegressor(graph *message, e *ensemble, columns, output string, base []float64) {
	single := output + "32"
	graph.operatorOf(domainML, "TreeEnsembleRegressor", []string{columns}, []string{single}, func(node *message) {
		e.addTo(node, "target")
		node.intAttribute("n_targets", int64(len(base)))
		node.doublesAttribute("base_values_as_tensor", base)
	})
	graph.cast(single, output, tensorDouble)
}
