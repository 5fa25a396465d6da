package main

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso/cmd/aoso/internal/table"
)

// split is the column that says which rows are held out, and its values in the training data.
type split struct {
	group, time string // names of columns; at most one is not empty
	groups      []uint64
	times       []float64
}

func (s *split) bind(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&s.group, "group", "", "`column` of groups, such as patients, which is no feature: rows of a group are held out together")
	f.StringVar(&s.time, "time", "", "`column` of numbers or dates, which is no feature: the latest rows are held out")
	c.MarkFlagsMutuallyExclusive("group", "time")
	listUnder(f, "Columns", "group", "time")
}

// isSet reports whether there is such a column.
func (s *split) isSet() bool { return s.group != "" || s.time != "" }

// leftOut leaves the column out of the features of all files.
func (s *split) leftOut(o *table.Options) {
	if s.isSet() {
		o.Ignore = append(slices.Clone(o.Ignore), s.group+s.time)
	}
}

// kept has the training data keep the column, for take.
func (s *split) kept(o table.Options) table.Options {
	if s.isSet() {
		o.Keep = append(slices.Clone(o.Keep), s.group+s.time)
	}
	return o
}

// take takes the values of the column from the training data.
func (s *split) take(file string, d *data) error {
	if !s.isSet() {
		return nil
	}
	column := d.kept[0]
	for _, kept := range d.kept { // beside columns of soft labels
		if kept.Name == s.group+s.time {
			column = kept
		}
	}
	for row, text := range column.Cells {
		if s.group != "" {
			h := fnv.New128a()
			h.Write([]byte(text))
			s.groups = append(s.groups, binary.LittleEndian.Uint64(h.Sum(nil)))
			continue
		}
		time, err := strconv.ParseFloat(text, 64)
		if seconds, ok := table.Date([]byte(text)); ok {
			time, err = seconds, nil
		}
		if err != nil {
			return fmt.Errorf("%s: the time %q in row %d; allowed: numbers, or dates such as 2026-11-27 or 2026-11-27T12:00:00Z", file, text, row+1)
		}
		s.times = append(s.times, time)
	}
	return nil
}
