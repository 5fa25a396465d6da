package model

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/conformal"
	"github.com/libaoso/aoso/internal/modelio"
)

// meta is the part of a file's header that describes the model for people.
type meta struct {
	Header
	Trees     int               `json:"trees"`
	Params    json.RawMessage   `json:"params"`
	Conformal *conformal.Header `json:"conformal,omitempty"` // nil: none
	LabelType string            `json:"label_type,omitempty"`
	Named     bool              `json:"named,omitempty"` // features have given names that equal generated ones
	LabelName string            `json:"label_name,omitempty"`
}

// Encode writes the model in its file format.
func (m *Model) Encode(w io.Writer) error {
	_, err := m.file().WritePacked(w)
	return err
}

// EncodePlain is Encode without packing: it is faster, and the file larger.
func (m *Model) EncodePlain(w io.Writer) error {
	_, err := m.file().WriteTo(w)
	return err
}

func (m *Model) file() *modelio.Writer {
	h := m.Header
	if len(h.Classes) > mostNamed {
		h.Classes = nil
	}
	if len(h.Features) > mostNamed {
		h.Features = nil
	}
	w := m.writer(meta{h, m.Forest.Trees(), m.Params, m.Scores.Header(), m.LabelType, m.Named && modelio.Generated(m.Features), m.LabelName}, true)
	if h.Classes == nil {
		modelio.AddNames(w, "classes", m.Classes)
	}
	if h.Features == nil {
		modelio.AddNames(w, "features", m.Features)
	}
	m.Scores.Write(w)
	return w
}

// Fingerprint returns a hash, in hexadecimal, of the model without its parameters, scores,
// and the name and type of the labels.
func (m *Model) Fingerprint() string {
	hash := m.writer(m.Header, false).Hash()
	return hex.EncodeToString(hash[:16])
}

// writer returns a writer of a forest's arrays, named as in the file. With middles, they
// replace what follows from them.
func (m *Model) writer(meta any, middles bool) *modelio.Writer {
	w, f := modelio.NewWriter(modelio.Model, meta), m.Forest
	modelio.Add(w, "first_node", f.firstNode)
	modelio.Add(w, "first_leaf", f.firstLeaf)
	f.splits.write(w)
	if middles {
		modelio.Add(w, "middle", f.middles())
	} else {
		modelio.Add(w, "left", f.left)
		modelio.Add(w, "right", f.right)
	}
	modelio.Add(w, "gain", f.gain)
	if !middles {
		modelio.Add(w, "node_rows", f.nodeRows)
	}
	addEnds(w, "node_pairs", f.nodePairs, f.classes)
	modelio.Add(w, "leaf_rows", f.leafRows)
	addEnds(w, "leaf_pairs", f.leafPairs, f.classes)
	modelio.AddGroups(w, "steps", f.values, f.ValuesPerLeaf())
	f.linear.write(w)
	m.Encoder.Write(w)
	return w
}

// narrowClasses is the most classes whose numbers, and those past the last class, have 16 bits
// in files.
const narrowClasses = 1<<16 - 2

// addEnds adds class pairs.
func addEnds(w *modelio.Writer, name string, ends []uint32, classes int) {
	if classes > narrowClasses {
		modelio.Add(w, name, ends)
		return
	}
	narrow := make([]uint16, len(ends))
	for i, k := range ends {
		narrow[i] = uint16(k)
	}
	modelio.Add(w, name, narrow)
}

// readEnds reads class pairs.
func readEnds(file *modelio.File, name string, ends *[]uint32, classes int) error {
	if classes > narrowClasses {
		return modelio.Read(file, name, ends)
	}
	var narrow []uint16
	if err := modelio.Read(file, name, &narrow); err != nil {
		return err
	}
	*ends = make([]uint32, len(narrow))
	for i, k := range narrow {
		(*ends)[i] = uint32(k)
	}
	return nil
}

// readNames reads names that are not in the header of a file.
func readNames(file *modelio.File, name string, names *[]string) (err error) {
	if *names == nil && file.Has(name) {
		*names, err = file.Names(name)
	}
	return err
}

// Decode reads a model from the bytes of its file, which the model keeps using.
func Decode(data []byte) (*Model, error) {
	file, err := modelio.Open(modelio.Model, data)
	if err != nil {
		return nil, err
	}
	var h meta
	if err := file.Meta(&h); err != nil {
		return nil, err
	}
	if err := cmp.Or(readNames(file, "classes", &h.Classes), readNames(file, "features", &h.Features)); err != nil {
		return nil, err
	}
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("%w: its header: %w", modelio.ErrCorrupt, err)
	}
	encoder, err := category.Read(file, len(h.Features), len(h.Classes))
	if err != nil {
		return nil, err
	}
	f, err := decodeForest(file, &h.Header, encoder.Codes(len(h.Features)))
	if err != nil {
		return nil, err
	}
	if f.Trees() != h.Trees {
		return nil, fmt.Errorf("%w: its header: trees is %d, there are %d", modelio.ErrCorrupt, h.Trees, f.Trees())
	}
	scores, err := h.Conformal.Read(file, len(h.Classes))
	if err != nil {
		return nil, err
	}
	return &Model{h.Header, encoder, f, h.Params, scores, h.Named || !modelio.Generated(h.Features), h.LabelName, h.LabelType}, nil
}

func decodeForest(file *modelio.File, h *Header, codes []int) (*Forest, error) {
	f := &Forest{classes: len(h.Classes), pairs: h.Pairs, full: h.Leaf == "full", named: h.LeafClasses}
	if err := cmp.Or(
		modelio.Read(file, "first_node", &f.firstNode),
		modelio.Read(file, "first_leaf", &f.firstLeaf),
		f.splits.read(file),
		modelio.Read(file, "gain", &f.gain),
		readEnds(file, "node_pairs", &f.nodePairs, f.classes),
		modelio.Read(file, "leaf_rows", &f.leafRows),
		f.readMiddles(file),
		readEnds(file, "leaf_pairs", &f.leafPairs, f.classes),
		modelio.Read(file, "steps", &f.values),
	); err != nil {
		return nil, err
	}
	linear, err := readLinear(file, f.classes, codes)
	if err != nil {
		return nil, err
	}
	f.linear = linear
	if err := f.Check(codes); err != nil {
		return nil, fmt.Errorf("%w: %w", modelio.ErrCorrupt, err)
	}
	return f, nil
}

// readMiddles sets the children of nodes and their numbers of rows, once the leaves' are known.
func (f *Forest) readMiddles(file *modelio.File) error {
	var middles []uint16
	if err := modelio.Read(file, "middle", &middles); err != nil {
		return err
	}
	if !f.setMiddles(middles) {
		return fmt.Errorf("%w: the middles of nodes do not make trees", modelio.ErrCorrupt)
	}
	return nil
}
