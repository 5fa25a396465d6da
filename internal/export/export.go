// Package export writes models in formats that other programs read. Each format is a file of
// this package, which registers it.
package export

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/libaoso/aoso/internal/argument"
	"github.com/libaoso/aoso/internal/model"
)

// Format is a format for models.
type Format struct {
	Name       string
	Help       string // one line
	MinClasses int    // least number of classes of a model
	OneTree    bool   // shows one tree only
	Binary     bool   // not text
	TreesOnly  bool   // has no linear scores: trees stand for them
	Crosses    bool   // has crosses of features

	write func(w io.Writer, m *model.Model, tree int) error
}

// mostBytes bounds the files with trees in place of linear scores. They can take hundreds of
// times the size of the model.
const mostBytes = 100e6

// Write writes a model, or one of its trees if the format shows only one. If trees stand for
// linear scores, and unless forced, it writes nothing beyond mostBytes.
func (f *Format) Write(w io.Writer, m *model.Model, tree int, force bool) error {
	if m.Crossed() && !f.Crosses {
		var able []string
		for _, f := range formats {
			if f.Crosses {
				able = append(able, f.Name)
			}
		}
		return argument.New("format", f.Name, "%s, for a model with feature crosses such as %s; training with crosses=0 adds none",
			strings.Join(able, ", "), m.Encoder.Crosses[0].Name(m.Features))
	}
	if !f.TreesOnly || m.Forest.Linear() == nil {
		return f.write(w, m, tree)
	}
	m, err := treesOnly(m, f.Name)
	if err != nil {
		return err
	}
	if !force {
		var size counter
		if err := f.write(&size, m, tree); err != nil {
			return err
		}
		if size > mostBytes {
			return argument.New("force", false, "true for a file of %.0f MB: format %s has no linear scores, and trees take their place. Train with start=zero for a smaller file", float64(size)/1e6, f.Name)
		}
	}
	return f.write(w, m, tree)
}

// counter counts the bytes that are written.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// treesOnly returns the model with trees in place of linear scores.
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

// wholeNumbers returns the integers that all texts are, as they are written; nil: not all are.
func wholeNumbers(texts []string) []int64 {
	numbers := make([]int64, len(texts))
	for i, text := range texts {
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil || strconv.FormatInt(v, 10) != text {
			return nil
		}
		numbers[i] = v
	}
	return numbers
}
