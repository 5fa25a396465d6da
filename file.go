package aoso

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/internal/settings"
)

// What can be wrong with a model or dataset file, for errors.Is. ErrNotModel
// is a file that is not of the kind asked for.
var (
	ErrNotModel  = modelio.ErrForeign
	ErrNewer     = modelio.ErrNewer
	ErrTruncated = modelio.ErrTruncated
	ErrCorrupt   = modelio.ErrCorrupt
)

// Write writes the model in its file format.
func (m *Model) Write(w io.Writer) error {
	params, err := m.params.settings().Encode()
	if err != nil {
		return err
	}
	content := m.content
	content.Params = params
	return content.Encode(w)
}

// maxRows is the number of rows that have numbers of 32 bits, and fit in an int.
const maxRows = min(math.MaxUint32, math.MaxInt)

// checkRows returns an error if models have no room for the number of rows of a leaf.
func checkRows(rows int) error {
	if rows > maxRows {
		return badArgument("train", fmt.Sprintf("a dataset of %d rows on all ranks", rows), "at most %d rows", maxRows)
	}
	return nil
}

// checkSavable returns an error if no model of a training can be saved, for its header would be too long.
func checkSavable(train *Dataset, p *Params) error {
	long := len(p.MonotoneConstraints) + len(p.InteractionConstraints)
	for _, names := range [][]string{train.set.Names, train.set.Classes} {
		for _, name := range names {
			long += len(name)
		}
	}
	if long < modelio.MaxHeader/8 { // JSON takes six bytes for one at most
		return nil
	}
	const rest = 64 << 10 // of the header
	names := append(slices.Clone(train.set.Names), strings.Repeat("x", rest))
	empty := model.New(p.Method, model.NewForest(len(train.set.Classes), 1, false), train.set.Classes, names, train.set.Encoder)
	m := Model{content: *empty, params: *p}
	if err := m.Write(io.Discard); err != nil {
		return badArgument("train", fmt.Sprintf("a dataset whose names, and the constraints, have %d bytes", long), "names that a model file can hold, and constraints: %v", err)
	}
	return nil
}

// Save writes the model to a file, which is either replaced whole or, on any
// error, left as it was.
func (m *Model) Save(path string) error {
	return modelio.WriteFile(path, m.Write)
}

// Fingerprint returns a hash of the model's classes, features, trees and temperature,
// in hexadecimal: equal models have equal fingerprints, wherever and with however
// many threads they were trained.
func (m *Model) Fingerprint() string { return m.content.Fingerprint() }

// Load reads a model from a file. The error says whether it is no model file,
// of a newer format, truncated or corrupt.
func Load(path string) (*Model, error) {
	data, err := modelio.ReadFile(modelio.Model, path)
	if err != nil {
		return nil, err
	}
	m, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Read reads a model that [Model.Write] wrote, to the end of r.
func Read(r io.Reader) (*Model, error) {
	var file bytes.Buffer
	if sized, ok := r.(interface{ Len() int }); ok {
		file.Grow(sized.Len() + bytes.MinRead) // which is what ReadFrom needs so as not to grow it
	}
	if _, err := file.ReadFrom(r); err != nil {
		return nil, err
	}
	return decode(file.Bytes())
}

// decode returns the model of a file with these bytes, which the model keeps using.
func decode(data []byte) (*Model, error) {
	c, err := model.Decode(data)
	if err != nil {
		return nil, err
	}
	p, err := settings.Of(c)
	if err != nil {
		return nil, err
	}
	return newModel(*c, Params(p)), nil
}

// Save writes the dataset, as it is quantized, to a file, which is either
// replaced whole or, on any error, left as it was. The file has a byte a value
// and 4 bytes a row, or 8 with weights. A dataset that continues a model
// cannot be saved.
func (d *Dataset) Save(path string) error {
	if d.start != nil {
		return badArgument("dataset", "one that continues a model", "one made without Init")
	}
	if err := d.checkFreed("dataset"); err != nil {
		return err
	}
	return modelio.WriteFile(path, func(w io.Writer) error {
		_, err := d.set.Writer().WriteTo(w)
		return err
	})
}

// LoadDataset opens a file that [Dataset.Save] wrote. It maps the codes into
// memory, where they are used in place: processes that open one file share
// them. Until the dataset is freed nobody may write to the file or cut it
// short, which would end the program (SIGBUS); to save another in its place
// does no harm. Where others may do so, [ReadDataset] is safe. The error says
// whether it is no dataset file, of a newer format, truncated or corrupt.
func LoadDataset(path string) (*Dataset, error) { return openDataset(path, modelio.MapFile) }

// ReadDataset is [LoadDataset] that reads the file into memory of its own, as
// large as the file. What becomes of the file after that does not matter.
func ReadDataset(path string) (*Dataset, error) { return openDataset(path, modelio.ReadBlock) }

func openDataset(path string, open func(modelio.Kind, string) (*mem.Block, error)) (*Dataset, error) {
	memory, err := open(modelio.Dataset, path)
	if err != nil {
		return nil, err
	}
	set, err := data.Decode(memory)
	if err != nil {
		memory.Free()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Dataset{set: set}, nil
}
