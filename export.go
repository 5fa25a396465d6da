package aoso

import (
	"io"

	"github.com/libaoso/aoso/internal/export"
)

// WriteONNX writes the model for ONNX runtimes, as one TreeEnsembleClassifier
// of ai.onnx.ml 3. Its input X is rows × features
// of float32, NaN for missing; its outputs are label, by row, and
// probabilities, rows × classes of float32. Labels are int64 where all classes
// are written as such, else strings. The model needs at least two classes.
func (m *Model) WriteONNX(w io.Writer) error {
	if err := m.checkExport(); err != nil {
		return err
	}
	return export.ONNX(w, m.exported())
}

// WriteLightGBM writes the model in LightGBM's text format, for LightGBM and
// what else reads it: with a tree for each class in every iteration. Raw
// scores are the same, but those of a model with a temperature are divided by
// it. Characters of feature names that LightGBM does not take become _. It
// needs at least two classes.
func (m *Model) WriteLightGBM(w io.Writer) error {
	if err := m.checkExport(); err != nil {
		return err
	}
	return export.LightGBM(w, m.exported())
}

func (m *Model) checkExport() error {
	if len(m.classes) < 2 {
		return badArgument("classes", len(m.classes), "at least 2, for this format")
	}
	return nil
}

// checkTree tells whether the model has a tree.
func (m *Model) checkTree(tree int) error {
	if tree < 0 || tree >= m.Trees() {
		return badArgument("tree", tree, "at least 0 and below %d, the trees of the model", m.Trees())
	}
	return nil
}

func (m *Model) exported() *export.Model {
	return &export.Model{Forest: m.forest, Classes: m.classes, Features: m.names, Temperature: m.Temperature()}
}
