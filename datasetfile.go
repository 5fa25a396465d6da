package aoso

import (
	"fmt"
	"io"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/modelio"
)

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
