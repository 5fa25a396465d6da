package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/cmd/aoso/internal/table"
)

// shares are the soft labels of rows: the share of each class, in a column each.
type shares struct {
	columns []aoso.Column
	classes []string
}

// setShares has files read with the columns of --label-columns in place of a label.
func (r *reader) setShares() error {
	if r.shares == nil {
		return nil
	}
	o := &r.layout
	if !r.labelIsLast() {
		return fmt.Errorf("label is %q; allowed with --label-columns: no --label", o.Label)
	}
	o.Label, o.Ignore, o.Keep = "none", slices.Concat(o.Ignore, r.shares), slices.Concat(o.Keep, r.shares)
	return nil
}

// readShares reads the soft labels of a table from the columns that it has kept, all but one.
func (r *reader) readShares(file string, t *table.Table, but string) (*shares, error) {
	if r.shares == nil {
		return nil, nil
	}
	s := &shares{}
	if but != "" && !slices.ContainsFunc(t.Kept, func(k table.Kept) bool { return k.Name == but }) {
		return nil, usageError(fmt.Errorf("%q is the column of groups or times; allowed with --label-columns: its name", but))
	}
	for _, column := range t.Kept {
		if column.Name == but {
			continue
		}
		values := make([]float64, len(column.Cells))
		for row, cell := range column.Cells {
			var err error
			if t.DecimalComma {
				cell = strings.ReplaceAll(cell, ",", ".")
			}
			if values[row], err = strconv.ParseFloat(strings.TrimSpace(cell), 64); err != nil {
				return nil, fmt.Errorf("%s: the share of class %q in row %d is %q; allowed: a number from 0 to 1", file, column.Name, row, cell)
			}
		}
		s.columns, s.classes = append(s.columns, aoso.Numbers(values)), append(s.classes, column.Name)
	}
	if len(s.classes) < 2 {
		return nil, fmt.Errorf("%s: label-columns has %s; allowed: at least two, one for each class", file, count(len(s.classes), "column"))
	}
	return s, nil
}

// table returns the shares, rows × classes; nil: labels are hard.
func (s *shares) table() aoso.Features {
	if s == nil {
		return nil
	}
	x, err := aoso.NewTable(s.columns...)
	if err != nil {
		panic(err) // the columns are equally long
	}
	return x
}

// names returns the classes; nil: labels are hard.
func (s *shares) names() []string {
	if s == nil {
		return nil
	}
	return s.classes
}

// hard returns the labels of rows for work that compares with one label for each.
func (d *data) hard(work string) (aoso.Labels, error) {
	if d.shares != nil {
		return nil, usageError(errors.New("label_columns is given; allowed for " + work + ": --label, one label for each row"))
	}
	return aoso.StringLabels(d.labels), nil
}

// aligned returns the data as a validation set.
func (d *data) aligned(train *aoso.Dataset) (*aoso.Dataset, error) {
	if d.shares != nil {
		return train.AlignedSoft(d.features(), d.shares.table(), d.shares.classes, d.weights)
	}
	return train.Aligned(d.features(), aoso.StringLabels(d.labels), d.weights)
}

// evaluate compares a model with the labels.
func (d *data) evaluate(m *aoso.Model, o aoso.PredictOptions) (*aoso.Evaluation, error) {
	if d.shares != nil {
		return m.EvaluateSoft(d.features(), d.shares.table(), d.shares.classes, d.weights, o)
	}
	return m.Evaluate(d.features(), aoso.StringLabels(d.labels), d.weights, o)
}
