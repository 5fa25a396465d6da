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
	Categorical []bool // by feature: its numbers stand for categories; nil: none do
	MaxBins     int
	SampleRows  int // that bins are fitted to
	Seed        uint64
	TextLabels  bool // for [Classes]
	DenseOnly   bool
	Path        string            // of the file to keep the set in; "": in memory
	Ranks       *collective.Group // that have the other rows; nil: there are none
	Whole       bin.Source        // all rows, with ranks, which can be read at any time; nil: they come and go in blocks
	Continues   bool              // a model, whose encoder is given
	Encoder     *category.Encoder // of that model; nil: its features are numbers
}

// Builder builds a set of rows that come in blocks, and come twice: the first time
// it learns what bins and categories there are, the second time it quantizes the
// rows. Beside the set it keeps a sample of the rows, and a byte or four for each
// label, weight and category.
type Builder struct {
	options BuildOptions
	sketch  *Sketch

	dictionary *category.Dictionary
	kept       *RowBlocks // of each row the number of its label, its weight, and its categories
	weighted   bool
	IDs        []uint64      // of the rows; nil: their positions
	labels     []Label       // in order of first sight
	numbers    map[Label]int // of these labels

	set     *Set
	columns bin.Source // of the kept rows, encoded
	coder   *bin.Coder
	file    *codeFile // nil: the set is kept in memory
	row     int       // the next row to quantize
}

// NewBuilder returns a builder without rows, whose categories go to the dictionary.
func NewBuilder(o BuildOptions, d *category.Dictionary) *Builder {
	b := &Builder{options: o, dictionary: d, sketch: NewSketch(len(o.Names), o.Seed, o.SampleRows), numbers: map[Label]int{}}
	if o.Whole != nil {
		b.sketch.values = nil
	}
	return b
}

// Rows returns the number of rows seen the first time.
func (b *Builder) Rows() int { return b.sketch.seen }

// TextLabels reports whether the labels of any rank are texts.
func (b *Builder) TextLabels() bool { return b.options.TextLabels }

// Labels returns the labels seen, each once.
func (b *Builder) Labels() []Label { return b.labels }

// Sample takes in the next rows, which the builder sees for the first time.
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

// keptColumns is the columns of a block that a builder keeps.
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

// keptTable is the categories of all rows, as a table whose other columns cannot be
// read.
type keptTable struct {
	*Builder
	place []int // by column: of the kept columns
}

func (t *keptTable) Cols() int                 { return len(t.options.Names) }
func (t *keptTable) Categories(j int) []string { return t.dictionary.Categories(j) }

func (t *keptTable) Column(j, first int, dst []float64) { t.kept.Column(t.place[j], first, dst) }

// Begin ends the first pass over the rows, whose classes are given in order, and
// begins the second.
func (b *Builder) Begin(classes []string, team *par.Team) (err error) {
	o := &b.options
	b.set = &Set{Target: b.target(classes), Names: o.Names, Named: o.Named}
	if b.kept == nil {
		b.kept = NewRowBlocks(2 + len(o.Names))
	}
	table := &keptTable{b, make([]int, len(o.Names))}
	next := 2
	for j := range table.place {
		if b.dictionary.Categories(j) != nil || o.Categorical != nil && o.Categorical[j] {
			table.place[j] = next
			next++
		}
	}
	target := &category.Target{Ranks: o.Ranks, Classes: len(classes), Labels: b.set.Labels, Weight: b.set.Weight, ID: b.set.ID}
	if o.Continues {
		b.set.Encoder = o.Encoder
		b.columns, err = o.Encoder.Train(table, target, o.Seed)
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
	if o.Path == "" {
		if err := mem.Afford("the dataset", 0, float64(b.set.Mapper.CodesBytes(b.Rows()))); err != nil {
			return err
		}
		b.set.Matrix = b.set.Mapper.NewMatrix(b.Rows())
		return nil
	}
	b.set.Grouped = !o.DenseOnly
	b.file, err = newCodeFile(o.Path, b.set, b.coder)
	return err
}

// target returns the labels and weights of all rows.
func (b *Builder) target(classes []string) Target {
	t := Target{Ranks: b.options.Ranks, Classes: classes, Labels: make([]int32, b.Rows()), IDs: b.IDs}
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

// fit fits the bins.
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
	for j := range m.Features {
		m.Features[j].Missing = b.sketch.Missing[b.owner(j)]
	}
	return m, nil
}

// sampled returns the rows of the sample, encoded, and their numbers among all rows.
func (b *Builder) sampled(team *par.Team) (bin.Source, []int) {
	sample, rows := b.sketch.Rows(team)
	return category.EncodeRows(b.columns, sample, func(i int) int { return rows[i] }), rows
}

// owner returns the feature that an encoded column is made of.
func (b *Builder) owner(column int) int {
	if owners := b.set.Encoder.Owners(); owners != nil {
		return owners[column]
	}
	return column
}

// A ChangedError says what rows have in place of what they had the first time.
type ChangedError struct {
	What    string
	Is, Was any
}

func (e *ChangedError) Error() string { return fmt.Sprintf("%s is %v, was %v", e.What, e.Is, e.Was) }

// Append quantizes the next rows, which the builder sees for the second time.
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
	return nil
}

// Finish returns the set, of which all rows were quantized; nil: it is in its file.
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

// release gives back what only the passes over the rows need.
func (b *Builder) release() {
	features := len(b.set.Names)
	sample := min(b.Rows(), 3*min(b.options.SampleRows, b.Rows()))
	garbage := 4 * (sample*features + b.Rows()*(b.set.Encoder.Columns(features)-features))
	b.sketch, b.columns, b.kept = nil, nil, nil
	mem.GiveBack(garbage)
}

// Free removes what an unfinished set has on the disk. Freeing twice does nothing.
func (b *Builder) Free() {
	if b.file != nil {
		b.file.draft.Drop()
	}
}

// All is the sample size of all rows.
const All = math.MaxInt
