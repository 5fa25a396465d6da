package aoso

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/forc"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/predict"
)

// Model is a trained model. It does not change, and any number of goroutines
// may use it at once.
type Model struct {
	content   model.Model // its Params are those below, for the file
	params    Params
	predictor *predict.Predictor
}

func newModel(content model.Model, params Params) *Model {
	return &Model{content, params, predict.New(content.Forest, predictionBytes())}
}

// checkFeatures returns an error unless a matrix has the model's features.
func (m *Model) checkFeatures(x Features) error {
	if err := checkFeatures(x); err != nil {
		return err
	}
	if x.Cols() != len(m.content.Features) {
		return badArgument("features", fmt.Sprintf("%d columns", x.Cols()), "%d columns, the features of the model", len(m.content.Features))
	}
	return nil
}

// columns checks features and makes columns of numbers of them.
func (m *Model) columns(x Features) (bin.Source, error) {
	if err := m.checkFeatures(x); err != nil {
		return nil, err
	}
	return encoded(m.content.Encoder, x, m.content.Features)
}

// Classes returns the labels of the classes, in the order of their numbers.
func (m *Model) Classes() []string { return slices.Clone(m.content.Classes) }

// LabelType returns the type that the labels had in the program that trained the model, such as "int8", if it noted
// it; else "". The Python package does.
func (m *Model) LabelType() string { return m.content.LabelType }

// LabelName returns the name of the column that the labels of the training data were in;
// "": unknown.
func (m *Model) LabelName() string { return m.content.LabelName }

func init() {
	forc.WithLabelType = func(m any, labelType string) (any, error) { return m.(*Model).withLabelType(labelType) }
	forc.Walked = func(p any) float64 { return p.(*RowPredictor).walkedShare() }
	forc.DefaultLevel = defaultLevel
}

func (m *Model) withLabelType(labelType string) (*Model, error) {
	if len(labelType) > maxLabelType || !utf8.ValidString(labelType) {
		return nil, badArgument("labelType", labelType, "at most %d bytes of UTF-8", maxLabelType)
	}
	noted := *m
	noted.content.LabelType = labelType
	return &noted, nil
}

const maxLabelType = 64

// FeatureNames returns the names of the features.
func (m *Model) FeatureNames() []string { return slices.Clone(m.content.Features) }

// Named reports whether the features were given names in training; otherwise these
// are generated: f0, f1, …. Columns of data with names should be matched by name only
// if the features have some.
func (m *Model) Named() bool { return m.content.Named }

// Categories returns the names of the categories of a feature, in order; nil: it is
// numeric.
func (m *Model) Categories(feature int) []string { return categoriesOf(m.content.Encoder, feature) }

// Crosses returns the names of the crosses of features that the model computes, such as
// "width - height".
func (m *Model) Crosses() (names []string) {
	if e := m.content.Encoder; e != nil {
		for _, c := range e.Crosses {
			names = append(names, c.Name(m.content.Features))
		}
	}
	return names
}

// FindCategory returns the position of a category of a feature, which stands for it in
// the rows of a [RowPredictor]. A category that the model does not know has the position
// after the last one; for a numeric feature, the result is -1. A missing value is NaN.
func (m *Model) FindCategory(feature int, name string) int {
	e := m.content.Encoder
	if e == nil || e.Features[feature].Categories == nil {
		return -1
	}
	categories := e.Features[feature].Categories
	if i := slices.Index(categories, name); i >= 0 {
		return i
	}
	return len(categories)
}

// Trees returns the number of trees.
func (m *Model) Trees() int { return m.content.Forest.Trees() }

// FirstTrees returns, by class, the number of the first tree that gives the class scores; −1: none does. A class that came
// when training was continued has a tree of one leaf there, with the constant score by which it began.
func (m *Model) FirstTrees() []int { return m.content.Forest.FirstTrees() }

// TreesPerIteration returns the number of trees that an iteration of boosting
// adds: 1 for aoso, K−1 for abc, K for logitboost.
func (m *Model) TreesPerIteration() int { return m.content.TreesPerIteration }

// Leaves returns the number of leaves of a tree.
func (m *Model) Leaves(tree int) int {
	return m.content.Forest.Tree(tree).NumLeaves()
}

// LinearFeatures returns the number of features in the linear scores that rows have before
// the first tree; 0: there are none.
func (m *Model) LinearFeatures() int { return len(m.content.LinearFeatures()) }

// Params returns the parameters that the model was trained with.
func (m *Model) Params() Params { return m.params }
