package main

import (
	"context"
	"errors"
	"iter"
	"os"
	"slices"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/cmd/aoso/internal/table"
	"github.com/libaoso/aoso/columnar"
	"github.com/libaoso/aoso/internal/mem"
)

// stream is the rows of data files, one file after the other, which are read block
// by block and more than once.
type stream struct {
	names   []string // of the files
	files   []blockFile
	reading func(bytes int) // is told of every read; nil: nobody asks
}

// blockFile is a data file that is read block by block.
type blockFile interface {
	// Blocks reads the rows, each time from the first one. A block is valid until the
	// next. The last error may be [table.ErrAgain], but only once.
	Blocks() iter.Seq2[*table.Table, error]
	// Facts is the table without its rows, once the file was read.
	Facts() *table.Table
	// Size is the size of the file in bytes.
	Size() int64
}

// newStream returns the stream of labelled files, which are read later.
func (r *reader) newStream(names ...string) (*stream, error) {
	s := &stream{names: names}
	for _, name := range names {
		f, err := newBlockFile(name, r.layout, func(bytes int) {
			if s.reading != nil {
				s.reading(bytes)
			}
		})
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, f)
	}
	return s, nil
}

// size returns the size of all files in bytes.
func (s *stream) size() (sum int64) {
	for _, f := range s.files {
		sum += f.Size()
	}
	return sum
}

// dataset builds a dataset of the stream, until ctx is cancelled. begin is called
// before the files are read, twice each.
func (s *stream) dataset(ctx context.Context, r *reader, o aoso.DatasetOptions, begin func()) (*aoso.Dataset, error) {
	first, err := s.first()
	if err != nil {
		return nil, err
	}
	if err := r.checkLabel(s.names[0], first, first.Labels); err != nil {
		return nil, err
	}
	o.Names, o.Categorical, o.LabelName = slices.Clone(first.Names), first.Coded, first.LabelName
	for {
		begin()
		d, err := aoso.NewDatasetFromBlocks(s.blocks(ctx, r), o)
		if errors.Is(err, table.ErrAgain) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for i, f := range s.files {
			r.describe(s.names[i], f.Facts())
		}
		return d, nil
	}
}

// first returns the first block.
func (s *stream) first() (first *table.Table, err error) {
	for first, err = range s.files[0].Blocks() {
		break
	}
	if errors.Is(err, table.ErrAgain) {
		return s.first()
	}
	return first, err
}

// blocks returns the rows, until ctx is cancelled.
func (s *stream) blocks(ctx context.Context, r *reader) iter.Seq2[aoso.Block, error] {
	return func(yield func(aoso.Block, error) bool) {
		var names []string
		for i, f := range s.files {
			for t, err := range f.Blocks() {
				if err == nil {
					err = ctx.Err()
				}
				if err == nil && i > 0 && !slices.Equal(t.Names, names) {
					err = &table.Error{File: s.names[i], Msg: "its columns are " + table.Listed(t.Names) + ", those of " + s.names[0] + " are " + table.Listed(names)}
				}
				var of *shares
				if err == nil {
					of, err = r.readShares(s.names[i], t, "")
				}
				if err != nil {
					yield(aoso.Block{}, err)
					return
				}
				names = t.Names
				d := &data{columns: t.Columns, categories: t.Categories, rows: t.Rows}
				block := aoso.Block{Features: d.features(), Weights: t.Weights, RowIDs: t.IDs, Shares: of.table(), ShareClasses: of.names()}
				if of == nil {
					block.Labels = aoso.StringLabels(t.Labels)
				}
				if !yield(block, nil) {
					return
				}
			}
		}
	}
}

// isLarge reports whether a data file is better read as a stream: whether its rows,
// in memory as numbers, may take half of the memory.
func isLarge(file string) bool {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if f, err := columnar.Open(file); err == nil {
		defer f.Close()
		if rows := f.Rows(); rows >= 0 {
			return 8*float64(rows)*float64(len(f.Columns())) > mem.Plannable()/2
		}
	}
	growth := 4.0 // two characters a number, or two bytes in Arrow; eight bytes
	if table.IsCompressed(file) {
		growth *= 4
	}
	return growth*float64(info.Size()) > mem.Plannable()/2
}

// isDataset reports whether a file is a dataset that bin has made. It does not open a
// pipe, which can be opened only once.
func isDataset(file string) bool {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	var start [4]byte
	_, err = f.Read(start[:])
	return err == nil && string(start[:]) == "AOSO"
}
