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
)

// shard is what the machines of a collective tell one another of their rows.
type shard struct {
	Rows       int
	Agreed     agreed
	Weighted   bool
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
		Weighted: b.weighted, Missing: b.sketch.Missing, Categories: make([][]string, len(o.Names)),
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

// gatherSample is the sample of all machines' rows, of which x, encoded, has those of
// this one.
func (b *Builder) gatherSample(x bin.Source) bin.Source {
	rows := b.sketch.sample.Rows()
	bound := b.gatherBound(rows)
	column, all := make([]float64, x.Rows()), make(sampled, x.Cols())
	var mine []uint64
	for j := range all {
		x.Column(j, 0, column)
		for i, row := range rows {
			if row.Hash <= bound {
				mine = append(mine, math.Float64bits(column[i]))
			}
		}
	}
	for _, bytes := range b.options.Ranks.Gather(collective.Pack(mine), 8*len(all)) {
		theirs := collective.Unpack(bytes)
		n := len(theirs) / len(all)
		for j := range all {
			for _, bits := range theirs[j*n:][:n] {
				all[j] = append(all[j], math.Float64frombits(bits))
			}
		}
	}
	return all
}

// gatherBound is the greatest hash in the sample of all machines' rows.
func (b *Builder) gatherBound(rows []SampledRow) uint64 {
	mine := make([]uint64, len(rows))
	for i, row := range rows {
		mine[i] = row.Hash
	}
	var hashes []uint64
	for _, theirs := range b.options.Ranks.Gather(collective.Pack(mine), 8) {
		hashes = append(hashes, collective.Unpack(theirs)...)
	}
	if len(hashes) <= b.options.SampleRows {
		return math.MaxUint64
	}
	slices.Sort(hashes)
	return hashes[b.options.SampleRows-1]
}

// sampled is a source of columns.
type sampled [][]float64

func (c sampled) Rows() int                          { return len(c[0]) }
func (c sampled) Cols() int                          { return len(c) }
func (c sampled) Column(j, first int, dst []float64) { copy(dst, c[j][first:]) }
