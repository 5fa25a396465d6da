package aoso

import (
	"fmt"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/par"
)

// DatasetBuilder gathers a dataset's rows chunk by chunk, where their number
// is not known before or where they are nowhere all at once. It keeps copies:
// 4 bytes a value, or 8 in each 65,536 rows of a feature that float32 does not
// hold exactly, 8 bytes a label, and 8 a weight or row id. What [NewDataset] needs comes
// on top of that. One goroutine at a time may use a builder.
type DatasetBuilder struct {
	options DatasetOptions
	rows    *data.RowBlocks
	names   []*categoryList // by column, once there are rows; nil: it has numbers
	labels  Labels
	weights []float64
	ids     []uint64
}

// NewDatasetBuilder makes a builder of datasets of so many features. Weights
// and row ids are given with the chunks, not in the options.
func NewDatasetBuilder(cols int, o DatasetOptions) (*DatasetBuilder, error) {
	if cols < 1 || cols > math.MaxInt32 {
		return nil, badArgument("cols", cols, "1 to %d", math.MaxInt32)
	}
	if o.Weights != nil {
		return nil, badArgument("weights", len(o.Weights), "none in the options, but with each chunk")
	}
	if o.RowIDs != nil {
		return nil, badArgument("row_ids", len(o.RowIDs), "none in the options, but with each chunk")
	}
	if err := o.check(cols); err != nil {
		return nil, err
	}
	o.Names = slices.Clone(o.Names)
	return &DatasetBuilder{options: o, rows: data.NewRowBlocks(cols)}, nil
}

// Append adds the rows of x with their labels, weights and row ids, after which
// the caller's memory is the caller's again. A column is categorical in all chunks
// or in none; the lists of its categories may differ. Weights, and likewise row
// ids, are given for all chunks, or (nil) for none. After an error nothing of the
// chunk is there, and others can be added. Whether rows of two chunks have the
// same id is only seen when the dataset is made.
func (b *DatasetBuilder) Append(x Features, labels Labels, weights []float64, rowIDs []uint64) error {
	if err := checkFeatures(x); err != nil {
		return err
	}
	if x.Cols() != b.rows.Cols() {
		return badArgument("features", fmt.Sprintf("%d columns", x.Cols()), "%d columns, as the builder was made for", b.rows.Cols())
	}
	rows := x.Rows()
	if b.rows.Rows()+rows > math.MaxUint32 {
		return badArgument("rows", b.rows.Rows()+rows, "at most %d in all", uint32(math.MaxUint32))
	}
	if err := labels.check(rows); err != nil {
		return err
	}
	if weights != nil && len(weights) != rows {
		return badArgument("weights", len(weights), "%d, one for each row", rows)
	}
	if err := checkRowIDs(rowIDs, rows); err != nil {
		return err
	}
	if rows == 0 {
		return nil
	}
	if b.rows.Rows() > 0 && (weights != nil) != (b.weights != nil) {
		return badArgument("weights", len(weights), "weights with every chunk, or with none")
	}
	if b.rows.Rows() > 0 && (rowIDs != nil) != (b.ids != nil) {
		return badArgument("row_ids", len(rowIDs), "row ids with every chunk, or with none")
	}
	for i, w := range weights {
		if err := checkWeight(i, w); err != nil {
			return err
		}
	}
	for j, list := range b.names {
		if b.rows.Rows() > 0 && (category.Categories(x, j) != nil) != (list != nil) {
			return badArgument(fmt.Sprintf("features: column %d", j), "of another kind", "a column of categories in every chunk, or in none")
		}
	}
	team := par.NewTeam(b.options.Threads)
	defer team.Close()
	b.rows.Append(b.renumbered(x), team)
	b.labels = append(b.labels, labels...)
	b.weights = append(b.weights, weights...)
	b.ids = append(b.ids, rowIDs...)
	return nil
}

// Dataset is the dataset of all rows so far, bit for bit that which
// [NewDataset] makes of them. The builder stays as it is.
func (b *DatasetBuilder) Dataset() (*Dataset, error) {
	o := b.options
	o.Weights, o.RowIDs = b.weights, b.ids
	return NewDataset(b.table(), b.labels, o)
}

// Aligned is the rows so far as a validation set, as from [Dataset.Aligned].
// Of the options only Threads counts.
func (b *DatasetBuilder) Aligned(train *Dataset) (*Dataset, error) {
	return train.aligned(b.table(), b.labels, b.weights, b.ids, b.options.Threads)
}

// renumbered is a chunk whose categories have the positions that they have in the
// builder, which takes up new ones.
func (b *DatasetBuilder) renumbered(x Features) Features {
	r := &renumbered{Features: x, positions: make([][]float64, x.Cols())}
	if b.names == nil {
		b.names = make([]*categoryList, x.Cols())
	}
	for j := range b.names {
		names := category.Categories(x, j)
		if names == nil {
			continue
		}
		if b.names[j] == nil {
			b.names[j] = newCategoryList()
		}
		r.positions[j] = make([]float64, len(names))
		for i, name := range names {
			r.positions[j][i] = float64(b.names[j].code(name))
		}
	}
	return r
}

// renumbered is features whose categories have other positions.
type renumbered struct {
	Features
	positions [][]float64 // by column and category; nil: it has numbers
}

func (r *renumbered) Column(j, first int, dst []float64) {
	r.Features.Column(j, first, dst)
	if r.positions[j] == nil {
		return
	}
	for i, v := range dst {
		dst[i] = math.NaN()
		if v >= 0 && v < float64(len(r.positions[j])) {
			dst[i] = r.positions[j][int(v)]
		}
	}
}

// gathered is the rows of a builder as a table.
type gathered struct {
	*data.RowBlocks
	names []*categoryList
}

func (b *DatasetBuilder) table() CategoricalFeatures { return gathered{b.rows, b.names} }

func (g gathered) Categories(j int) []string {
	if g.names == nil || g.names[j] == nil {
		return nil
	}
	return g.names[j].names
}
