package aoso

import (
	"fmt"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/par"
)

// DatasetBuilder builds a dataset of rows that come in chunks, once or twice. It
// is bit for bit the dataset that [NewDataset] makes of all rows.
//
// Chunks that come once are given to Append. The builder keeps copies: 4 bytes a
// value, or 8 in each 65,536 rows of a feature that float32 does not hold exactly,
// or 1 where all are whole numbers from 0 to 254; 8 bytes a label, and 8 a weight
// or row id. What [NewDataset] needs comes on top of that.
//
// Rows that take more memory than there is come twice: all chunks are given to
// Sample, and then the same rows in the same order to Append. The chunks may then
// have other sizes. [NewDatasetFromBlocks] does that, and tells how much memory it
// takes.
//
// One goroutine at a time may use a builder.
type DatasetBuilder struct {
	options DatasetOptions
	cols    int
	ranks   *collective.Group
	whole   Features // all rows of this rank, which stay; nil: they come in chunks

	dictionary category.Dictionary
	total      int  // rows
	weighted   bool // there are weights
	positive   bool // one of them is above 0
	identified bool // there are row ids

	// Of rows that come once:
	rows    *data.RowBlocks
	labels  Labels
	weights []float64
	ids     []uint64

	// Of rows that come twice:
	passes *data.Builder // nil: they come once
	again  bool          // they come for the second time
	failed error         // why the builder is of no use any more
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
	return &DatasetBuilder{options: o, cols: cols, ranks: collective.NewGroup(o.Collective), rows: data.NewRowBlocks(cols)}, nil
}

// Append adds the rows of x with their labels, weights and row ids, after which
// the caller's memory is the caller's again. A column is categorical in all chunks
// or in none; the lists of its categories may differ. Weights, and likewise row
// ids, are given for all chunks, or (nil) for none. After an error nothing of the
// chunk is there, and others can be added. Whether rows of two chunks have the
// same id is only seen when the dataset is made.
//
// After Sample, the rows are those that Sample has seen. Their weights and ids are
// not looked at. An error in writing the file ends the pass.
func (b *DatasetBuilder) Append(x Features, labels Labels, weights []float64, rowIDs []uint64) error {
	team := par.NewTeam(b.options.Threads)
	defer team.Close()
	if x = b.coded(x); b.passes != nil {
		return b.appendAgain(x, labels, team)
	}
	if err := b.take(x, labels, weights, rowIDs); err != nil || x.Rows() == 0 {
		return err
	}
	b.rows.Append(b.dictionary.Renumber(x), team)
	b.labels = append(b.labels, labels...)
	b.weights = append(b.weights, weights...)
	b.ids = append(b.ids, rowIDs...)
	return nil
}

// coded is x with categories in place of the numbers in the columns that the options
// list, for one list of categories in all chunks.
func (b *DatasetBuilder) coded(x Features) Features {
	listed := b.options.categorical(b.cols)
	if listed == nil || x == nil || x.Cols() != b.cols || checkFeatures(x) != nil {
		return x
	}
	return category.Coded(x, func(j int) bool { return listed[j] }, true)
}

// take checks a chunk of rows that come for the first time, and counts them.
func (b *DatasetBuilder) take(x Features, labels Labels, weights []float64, rowIDs []uint64) error {
	if err := b.check(x, labels); err != nil {
		return err
	}
	rows := x.Rows()
	if b.total+rows > math.MaxUint32 {
		return badArgument("rows", b.total+rows, "at most %d in all", uint32(math.MaxUint32))
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
	if b.total > 0 && (weights != nil) != b.weighted {
		return badArgument("weights", len(weights), "weights with every chunk, or with none")
	}
	if b.total > 0 && (rowIDs != nil) != b.identified {
		return badArgument("row_ids", len(rowIDs), "row ids with every chunk, or with none")
	}
	positive := b.positive
	for i, w := range weights {
		if err := checkWeight(i, w); err != nil {
			return err
		}
		positive = positive || w > 0
	}
	for j := range b.cols {
		if !b.dictionary.Fits(x, j) {
			return badArgument(fmt.Sprintf("features: column %d", j), "of another kind", "a column of categories in every chunk, or in none")
		}
	}
	b.total, b.weighted, b.positive, b.identified = b.total+rows, weights != nil, positive, rowIDs != nil
	return nil
}

// check checks features and labels.
func (b *DatasetBuilder) check(x Features, labels Labels) error {
	if err := checkFeatures(x); err != nil {
		return err
	}
	if x.Cols() != b.cols {
		return badArgument("features", fmt.Sprintf("%d columns", x.Cols()), "%d columns, as the builder was made for", b.cols)
	}
	return labels.check(x.Rows())
}

// Dataset is the dataset of all rows so far. If they came once, the builder stays
// as it is. Else it is of no use any more.
func (b *DatasetBuilder) Dataset() (*Dataset, error) {
	if b.passes != nil {
		return b.finish()
	}
	o := b.options
	o.Weights, o.RowIDs = b.weights, b.ids
	return NewDataset(b.table(), b.labels, o)
}

// Aligned is the rows so far, which came once, as a validation set, as from
// [Dataset.Aligned]. Of the options only Threads counts.
func (b *DatasetBuilder) Aligned(train *Dataset) (*Dataset, error) {
	if b.passes != nil {
		return nil, badArgument("aligned", "called after sample", "rows that come once")
	}
	return train.aligned(b.table(), b.labels, b.weights, b.ids, b.options.Threads)
}

// gathered is the rows of a builder as a table.
type gathered struct {
	*data.RowBlocks
	dictionary *category.Dictionary
}

func (b *DatasetBuilder) table() CategoricalFeatures { return gathered{b.rows, &b.dictionary} }

func (g gathered) Categories(j int) []string { return g.dictionary.Categories(j) }
