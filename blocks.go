package aoso

import (
	"cmp"
	"errors"
	"iter"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/par"
)

// Block is some rows of a dataset.
type Block struct {
	Features Features  // of the rows of the block
	Labels   Labels    // one for each row
	Weights  []float64 // nil: all one, in every block
	RowIDs   []uint64  // no two the same; nil: positions among all rows, in every block
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
func NewDatasetFromBlocks(blocks iter.Seq2[Block, error], o DatasetOptions) (*Dataset, error) {
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
			defer b.Free()
			b.ranks = ranks
		}
		if b == nil {
			return nil, badArgument("features", "no columns", "at least one column")
		}
		if err := b.Sample(block.Features, block.Labels, block.Weights, block.RowIDs); err != nil {
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
		if err := b.Append(block.Features, block.Labels, block.Weights, block.RowIDs); err != nil {
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

// Sample adds rows that come twice, like Append, before the first of them is
// appended. The options must not have a model to continue.
func (b *DatasetBuilder) Sample(x Features, labels Labels, weights []float64, rowIDs []uint64) error {
	switch {
	case b.options.Init != nil && b.ranks == nil:
		return badArgument("init", "a model", "none, if rows come twice")
	case b.again || b.rows.Rows() > 0:
		return badArgument("sample", "called after append", "calls before the first append")
	}
	x = b.coded(x)
	if err := b.take(x, labels, weights, rowIDs); err != nil || x.Rows() == 0 {
		return err
	}
	b.beginPasses()
	team := par.NewTeam(b.options.Threads)
	defer team.Close()
	b.passes.Sample(x, labels, weights, rowIDs, team)
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
			o.Continues, o.Encoder, o.Names, o.Named = true, m.content.Encoder, slices.Clone(m.content.Features), m.content.Named
		}
		b.passes = data.NewBuilder(o, &b.dictionary)
	}
}

// building is the options for rows of so many features that come twice.
func (o *DatasetOptions) building(cols int) data.BuildOptions {
	p := data.BuildOptions{
		Names:       namesOf(o.Names, cols),
		Named:       o.Names != nil,
		MaxBins:     cmp.Or(o.MaxBins, bin.MaxValueBins),
		SampleRows:  cmp.Or(o.SampleRows, defaultSampleRows),
		Seed:        o.Seed,
		TextLabels:  o.TextLabels,
		DenseOnly:   o.DenseOnly || o.Collective != nil, // all ranks need the same forms
		Path:        o.Path,
		Categorical: o.categorical(cols),
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
		positive := b.ranks.Any(b.total > 0 && (b.positive || !b.weighted))
		if err := b.passes.Unite(); err != nil {
			return err
		}
		if !positive {
			return errNoWeight()
		}
	}
	b.options.TextLabels = b.passes.TextLabels()
	classes, err := b.options.classesOf(Labels(b.passes.Labels()))
	if err != nil {
		return err
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

// finish is the dataset of rows that came twice.
func (b *DatasetBuilder) finish() (*Dataset, error) {
	team := par.NewTeam(b.options.Threads)
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

// Free removes what an unfinished dataset has on the disk. Freeing twice does
// nothing.
func (b *DatasetBuilder) Free() {
	if b.passes != nil {
		b.passes.Free()
	}
}
