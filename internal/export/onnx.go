package export

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
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

// onnx writes a model as a TreeEnsembleClassifier of ai.onnx.ml 3: input X, rows × features of
// float32, NaN missing; outputs label, by row, and probabilities, rows × classes of float32.
// Labels are int64 if all classes are integers, else strings.
//
// A tree stays one tree, whose leaves have a weight for each class that they change. X is cast
// to double, which makes the operator compare and add in double: all rows reach the same leaves
// as here, and sums over thousands of trees lose nothing. Linear scores become trees.
//
// A category is encoded as its position, and any other number is a category that training did
// not have. A split on a set of categories becomes a chain of nodes. Target encodings come from
// tables, as additional columns.
func onnx(w io.Writer, m *model.Model) error {
	m, err := treesOnly(m, "onnx")
	if err != nil {
		return err
	}
	labels, labelType := onnxLabels(m.Classes)
	var file message
	file.integer(1, 8) // ir_version
	file.text(2, "aoso")
	if m.Encoder != nil {
		file.text(6, onnxHelp)
	}
	file.message(7, func(graph *message) {
		graph.cast("X", "X64", tensorDouble)
		columns := addRates(graph, m, "X64")
		graph.message(1, func(node *message) {
			node.text(1, columns)
			node.text(2, "label")
			node.text(2, "probabilities")
			node.text(4, "TreeEnsembleClassifier")
			newEnsemble(m).addTo(node)
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
	if m.Encoder != nil {
		categories, err := json.Marshal(m.Categories())
		if err != nil {
			return err
		}
		file.message(14, func(entry *message) {
			entry.text(1, "categories")
			entry.text(2, string(categories))
		})
	}
	if len(file) > math.MaxInt32 {
		return fmt.Errorf("the model would have %d bytes in ONNX, which has room for %d", len(file), math.MaxInt32)
	}
	_, err = w.Write(file)
	return err
}

// onnxHelp tells the reader of a model with categories what to pass.
const onnxHelp = "A value of a categorical feature is the position of the category in the feature's list in the metadata " +
	"\"categories\", NaN if it is missing, and the length of the list if the list does not have it."

// operator adds a node to a graph.
func (m *message) operator(kind string, inputs []string, output string, attributes func(node *message)) {
	m.message(1, func(node *message) {
		for _, input := range inputs {
			node.text(1, input)
		}
		node.text(2, output)
		node.text(4, kind)
		if attributes != nil {
			attributes(node)
		}
	})
}

// cast adds a node that converts numbers.
func (m *message) cast(input, output string, typ int64) {
	m.operator("Cast", []string{input}, output, func(node *message) { node.intAttribute("to", typ) })
}

// addOpset adds a set of operators to a model.
func (m *message) addOpset(domain string, version int64) {
	m.message(8, func(m *message) {
		m.text(1, domain)
		m.integer(2, version)
	})
}

// addValue adds an input or output to a graph, with a row for each of X: a matrix of the given
// number of columns, or without columns a vector.
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

func (m *message) intAttribute(name string, v int64) {
	m.attribute(name, attributeInt, func(m *message) { m.integer(3, v) })
}

func (m *message) intsAttribute(name string, v []int64) {
	m.attribute(name, attributeInts, func(m *message) { m.integers(8, v) })
}

func (m *message) doublesAttribute(name string, v []float64) {
	m.attribute(name, attributeTensor, func(m *message) { m.addDoubles(5, name, v, len(v)) })
}

// addDoubles adds a tensor of the given shape.
func (m *message) addDoubles(field int, name string, v []float64, shape ...int) {
	m.message(field, func(tensor *message) {
		for _, n := range shape {
			tensor.integer(1, int64(n))
		}
		tensor.integer(2, tensorDouble)
		tensor.text(8, name)
		tensor.doubles(10, v)
	})
}

// addInteger adds a tensor of one number.
func (m *message) addInteger(field int, name string, v int64) {
	m.message(field, func(tensor *message) {
		tensor.integer(2, tensorInt64)
		tensor.integers(7, []int64{v})
		tensor.text(8, name)
	})
}

func (m *message) stringsAttribute(name string, v []string) {
	m.attribute(name, attributeStrings, func(m *message) {
		for _, s := range v {
			m.text(9, s)
		}
	})
}

// onnxLabels returns the attribute of the classes, and the type of labels.
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
