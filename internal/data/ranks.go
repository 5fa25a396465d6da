package data

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"unique"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/par"
)

// shard describes the rows of one rank to the others.
type shard struct {
	Rows       int
	Agreed     agreed
	Weighted   bool
	TextLabels bool
	Labels     []string
	Categories [][]string // by column; nil: the column is numeric
}

// agreed has the options that must be the same on all ranks.
type agreed struct {
	Names       []string
	Categorical []bool
	MaxBins     int
	SampleRows  int
	Seed        uint64
}

// Unite adds the labels and categories of all other ranks, after the first pass.
func (b *Builder) Unite() error {
	o := &b.options
	mine := shard{
		Rows: b.Rows(), Agreed: agreed{o.Names, o.Categorical, o.MaxBins, o.SampleRows, o.Seed},
		Weighted: b.weighted, TextLabels: o.TextLabels, Categories: make([][]string, len(o.Names)),
	}
	for _, label := range b.labels {
		mine.Labels = append(mine.Labels, label.Value())
	}
	for j := range mine.Categories {
		mine.Categories[j] = b.dictionary.Categories(j)
	}
	text, err := json.Marshal(mine)
	if err != nil {
		return err
	}
	var first *shard // the first with rows
	for rank, theirs := range o.Ranks.Gather(text, 1) {
		var s shard
		if err := json.Unmarshal(theirs, &s); err != nil {
			return err
		}
		if !reflect.DeepEqual(s.Agreed, mine.Agreed) {
			return fmt.Errorf("the dataset options of rank %d are %+v, those of this rank are %+v; allowed: the same options on all ranks", rank, s.Agreed, mine.Agreed)
		}
		if s.Rows == 0 {
			continue
		}
		if first == nil {
			first = &s
		}
		if err := s.checkKinds(first); err != nil {
			return fmt.Errorf("rank %d: %w", rank, err)
		}
		for _, label := range s.Labels {
			b.number(unique.Make(label))
		}
		b.weighted = b.weighted || s.Weighted
		o.TextLabels = o.TextLabels || s.TextLabels
		b.dictionary.Unite(s.Categories)
	}
	return o.Ranks.Err()
}

// checkKinds returns an error if a column is numeric in one shard and categorical in the other.
func (s *shard) checkKinds(first *shard) error {
	for j := range s.Categories {
		if (s.Categories[j] == nil) != (first.Categories[j] == nil) {
			return fmt.Errorf("column %d has numbers on one rank and categories on another", j)
		}
	}
	return nil
}

// number returns the position of a label in b.labels, and adds it if it is new.
func (b *Builder) number(label Label) int {
	number, ok := b.numbers[label]
	if !ok {
		number = len(b.labels)
		b.numbers[label] = number
		b.labels = append(b.labels, label)
	}
	return number
}

// fitShare fits the bins to a sample of the rows of all ranks. Each rank gets the values of some columns, and fits their bins.
func (b *Builder) fitShare(categories []int, team *par.Team) (*bin.Mapper, error) {
	ranks := b.options.Ranks
	drawn := b.draw(team)
	cols := len(drawn.values)
	first := func(rank int) int { return rank * cols / ranks.Size() } // the first column of a rank
	counts := make([]int, ranks.Size())
	for rank := range counts {
		counts[rank] = (first(rank+1) - first(rank)) * drawn.words()
	}
	part := ranks.SumPart(drawn.pack(), counts)
	from, to := first(ranks.Rank()), first(ranks.Rank()+1)
	if categories != nil {
		categories = categories[from:to]
	}
	mine, err := bin.Fit(drawn.unpack(part, to-from), nil, b.options.MaxBins, categories, team)
	if err != nil {
		ranks.Abort(err)
		return nil, err
	}
	var packed []uint64
	for j := range mine.Features {
		packed = mine.Features[j].Pack(packed)
	}
	m := &bin.Mapper{Features: make([]bin.Feature, cols)}
	for rank, theirs := range ranks.Gather(collective.Pack(packed), 8) {
		rest, ok := collective.Unpack(theirs), true
		for j := first(rank); j < first(rank+1); j++ {
			if m.Features[j], rest, ok = bin.Unpack(rest); !ok {
				ranks.Abort(fmt.Errorf("rank %d sent invalid bins of column %d", rank, j))
				return nil, ranks.Err()
			}
			m.Features[j].Missing = drawn.missing[j]
		}
	}
	return m, nil
}

// draw draws the sample of the rows of all ranks.
func (b *Builder) draw(team *par.Team) *drawnRows {
	ranks, cols := b.options.Ranks, b.columns.Cols()
	d := &drawnRows{missing: make([]bool, cols)}
	sample := b.sketch.sample.Rows()
	bound := b.bound(sample)
	var rows []int // of the source x below, which are in the sample
	for i, row := range sample {
		switch {
		case row.Hash > bound:
		case b.options.Whole != nil:
			rows = append(rows, row.Row)
		default:
			rows = append(rows, i)
		}
	}
	if x := b.options.Whole; x != nil && x.Rows() > 0 {
		x = category.EncodeRows(b.columns, b.dictionary.Renumber(x), func(i int) int { return i })
		d.values, d.missing = bin.ReadPicked(x, rows, team)
	} else if b.Rows() > 0 {
		x, _ = b.sampled(team)
		d.values, _ = bin.ReadPicked(x, rows, team)
		d.missing = b.missing()
	} else {
		d.values = make([][]float64, cols)
	}
	d.exchange(ranks, len(rows))
	return d
}

// bound returns the greatest hash in the sample of the rows of all ranks. sample is the sample of this rank's rows.
func (b *Builder) bound(sample []SampledRow) uint64 {
	const digits = 12 // the leading bits of the hashes, by which rows are counted
	ranks := b.options.Ranks
	longest := int64(0)
	for _, row := range sample {
		longest = max(longest, int64(bits.Len64(row.Hash)))
	}
	v := []int64{longest}
	ranks.Max(v)
	shift := max(0, int(max(longest, v[0]))-digits)
	counts := make([]int64, 1<<digits)
	for _, row := range sample {
		counts[row.Hash>>shift]++
	}
	ranks.Sum(counts)
	last, left := 0, int64(b.options.SampleRows)
	for ; last < len(counts) && counts[last] <= left; last++ {
		left -= counts[last]
	}
	if last == len(counts) {
		return math.MaxUint64 // all rows are in the sample
	}
	var near, all []uint64
	for _, row := range sample {
		if row.Hash>>shift == uint64(last) {
			near = append(near, row.Hash)
		}
	}
	for _, theirs := range ranks.Gather(collective.Pack(near), 8) {
		all = append(all, collective.Unpack(theirs)...)
	}
	if left == 0 || ranks.Err() != nil { // no hash with these leading bits is in the sample
		return uint64(last)<<shift - 1
	}
	slices.Sort(all)
	return all[left-1]
}

// drawnRows is the sample that bins are fitted to. Each rank has some of its rows.
type drawnRows struct {
	values  [][]float64 // by column and row, of this rank's rows
	missing []bool      // by column: any rank has missing values
	rows    int         // rows of all ranks
	before  int         // rows of lower ranks
	narrow  bool        // float32 holds all values exactly
}

// exchange sets missing, rows, before and narrow. here is the number of this rank's rows.
func (d *drawnRows) exchange(ranks *collective.Group, here int) {
	flags := make([]int64, len(d.missing)+1)
	for j, missing := range d.missing {
		if missing {
			flags[j] = 1
		}
	}
	wide := func(v float64) bool { return v == v && float64(float32(v)) != v }
	if slices.ContainsFunc(d.values, func(column []float64) bool { return slices.ContainsFunc(column, wide) }) {
		flags[len(d.missing)] = 1
	}
	ranks.Max(flags)
	for j := range d.missing {
		d.missing[j] = flags[j] > 0
	}
	d.narrow = flags[len(d.missing)] == 0
	counts := make([]int64, ranks.Size())
	counts[ranks.Rank()] = int64(here)
	ranks.Sum(counts)
	if ranks.Err() != nil {
		d.rows = here
		return
	}
	for rank, n := range counts {
		d.rows += int(n)
		if rank < ranks.Rank() {
			d.before += int(n)
		}
	}
}

// words returns the number of 64-bit words in which a column is sent.
func (d *drawnRows) words() int {
	if d.narrow {
		return (d.rows + 1) / 2
	}
	return d.rows
}

// pack returns the bits of the values by column and row, two values in a word if they are narrow. The values of other ranks' rows are 0,
// so that the sum over the ranks has all values.
func (d *drawnRows) pack() []int64 {
	v := make([]int64, len(d.values)*d.words())
	for j, column := range d.values {
		words := v[j*d.words():][:d.words()]
		for i, x := range column {
			at := d.before + i
			if d.narrow {
				words[at/2] |= int64(uint64(math.Float32bits(float32(x))) << (32 * (at % 2)))
			} else {
				words[at] = int64(math.Float64bits(x))
			}
		}
	}
	return v
}

// unpack returns the values of this many columns from the sum of what the ranks packed.
func (d *drawnRows) unpack(v []int64, cols int) sampled {
	columns := make(sampled, cols)
	for j := range columns {
		words := v[j*d.words():][:d.words()]
		columns[j] = make([]float64, d.rows)
		for i := range columns[j] {
			if d.narrow {
				columns[j][i] = float64(math.Float32frombits(uint32(uint64(words[i/2]) >> (32 * (i % 2)))))
			} else {
				columns[j][i] = math.Float64frombits(uint64(words[i]))
			}
		}
	}
	return columns
}

// sampled is a source of columns.
type sampled [][]float64

func (c sampled) Rows() int {
	if len(c) == 0 {
		return 0
	}
	return len(c[0])
}
func (c sampled) Cols() int                          { return len(c) }
func (c sampled) Column(j, first int, dst []float64) { copy(dst, c[j][first:]) }
