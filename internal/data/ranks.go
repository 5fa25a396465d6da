package data

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"unique"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/par"
)

// shard is what the machines of a collective tell one another of their rows.
type shard struct {
	Rows       int
	Agreed     agreed
	Weighted   bool
	TextLabels bool
	Labels     []string
	Categories [][]string // by column; nil: it has numbers
	Missing    []bool     // by column
}

// agreed is what must be the same on all machines.
type agreed struct {
	Names       []string
	Categorical []bool
	MaxBins     int
	SampleRows  int
	Seed        uint64
}

// Unite makes the labels, categories and missing values seen those of all machines,
// after the first pass.
func (b *Builder) Unite() error {
	o := &b.options
	mine := shard{
		Rows: b.Rows(), Agreed: agreed{o.Names, o.Categorical, o.MaxBins, o.SampleRows, o.Seed},
		Weighted: b.weighted, TextLabels: o.TextLabels, Missing: b.sketch.Missing, Categories: make([][]string, len(o.Names)),
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
	var first *shard // that has rows
	for rank, theirs := range o.Ranks.Gather(text, 1) {
		var s shard
		if err := json.Unmarshal(theirs, &s); err != nil {
			return err
		}
		if !reflect.DeepEqual(s.Agreed, mine.Agreed) {
			return fmt.Errorf("the options of rank %d for the dataset are %+v, must be %+v, as here", rank, s.Agreed, mine.Agreed)
		}
		if s.Rows == 0 {
			continue
		}
		if first == nil {
			first = &s
		}
		if err := s.like(first); err != nil {
			return fmt.Errorf("rank %d: %w", rank, err)
		}
		for _, label := range s.Labels {
			b.number(unique.Make(label))
		}
		b.weighted = b.weighted || s.Weighted
		o.TextLabels = o.TextLabels || s.TextLabels
		b.dictionary.Unite(s.Categories)
		for j, missing := range s.Missing {
			b.sketch.Missing[j] = b.sketch.Missing[j] || missing
		}
	}
	return o.Ranks.Err()
}

// like tells whether two shards have columns of the same kinds.
func (s *shard) like(first *shard) error {
	for j := range s.Categories {
		if (s.Categories[j] == nil) != (first.Categories[j] == nil) {
			return fmt.Errorf("column %d has numbers on one rank and categories on another", j)
		}
	}
	return nil
}

// number is the number of a label, in order of first sight.
func (b *Builder) number(label Label) int {
	number, ok := b.numbers[label]
	if !ok {
		number = len(b.labels)
		b.numbers[label] = number
		b.labels = append(b.labels, label)
	}
	return number
}

// fitShare fits the bins to the sample of all machines' rows, of which x, encoded, has
// those of this one. Each machine gets the values of some features, and fits their bins.
func (b *Builder) fitShare(x bin.Source, categories []int, team *par.Team) *bin.Mapper {
	ranks, cols := b.options.Ranks, x.Cols()
	first := func(rank int) int { return rank * cols / ranks.Size() } // feature of a rank
	values, rows := b.sampleValues(x)
	counts := make([]int, ranks.Size())
	for rank := range counts {
		counts[rank] = (first(rank+1) - first(rank)) * rows
	}
	part := ranks.SumPart(values, counts)
	from, to := first(ranks.Rank()), first(ranks.Rank()+1)
	share := make(sampled, to-from)
	for j := range share {
		share[j] = make([]float64, rows)
		for i, bits := range part[j*rows:][:rows] {
			share[j][i] = math.Float64frombits(uint64(bits))
		}
	}
	if categories != nil {
		categories = categories[from:to]
	}
	mine := bin.Fit(share, nil, b.options.MaxBins, categories, team)
	var packed []uint64
	for j := range mine.Features {
		packed = mine.Features[j].Pack(packed)
	}
	m := &bin.Mapper{Features: make([]bin.Feature, cols)}
	for rank, theirs := range ranks.Gather(collective.Pack(packed), 8) {
		rest, ok := collective.Unpack(theirs), true
		for j := first(rank); j < first(rank+1); j++ {
			if m.Features[j], rest, ok = bin.Unpack(rest); !ok {
				ranks.Abort(fmt.Errorf("rank %d has sent wrong bins of feature %d", rank, j))
				return m
			}
		}
	}
	return m
}

// sampleValues is the bits of the values in the sample, whose rows it counts, by column
// and row: zeros for the rows of other machines.
func (b *Builder) sampleValues(x bin.Source) (values []int64, rows int) {
	sample := b.sketch.sample.Rows()
	bound, before, rows := b.gatherBound(sample)
	if rows == 0 {
		return nil, 0
	}
	values = make([]int64, x.Cols()*rows)
	column := make([]float64, x.Rows())
	for j := range x.Cols() {
		x.Column(j, 0, column)
		at := values[j*rows+before:]
		for i, row := range sample {
			if row.Hash <= bound {
				at[0], at = int64(math.Float64bits(column[i])), at[1:]
			}
		}
	}
	return values, rows
}

// gatherBound is the greatest hash in the sample of all machines' rows, and how many
// rows in it are of lower ranks and of all.
func (b *Builder) gatherBound(rows []SampledRow) (bound uint64, before, all int) {
	mine := make([]uint64, len(rows))
	for i, row := range rows {
		mine[i] = row.Hash
	}
	var hashes []uint64
	ends := []int{0}
	for rank, theirs := range b.options.Ranks.Gather(collective.Pack(mine), 8) {
		if rank == b.options.Ranks.Rank() {
			hashes = append(hashes, mine...)
		} else {
			hashes = append(hashes, collective.Unpack(theirs)...)
		}
		ends = append(ends, len(hashes))
	}
	bound = math.MaxUint64
	if len(hashes) > b.options.SampleRows {
		sorted := slices.Clone(hashes)
		slices.Sort(sorted)
		bound = sorted[b.options.SampleRows-1]
	}
	for i, hash := range hashes {
		if hash <= bound {
			all++
			if i < ends[b.options.Ranks.Rank()] {
				before++
			}
		}
	}
	return bound, before, all
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
