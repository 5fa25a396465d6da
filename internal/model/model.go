package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/conformal"
	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/spec"
)

// Model is a trained model, as its file holds it.
type Model struct {
	Header
	Encoder *category.Encoder // encodes features as the columns that splits are on; nil: the columns are the features
	Forest  *Forest
	Params  json.RawMessage   // a JSON object: the training parameters by name
	Scores  *conformal.Scores // for prediction sets; nil: none

	Named     bool   // the feature names were given, not generated
	LabelName string // of the column of the labels in the training data; "": unknown
	LabelType string // type of labels in the program that trained the model; "": unknown
}

// Header is a model without its trees.
type Header struct {
	Method            spec.Method `json:"method"`
	Leaf              string      `json:"leaf"`
	Pairs             int         `json:"pairs"`
	LeafClasses       int         `json:"leaf_classes,omitempty"` // number of classes that a sparse leaf has values for
	TreesPerIteration int         `json:"trees_per_iteration"`
	Classes           []string    `json:"classes,omitempty"`
	Features          []string    `json:"features,omitempty"`
	Temperature       float64     `json:"temperature,omitempty"` // 0: none
}

// New returns the model of a forest, without a temperature and scores for prediction sets.
func New(method spec.Method, f *Forest, classes, features []string, e *category.Encoder) *Model {
	return &Model{
		Header: Header{
			Method: method, Leaf: f.LeafKind(), LeafClasses: f.Named(), Pairs: f.Pairs(), TreesPerIteration: TreesPerIteration(method, len(classes)),
			Classes: classes, Features: features,
		},
		Encoder: e, Forest: f,
	}
}

// WithForest returns the model with other trees, to which no temperature and no scores were
// fitted.
func (m *Model) WithForest(f *Forest) *Model {
	other := New(m.Method, f, m.Classes, m.Features, m.Encoder)
	other.Params, other.Named, other.LabelName, other.LabelType = m.Params, m.Named, m.LabelName, m.LabelType
	return other
}

// mostNamed is the most names of classes, or of features, in the header of a file. Longer lists
// are arrays.
const mostNamed = 256

// Categories returns the categories of each feature, nil for a numeric one.
func (m *Model) Categories() [][]string {
	categories := make([][]string, len(m.Features))
	if m.Encoder != nil {
		for j := range categories {
			categories[j] = m.Encoder.Features[j].Categories
		}
	}
	return categories
}

// Crossed reports whether the model has crosses of features.
func (m *Model) Crossed() bool { return m.Encoder != nil && len(m.Encoder.Crosses) > 0 }

// LinearFeatures returns the features in the linear scores, in their order.
func (m *Model) LinearFeatures() (features []int) {
	l := m.Forest.Linear()
	if l == nil {
		return nil
	}
	owners := m.Encoder.Owners()
	for t := range l.Terms() {
		column := l.Column(t)
		if owners == nil {
			features = append(features, column)
		} else {
			features = append(features, int(owners[column][0]), int(owners[column][1]))
		}
	}
	slices.Sort(features)
	return slices.Compact(features)
}

// Training methods.
const (
	AOSO       spec.Method = "aoso"
	ABC        spec.Method = "abc"
	LogitBoost spec.Method = "logitboost"
)

// Limits of a model.
const (
	MinTemperature = 1.0 / 64
	MaxTemperature = 64

	MostLeafClasses = 63
)

// TreesPerIteration returns the number of trees that an iteration of a method adds.
func TreesPerIteration(method spec.Method, classes int) int {
	switch method {
	case ABC:
		return max(classes-1, 1)
	case LogitBoost:
		return classes
	}
	return 1
}

// LeafKind returns the kind of leaves that a forest has: "full", "sparse" or "pair".
func (f *Forest) LeafKind() string {
	switch {
	case f.full:
		return "full"
	case f.named > 0:
		return "sparse"
	}
	return "pair"
}

// check returns an error if the header is invalid.
func (h *Header) check() error {
	if err := modelio.CheckNames("classes", h.Classes, modelio.MaxClasses); err != nil {
		return err
	}
	switch {
	case len(h.Features) == 0:
		return errors.New("there are no features")
	case h.Method != AOSO && h.Method != ABC && h.Method != LogitBoost:
		return fmt.Errorf("method is %q", h.Method)
	case h.Leaf != "pair" && (h.Leaf != "full" && h.Leaf != "sparse" || h.Method != AOSO):
		return fmt.Errorf("leaf is %q for method %s", h.Leaf, h.Method)
	case h.LeafClasses < 0 || h.LeafClasses > MostLeafClasses || (h.LeafClasses > 0) != (h.Leaf == "sparse"):
		return fmt.Errorf("leaf_classes is %d with leaf %s", h.LeafClasses, h.Leaf)
	case h.Pairs != 1 && (h.Pairs != 2 && h.Pairs != 4 && h.Pairs != 8 || h.Method != AOSO):
		return fmt.Errorf("pairs is %d for method %s", h.Pairs, h.Method)
	case h.Temperature != 0 && !(h.Temperature >= MinTemperature && h.Temperature <= MaxTemperature):
		return fmt.Errorf("temperature is %v", h.Temperature)
	}
	if due := TreesPerIteration(h.Method, len(h.Classes)); h.TreesPerIteration != due {
		return fmt.Errorf("trees_per_iteration is %d in place of %d", h.TreesPerIteration, due)
	}
	return nil
}
