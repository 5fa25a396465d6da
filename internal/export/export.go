// Package export writes models in forms that others read. Each format is a file
// of this package, which registers it.
package export

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/libaoso/aoso/internal/model"
)

// Format is a form of a model.
type Format struct {
	Name       string
	Help       string // one line
	MinClasses int    // that a model must have
	OneTree    bool   // it shows one tree only
	Binary     bool   // it is not text

	write func(w io.Writer, m *model.Model, tree int) error
}

// Write writes a model, or one of its trees if that is all that the format shows.
func (f *Format) Write(w io.Writer, m *model.Model, tree int) error { return f.write(w, m, tree) }

// treesOnly is a model without linear scores for a format that has none: trees stand for them.
func treesOnly(m *model.Model, format string) (*model.Model, error) {
	const most = 1 << 28 // leaf values
	f, ok := m.Forest.TreesOnly(most)
	if !ok {
		return nil, fmt.Errorf("format %s has no linear scores, and trees in their place would have more than %d leaf values: train with start=zero", format, most)
	}
	made := *m
	made.Forest = f
	return &made, nil
}

var formats []Format // by name

func register(f Format) {
	formats = append(formats, f)
	slices.SortFunc(formats, func(a, b Format) int { return cmp.Compare(a.Name, b.Name) })
}

// Formats is all formats by their names.
func Formats() []Format { return slices.Clone(formats) }
