package aoso

import (
	"cmp"
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

// ExportOptions say what [Model.Export] writes. The zero value is the default.
type ExportOptions struct {
	Trees int // use only the first trees; 0: all
	Tree  int // of a format that shows one tree: its number, from 0

	Force bool // write a file of more than 100 MB where trees stand for linear scores
}

// Export writes the model in one of the [ExportFormats], such as "onnx". The chapter on export
// formats describes each.
//
// The formats lightgbm and treelite have no linear scores: trees of all classes
// stand for them, whose values are rounded to float32. Raw scores may then differ
// by about a millionth. More than 100 MB of them are an error without Force.
func (m *Model) Export(w io.Writer, format string, options ...ExportOptions) error {
	o := last(options)
	var names []string
	for _, f := range export.Formats() {
		if names = append(names, f.Name); f.Name != format {
			continue
		}
		if len(m.content.Classes) < f.MinClasses {
			return badArgument("classes", len(m.content.Classes), "at least %d, for format %s", f.MinClasses, format)
		}
		if o.Trees < 0 || o.Trees > m.Trees() {
			return badArgument("trees", o.Trees, "0 to %d, the trees of the model", m.Trees())
		}
		if trees := cmp.Or(o.Trees, m.Trees()); f.OneTree && (o.Tree < 0 || o.Tree >= trees) {
			return badArgument("tree", o.Tree, "at least 0 and below %d, the trees of the model", trees)
		}
		if !f.OneTree && o.Tree != 0 {
			return badArgument("tree", o.Tree, "0, because format %s shows all trees", format)
		}
		if o.Trees != 0 && o.Trees != m.Trees() {
			m = m.with(m.content.Forest.Truncated(o.Trees))
		}
		return public(f.Write(w, &m.content, o.Tree, o.Force))
	}
	return badArgument("format", format, "%s", strings.Join(names, ", "))
}
