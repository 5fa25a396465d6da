package aoso

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/internal/par"
)

// datasetHeader is what a dataset file says of a dataset for people to read.
type datasetHeader struct {
	Rows     int      `json:"rows"`
	Weighted bool     `json:"weighted"`
	Grouped  bool     `json:"grouped"` // features are kept in other forms as well, which the file leaves out
	Classes  []string `json:"classes"`
	Features []string `json:"features"`
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
		_, err := d.writer().WriteTo(w)
		return err
	})
}

func (d *Dataset) writer() *modelio.Writer {
	w := modelio.NewWriter(modelio.Dataset, datasetHeader{d.matrix.Rows, d.weights != nil, d.grouped, d.classes, d.names})
	var bins, missing []uint8
	var lower, upper, edges []float64
	for _, f := range d.mapper.Features {
		m := uint8(0)
		if f.Missing {
			m = 1
		}
		bins, missing = append(bins, uint8(len(f.Lower))), append(missing, m)
		lower, upper, edges = append(lower, f.Lower...), append(upper, f.Upper...), append(edges, f.Edges...)
	}
	modelio.Add(w, "bins", bins) // of each feature
	modelio.Add(w, "missing", missing)
	modelio.Add(w, "lower", lower) // of each bin, feature after feature
	modelio.Add(w, "upper", upper)
	modelio.Add(w, "edges", edges)
	modelio.Add(w, "labels", d.labels)
	modelio.Add(w, "weights", d.weights)
	modelio.Add(w, "codes", d.matrix.Codes())
	return w
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
	d, err := decodeDataset(memory)
	if err != nil {
		memory.Free()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// decodeDataset is the dataset of a file in memory, which becomes its own.
func decodeDataset(memory *mem.Block) (*Dataset, error) {
	file, err := modelio.Open(modelio.Dataset, memory.Bytes())
	if err != nil {
		return nil, err
	}
	var h datasetHeader
	if err := file.Meta(&h); err != nil {
		return nil, err
	}
	var bins, missing, codes []uint8
	var lower, upper, edges []float64
	d := &Dataset{names: h.Features, classes: h.Classes}
	if err := firstError(
		modelio.Read(file, "bins", &bins),
		modelio.Read(file, "missing", &missing),
		modelio.Read(file, "lower", &lower),
		modelio.Read(file, "upper", &upper),
		modelio.Read(file, "edges", &edges),
		modelio.Read(file, "labels", &d.labels),
		modelio.Read(file, "weights", &d.weights),
		modelio.Read(file, "codes", &codes),
	); err != nil {
		return nil, err
	}
	// What is not a byte a value is copied: the mapping need not outlive Free.
	d.labels, d.weights = slices.Clone(d.labels), slices.Clone(d.weights)
	if !h.Weighted {
		if len(d.weights) > 0 {
			return nil, fmt.Errorf("%w: its header says that it has no weights, of which there are %d", ErrCorrupt, len(d.weights))
		}
		d.weights = nil
	}
	if d.mapper, err = mapperOf(bins, missing, lower, upper, edges); err == nil {
		err = d.check(h.Rows)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	team := par.NewTeam(0)
	defer team.Close()
	if d.matrix = d.mapper.Matrix(codes, h.Rows, memory, team); d.matrix == nil {
		return nil, fmt.Errorf("%w: its codes are not those of %d rows in its bins", ErrCorrupt, h.Rows)
	}
	if h.Grouped {
		d.group(team)
	}
	return d, nil
}

// mapperOf puts the bins of features together.
func mapperOf(bins, missing []uint8, lower, upper, edges []float64) (*bin.Mapper, error) {
	m := &bin.Mapper{Features: make([]bin.Feature, len(bins))}
	total, cuts := 0, 0
	for _, n := range bins {
		total, cuts = total+int(n), cuts+int(max(n, 1))-1
	}
	if len(missing) != len(bins) || len(lower) != total || len(upper) != total || len(edges) != cuts {
		return nil, fmt.Errorf("%d features with %d bins have missing, lower, upper and edges of %d, %d, %d and %d", len(bins), total, len(missing), len(lower), len(upper), len(edges))
	}
	for j, n := range bins {
		cuts := max(n, 1) - 1
		f := &m.Features[j]
		*f = bin.Feature{
			Lower:   slices.Clone(lower[:n]),
			Upper:   slices.Clone(upper[:n]),
			Edges:   slices.Clone(edges[:cuts]),
			Missing: missing[j] != 0,
		}
		if !f.Valid() || missing[j] > 1 {
			return nil, fmt.Errorf("the bins of feature %d do not rise, or missing is neither 0 nor 1", j)
		}
		lower, upper, edges = lower[n:], upper[n:], edges[cuts:]
	}
	return m, nil
}

// check checks that labels, weights, names and classes are those of a dataset
// of so many rows, and counts the labels of no class.
func (d *Dataset) check(rows int) error {
	switch {
	case rows != len(d.labels):
		return fmt.Errorf("%d rows have %d labels", rows, len(d.labels))
	case len(d.names) == 0 || len(d.names) != len(d.mapper.Features):
		return fmt.Errorf("%d features have %d names", len(d.mapper.Features), len(d.names))
	case d.weights != nil && len(d.weights) != rows:
		return fmt.Errorf("%d rows have %d weights", rows, len(d.weights))
	}
	if err := modelio.CheckNames("classes", d.classes, MaxClasses); err != nil {
		return err
	}
	for i, y := range d.labels {
		if y < -1 || int(y) >= len(d.classes) {
			return fmt.Errorf("row %d has label %d of %d classes", i, y, len(d.classes))
		}
		if y < 0 {
			d.unknown++
		}
	}
	total := 0.0
	for i, w := range d.weights {
		if w != 0 && !(w >= 1e-16 && w <= 1e16) { // checkWeight's bounds, rounded
			return fmt.Errorf("row %d has weight %v", i, w)
		}
		total += float64(w)
	}
	if d.weights != nil && rows > 0 && total == 0 {
		return errors.New("all weights are 0")
	}
	return nil
}
