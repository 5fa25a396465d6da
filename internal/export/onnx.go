package export

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/libaoso/aoso/internal/model"
)

func init() {
	register(Format{
		Name:       "onnx",
		Help:       "a TreeEnsembleClassifier for ONNX runtimes, from float32 features to labels and probabilities",
		MinClasses: 2,
		Binary:     true,
		write:      func(w io.Writer, m *model.Model, _ int) error { return onnx(w, m) },
	})
}

// The numbers are those of onnx.proto.
const (
	attributeInt     = 2
	attributeString  = 3
	attributeTensor  = 4
	attributeInts    = 7
	attributeStrings = 8

	tensorFloat  = 1
	tensorInt64  = 7
	tensorString = 8
	tensorDouble = 11
)

// onnx writes a model as a TreeEnsembleClassifier of ai.onnx.ml 3: input X,
// rows × features of float32, NaN missing; outputs label, by row, and
// probabilities, rows × classes of float32. Labels are int64 where all classes
// are such numbers, else strings.
//
// A tree stays one tree, whose leaves have a weight for each class that they
// move. X is cast to double, which makes the operator compare and add in
// double: all rows go their ways as here, and sums over thousands of trees
// lose nothing.
func onnx(w io.Writer, m *model.Model) error {
	labels, labelType := onnxLabels(m.Classes)
	var file message
	file.integer(1, 8) // ir_version
	file.text(2, "aoso")
	file.message(7, func(graph *message) {
		graph.message(1, func(node *message) {
			node.text(1, "X")
			node.text(2, "X64")
			node.text(4, "Cast")
			node.attribute("to", attributeInt, func(m *message) { m.integer(3, tensorDouble) })
		})
		graph.message(1, func(node *message) {
			node.text(1, "X64")
			node.text(2, "label")
			node.text(2, "probabilities")
			node.text(4, "TreeEnsembleClassifier")
			addEnsemble(node, m)
			labels(node)
			node.text(7, "ai.onnx.ml")
		})
		graph.text(2, "aoso")
		addValue(graph, 11, "X", tensorFloat, len(m.Features))
		addValue(graph, 12, "label", labelType)
		addValue(graph, 12, "probabilities", tensorFloat, len(m.Classes))
	})
	file.addOpset("", 15)
	file.addOpset("ai.onnx.ml", 3)
	if len(file) > math.MaxInt32 {
		return fmt.Errorf("the model would have %d bytes in ONNX, which has room for %d", len(file), math.MaxInt32)
	}
	_, err := w.Write(file)
	return err
}

// addOpset adds a set of operators to a model.
func (m *message) addOpset(domain string, version int64) {
	m.message(8, func(m *message) {
		m.text(1, domain)
		m.integer(2, version)
	})
}

// addValue adds an input or output to a graph: a matrix of so many columns, or
// without them a vector, a row for each of X.
func addValue(graph *message, field int, name string, elem int64, columns ...int) {
	graph.message(field, func(value *message) {
		value.text(1, name)
		value.message(2, func(typ *message) {
			typ.message(1, func(tensor *message) {
				tensor.integer(1, elem)
				tensor.message(2, func(shape *message) {
					shape.message(1, func(rows *message) { rows.text(2, "rows") })
					for _, n := range columns {
						shape.message(1, func(dim *message) { dim.integer(1, int64(n)) })
					}
				})
			})
		})
	})
}

// attribute adds an attribute to a node.
func (m *message) attribute(name string, typ int64, fill func(*message)) {
	m.message(5, func(m *message) {
		m.text(1, name)
		fill(m)
		m.integer(20, typ)
	})
}

func (m *message) intsAttribute(name string, v []int64) {
	m.attribute(name, attributeInts, func(m *message) { m.integers(8, v) })
}

func (m *message) doublesAttribute(name string, v []float64) {
	m.attribute(name, attributeTensor, func(m *message) {
		m.message(5, func(tensor *message) {
			tensor.integer(1, int64(len(v)))
			tensor.integer(2, tensorDouble)
			tensor.text(8, name)
			tensor.doubles(10, v)
		})
	})
}

func (m *message) stringsAttribute(name string, v []string) {
	m.attribute(name, attributeStrings, func(m *message) {
		for _, s := range v {
			m.text(9, s)
		}
	})
}

// onnxLabels is the attribute of the classes, and the type of labels.
func onnxLabels(classes []string) (add func(node *message), typ int64) {
	numbers := make([]int64, len(classes))
	for k, class := range classes {
		v, err := strconv.ParseInt(class, 10, 64)
		if err != nil || strconv.FormatInt(v, 10) != class {
			return func(node *message) { node.stringsAttribute("classlabels_strings", classes) }, tensorString
		}
		numbers[k] = v
	}
	return func(node *message) { node.intsAttribute("classlabels_int64s", numbers) }, tensorInt64
}

// addEnsemble adds the trees to a node. Within a tree, leaves are numbered
// after nodes.
func addEnsemble(node *message, m *model.Model) {
	var trees, ids, features, lefts, rights, missing []int64
	var thresholds, weights []float64
	var modes []string
	var weightTrees, weightIDs, weightClasses []int64
	temperature := cmp.Or(m.Temperature, 1)
	for t, tree := range m.Forest.All() {
		nodes := int64(tree.NumNodes())
		child := func(c model.Child) int64 {
			if c.IsLeaf() {
				return nodes + int64(c.Leaf())
			}
			return int64(c)
		}
		for i, n := range tree.Nodes() {
			split, missingLeft := n.Split(), int64(0)
			if split.MissingLeft {
				missingLeft = 1
			}
			trees, ids = append(trees, int64(t)), append(ids, int64(i))
			features, thresholds = append(features, int64(split.Feature)), append(thresholds, split.Threshold())
			modes, missing = append(modes, "BRANCH_LT"), append(missing, missingLeft)
			lefts, rights = append(lefts, child(n.Left())), append(rights, child(n.Right()))
		}
		for i, leaf := range tree.Leaves() {
			id := nodes + int64(i)
			trees, ids = append(trees, int64(t)), append(ids, id)
			features, thresholds = append(features, 0), append(thresholds, 0)
			modes, missing = append(modes, "LEAF"), append(missing, 0)
			lefts, rights = append(lefts, 0), append(rights, 0)
			for k, v := range onnxWeights(leaf, len(m.Classes)) {
				weightTrees, weightIDs = append(weightTrees, int64(t)), append(weightIDs, id)
				weightClasses, weights = append(weightClasses, int64(k)), append(weights, v/temperature)
			}
		}
	}
	node.intsAttribute("nodes_treeids", trees)
	node.intsAttribute("nodes_nodeids", ids)
	node.intsAttribute("nodes_featureids", features)
	node.stringsAttribute("nodes_modes", modes)
	node.doublesAttribute("nodes_values_as_tensor", thresholds)
	node.intsAttribute("nodes_truenodeids", lefts)
	node.intsAttribute("nodes_falsenodeids", rights)
	node.intsAttribute("nodes_missing_value_tracks_true", missing)
	node.intsAttribute("class_treeids", weightTrees)
	node.intsAttribute("class_nodeids", weightIDs)
	node.intsAttribute("class_ids", weightClasses)
	node.doublesAttribute("class_weights_as_tensor", weights)
	if len(m.Classes) > 2 { // or a class that a row's leaves do not move has no score at all
		node.doublesAttribute("base_values_as_tensor", make([]float64, len(m.Classes)))
	}
	node.attribute("post_transform", attributeString, func(m *message) { m.text(4, "SOFTMAX") })
}

// onnxWeights is what a leaf adds to the scores of classes. Of two classes the
// operator looks at the second's score alone, so theirs are made to sum to
// zero, which no probability depends on.
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
