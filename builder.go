package aoso

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
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
	fresh   []bool   // by class: the model to continue does not know it; nil: it knows all

	dictionary category.Dictionary
	total      int  // rows
	weighted   bool // there are weights
	positive   bool // one of them is above 0
	identified bool // there are row ids
	softened   bool // chunks have soft labels

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

// NewDatasetBuilder makes a builder of datasets of this many features. Weights
// and row ids are given with the chunks, not in the options.
func NewDatasetBuilder(cols int, options ...DatasetOptions) (*DatasetBuilder, error) {
	o := last(options)
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

// Append is [DatasetBuilder.AppendBlock] of a block of x with its labels, weights and row ids.
func (b *DatasetBuilder) Append(x Features, labels Labels, weights []float64, rowIDs []uint64) error {
	return b.AppendBlock(Block{Features: x, Labels: labels, Weights: weights, RowIDs: rowIDs})
}

// AppendBlock adds the rows of a block, after which
// the caller's memory is the caller's again. A column is categorical in all chunks
// or in none; the lists of its categories may differ. Weights, and likewise row
// ids, are given for all chunks, or (nil) for none. After an error nothing of the
// chunk is there, and others can be added. Whether rows of two chunks have the
// same id is only seen when the dataset is made. Labels are soft in all chunks, or in none; the first has all classes.
//
// After Sample, the rows are those that Sample has seen. Their weights and ids, and shares beside the greatest, are
// not looked at. An error in writing the file ends the pass.
func (b *DatasetBuilder) AppendBlock(block Block) error {
	team := par.NewTeam(b.options.NThread)
	defer team.Close()
	soft, err := b.read(&block)
	if err != nil {
		return err
	}
	x := block.Features
	if b.passes != nil {
		return b.appendAgain(x, block.Labels, team)
	}
	if err := b.take(&block, soft); err != nil || x.Rows() == 0 {
		return err
	}
	b.rows.Append(b.dictionary.Renumber(x), team)
	b.labels = append(b.labels, block.Labels...)
	b.weights = append(b.weights, block.Weights...)
	b.ids = append(b.ids, block.RowIDs...)
	return nil
}

// read has a block name the categories of its coded columns, and the classes of its soft labels, whose shares it returns; nil: its
// labels are hard.
func (b *DatasetBuilder) read(block *Block) (soft *data.Soft, err error) {
	block.Features = b.coded(block.Features)
	isSoft := block.Shares != nil || block.ShareClasses != nil
	switch {
	case b.total > 0 && isSoft != b.softened:
		return nil, badArgument("labels", map[bool]string{true: "soft", false: "hard"}[isSoft], "soft labels with every chunk, or with none")
	case !isSoft:
		return nil, nil
	case block.Labels != nil:
		return nil, badArgument("labels", len(block.Labels), "nil, with shares")
	}
	o := b.options
	if block.Labels, soft, err = o.readShares(block.Shares, block.ShareClasses); err == nil {
		b.options.classes = o.classes
	}
	return soft, err
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

// take checks a chunk of rows that come for the first time, counts them, and keeps their soft labels, if there are any.
func (b *DatasetBuilder) take(block *Block, soft *data.Soft) error {
	x, weights, rowIDs := block.Features, block.Weights, block.RowIDs
	if err := b.check(x, block.Labels); err != nil {
		return err
	}
	rows := x.Rows()
	if rows > maxRows-b.total {
		return badArgument("rows", uint64(b.total)+uint64(rows), "at most %d in all", maxRows)
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
	if b.softened = soft != nil; b.softened {
		b.options.soft = b.options.soft.Join(soft)
	}
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

// Dataset returns the dataset of all rows so far. If they came once, the builder stays
// as it is. Else it is of no use any more.
func (b *DatasetBuilder) Dataset() (*Dataset, error) {
	if b.passes != nil {
		return b.finish()
	}
	o := b.options
	o.soft = b.soft()
	if b.ranks != nil {
		d, err := newShard(b.table(), b.labels, b.weights, b.ids, o, b.ranks)
		return d, endShard(b.ranks, err)
	}
	return o.build(b.table(), b.labels, b.weights, slices.Clone(b.ids))
}

// soft returns the soft labels so far, to which no rows are added.
func (b *DatasetBuilder) soft() *data.Soft {
	if b.options.soft == nil {
		return nil
	}
	rows := *b.options.soft
	return &rows
}

// Aligned returns the rows so far, which came once, as a validation set, as from
// [Dataset.Aligned]. Of the options only Threads counts.
func (b *DatasetBuilder) Aligned(train *Dataset) (*Dataset, error) {
	if b.passes != nil {
		return nil, badArgument("aligned", "called after sample", "rows that come once")
	}
	if b.softened && !slices.Equal(b.options.classes, train.set.Classes) {
		return nil, badArgument("share_classes", listed(b.options.classes), "the classes of the training set: %s", listed(train.set.Classes))
	}
	d, err := train.aligned(b.table(), b.labels, b.weights, b.ids, b.options.NThread)
	if err == nil {
		d.set.Soft = b.soft()
	}
	return d, err
}

// gathered is the rows of a builder as a table.
type gathered struct {
	*data.RowBlocks
	dictionary *category.Dictionary
}

func (b *DatasetBuilder) table() CategoricalFeatures { return gathered{b.rows, &b.dictionary} }

func (g gathered) Categories(j int) []string { return g.dictionary.Categories(j) }

// Block is some rows of a dataset.
type Block struct {
	Features Features  // of the rows of the block
	Labels   Labels    // one for each row
	Weights  []float64 // nil: all one, in every block
	RowIDs   []uint64  // no two the same; nil: positions among all rows, in every block

	// Soft labels, as in [DatasetOptions], in place of Labels, in every block.
	Shares       Features
	ShareClasses []string // of the columns of Shares; the first block has all classes
}

// NewDatasetFromBlocks quantizes rows that come in blocks, of any sizes, which need
// not be in memory all at once. It reads blocks twice, each time from the first row
// to the last, and is done with a block when it asks for the next one. The dataset
// is bit for bit that which [NewDataset] makes of all rows.
//
// Beside the dataset and a block, it keeps the rows that bins are fitted to, at 4
// or 8 bytes a value. Until the end it also keeps 1 byte a row for the label and
// for each categorical feature, or 4 above 254 labels or categories; 4 for a
// weight; 8 for a row id; and 4 for each class, up to 12, for a feature of more than 100 categories.
// With a path in the options, the codes, a byte a value, go to the file
// as they are made.
//
// An error of blocks ends it, and is returned. A file is then left as it was.
func NewDatasetFromBlocks(blocks iter.Seq2[Block, error], options ...DatasetOptions) (*Dataset, error) {
	o := last(options)
	ranks := collective.NewGroup(o.Collective)
	d, err := datasetFromBlocks(blocks, o, ranks)
	return d, endShard(ranks, err)
}

func datasetFromBlocks(blocks iter.Seq2[Block, error], o DatasetOptions, ranks *collective.Group) (*Dataset, error) {
	var b *DatasetBuilder
	for block, err := range blocks {
		if err != nil {
			return nil, err
		}
		if b == nil && block.Features != nil && block.Features.Cols() > 0 {
			if b, err = NewDatasetBuilder(block.Features.Cols(), o); err != nil {
				return nil, err
			}
			defer b.Close()
			b.ranks = ranks
		}
		if b == nil {
			return nil, badArgument("features", "no columns", "at least one column")
		}
		if err := b.SampleBlock(block); err != nil {
			return nil, err
		}
	}
	if b == nil || b.total == 0 {
		return nil, badArgument("blocks", "no rows", "at least one row")
	}
	return b.readAgain(blocks)
}

// readAgain makes the dataset of blocks that come for the second time.
func (b *DatasetBuilder) readAgain(blocks iter.Seq2[Block, error]) (*Dataset, error) {
	for block, err := range blocks {
		if err != nil {
			return nil, err
		}
		if err := b.AppendBlock(block); err != nil {
			return nil, err
		}
	}
	return b.Dataset()
}

// blocksOf cuts a table into blocks.
func blocksOf(x Features, labels Labels, weights []float64, ids []uint64) iter.Seq2[Block, error] {
	const rows = 1 << 16
	return func(yield func(Block, error) bool) {
		for first := 0; first < x.Rows(); first += rows {
			n := min(rows, x.Rows()-first)
			block := Block{Features: category.Rows(x, first, n), Labels: labels[first:][:n]}
			if weights != nil {
				block.Weights = weights[first:][:n]
			}
			if ids != nil {
				block.RowIDs = ids[first:][:n]
			}
			if !yield(block, nil) {
				return
			}
		}
	}
}

// Sample is [DatasetBuilder.SampleBlock] of a block of x with its labels, weights and row ids.
func (b *DatasetBuilder) Sample(x Features, labels Labels, weights []float64, rowIDs []uint64) error {
	return b.SampleBlock(Block{Features: x, Labels: labels, Weights: weights, RowIDs: rowIDs})
}

// SampleBlock adds rows that come twice, like AppendBlock, before the first of them is
// appended. The options must not have a model to continue.
func (b *DatasetBuilder) SampleBlock(block Block) error {
	switch {
	case b.options.Init != nil && b.ranks == nil:
		return badArgument("init", "a model", "none, if rows come twice")
	case b.again || b.rows.Rows() > 0:
		return badArgument("sample", "called after append", "calls before the first append")
	}
	soft, err := b.read(&block)
	if err != nil {
		return err
	}
	if err := b.take(&block, soft); err != nil || block.Features.Rows() == 0 {
		return err
	}
	b.beginPasses()
	team := par.NewTeam(b.options.NThread)
	defer team.Close()
	b.passes.Sample(block.Features, block.Labels, block.Weights, block.RowIDs, team)
	return nil
}

// beginPasses makes ready for rows that come twice.
func (b *DatasetBuilder) beginPasses() {
	if b.passes == nil {
		o := b.options.building(b.cols)
		o.Ranks = b.ranks
		if b.whole != nil {
			o.Whole = b.coded(b.whole)
		}
		if m := b.options.Init; m != nil {
			o.Names, o.Named = slices.Clone(m.content.Features), m.content.Named
		}
		b.passes = data.NewBuilder(o, &b.dictionary)
	}
}

// building returns the options for rows of this many features that come twice.
func (o *DatasetOptions) building(cols int) data.BuildOptions {
	p := data.BuildOptions{
		Names:       namesOf(o.Names, cols),
		Named:       o.Names != nil,
		LabelName:   o.LabelName,
		MaxBins:     cmp.Or(o.MaxBin, bin.MaxValueBins),
		SampleRows:  cmp.Or(o.SampleRows, defaultSampleRows),
		Seed:        o.Seed,
		TextLabels:  o.TextLabels,
		DenseOnly:   o.DenseOnly || o.Collective != nil, // all ranks need the same forms
		Path:        o.Path,
		Categorical: o.categorical(cols),
		Soft:        o.soft,
	}
	if p.SampleRows < 0 {
		p.SampleRows = data.All
	}
	return p
}

// appendAgain appends rows that come for the second time.
func (b *DatasetBuilder) appendAgain(x Features, labels Labels, team *par.Team) error {
	if err := b.check(x, labels); err != nil {
		return err
	}
	b.begin(team)
	if b.failed != nil {
		return b.failed
	}
	return b.change(b.passes.Append(x, labels, team))
}

// begin begins the second pass, unless it has begun.
func (b *DatasetBuilder) begin(team *par.Team) {
	if !b.again {
		b.again = true
		b.failed = b.beginAgain(team)
	}
}

func (b *DatasetBuilder) beginAgain(team *par.Team) error {
	if err := b.checkPass(); err != nil {
		return err
	}
	if b.ranks != nil {
		if err := agreeOnClasses(b.ranks, b.options.classes); err != nil {
			return err
		}
		positive := b.ranks.Any(b.total > 0 && (b.positive || !b.weighted))
		if err := b.passes.Unite(); err != nil {
			return err
		}
		if !positive {
			return errNoWeight()
		}
	}
	b.options.TextLabels = b.passes.TextLabels()
	classes, fresh, err := b.options.classesOf(Labels(b.passes.Labels()))
	if err != nil {
		return err
	}
	if b.fresh = fresh; b.options.Init != nil {
		b.passes.Continue(b.options.Init.content.Encoder)
	}
	return encodingError(b.passes.Begin(classes, team), namesOf(b.options.Names, b.cols))
}

// checkPass checks the rows that came for the first time.
func (b *DatasetBuilder) checkPass() error {
	switch {
	case b.ranks == nil && b.weighted && !b.positive:
		return errNoWeight()
	case b.ranks != nil && b.total > 0 && !b.identified:
		return badArgument("row_ids", "none", "ids with every chunk, if a collective has more rows")
	}
	return checkRowIDs(b.passes.IDs, b.total)
}

// finish returns the dataset of rows that came twice.
func (b *DatasetBuilder) finish() (*Dataset, error) {
	team := par.NewTeam(b.options.NThread)
	defer team.Close()
	b.begin(team)
	if b.failed != nil {
		return nil, b.failed
	}
	set, err := b.passes.Finish(team)
	if err != nil {
		return nil, b.change(err)
	}
	b.failed = badArgument("builder", "one whose dataset was taken", "another one")
	if set == nil {
		d, err := LoadDataset(b.options.Path)
		if err == nil {
			d.set.Ranks = b.ranks
		}
		return d, err
	}
	return &Dataset{set: set}, nil
}

// change says which rows are not those that came first. After any other error the
// builder is of no use.
func (b *DatasetBuilder) change(err error) error {
	if e, ok := errors.AsType[*data.ChangedError](err); ok {
		return badArgument(e.What, e.Is, "%v, as the first time", e.Was)
	}
	b.failed = err
	return err
}

// Close removes what an unfinished dataset has on the disk. The error is always nil. Closing
// twice does nothing.
func (b *DatasetBuilder) Close() error {
	if b.passes != nil {
		b.passes.Free()
	}
	return nil
}
