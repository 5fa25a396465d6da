package aoso

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/settings"
)

// DatasetOptions say how a dataset is built. The zero value is the default.
type DatasetOptions struct {
	Weights    []float64 // by row, not negative, not all zero; nil: all one
	RowIDs     []uint64  // by row, no two the same; nil: the rows' positions, from 0
	Names      []string  // of the features; nil: f0, f1, …
	LabelName  string    // of the column that the labels are from, which models note; "": unknown
	MaxBin     int       // value bins of a feature, 2 to 255; 0: 255
	SampleRows int       // rows that bin edges are fitted to; 0: 200,000; negative: all
	Seed       uint64    // of the sample
	NThread    int       // 0: all cores that the process may use

	// Categorical lists columns of numbers that stand for categories, such as 3 for
	// the category "3". Columns that have categories need not be listed.
	Categorical []int

	// Path is a file to keep the dataset in rather than in memory, as [LoadDataset]
	// does. It is replaced whole, or on an error left as it was.
	Path string

	// TextLabels says that labels are texts, even if all look like numbers: class 10
	// then comes before 9. One rank that says so is enough.
	TextLabels bool

	DenseOnly bool // keep features in columns only, not sparse ones row by row or small ones by two; the model is the same, training slower

	// Collective has the ranks, each of which has some of the rows; nil: these are all
	// rows. No two rows of any ranks have the same id; without ids, rows are numbered
	// rank after rank. The other options are the same on all ranks, and so are the
	// features.
	Collective Collective

	// Shares are soft labels for [NewDataset], whose labels are then nil: rows × classes, a distribution over the classes for
	// each row, such as the votes of annotators or the probabilities of another model. The shares of a row are at least 0 and
	// sum to 1, up to a thousandth for rounding; they are divided by their sum, and count as 0 below 1e-30.
	//
	// Training minimises the mean of −Σ q_k·log p_k, the cross-entropy of the shares q and the probabilities p. Where one class
	// is needed, such as for errors, the split into folds, target encoding and linear scores, a row is of the class with the
	// greatest share, of equal shares the first. Class weights multiply the shares.
	Shares Features

	// ShareClasses has the classes of the columns of Shares, on all ranks the same.
	ShareClasses []string

	// Init is a model to continue: training on the dataset adds trees to it. Its features become the dataset's.
	// The classes are those of the model and of the labels. A class that is new to the model begins with a constant
	// score, by which it is as likely as it is frequent; the old trees say nothing of it. A class of which there are no
	// rows keeps its scores: full and sparse leaves do not change them. New classes need the method aoso, and no soft labels.
	Init *Model

	classes []string   // of soft labels
	soft    *data.Soft // taken from Shares
}

// Dataset is a training or validation set: quantized features, labels,
// weights. It does not change once built, keeps nothing of the memory it was
// built from, and can be used by many trainings at once.
type Dataset struct {
	set   *data.Set
	start *start // of a training that continues a model; nil: it starts at scores of zero
}

// defaultSampleRows is the number of rows that bin edges are fitted to.
const defaultSampleRows = 200_000

// NewDataset quantizes features and labels for training: features is
// rows × cols, labels has one per row. NaN is a missing value; an infinite one
// lies beyond every threshold.
//
// With a collective, these are the rows of one rank, of which it may have none.
func NewDataset(features Features, labels Labels, options ...DatasetOptions) (*Dataset, error) {
	o := last(options)
	weights, ids := o.Weights, slices.Clone(o.RowIDs)
	o.Weights, o.RowIDs = nil, nil
	labels, err := o.readSoft(labels)
	if ranks := collective.NewGroup(o.Collective); ranks != nil {
		var d *Dataset
		if err == nil {
			d, err = newShard(features, labels, weights, ids, o, ranks)
		}
		return d, endShard(ranks, err)
	}
	if err != nil {
		return nil, err
	}
	if err := checkFeatures(features); err != nil {
		return nil, err
	}
	if err := o.check(features.Cols()); err != nil {
		return nil, err
	}
	if err := labels.check(features.Rows()); err != nil {
		return nil, err
	}
	return o.build(features, labels, weights, ids)
}

// build quantizes rows, once their options, features and labels are checked.
func (o DatasetOptions) build(features Features, labels Labels, weights []float64, ids []uint64) (*Dataset, error) {
	if features.Rows() == 0 || features.Cols() == 0 {
		return nil, badArgument("features", fmt.Sprintf("%d × %d", features.Rows(), features.Cols()), "at least one row and one column")
	}
	narrow, err := checkWeights(weights, features.Rows())
	if err == nil {
		err = checkRowIDs(ids, features.Rows())
	}
	if err != nil {
		return nil, err
	}
	if o.Path != "" {
		return NewDatasetFromBlocks(blocksOf(features, labels, weights, ids), o)
	}
	classes, fresh, err := o.classesOf(labels)
	if err != nil {
		return nil, err
	}
	names, named := namesOf(o.Names, features.Cols()), o.Names != nil
	if m := o.Init; m != nil {
		names, named = slices.Clone(m.content.Features), m.content.Named
	}
	team := par.NewTeam(o.NThread)
	defer team.Close()
	set := &data.Set{Target: data.NewTarget(labels, classes), Names: names, Named: named, LabelName: o.LabelName}
	set.Weights, set.IDs, set.Soft = narrow, ids, o.soft
	columns, err := fitEncoder(set, features, o)
	if err != nil {
		return nil, err
	}
	sample := sampleRows(&set.Target, o)
	set.Mapper, err = bin.Fit(columns, sample, cmp.Or(o.MaxBin, bin.MaxValueBins), set.Encoder.Codes(len(names)), team)
	if err == nil {
		err = mem.Afford("the dataset", 0, float64(set.Mapper.CodesBytes(features.Rows())))
	}
	if err != nil {
		return nil, err
	}
	const drawn, label = 96, 8 // bytes for a row of the sample, and for a label, which the caller may have given up
	mem.GiveBack(drawn*len(sample) + label*len(labels))
	set.Matrix = set.Mapper.Map(columns, team)
	set.StoreValues(columns, team)
	rates := columns.Cols() - len(names)
	columns = nil
	mem.GiveBack(4 * rates * features.Rows())
	start, err := newTrainingStart(o.Init, fresh, features, &set.Target, team)
	if err != nil {
		return nil, err
	}
	if !o.DenseOnly {
		if err := set.Group(team); err != nil {
			return nil, err
		}
	}
	return &Dataset{set, start}, nil
}

// classesOf returns the classes of labels. With a model to continue, they are those of the model and the labels; the
// options then have the model with all of them. fresh says which are new to it; nil: none.
func (o *DatasetOptions) classesOf(labels Labels) (classes []string, fresh []bool, err error) {
	if o.soft != nil {
		return o.classes, nil, nil
	}
	classes, err = labels.classes(o.TextLabels)
	if err != nil || o.Init == nil {
		return classes, nil, err
	}
	if o.Init, fresh, err = o.Init.withClasses(classes, o.TextLabels); err != nil {
		return nil, nil, err
	}
	return slices.Clone(o.Init.content.Classes), fresh, nil
}

// endShard returns how making a shard ended. An error ends it on all ranks.
func endShard(ranks *collective.Group, err error) error {
	if err == nil {
		err = ranks.Err()
	}
	if err != nil {
		ranks.Abort(err)
	}
	return err
}

// newShard returns a dataset of which other ranks have more rows.
func newShard(features Features, labels Labels, weights []float64, ids []uint64, o DatasetOptions, ranks *collective.Group) (*Dataset, error) {
	if err := checkFeatures(features); err != nil {
		return nil, err
	}
	rows := features.Rows()
	if err := labels.check(rows); err != nil {
		return nil, err
	}
	if m := o.Init; m != nil {
		o.Categorical = m.codedAsNumbers(features)
	}
	if weights != nil && len(weights) != rows {
		return nil, badArgument("weights", len(weights), "%d, one for each row", rows)
	}
	if err := checkRowIDs(ids, rows); err != nil {
		return nil, err
	}
	b, err := NewDatasetBuilder(features.Cols(), o)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	b.ranks, b.whole = ranks, features
	if ids, err = numbered(ids, rows, ranks); err != nil {
		return nil, err
	}
	b.beginPasses()
	blocks := blocksOf(features, labels, weights, ids)
	for block := range blocks {
		if err := b.Sample(block.Features, block.Labels, block.Weights, block.RowIDs); err != nil {
			return nil, err
		}
	}
	d, err := b.readAgain(blocks)
	if err != nil || o.Init == nil {
		return d, err
	}
	team := par.NewTeam(o.NThread)
	defer team.Close()
	d.start, err = newTrainingStart(b.options.Init, b.fresh, features, &d.set.Target, team)
	return d, err
}

// codedAsNumbers lists the categorical features of a model that are columns of
// numbers in a table.
func (m *Model) codedAsNumbers(x Features) (columns []int) {
	for j := range m.content.Features {
		if m.Categories(j) != nil && category.Categories(x, j) == nil {
			columns = append(columns, j)
		}
	}
	return columns
}

// numbered returns the ids of a rank's rows. If no rank has any, rows are numbered rank
// after rank.
func numbered(ids []uint64, rows int, ranks *collective.Group) ([]uint64, error) {
	counts := make([]int64, ranks.Size()+1)
	counts[ranks.Rank()] = int64(rows)
	if ids != nil {
		counts[ranks.Size()] = int64(rows)
	}
	ranks.Sum(counts)
	total, first := int64(0), int64(0)
	for rank, n := range counts[:ranks.Size()] {
		if rank == ranks.Rank() {
			first = total
		}
		total += n
	}
	switch identified := counts[ranks.Size()]; {
	case ranks.Err() != nil:
		return nil, ranks.Err()
	case total == 0:
		return nil, badArgument("features", "0 rows", "at least one row on some rank")
	case identified == total:
		return ids, nil
	case identified > 0:
		return nil, badArgument("row_ids", len(ids), "ids on every rank, or on none")
	}
	ids = make([]uint64, rows)
	for i := range ids {
		ids[i] = uint64(first) + uint64(i)
	}
	return ids, nil
}

// fitEncoder makes columns of numbers of the features of a training set, and has the
// set remember how.
func fitEncoder(set *data.Set, x Features, o DatasetOptions) (columns bin.Source, err error) {
	target := &category.Target{Classes: len(set.Classes), Labels: set.Labels, Weight: set.Weight, ID: set.ID}
	if o.Init != nil {
		set.Encoder = o.Init.content.Encoder
		columns, err = set.Encoder.Train(x, target, o.Seed)
		return columns, encodingError(err, set.Names)
	}
	options := category.Options{MaxBins: cmp.Or(o.MaxBin, bin.MaxValueBins), Seed: o.Seed, Categorical: o.categorical(x.Cols())}
	set.Encoder, columns, err = category.Fit(x, target, options)
	return columns, encodingError(err, set.Names)
}

// categorical tells which of this many columns have numbers that stand for
// categories; nil: none.
func (o *DatasetOptions) categorical(cols int) []bool {
	if o.Categorical == nil {
		return nil
	}
	listed := make([]bool, cols)
	for _, j := range o.Categorical {
		listed[j] = true
	}
	return listed
}

// encoded makes columns of numbers of features with the given names.
func encoded(e *category.Encoder, x Features, names []string) (bin.Source, error) {
	columns, err := e.Encode(x)
	return columns, encodingError(err, names)
}

// encodingError names the argument that cannot be encoded.
func encodingError(err error, names []string) error {
	column := func(j int) string { return fmt.Sprintf("features: column %d, %q,", j, names[j]) }
	var mismatch *category.MismatchError
	var many *category.TooManyError
	switch {
	case errors.As(err, &mismatch):
		return badArgument(column(mismatch.Column), mismatch.Value, "numbers, as in training")
	case errors.As(err, &many):
		return badArgument(column(many.Column), fmt.Sprintf("%d categories", many.Categories), "at most %d", category.MaxCategories)
	}
	return err
}

// namesOf returns the names of this many features, made up if there are none.
func namesOf(names []string, cols int) []string {
	if names != nil {
		return slices.Clone(names)
	}
	names = make([]string, cols)
	for j := range names {
		names[j] = modelio.GeneratedName(j)
	}
	return names
}

// check returns an error unless the options suit this many features, rows aside.
func (o *DatasetOptions) check(cols int) error {
	if o.MaxBin != 0 && (o.MaxBin < 2 || o.MaxBin > bin.MaxValueBins) {
		return badArgument("max_bin", o.MaxBin, "2 to %d", bin.MaxValueBins)
	}
	if err := public(settings.CheckThreads(o.NThread)); err != nil {
		return err
	}
	if o.Names != nil && len(o.Names) != cols {
		return badArgument("names", len(o.Names), "%d, one for each feature", cols)
	}
	if !utf8.ValidString(o.LabelName) {
		return badArgument("label_name", o.LabelName, "text in UTF-8")
	}
	for i, name := range o.Names {
		if !utf8.ValidString(name) {
			return badArgument(fmt.Sprintf("names[%d]", i), name, "text in UTF-8")
		}
	}
	for i, j := range o.Categorical {
		if j < 0 || j >= cols {
			return badArgument(fmt.Sprintf("categorical[%d]", i), j, "0 to %d, the columns", cols-1)
		}
	}
	if o.Shares != nil || o.ShareClasses != nil {
		return badArgument("shares", fmt.Sprintf("%d classes", len(o.ShareClasses)), "none for rows in blocks")
	}
	if o.Init != nil && o.Path != "" {
		return badArgument("path", o.Path, "none, with a model to continue")
	}
	if o.Init != nil && cols != len(o.Init.content.Features) {
		return badArgument("features", fmt.Sprintf("%d columns", cols), "%d columns, the features of the model", len(o.Init.content.Features))
	}
	return nil
}

// Aligned quantizes a validation set like d: the same bins, the same classes.
// Labels that d does not have count as errors, and [Dataset.Unknown] counts them;
// if it has none of them, the result is an error.
func (d *Dataset) Aligned(features Features, labels Labels, weights []float64) (*Dataset, error) {
	return d.aligned(features, labels, weights, nil, 0)
}

func (d *Dataset) aligned(features Features, labels Labels, weights []float64, ids []uint64, threads int) (*Dataset, error) {
	if err := checkFeatures(features); err != nil {
		return nil, err
	}
	if features.Cols() != len(d.set.Names) {
		return nil, badArgument("features", fmt.Sprintf("%d columns", features.Cols()), "%d columns, as in the training set", len(d.set.Names))
	}
	if err := labels.check(features.Rows()); err != nil {
		return nil, err
	}
	narrow, err := checkWeights(weights, features.Rows())
	if err == nil {
		err = checkRowIDs(ids, features.Rows())
	}
	if err != nil {
		return nil, err
	}
	team := par.NewTeam(threads)
	defer team.Close()
	set := &data.Set{Target: data.NewTarget(labels, d.set.Classes), Names: d.set.Names, Named: d.set.Named, Encoder: d.set.Encoder, Mapper: d.set.Mapper}
	set.Ranks = d.set.Ranks
	set.Weights, set.IDs = narrow, slices.Clone(ids)
	if set.Ranks == nil { // else the trainer asks whether another rank knows some
		if err := checkKnown(labels, &set.Target); err != nil {
			return nil, err
		}
	}
	columns, err := encoded(set.Encoder, features, set.Names)
	if err != nil {
		return nil, err
	}
	set.Matrix = set.Mapper.Map(columns, team)
	start, err := newStart(d.continued(), features, team)
	if err != nil {
		return nil, err
	}
	return &Dataset{set, start}, nil
}

// checkRowIDs checks that every row has an id of its own.
func checkRowIDs(ids []uint64, rows int) error {
	if ids == nil {
		return nil
	}
	if len(ids) != rows {
		return badArgument("row_ids", len(ids), "%d, one for each row", rows)
	}
	if first, second, found := data.RepeatedID(ids); found {
		return badArgument(fmt.Sprintf("row_ids[%d]", second), ids[second], "an id of its own; row_ids[%d] is the same", first)
	}
	return nil
}

// sampleRows draws the rows to fit bins to, in order; nil: all.
func sampleRows(t *data.Target, o DatasetOptions) (rows []int) {
	n := cmp.Or(o.SampleRows, defaultSampleRows)
	if n < 0 || n >= t.Rows() {
		return nil
	}
	sample := data.NewSample(o.Seed, n)
	sample.Add(0, t.Rows(), t.IDs)
	for _, row := range sample.Rows() {
		rows = append(rows, row.Row)
	}
	return rows
}

// Close gives the dataset's memory back at once, where otherwise the garbage
// collector would in time, and closes its file, if it is of one. No training
// may be using it. What is left are its facts, and the bins that others are
// aligned to. The error is always nil. Closing twice does nothing.
func (d *Dataset) Close() error {
	garbage := d.set.TargetBytes()
	d.set.Free()
	mem.GiveBack(garbage)
	return nil
}

func (d *Dataset) checkFreed(argument string) error {
	if d.set.Freed() {
		return badArgument(argument, "a dataset that was closed", "one that was not")
	}
	return nil
}

// binnedAs reports whether the codes and labels of two datasets mean the same.
func (d *Dataset) binnedAs(other *Dataset) bool {
	return d.set.BinnedAs(other.set) && d.continued() == other.continued()
}

// continued returns the model that training on the dataset continues; nil: none.
func (d *Dataset) continued() *Model {
	if d.start == nil {
		return nil
	}
	return d.start.model
}

// Bins returns the number of value bins of a feature, 0 to 255.
func (d *Dataset) Bins(feature int) int { return len(d.set.Mapper.Features[feature].Lower) }

// Bytes returns the memory of the dataset, mapped files included, without the model that it continues.
func (d *Dataset) Bytes() int64 {
	size := int64(d.set.Bytes())
	if d.start != nil {
		size += int64(d.start.Bytes())
	}
	return size
}

// shape returns the size of a training on the dataset, on all machines.
func (d *Dataset) shape() data.Shape {
	return data.Shape{Rows: d.set.AllRows(), Features: len(d.set.Mapper.Features), Classes: len(d.set.Classes)}
}

// Rows returns the number of rows.
func (d *Dataset) Rows() int { return d.set.Matrix.Rows }

// Classes returns the labels of the classes, in the order of their numbers.
func (d *Dataset) Classes() []string { return slices.Clone(d.set.Classes) }

// Labels returns the numbers of the rows' classes; −1: a class that the training set does
// not have.
func (d *Dataset) Labels() []int32 { return slices.Clone(d.set.Labels) }

// Weights returns the weights of the rows; nil: all are one.
func (d *Dataset) Weights() []float64 {
	if d.set.Weights == nil {
		return nil
	}
	weights := make([]float64, d.Rows())
	for i := range weights {
		weights[i] = d.set.Weight(i)
	}
	return weights
}

// FeatureNames returns the names of the features.
func (d *Dataset) FeatureNames() []string { return slices.Clone(d.set.Names) }

// Named reports whether the features were given names; otherwise these are generated:
// f0, f1, ….
func (d *Dataset) Named() bool { return d.set.Named }

// Categories returns the names of the categories of a feature, in order; nil: it is
// numeric.
func (d *Dataset) Categories(feature int) []string {
	return categoriesOf(d.set.Encoder, feature)
}

func categoriesOf(e *category.Encoder, feature int) []string {
	if e == nil {
		return nil
	}
	return slices.Clone(e.Features[feature].Categories)
}

// Unknown returns the number of rows of a validation set whose class training
// never saw.
func (d *Dataset) Unknown() int { return d.set.Unknown }

// listed lists names for a message, not all of very many.
func listed(names []string) string {
	const most = 10
	if len(names) > most {
		return fmt.Sprintf("%q and %d more", names[:most], len(names)-most)
	}
	return fmt.Sprintf("%q", names)
}
