package data

import (
	"fmt"
	"math"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
)

// BuildOptions say how a [Builder] builds a set.
type BuildOptions struct {
	Names       []string
	Named       bool   // the names were given, not generated
	LabelName   string // of the column that the labels are from; "": unknown
	Categorical []bool // by feature: its numbers stand for categories; nil: no feature's do
	MaxBins     int
	SampleRows  int // the number of rows that bins are fitted to
	Seed        uint64
	TextLabels  bool              // as for [Classes]
	DenseOnly   bool              // no further column encodings, see [Set.Group]
	Path        string            // the file to write the set to; "": the set stays in memory
	Ranks       *collective.Group // the ranks that have the other rows; nil: there are none
	Whole       bin.Source        // with ranks: all rows of this rank, if they can be read at any time; nil: they come in blocks
	Soft        *Soft             // of all rows, if their labels are soft
}

// Builder builds a set in two passes over rows that come in blocks. The first pass fits the bins and finds the categories, the second
// quantizes the rows. Beside the set, a builder stores a sample of the rows, and one to eight bytes for each label, weight and category.
type Builder struct {
	options BuildOptions
	sketch  *Sketch

	dictionary *category.Dictionary
	kept       *RowBlocks // by row: the number of its label, its weight, and its categories
	weighted   bool
	IDs        []uint64      // of the rows; nil: their positions
	labels     []Label       // the distinct labels, in order of appearance
	numbers    map[Label]int // positions in labels; in the second pass, classes

	continues bool              // the set is to continue a model, whose encoder is encoder
	encoder   *category.Encoder // nil: its features are numeric

	set     *Set
	columns bin.Source // the kept columns, encoded
	coder   *bin.Coder
	file    *codeFile  // nil: the set stays in memory
	values  *RowBlocks // of the set; nil: it stores none
	row     int        // the next row to quantize
}

// NewBuilder returns a builder without rows, which adds their categories to the dictionary.
func NewBuilder(o BuildOptions, d *category.Dictionary) *Builder {
	b := &Builder{options: o, dictionary: d, sketch: NewSketch(len(o.Names), o.Seed, o.SampleRows), numbers: map[Label]int{}}
	if o.Whole != nil {
		b.sketch.values = nil
	}
	return b
}

// Rows returns the number of rows of the first pass.
func (b *Builder) Rows() int { return b.sketch.seen }

// TextLabels reports whether the labels of any rank are strings.
func (b *Builder) TextLabels() bool { return b.options.TextLabels }

// Labels returns the distinct labels of the first pass.
func (b *Builder) Labels() []Label { return b.labels }

// Sample adds the next rows of the first pass.
func (b *Builder) Sample(x bin.Source, labels []Label, weights []float64, ids []uint64, team *par.Team) {
	x = b.dictionary.Renumber(x)
	k := keptColumns{Source: x, labels: make([]int, len(labels)), weights: weights}
	for i, label := range labels {
		k.labels[i] = b.number(label)
	}
	for j := range x.Cols() {
		if b.dictionary.Categories(j) != nil || b.options.Categorical != nil && b.options.Categorical[j] {
			k.categorical = append(k.categorical, j)
		}
	}
	if b.kept == nil {
		b.kept, b.weighted = NewRowBlocks(k.Cols()), weights != nil
	}
	b.kept.Append(&k, team)
	b.IDs = append(b.IDs, ids...)
	b.sketch.Add(x, ids, team)
}

// keptColumns has the columns of a block that a builder stores: labels, weights, and the categorical features.
type keptColumns struct {
	bin.Source
	labels      []int
	weights     []float64
	categorical []int
}

func (k *keptColumns) Cols() int { return 2 + len(k.categorical) }

func (k *keptColumns) Column(j, first int, dst []float64) {
	switch {
	case j == 0:
		for i, label := range k.labels[first:][:len(dst)] {
			dst[i] = float64(label)
		}
	case j >= 2:
		k.Source.Column(k.categorical[j-2], first, dst)
	case k.weights != nil:
		for i, w := range k.weights[first:][:len(dst)] {
			dst[i] = float64(float32(w))
		}
	default:
		for i := range dst {
			dst[i] = 1
		}
	}
}

// keptTable has the categorical columns of all rows. Its numeric columns cannot be read.
type keptTable struct {
	*Builder
	keptColumn []int // by column: its position among the kept columns
}

func (t *keptTable) Cols() int                 { return len(t.options.Names) }
func (t *keptTable) Categories(j int) []string { return t.dictionary.Categories(j) }

func (t *keptTable) Column(j, first int, dst []float64) {
	t.kept.Column(t.keptColumn[j], first, dst)
}

// Continue makes the set one to continue a model with this encoder; nil: its features are numeric.
func (b *Builder) Continue(e *category.Encoder) { b.continues, b.encoder = true, e }

// Begin ends the first pass and begins the second. classes are the classes in order.
func (b *Builder) Begin(classes []string, team *par.Team) (err error) {
	o := &b.options
	b.set = &Set{Target: b.target(classes), Names: o.Names, Named: o.Named, LabelName: o.LabelName}
	if b.kept == nil {
		b.kept = NewRowBlocks(2 + len(o.Names))
	}
	table := &keptTable{b, make([]int, len(o.Names))}
	next := 2
	for j := range table.keptColumn {
		if b.dictionary.Categories(j) != nil || o.Categorical != nil && o.Categorical[j] {
			table.keptColumn[j] = next
			next++
		}
	}
	target := &category.Target{Ranks: o.Ranks, Classes: len(classes), Labels: b.set.Labels, Weight: b.set.Weight, ID: b.set.ID}
	if b.continues {
		b.set.Encoder = b.encoder
		b.columns, err = b.encoder.Train(table, target, o.Seed)
	} else {
		b.set.Encoder, b.columns, err = category.Fit(table, target, category.Options{MaxBins: o.MaxBins, Categorical: o.Categorical, Seed: o.Seed})
	}
	if err != nil {
		return err
	}
	if b.set.Mapper, err = b.fit(team); err != nil {
		return err
	}
	b.coder, b.kept = b.set.Mapper.Coder(), nil
	values := storesValues(b.set.AllRows(), len(o.Names))
	if o.Path == "" {
		if err := mem.Afford("the dataset", 0, float64(b.set.Mapper.CodesBytes(b.Rows()))); err != nil {
			return err
		}
		b.set.Matrix = b.set.Mapper.NewMatrix(b.Rows())
		if values {
			b.values = NewRowBlocks(len(o.Names))
			b.set.Values = b.values
		}
		return nil
	}
	b.set.Grouped = !o.DenseOnly
	b.file, err = newCodeFile(o.Path, b.set, b.coder, values)
	return err
}

// target returns the labels and weights of all rows.
func (b *Builder) target(classes []string) Target {
	t := Target{Ranks: b.options.Ranks, Classes: classes, Labels: make([]int32, b.Rows()), IDs: b.IDs, Soft: b.options.Soft}
	position := NewTarget(b.labels, classes).Labels
	b.numbers = make(map[Label]int, len(b.labels))
	for i, label := range b.labels {
		b.numbers[label] = int(position[i])
	}
	if b.weighted {
		t.Weights = make([]float32, b.Rows())
	}
	values := make([]float64, blockRows)
	for first := 0; first < b.Rows(); first += blockRows {
		values = values[:min(blockRows, b.Rows()-first)]
		b.kept.Column(0, first, values)
		for i, v := range values {
			t.Labels[first+i] = position[int(v)]
		}
		if b.weighted {
			b.kept.Column(1, first, values)
			for i, v := range values {
				t.Weights[first+i] = float32(v)
			}
		}
	}
	return t
}

// fit fits the bins to the sample.
func (b *Builder) fit(team *par.Team) (*bin.Mapper, error) {
	defer func() { b.sketch.values, b.sketch.rows, b.sketch.sample = nil, nil, nil }()
	categories := b.set.Encoder.Codes(len(b.set.Names))
	if b.options.Ranks != nil {
		return b.fitShare(categories, team)
	}
	x, _ := b.sampled(team)
	m, err := bin.Fit(x, nil, b.options.MaxBins, categories, team)
	if err != nil {
		return nil, err
	}
	for j, missing := range b.missing() {
		m.Features[j].Missing = m.Features[j].Missing || missing
	}
	return m, nil
}

// sampled returns the rows of the sample, encoded, and their positions among all rows.
func (b *Builder) sampled(team *par.Team) (bin.Source, []int) {
	sample, rows := b.sketch.Rows(team)
	return category.EncodeRows(b.columns, sample, func(i int) int { return rows[i] }), rows
}

// missing reports, by encoded column, whether a row has a missing value in a feature that the column is computed from.
func (b *Builder) missing() []bool {
	owners := b.set.Encoder.Owners()
	if owners == nil {
		return b.sketch.Missing
	}
	missing := make([]bool, len(owners))
	for j, o := range owners {
		missing[j] = b.sketch.Missing[o[0]] || b.sketch.Missing[o[1]]
	}
	return missing
}

// A ChangedError says what the rows of the second pass have that differs from the first.
type ChangedError struct {
	What    string
	Is, Was any
}

func (e *ChangedError) Error() string { return fmt.Sprintf("%s is %v, was %v", e.What, e.Is, e.Was) }

// Append quantizes the next rows of the second pass.
func (b *Builder) Append(x bin.Source, labels []Label, team *par.Team) error {
	if rows := b.row + x.Rows(); rows > b.Rows() {
		return &ChangedError{"rows", rows, b.Rows()}
	}
	for i, label := range labels {
		was := b.set.Labels[b.row+i]
		if k, ok := b.numbers[label]; !ok || k != int(was) {
			return &ChangedError{fmt.Sprintf("labels[%d]", b.row+i), label.Value(), b.set.Classes[was]}
		}
	}
	first := b.row
	x = category.EncodeRows(b.columns, b.dictionary.Renumber(x), func(i int) int { return first + i })
	b.row += len(labels)
	if b.file != nil {
		return b.file.write(x, team)
	}
	b.coder.Map(x, b.set.Matrix.Columns, first, team)
	if b.values != nil {
		b.values.Append(x, team)
	}
	return nil
}

// Finish ends the second pass and returns the set; nil if it was written to a file.
func (b *Builder) Finish(team *par.Team) (*Set, error) {
	if b.row < b.Rows() {
		return nil, &ChangedError{"rows", b.row, b.Rows()}
	}
	if b.file != nil {
		err := b.file.finish()
		b.release()
		return nil, err
	}
	b.release()
	if !b.options.DenseOnly {
		return b.set, b.set.Group(team)
	}
	return b.set, nil
}

// release drops what only the two passes need, and returns the memory to the system.
func (b *Builder) release() {
	features := len(b.set.Names)
	sample := min(b.Rows(), 3*min(b.options.SampleRows, b.Rows()))
	garbage := 4 * (sample*features + b.Rows()*(b.set.Encoder.Columns(features)-features))
	b.sketch, b.columns, b.kept = nil, nil, nil
	mem.GiveBack(garbage)
}

// Free removes the file of an unfinished set. Freeing twice does nothing.
func (b *Builder) Free() {
	if b.file != nil {
		b.file.draft.Drop()
	}
}

// All is a sample size that takes all rows.
const All = math.MaxInt
