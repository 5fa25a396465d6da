package aoso

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/internal/tree"
)

// What can be wrong with a model or dataset file, for errors.Is. ErrNotModel
// is a file that is not of the kind asked for.
var (
	ErrNotModel  = modelio.ErrForeign
	ErrNewer     = modelio.ErrNewer
	ErrTruncated = modelio.ErrTruncated
	ErrCorrupt   = modelio.ErrCorrupt
)

// content is what a model is, without its arrays.
type content struct {
	Method            string   `json:"method"`
	Leaf              string   `json:"leaf"`
	Pairs             int      `json:"pairs"`
	TreesPerIteration int      `json:"trees_per_iteration"`
	Classes           []string `json:"classes"`
	Features          []string `json:"features"`
	Temperature       float64  `json:"temperature,omitempty"` // 0: none
}

// header is what a model file says of a model for people to read.
type header struct {
	content
	Trees  int        `json:"trees"`
	Params fileParams `json:"params"`
}

func (m *Model) content() content {
	leaf := "pair"
	if m.forest.Full {
		leaf = "full"
	}
	return content{m.method, leaf, m.forest.Pairs, m.perRound, m.classes, m.names, m.temperature}
}

func (m *Model) writer(meta any) *modelio.Writer {
	w, f := modelio.NewWriter(modelio.Model, meta), m.forest
	modelio.Add(w, "first_node", f.FirstNode)
	modelio.Add(w, "first_leaf", f.FirstLeaf)
	modelio.Add(w, "feature", f.Feature)
	modelio.Add(w, "threshold", f.Threshold)
	modelio.Add(w, "missing_left", f.MissingLeft)
	modelio.Add(w, "left", f.Left)
	modelio.Add(w, "right", f.Right)
	modelio.Add(w, "gain", f.Gain)
	modelio.Add(w, "node_rows", f.NodeRows)
	modelio.Add(w, "node_pairs", f.NodePairs)
	modelio.Add(w, "leaf_rows", f.LeafRows)
	modelio.Add(w, "leaf_pairs", f.LeafPairs)
	modelio.Add(w, "steps", f.Steps)
	return w
}

// Write writes the model in its file format.
func (m *Model) Write(w io.Writer) error {
	params := m.params
	params.Threads, params.Level = 0, "" // of the training, not of the model
	_, err := m.writer(header{m.content(), m.Trees(), fileParams(params)}).WriteTo(w)
	return err
}

// Save writes the model to a file, which is either replaced whole or, on any
// error, left as it was.
func (m *Model) Save(path string) error {
	return modelio.WriteFile(path, m.Write)
}

// Fingerprint is a hash of the model's classes, features and trees, in
// hexadecimal: equal models have equal fingerprints, wherever and with however
// many threads they were trained.
func (m *Model) Fingerprint() string {
	hash := m.writer(m.content()).Hash()
	return hex.EncodeToString(hash[:16])
}

// Load reads a model from a file. The error says whether it is no model file,
// of a newer format, truncated or corrupt.
func Load(path string) (*Model, error) {
	data, err := modelio.ReadFile(modelio.Model, path)
	if err != nil {
		return nil, err
	}
	m, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Decode reads a model from the bytes of its file, which the model goes on
// to use: they must not change.
func Decode(data []byte) (*Model, error) {
	file, err := modelio.Open(modelio.Model, data)
	if err != nil {
		return nil, err
	}
	var h header
	if err := file.Meta(&h); err != nil {
		return nil, err
	}
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("%w: its header: %w", ErrCorrupt, err)
	}
	full := h.Leaf == "full"
	f := tree.Forest{Classes: len(h.Classes), Pairs: h.Pairs, Full: full}
	if err := firstError(
		read(file, "first_node", &f.FirstNode),
		read(file, "first_leaf", &f.FirstLeaf),
		read(file, "feature", &f.Feature),
		read(file, "threshold", &f.Threshold),
		read(file, "missing_left", &f.MissingLeft),
		read(file, "left", &f.Left),
		read(file, "right", &f.Right),
		read(file, "gain", &f.Gain),
		read(file, "node_rows", &f.NodeRows),
		read(file, "node_pairs", &f.NodePairs),
		read(file, "leaf_rows", &f.LeafRows),
		read(file, "leaf_pairs", &f.LeafPairs),
		read(file, "steps", &f.Steps),
	); err != nil {
		return nil, err
	}
	if err := f.Check(len(h.Features)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if f.Trees() != h.Trees {
		return nil, fmt.Errorf("%w: its header: trees is %d, there are %d", ErrCorrupt, h.Trees, f.Trees())
	}
	h.Params.Threads, h.Params.Level = 0, "" // as Write leaves them
	m := newModel(&f, h.Classes, h.Features, h.Method, h.TreesPerIteration, Params(h.Params))
	m.temperature = h.Temperature
	return m, nil
}

// check tells what is wrong with a header, if anything.
func (h *header) check() error {
	if err := checkNames("classes", h.Classes, MaxClasses); err != nil {
		return err
	}
	switch {
	case len(h.Features) == 0:
		return errors.New("there are no features")
	case h.Method != AOSO && h.Method != ABC && h.Method != LogitBoost:
		return fmt.Errorf("method is %q", h.Method)
	case h.Leaf != "pair" && (h.Leaf != "full" || h.Method != AOSO):
		return fmt.Errorf("leaf is %q for method %s", h.Leaf, h.Method)
	case h.Pairs != 1 && (h.Pairs != 2 && h.Pairs != 4 && h.Pairs != 8 || h.Method != AOSO):
		return fmt.Errorf("pairs is %d for method %s", h.Pairs, h.Method)
	case h.Temperature != 0 && !(h.Temperature >= leastTemperature && h.Temperature <= mostTemperature):
		return fmt.Errorf("temperature is %v", h.Temperature)
	}
	due := Params{Method: h.Method}
	if n := due.treesPerRound(len(h.Classes)); h.TreesPerIteration != n {
		return fmt.Errorf("trees_per_iteration is %d in place of %d", h.TreesPerIteration, n)
	}
	return h.checkParams()
}

// checkParams checks the parameters, not as training does: versions before may
// have allowed more.
func (h *header) checkParams() error {
	p := h.Params
	if p.Method != h.Method || p.Leaf != h.Leaf || p.Pairs != h.Pairs {
		return fmt.Errorf("the parameters are those of method %q, leaf %q, pairs %d", p.Method, p.Leaf, p.Pairs)
	}
	v := reflect.ValueOf(p)
	for i := range v.NumField() {
		bad := false
		switch field := v.Field(i); field.Kind() {
		case reflect.Int:
			bad = field.Int() < 0
		case reflect.Float64:
			bad = field.Float() < 0
		case reflect.String:
			bad = strings.Trim(field.String(), "abcdefghijklmnopqrstuvwxyz0123456789_") != ""
		}
		if bad {
			return fmt.Errorf("the parameter %s is %#v", v.Type().Field(i).Name, v.Field(i).Interface())
		}
	}
	return nil
}

// checkNames checks names that must differ: at least one, at most so many.
func checkNames(what string, names []string, most int) error {
	if len(names) == 0 || len(names) > most {
		return fmt.Errorf("there are %d %s", len(names), what)
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if name == "" || seen[name] {
			return fmt.Errorf("%q is among the %s twice, or no name", name, what)
		}
		seen[name] = true
	}
	return nil
}

func read[T modelio.Element](file *modelio.File, name string, dst *[]T) (err error) {
	*dst, err = modelio.Array[T](file, name)
	return err
}
