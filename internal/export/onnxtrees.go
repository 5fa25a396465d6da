package export

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/model"
)

// ensemble holds the attributes of trees, by their ONNX names.
type ensemble struct {
	model     *model.Model
	threshold placing

	trees, ids, features, lefts, rights, missing []int64
	thresholds                                   []float64
	modes                                        []string

	weightTrees, weightIDs, weightTargets []int64
	weights                               []float64
}

// newEnsemble returns the trees of a forest, whose leaves have the given weights for some targets.
func newEnsemble(m *model.Model, threshold placing, f *model.Forest, weights func(tree int, leaf model.Leaf) iter.Seq2[int, float64]) *ensemble {
	e := &ensemble{model: m, threshold: threshold}
	for t, tree := range f.All() {
		e.addTree(int64(t), tree, func(leaf model.Leaf) iter.Seq2[int, float64] { return weights(t, leaf) })
	}
	if f.Trees() == 0 { // the operators need a tree
		e.add(0, 0, onnxTest{mode: "LEAF"})
		e.addWeight(0, 0, 0, 0)
	}
	return e
}

// scoreTrees returns the trees of a model, whose targets are the scores of classes.
func scoreTrees(m *model.Model, threshold placing) *ensemble {
	temperature := cmp.Or(m.Temperature, 1)
	return newEnsemble(m, threshold, m.Forest, func(_ int, leaf model.Leaf) iter.Seq2[int, float64] {
		return func(yield func(int, float64) bool) {
			for k, v := range onnxWeights(leaf, len(m.Classes)) {
				if !yield(k, v/temperature) {
					return
				}
			}
		}
	})
}

// addTree adds a tree. Its leaves are numbered after our nodes, and additional nodes of chains
// after the leaves.
func (e *ensemble) addTree(number int64, tree model.Tree, weights func(model.Leaf) iter.Seq2[int, float64]) {
	nodes := int64(tree.NumNodes())
	child := func(c model.Child) int64 {
		if c.IsLeaf() {
			return nodes + int64(c.Leaf())
		}
		return int64(c)
	}
	next := nodes + int64(tree.NumLeaves())
	for i, n := range tree.Nodes() {
		tests := e.tests(n.Split(), child(n.Left()), child(n.Right()))
		id := int64(i)
		for k, test := range tests {
			if k < len(tests)-1 {
				test.no = next
				next++
			}
			e.add(number, id, test)
			id = test.no
		}
	}
	for i, leaf := range tree.Leaves() {
		id := nodes + int64(i)
		e.add(number, id, onnxTest{mode: "LEAF"})
		for target, v := range weights(leaf) {
			e.addWeight(number, id, target, v)
		}
	}
}

func (e *ensemble) addWeight(tree, id int64, target int, weight float64) {
	e.weightTrees, e.weightIDs = append(e.weightTrees, tree), append(e.weightIDs, id)
	e.weightTargets, e.weights = append(e.weightTargets, int64(target)), append(e.weights, weight)
}

// onnxTest is a node of ONNX.
type onnxTest struct {
	mode       string
	feature    int64
	threshold  float64
	missingYes bool
	yes, no    int64 // the nodes to go to
}

func (e *ensemble) add(tree, id int64, t onnxTest) {
	missing := int64(0)
	if t.missingYes {
		missing = 1
	}
	e.trees, e.ids = append(e.trees, tree), append(e.ids, id)
	e.features, e.thresholds = append(e.features, t.feature), append(e.thresholds, t.threshold)
	e.modes, e.missing = append(e.modes, t.mode), append(e.missing, missing)
	e.lefts, e.rights = append(e.lefts, t.yes), append(e.rights, t.no)
}

// tests returns a split as a chain of tests: the next one where the one before says no. A set is
// compared category by category, on the side where categories unknown to training do not go.
func (e *ensemble) tests(s model.Split, left, right int64) []onnxTest {
	sides := e.model.Sides(s)
	if sides == nil || s.Set() == nil {
		return []onnxTest{{"BRANCH_LT", int64(s.Feature), e.threshold(e.model, s), s.MissingLeft, left, right}}
	}
	yes, no := left, right
	if sides.UnseenLeft {
		yes, no = right, left
	}
	test := onnxTest{"BRANCH_EQ", int64(sides.Feature), 0, sides.MissingLeft != sides.UnseenLeft, yes, no}
	var tests []onnxTest
	for _, category := range sides.Members(!sides.UnseenLeft) {
		test.threshold = float64(category)
		tests = append(tests, test)
	}
	if tests == nil { // only missing values can go another way
		test.mode, test.threshold = "BRANCH_LT", math.Inf(-1)
		tests = append(tests, test)
	}
	return tests
}

// addTo adds the trees to the node of an operator, in whose attributes weights are of the given
// kind.
func (e *ensemble) addTo(node *message, kind string) {
	node.intsAttribute("nodes_treeids", e.trees)
	node.intsAttribute("nodes_nodeids", e.ids)
	node.intsAttribute("nodes_featureids", e.features)
	node.stringsAttribute("nodes_modes", e.modes)
	node.doublesAttribute("nodes_values_as_tensor", e.thresholds)
	node.intsAttribute("nodes_truenodeids", e.lefts)
	node.intsAttribute("nodes_falsenodeids", e.rights)
	node.intsAttribute("nodes_missing_value_tracks_true", e.missing)
	node.intsAttribute(kind+"_treeids", e.weightTrees)
	node.intsAttribute(kind+"_nodeids", e.weightIDs)
	node.intsAttribute(kind+"_ids", e.weightTargets)
	node.doublesAttribute(kind+"_weights_as_tensor", e.weights)
}

// addClassifier adds the operator of a model without linear scores.
func addClassifier(graph *message, m *model.Model, columns string, threshold placing, labels onnxLabels) {
	graph.operatorOf(domainML, "TreeEnsembleClassifier", []string{columns}, []string{"label", "probabilities"}, func(node *message) {
		scoreTrees(m, threshold).addTo(node, "class")
		if classes := len(m.Classes); classes > 2 { // else a class that a row's leaves do not change has no score at all
			node.doublesAttribute("base_values_as_tensor", make([]float64, classes))
		}
		node.attribute("post_transform", attributeString, func(m *message) { m.text(4, "SOFTMAX") })
		labels.addTo(node)
	})
}

// onnxWeights returns what a leaf adds to the scores of classes. For two classes the operator
// reads only the second's score, so theirs are made to sum to zero, which changes no
// probability.
func onnxWeights(leaf model.Leaf, classes int) iter.Seq2[int, float64] {
	if classes != 2 {
		return leaf.Scores()
	}
	half := 0.0
	for k, v := range leaf.Scores() {
		half += (float64(k) - 0.5) * v
	}
	return slices.All([]float64{-half, half})
}
