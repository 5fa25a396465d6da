package export

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/libaoso/aoso/internal/model"
)

func init() {
	for _, f := range []struct {
		name, numbers string
		input         int64
	}{{"onnx", "float32", tensorFloat}, {"onnx_double", "float64", tensorDouble}} {
		register(Format{
			Name:       f.name,
			Help:       "a TreeEnsemble for ONNX runtimes, from " + f.numbers + " features to labels and probabilities",
			MinClasses: 2,
			Binary:     true,
			Crosses:    true,
			write:      func(w io.Writer, m *model.Model, _ int) error { return onnx(w, m, f.input) },
		})
	}
}

const domainML = "ai.onnx.ml" // of operators with trees

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

// onnx writes a model as a TreeEnsembleClassifier of ai.onnx.ml 3: input X, rows × features, NaN
// missing; outputs label, by row, and probabilities, rows × classes of float32. Labels are int64 if
// all classes are integers, else strings.
//
// A tree stays one tree, whose leaves have a weight for each class that they change. X in double
// makes the operator compare and add in double. X in float32 is cast to that, and thresholds are
// placed for it.
//
// A category is encoded as its position, and any other number is a category that training did
// not have. A split on a set of categories becomes a chain of nodes. Target encodings come from
// tables, as additional columns.
func onnx(w io.Writer, m *model.Model, input int64) error {
	var file message
	file.integer(1, 8) // ir_version
	file.text(2, "aoso")
	if m.Encoder != nil {
		file.text(6, onnxHelp)
	}
	labels := newONNXLabels(m.Classes)
	file.message(7, func(graph *message) {
		x, place := "X", placing(exactThreshold)
		if input == tensorFloat {
			graph.cast("X", "X64", tensorDouble)
			x, place = "X64", threshold
		}
		columns := addCrosses(graph, m, x, addRates(graph, m, x))
		if m.Forest.Linear() == nil {
			addClassifier(graph, m, columns, place, labels)
		} else {
			addScores(graph, m, columns, place, labels)
		}
		graph.text(2, "aoso")
		addValue(graph, 11, "X", input, len(m.Features))
		addValue(graph, 12, "label", labels.typ())
		addValue(graph, 12, "probabilities", tensorFloat, len(m.Classes))
	})
	file.addOpset("", 15)
	file.addOpset(domainML, 3)
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
	_, err := w.Write(file)
	return err
}

// onnxHelp tells the reader of a model with categories what to pass.
const onnxHelp = "A value of a categorical feature is the position of the category in the feature's list in the metadata " +
	"\"categories\", NaN if it is missing, and the length of the list if the list does not have it."

// operator adds a node to a graph.
func (m *message) operator(kind string, inputs []string, output string, attributes func(node *message)) {
	m.operatorOf("", kind, inputs, []string{output}, attributes)
}

// operatorOf adds a node with an operator of a domain.
func (m *message) operatorOf(domain, kind string, inputs, outputs []string, attributes func(node *message)) {
	m.message(1, func(node *message) {
		for _, input := range inputs {
			node.text(1, input)
		}
		for _, output := range outputs {
			node.text(2, output)
		}
		node.text(4, kind)
		if attributes != nil {
			attributes(node)
		}
		if domain != "" {
			node.text(7, domain)
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

// addInteger adds a tensor of one number, which has a shape or is a scalar.
func (m *message) addInteger(field int, name string, v int64, shape ...int) {
	m.message(field, func(tensor *message) {
		for _, n := range shape {
			tensor.integer(1, int64(n))
		}
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

// onnxLabels are the classes: integers if all are, else strings.
type onnxLabels struct {
	numbers []int64
	texts   []string
}

func newONNXLabels(classes []string) onnxLabels {
	if numbers := wholeNumbers(classes); numbers != nil {
		return onnxLabels{numbers: numbers}
	}
	return onnxLabels{texts: classes}
}

// typ returns the type of a label.
func (l onnxLabels) typ() int64 {
	if l.numbers != nil {
		return tensorInt64
	}
	return tensorString
}

// addTo adds the labels to a classifier's node.
func (l onnxLabels) addTo(node *message) {
	if l.numbers != nil {
		node.intsAttribute("classlabels_int64s", l.numbers)
	} else {
		node.stringsAttribute("classlabels_strings", l.texts)
	}
}

// addTensor adds the labels to a graph, as a tensor.
func (l onnxLabels) addTensor(graph *message, name string) {
	graph.message(5, func(tensor *message) {
		tensor.integer(1, int64(len(l.numbers)+len(l.texts)))
		tensor.integer(2, l.typ())
		for _, text := range l.texts {
			tensor.text(6, text)
		}
		if l.numbers != nil {
			tensor.integers(7, l.numbers)
		}
		tensor.text(8, name)
	})
}
