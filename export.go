package aoso

import (
	"io"
	"strings"

	"github.com/libaoso/aoso/internal/export"
)

// ExportFormat describes a format that [Model.Export] writes.
type ExportFormat struct {
	Name    string `json:"name"`     // for [Model.Export]
	Help    string `json:"help"`     // one line
	OneTree bool   `json:"one_tree"` // it shows one tree only
	Binary  bool   `json:"binary"`   // it is not text
}

// ExportFormats lists the formats that [Model.Export] writes.
func ExportFormats() []ExportFormat {
	var list []ExportFormat
	for _, f := range export.Formats() {
		list = append(list, ExportFormat{f.Name, f.Help, f.OneTree, f.Binary})
	}
	return list
}

// Export writes the model in one of the [ExportFormats]. tree, counted from 0,
// is the tree that a format of one tree shows; for other formats it must be 0.
//
// Formats for other programs have no linear scores: trees of all classes stand
// for them, whose values are rounded to float32. Raw scores may then differ by
// about a millionth. Where the trees would be too large, it is an error.
func (m *Model) Export(w io.Writer, format string, tree int) error {
	var names []string
	for _, f := range export.Formats() {
		if names = append(names, f.Name); f.Name != format {
			continue
		}
		if len(m.content.Classes) < f.MinClasses {
			return badArgument("classes", len(m.content.Classes), "at least %d, for format %s", f.MinClasses, format)
		}
		if f.OneTree {
			if err := m.checkTree(tree); err != nil {
				return err
			}
		} else if tree != 0 {
			return badArgument("tree", tree, "0, because format %s shows all trees", format)
		}
		return f.Write(w, &m.content, tree)
	}
	return badArgument("format", format, "%s", strings.Join(names, ", "))
}

// WriteONNX writes the model for ONNX runtimes, as one TreeEnsembleClassifier
// of ai.onnx.ml 3. Its input X is rows × features
// of float32, NaN for missing; its outputs are label, by row, and
// probabilities, rows × classes of float32. Labels are int64 where all classes
// are written as such, else strings. The model needs at least two classes.
//
// A value of a categorical feature is its position in [Model.Categories], which the
// metadata "categories" has in JSON. Any other number is a category that training
// did not see.
func (m *Model) WriteONNX(w io.Writer) error { return m.Export(w, "onnx", 0) }

// WriteLightGBM writes the model in LightGBM's text format, for LightGBM and
// what else reads it: with a tree for each class in every iteration. Raw
// scores are the same, but those of a model with a temperature are divided by
// it, and those of one with linear scores differ by roundings. Characters of feature names that LightGBM does not take become _. It
// needs at least two classes.
//
// A value of a categorical feature is its position in [Model.Categories], and the
// number of these categories is one that training did not see. In a DataFrame,
// LightGBM finds the positions of names.
func (m *Model) WriteLightGBM(w io.Writer) error { return m.Export(w, "lightgbm", 0) }

// WriteDOT writes a tree, counted from 0, for Graphviz (dot -Tsvg): at each
// node the class pairs that it tells apart, at each leaf the classes that it
// moves most.
func (m *Model) WriteDOT(w io.Writer, tree int) error { return m.Export(w, "dot", tree) }

// Dump writes the first trees (0: all) as text, a line a node, with the class
// pairs that each node tells apart:
//
//	tree 0
//	  x.ege < 2.5  [A|L F|O]  missing right  gain 1043.2  rows 16000
//	    leaf  A +0.31  L -0.31  rows 12
//	    …
//
// Below a node come first the rows that go left, then the others. In names,
// characters that do not print are escaped, as in \x1b. A categorical split is
// "color in {blue, red}" or "color not in {green}", whichever is shorter, and
// unseen is the side of categories that the model does not list:
//
//	color in {blue, red}  [A|L]  missing right  unseen right  gain 12.5  rows 400
//
// For a model with linear scores, the first line names their features.
func (m *Model) Dump(w io.Writer, trees int) error {
	if trees < 0 || trees > m.Trees() {
		return badArgument("trees", trees, "0 to %d, the trees of the model", m.Trees())
	}
	if trees != 0 && trees != m.Trees() {
		m = m.with(m.content.Forest.Truncated(trees))
	}
	return m.Export(w, "text", 0)
}

// WriteJSON writes the model as JSON:
//
//	{"format": "aoso-json", "version": 1,
//	 "method": "aoso", "leaf": "full", "pairs": 4, "trees_per_iteration": 1,
//	 "classes": ["A", …], "features": ["x.box", …],
//	 "trees": [
//	  {"nodes": [{"feature": 7, "threshold": 2.5, "missing": "right", "left": 1, "right": -1,
//	              "gain": 1043.2, "rows": 16000, "pairs": [[0, 11], [5, 14]]}, …],
//	   "leaves": [{"rows": 12, "steps": [[0, 0.31], [11, -0.31]]}, …]},
//	  …]}
//
// Features and classes are given by number from 0. A row begins at node 0, or
// at leaf 0 of a tree without nodes. At a node it goes left if its feature is
// below the threshold (null: whatever it is), or if it is missing and missing
// says so. left and right are a node or, below zero, −1 − a leaf. A leaf adds
// its steps to the scores of classes. A pair of one class parts it from all
// others. A model with a temperature has it as "temperature".
//
// A model with categorical features has version 2, and "categories" lists the
// categories of each feature, null for a numeric one. Its nodes have
//
//	{"feature": 0, "categories": [0, 3], "unseen": "right", "missing": "left", …}
//
// in place of a threshold: categories by number, those that go left. unseen is the
// side of categories that the model does not list.
//
// A model with linear scores has version 3, with or without categorical features, and
//
//	"linear": {"bias": [−0.2, …], "terms": [
//	 {"feature": 7, "edges": [1.5, 2.5], "places": [−0.8, 0.3, 1.1], "weights": [0.4, …]}, …]}
//
// before the trees. The scores of a row begin with the bias of each class. A term adds a
// place times the weights of the classes. The place is the first one below the first edge,
// the next one from there to the second edge, and so on, and 0 for a missing value. A term of a
// categorical feature has no edges: its places are by category, and the last is that of
// categories that the model does not list. The sum, in double precision, is rounded to a
// multiple of 2⁻²⁴, and leaves add to that.
func (m *Model) WriteJSON(w io.Writer) error { return m.Export(w, "json", 0) }

// WriteTreeJSON writes a tree, counted from 0, as JSON: the element of "trees"
// that [Model.WriteJSON] writes.
func (m *Model) WriteTreeJSON(w io.Writer, tree int) error {
	if err := m.checkTree(tree); err != nil {
		return err
	}
	return export.TreeJSON(w, &m.content, m.content.Forest.Tree(tree))
}

// checkTree returns an error unless the model has a tree.
func (m *Model) checkTree(tree int) error {
	if tree < 0 || tree >= m.Trees() {
		return badArgument("tree", tree, "at least 0 and below %d, the trees of the model", m.Trees())
	}
	return nil
}
