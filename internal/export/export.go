// Package export writes models in formats that other programs read. Each format is a file of
// this package, which registers it.
package export

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/libaoso/aoso/internal/model"
)

// Format is a format for models.
type Format struct {
	Name       string
	Help       string // one line
	MinClasses int    // least number of classes of a model
	OneTree    bool   // shows one tree only
	Binary     bool   // not text

	write func(w io.Writer, m *model.Model, tree int) error
}

// Write writes a model, or one of its trees if the format shows only one.
func (f *Format) Write(w io.Writer, m *model.Model, tree int) error { return f.write(w, m, tree) }

// treesOnly returns the model with trees in place of linear scores, which the format lacks.
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

// Formats returns all formats by their names.
func Formats() []Format { return slices.Clone(formats) }
