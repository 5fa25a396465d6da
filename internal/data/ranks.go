package data

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"unique"

	"github.com/libaoso/aoso/internal/bin"
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
	ranks := b.options.Ranks
	bound := b.gatherBound()
	var picked []int
	for i, row := range b.sketch.sample.Rows() {
		if row.Hash <= bound {
			picked = append(picked, i)
		}
	}
	order := binary.LittleEndian
	var mine []byte
	column := make([]float64, x.Rows())
	for j := range x.Cols() {
		x.Column(j, 0, column)
		for _, i := range picked {
			mine = order.AppendUint64(mine, math.Float64bits(column[i]))
		}
	}
	all := make(sampled, x.Cols())
	for _, theirs := range ranks.Gather(mine, 8*len(all)) {
		rows := len(theirs) / 8 / len(all)
		for j := range all {
			for range rows {
				all[j] = append(all[j], math.Float64frombits(order.Uint64(theirs)))
				theirs = theirs[8:]
			}
		}
	}
	return all
}

// gatherBound is the greatest hash in the sample of all machines' rows.
func (b *Builder) gatherBound() uint64 {
	order := binary.LittleEndian
	var mine []byte
	for _, sampled := range b.sketch.sample.Rows() {
		mine = order.AppendUint64(mine, sampled.Hash)
	}
	var hashes []uint64
	for _, theirs := range b.options.Ranks.Gather(mine, 8) {
		for ; len(theirs) > 0; theirs = theirs[8:] {
			hashes = append(hashes, order.Uint64(theirs))
		}
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
